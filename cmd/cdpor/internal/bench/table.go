package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
)

// A Table is the result of cdpor bench: a line per row, in it the algorithms.
type Table struct {
	Machine string
	Version string // of cdpor
	Rows    [][]*Benchmark
}

// Complete reports whether no run was ended by its time limit.
func (t *Table) Complete() bool {
	for _, line := range t.Rows {
		for _, b := range line {
			if !b.complete() {
				return false
			}
		}
	}
	return true
}

// Print writes the table: as text, markdown, csv, json or go. columns is the width of the paper, 0: any.
func (t *Table) Print(w io.Writer, columns int, format string) error {
	switch format {
	case "csv":
		return t.printCSV(w)
	case "json":
		return t.printJSON(w)
	case "go":
		t.printGo(w)
		return nil
	}
	fmt.Fprintf(w, "%s, %s; cdpor %s, %s %s/%s\n\n", t.Machine, terminal.Plural(runtime.NumCPU(), "core"), t.Version,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
	lines, group := [][]string{{"program", "traces", "algorithm", "atomicity", "executions", "blocked", "CPU",
		"from..to", "executions/s", "memory", "than first", "than peers"}}, 0
	for _, line := range t.Rows {
		group = len(line)
		for _, b := range line {
			more := ""
			if !b.complete() {
				more = ">"
			}
			lines = append(lines, []string{b.row.Title(), strconv.FormatInt(b.row.traces, 10),
				b.mode.Name, b.mode.Atomicity,
				more + strconv.FormatInt(b.search.Executions, 10),
				strconv.FormatInt(b.search.Blocked, 10), more + terminal.Seconds(b.seconds()),
				terminal.Seconds(b.cpu[0]) + ".." + terminal.Seconds(b.cpu[len(b.cpu)-1]),
				terminal.Short(float64(b.search.Executions) / b.seconds()), memorySize(b.memory),
				b.than(line[0].seconds()), b.than(b.row.peer())})
		}
	}
	terminal.PrintTable(w, lines, []int{0, 2, 3}, group, columns, format == "markdown")
	return nil
}

// than is how many times less CPU time was used than another.
func (b *Benchmark) than(other float64) string {
	if !b.complete() || b.seconds() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f x", other/b.seconds())
}

func memorySize(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return terminal.ByteSize(float64(bytes))
}

func (t *Table) printCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"program", "parameters", "traces", "algorithm", "atomicity", "executions", "blocked",
		"events", "cpu-median", "cpu-least", "cpu-most",
		"memory", "nidhugg", "genmc", "stopped"}); err != nil {
		return err
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	for _, line := range t.Rows {
		for _, b := range line {
			count := func(n int64) string { return strconv.FormatInt(n, 10) }
			if err := out.Write([]string{b.row.program, b.row.params, count(b.row.traces), b.mode.Name,
				b.mode.Atomicity, count(b.search.Executions), count(b.search.Blocked),
				count(b.search.Events), number(b.seconds()), number(b.cpu[0]), number(b.cpu[len(b.cpu)-1]),
				count(b.memory), number(b.row.nidhugg),
				number(b.row.genmc), b.search.Stopped}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// The JSON form of a table.
type document struct {
	Cdpor   int           `json:"cdpor"`
	Machine string        `json:"machine"`
	Cores   int           `json:"cores"`
	Rows    []documentRow `json:"rows"`
}

type documentRow struct {
	Program   string        `json:"program"`
	Parameter string        `json:"parameters"`
	Traces    int64         `json:"traces"`
	Name      string        `json:"name"`
	Atomicity string        `json:"atomicity"`
	CPU       []float64     `json:"cpu_seconds"` // of each run, sorted
	Memory    int64         `json:"memory_bytes"`
	Nidhugg   float64       `json:"nidhugg_cpu_seconds"`
	GenMC     float64       `json:"genmc_cpu_seconds"`
	Search    output.Search `json:"search"`
}

func (t *Table) printJSON(w io.Writer) error {
	out := document{Cdpor: output.Version, Machine: t.Machine, Cores: runtime.NumCPU(), Rows: []documentRow{}}
	for _, line := range t.Rows {
		for _, b := range line {
			out.Rows = append(out.Rows, documentRow{b.row.program, b.row.params, b.row.traces, b.mode.Name,
				b.mode.Atomicity, b.cpu, b.memory, b.row.nidhugg, b.row.genmc, b.search})
		}
	}
	return output.Write(w, out)
}

// printGo writes one line per run in the format of Go's benchmarks, which benchstat compares.
func (t *Table) printGo(w io.Writer) {
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, t.Machine)
	for _, line := range t.Rows {
		for _, b := range line {
			for _, cpu := range b.cpu {
				fmt.Fprintf(w, "Benchmark/program=%s/%s/algorithm=%s/atomicity=%s 1 %.0f ns/op %d "+
					"executions/op %d events/op\n", b.row.program, b.row.params, b.mode.Name, b.mode.Atomicity,
					cpu*1e9, b.search.Executions, b.search.Events)
			}
		}
	}
}
