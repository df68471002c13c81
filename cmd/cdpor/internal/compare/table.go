package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

// A Column is a number that cdpor compare tabulates.
type Column struct {
	name   string
	counts bool // of what was explored: grows if a bound is moved
	of     func(m, first *Measurement) float64
	text   func(float64) string // for people
}

func columns() []Column {
	count := func(name string, of func(*explore.Result) int64) Column {
		return Column{name, true, func(m, _ *Measurement) float64 { return float64(of(m.Result)) }, whole}
	}
	ratio := func(name string, of func(*Measurement) float64) Column {
		return Column{name, false, func(m, first *Measurement) float64 { return of(m) / of(first) },
			func(x float64) string {
				if math.IsNaN(x) || math.IsInf(x, 0) { // the first is 0
					return "-"
				}
				return strconv.FormatFloat(x, 'f', 3, 64)
			}}
	}
	return []Column{
		count("executions", func(r *explore.Result) int64 { return r.Executions }),
		count("blocked", func(r *explore.Result) int64 { return r.Blocked }),
		count("nodes", func(r *explore.Result) int64 { return r.Nodes }),
		count("events", func(r *explore.Result) int64 { return r.Events }),
		{"time", true, func(m, _ *Measurement) float64 { return m.time().Seconds() }, terminal.Seconds},
		{"synthesis", false, func(m, _ *Measurement) float64 { return m.Synthesis.Seconds() }, terminal.Seconds},
		{"memory", true, func(m, _ *Measurement) float64 { return float64(m.Memory) }, terminal.ByteSize},
		ratio("executions-ratio", func(m *Measurement) float64 { return float64(m.Result.Executions) }),
		ratio("time-ratio", func(m *Measurement) float64 { return m.time().Seconds() }),
		count("outcomes", func(r *explore.Result) int64 { return int64(r.Outcomes.Len()) }),
		count("deadlocks", func(r *explore.Result) int64 { return int64(r.Deadlocks.Len()) }),
		count("races", func(r *explore.Result) int64 { return r.Races }),
		count("removed", func(r *explore.Result) int64 { return r.Constraints.Removed }),
		count("sequences", func(r *explore.Result) int64 { return r.Sequences }),
		count("virtual", func(r *explore.Result) int64 { return r.Virtual }),
		count("states", func(r *explore.Result) int64 { return r.States }),
	}
}

