package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
)

// printProfile writes how often each constraint was asked and what that saved.
func (r *Report) printProfile(w io.Writer) {
	list := output.Usages(r.Result, r.Knowledge.Set)
	if len(list) == 0 {
		fmt.Fprintln(w, "profile      no constraint was asked")
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROFILE\tREMOVED\tSTATIC\tSEQUENCES\tEVALUATED\tHELD\tUNIFORM")
	for _, u := range list {
		share := ""
		if u.Evaluated > 0 {
			share = fmt.Sprintf(" (%.0f%%)", 100*float64(u.Held)/float64(u.Evaluated))
		}
		fmt.Fprintf(table, "%s | %s\t%d\t%d\t%d\t%d\t%d%s\t%s\n", u.Steps[0], u.Steps[1], u.Removed, u.Static,
			u.Sequences, u.Evaluated,
			u.Held, share, terminal.Shorten(u.Uniform, 40))
	}
	table.Flush()
}
