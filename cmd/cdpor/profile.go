package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
)

// A use is what the constraint of a pair was good for.
type use struct {
	*explore.PairStats
	steps            [2]string // as the conditions call them p and q
	uniform, commute string
}

// uses lists the constraints that a search asked, the most useful first.
func uses(r *explore.Result, set *constraints.Set) (list []use) {
	if set == nil {
		return nil
	}
	for _, stats := range r.Pairs {
		u := use{stats, [2]string{stats.A.Name(), stats.B.Name()}, "none", "none"}
		if p, _ := set.Find(stats.A, stats.B); p != nil {
			u.steps = [2]string{p.A.Name(), p.B.Name()}
			u.uniform = lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)
			u.commute = lang.FormatExpr(p.Commute, p.A.Template, p.B.Template)
		}
		list = append(list, u)
	}
	return list
}

// printProfile writes how often each constraint was asked and what that saved.
func (r *report) printProfile(w io.Writer) {
	list := uses(r.result, r.knowledge.Set)
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
		fmt.Fprintf(table, "%s | %s\t%d\t%d\t%d\t%d\t%d%s\t%s\n", u.steps[0], u.steps[1], u.Removed, u.Static, u.Sequences, u.Evaluated,
			u.Held, share, shorten(u.uniform, 40))
	}
	table.Flush()
}