func whole(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// ColumnNames are the names of all columns.
func ColumnNames() (names []string) {
	for _, c := range columns() {
		names = append(names, c.name)
	}
	return names
}

// FindColumns looks columns up by name.
func FindColumns(names []string) (list []Column, err error) {
	all := columns()
	for _, name := range names {
		i := slices.IndexFunc(all, func(c Column) bool { return c.name == name })
		if i < 0 {
			return nil, fault.Inputf("unknown column %q; there are %s", name, strings.Join(ColumnNames(), ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// sign tells how a number relates to the one that a search without bounds would give: "" is equal, "?" unknown.
func (c *Column) sign(m, first *Measurement) string {
	switch {
	case c.counts && !m.complete():
		return ">"
	case c.counts || c.name == "synthesis" || m == first || m.complete() && first.complete():
		return ""
	case first.complete():
		return ">"
	case m.complete():
		return "<"
	}
	return "?"
}

// A Table is the whole comparison.
type Table struct {
	Title   string
	Swept   []string
	Columns []Column
	Rows    []*Comparison
}

// Complete reports whether no search was ended by a bound.
func (t *Table) Complete() bool {
	for _, row := range t.Rows {
		if slices.ContainsFunc(row.Runs, func(m *Measurement) bool { return !m.complete() }) {
			return false
		}
	}
	return true
}

// Print writes the table: as text, markdown, csv or json. columns is the width of the paper, 0: any.
func (t *Table) Print(w io.Writer, columns int, format string) error {
	switch format {
	case "csv":
		return t.printCSV(w)
	case "json":
		return t.printJSON(w)
	}
	t.printText(w, columns, format == "markdown")
	return nil
}

// cells is the table with its heading, a line for each run.
func (t *Table) cells(show func(c *Column, m, first *Measurement) string) [][]string {
	heading := append(slices.Clone(t.Swept), "algorithm")
	for _, c := range t.Columns {
		heading = append(heading, c.name)
	}
	lines := [][]string{heading}
	for _, row := range t.Rows {
		for _, m := range row.Runs {
			var line []string
			for _, name := range t.Swept {
				line = append(line, row.parameter(name))
			}
			line = append(line, m.Variant.Name)
			for i := range t.Columns {
				line = append(line, show(&t.Columns[i], m, row.Runs[0]))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// printText writes the table for people, the algorithms of a choice of parameters together.
func (t *Table) printText(w io.Writer, columns int, markdown bool) {
	cells := t.cells(func(c *Column, m, first *Measurement) string {
		sign := c.sign(m, first)
		if sign != "?" {
			sign += c.text(c.of(m, first))
		}
		return sign
	})
	terminal.PrintTable(w, cells, []int{len(t.Swept)}, len(t.Rows[0].Runs), columns, markdown)
}

// printCSV writes plain numbers, seconds and bytes; the last column says whether the run was complete.
func (t *Table) printCSV(w io.Writer) error {
	lines := t.cells(func(c *Column, m, first *Measurement) string {
		return strconv.FormatFloat(c.of(m, first), 'g', -1, 64)
	})
	stopped := []string{"stopped"}
	for _, row := range t.Rows {
		for _, m := range row.Runs {
			stopped = append(stopped, m.Result.Stopped)
		}
	}
	for i := range lines {
		lines[i] = append(lines[i], stopped[i])
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// A Document is the JSON form of a table.
type Document struct {
	Cdpor int           `json:"cdpor"`
	Runs  []documentRun `json:"runs"`
}

type documentRun struct {
	Parameters []string        `json:"parameters"`
	Name       string          `json:"name"`
	Verdict    explore.Verdict `json:"verdict"`
	Complete   bool            `json:"complete"`
	Outcomes   int             `json:"outcomes"`
	Deadlocks  int             `json:"deadlocks"`
	Seconds    float64         `json:"seconds"`
	HeapBytes  int64           `json:"heap_bytes"`
	Solving    float64         `json:"constraints_seconds"`
	Total      float64         `json:"total_seconds"`
	Search     output.Search   `json:"search"`
}

// printJSON writes everything that was measured, whatever the columns.
func (t *Table) printJSON(w io.Writer) error {
	out := Document{Cdpor: output.Version, Runs: []documentRun{}}
	for _, row := range t.Rows {
		for _, m := range row.Runs {
			search := output.SearchOf(m.Result, nil)
			search.Stopped = m.Result.Stopped
			out.Runs = append(out.Runs, documentRun{append([]string{}, row.Params...), m.Variant.Name,
				m.Result.Verdict, m.complete(),
				m.Result.Outcomes.Len(), m.Result.Deadlocks.Len(), m.Exploration.Seconds(), m.Memory,
				m.Synthesis.Seconds(), m.time().Seconds(), search})
		}
	}
	return output.Write(w, out)
}

// Vacuous reports whether a complete search of a table looked at too little, and says so.
func (t *Table) Vacuous(w io.Writer) (some bool) {
	said := map[string]bool{}
	for _, row := range t.Rows {
		for _, m := range row.Runs {
			if m.Result.Verdict != explore.Vacuous {
				continue
			}
			some = true
			for _, text := range m.Missed {
				if !said[text] {
					fmt.Fprintf(w, "cdpor: vacuous: %s\n", text)
				}
				said[text] = true
			}
		}
	}
	return some
}

// A Measurement is one algorithm on one program.
type Measurement struct {
	Variant     *Variant
	Result      *explore.Result
	Exploration time.Duration
	Synthesis   time.Duration // finding or proving the constraints it uses
	Memory      int64
	Missed      []string // what was not looked at
}

// time is the whole time of the algorithm.
func (m *Measurement) time() time.Duration { return m.Exploration + m.Synthesis }

func (m *Measurement) complete() bool { return m.Result.Stopped == explore.StoppedComplete }

// A Comparison has the measurements for one choice of parameters, the first algorithm first.
type Comparison struct {
	Params []string // as given
	Runs   []*Measurement
	// Unjudged names what the program checks of executions as a whole, which is not looked at here; empty: nothing.
	Unjudged string
}

// parameter is the value of a swept parameter in a row.
func (row *Comparison) parameter(name string) string {
	for _, p := range row.Params {
		if value, ok := strings.CutPrefix(p, name+"="); ok {
			return value
		}
	}
	return ""
}
