package main

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

// A column is a number that cdpor compare tabulates.
type column struct {
	name   string
	counts bool // of what was explored: grows if a bound is moved
	of     func(m, first *measurement) float64
	text   func(float64) string // for people
}

func columns() []column {
	count := func(name string, of func(*explore.Result) int64) column {
		return column{name, true, func(m, _ *measurement) float64 { return float64(of(m.result)) }, whole}
	}
	ratio := func(name string, of func(*measurement) float64) column {
		return column{name, false, func(m, first *measurement) float64 { return of(m) / of(first) }, func(x float64) string {
			if math.IsNaN(x) || math.IsInf(x, 0) { // the first is 0
				return "-"
			}
			return strconv.FormatFloat(x, 'f', 3, 64)
		}}
	}
	return []column{
		count("executions", func(r *explore.Result) int64 { return r.Executions }),
		count("blocked", func(r *explore.Result) int64 { return r.Blocked }),
		count("nodes", func(r *explore.Result) int64 { return r.Nodes }),
		count("events", func(r *explore.Result) int64 { return r.Events }),
		{"time", true, func(m, _ *measurement) float64 { return m.time().Seconds() }, seconds},
		{"synthesis", false, func(m, _ *measurement) float64 { return m.synthesis.Seconds() }, seconds},
		{"memory", true, func(m, _ *measurement) float64 { return float64(m.memory) }, byteSize},
		ratio("executions-ratio", func(m *measurement) float64 { return float64(m.result.Executions) }),
		ratio("time-ratio", func(m *measurement) float64 { return m.time().Seconds() }),
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

func seconds(x float64) string {
	if x == 0 {
		return "0"
	}
	d := time.Duration(x * float64(time.Second))
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func byteSize(x float64) string {
	switch {
	case x < 1<<20:
		return fmt.Sprintf("%.0f KiB", x/(1<<10))
	case x < 1<<30:
		return fmt.Sprintf("%.1f MiB", x/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", x/(1<<30))
}

func columnNames() (names []string) {
	for _, c := range columns() {
		names = append(names, c.name)
	}
	return names
}

func findColumns(names []string) (list []column, err error) {
	all := columns()
	for _, name := range names {
		i := slices.IndexFunc(all, func(c column) bool { return c.name == name })
		if i < 0 {
			return nil, fault.Inputf("unknown column %q; there are %s", name, strings.Join(columnNames(), ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// sign tells how a number relates to the one that a search without bounds would give: "" is equal, "?" unknown.
func (c *column) sign(m, first *measurement) string {
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

// A table is the whole comparison.
type table struct {
	title   string
	swept   []string
	columns []column
	rows    []*comparison
}

func (t *table) complete() bool {
	for _, row := range t.rows {
		if slices.ContainsFunc(row.runs, func(m *measurement) bool { return !m.complete() }) {
			return false
		}
	}
	return true
}

// parameter is the value of a swept parameter in a row.
func (row *comparison) parameter(name string) string {
	for _, p := range row.params {
		if value, ok := strings.CutPrefix(p, name+"="); ok {
			return value
		}
	}
	return ""
}

func (t *table) print(w io.Writer, columns int, format string) error {
	switch format {
	case "csv":
		return t.printCSV(w)
	case "json":
		return t.printJSON(w)
	}
	t.printText(w, columns, format == "markdown")
	return nil
}

// cells is the table for people, the heading first.
func (t *table) cells() [][]string {
	heading := append(slices.Clone(t.swept), "algorithm")
	for _, c := range t.columns {
		heading = append(heading, c.name)
	}
	lines := [][]string{heading}
	for _, row := range t.rows {
		for _, m := range row.runs {
			var line []string
			for _, name := range t.swept {
				line = append(line, row.parameter(name))
			}
			line = append(line, m.variant.Name)
			for _, c := range t.columns {
				sign := c.sign(m, row.runs[0])
				if sign != "?" {
					sign += c.text(c.of(m, row.runs[0]))
				}
				line = append(line, sign)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// printText writes the table for people, the algorithms of a choice of parameters together.
func (t *table) printText(w io.Writer, columns int, markdown bool) {
	terminal.PrintTable(w, t.cells(), []int{len(t.swept)}, len(t.rows[0].runs), columns, markdown)
}

// printCSV writes plain numbers, seconds and bytes; the last column says whether the run was complete.
func (t *table) printCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	heading := append(t.cells()[0], "stopped")
	if err := out.Write(heading); err != nil {
		return err
	}
	for _, row := range t.rows {
		for _, m := range row.runs {
			var line []string
			for _, name := range t.swept {
				line = append(line, row.parameter(name))
			}
			line = append(line, m.variant.Name)
			for _, c := range t.columns {
				line = append(line, strconv.FormatFloat(c.of(m, row.runs[0]), 'g', -1, 64))
			}
			if err := out.Write(append(line, m.result.Stopped)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

type jsonComparison struct {
	Cdpor int               `json:"cdpor"`
	Runs  []jsonMeasurement `json:"runs"`
}

type jsonMeasurement struct {
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
func (t *table) printJSON(w io.Writer) error {
	out := jsonComparison{Cdpor: output.Version, Runs: []jsonMeasurement{}}
	for _, row := range t.rows {
		for _, m := range row.runs {
			search := output.SearchOf(m.result, nil)
			search.Stopped = m.result.Stopped
			out.Runs = append(out.Runs, jsonMeasurement{append([]string{}, row.params...), m.variant.Name, m.result.Verdict, m.complete(),
				m.result.Outcomes.Len(), m.result.Deadlocks.Len(), m.exploration.Seconds(), m.memory,
				m.synthesis.Seconds(), m.time().Seconds(), search})
		}
	}
	return output.Write(w, out)
}
