package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"
	"cdpor/synth"
)

// overheadRuns is how often each algorithm runs for the overhead in testdata/tables/showcase.md.
const overheadRuns = 9

// TestShowcase runs the commands of testdata/tables/showcase.md. With -update the overhead is
// measured anew, too; it is a ratio of processor times within one process, so that other load matters little.
func TestShowcase(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	document(t, "testdata/tables/showcase.md", compareFamilies, func(text string) string {
		drawn := plot.ReplaceAllLiteralString(text, drawnPlot(t))
		if drawn != text && !*update {
			t.Errorf("the plot of testdata/tables/showcase.md is another one now: %s", cmp.Diff(text, drawn))
		}
		text = drawn
		begin, rest, ok := strings.Cut(text, "<!-- overhead -->\n")
		_, end, both := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !both {
			t.Fatal("testdata/tables/showcase.md has no place for the overhead")
		}
		if !*update {
			return text
		}
		return begin + "<!-- overhead -->\n" + overhead(t) + "<!-- end -->\n" + end
	})
}

// plot is that of testdata/tables/showcase.md.
var plot = regexp.MustCompile("(?s)```mermaid\n.*?```\n")

// drawnPlot draws how many nodes each algorithm visits in the program of the bank, as powers of two.
func drawnPlot(t *testing.T) string {
	var stdout, stderr bytes.Buffer
	args := strings.Fields("compare testdata/reviewed/money/bank.yaml -p N=2..8 --columns nodes --format csv " +
		"--algorithm source,exhaustive,context,constrained")
	if code := runMain(args, nil, &stdout, &stderr); code != fault.ExitOK {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	rows, err := csv.NewReader(&stdout).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var names, sizes []string
	lines := map[string][]string{}
	for _, row := range rows[1:] {
		nodes, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(names, row[1]) {
			names = append(names, row[1])
		}
		if !slices.Contains(sizes, row[0]) {
			sizes = append(sizes, row[0])
		}
		lines[row[1]] = append(lines[row[1]], fmt.Sprintf("%.1f", math.Log2(nodes)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "```mermaid\nxychart-beta\n  title \"nodes, as powers of two: %s, from above\"\n",
		strings.Join(names, ", "))
	fmt.Fprintf(&b, "  x-axis \"tellers N\" [%s]\n  y-axis \"log2 nodes\" 0 --> 17\n", strings.Join(sizes, ", "))
	for _, name := range names {
		fmt.Fprintf(&b, "  line [%s]\n", strings.Join(lines[name], ", "))
	}
	b.WriteString("```\n")
	return b.String()
}

// familyCommand is the choice of algorithms in a command of showcase.md about a family that is to show the default one
// beside those that know executions only, or states only.
var familyCommand = regexp.MustCompile(`--algorithm (?:[a-z]+,)?constrained,exhaustive `)

// compareFamilies has those commands compare the algorithms that there are.
func compareFamilies(text string) string {
	names := strings.Join(registered("auto", "constrained", "exhaustive"), ",")
	return familyCommand.ReplaceAllString(text, "--algorithm "+names+" ")
}

// TestActorTables runs the commands of testdata/tables/actors.md.
func TestActorTables(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	document(t, "testdata/tables/actors.md", nil, nil)
}

// overhead measures what constraints and sleep sequences cost where they save nothing.
func overhead(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| program | executions | events | constrained / source, median | least | most |\n" +
		"|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		name   string
		params map[string]string
	}{
		{"filesystem", map[string]string{"N": "18"}}, {"ticket-lock", map[string]string{"N": "4"}},
		{"ticket-queue", map[string]string{"N": "7"}},
		{"inc", map[string]string{"N": "4"}}, {"readers", map[string]string{"N": "8"}},
	} {
		s := load(t, "testdata/programs/"+c.name+".yaml", c.params)
		set := constraintsOf(t, s)
		var ratios []float64
		var last *explore.Result
		_, once := processorTime(t, s, nil, "source", 1)
		times := 1 + int(200*time.Millisecond/(once+1)) // long enough for the garbage collector to be in all of them
		for range overheadRuns {
			r, plain := processorTime(t, s, nil, "source", times)
			q, constrained := processorTime(t, s, set, "constrained", times)
			if q.Executions != r.Executions || q.Events != r.Events {
				t.Errorf("%s: constrained has %d executions and %d events, source %d and %d", c.name, q.Executions,
					q.Events, r.Executions, r.Events)
			}
			ratios, last = append(ratios, constrained.Seconds()/plain.Seconds()), q
		}
		slices.Sort(ratios)
		fmt.Fprintf(&b, "| `%s` N=%s | %d | %d | %.3f | %.3f | %.3f |\n", c.name, c.params["N"],
			last.Executions, last.Events,
			ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	return b.String()
}

// processorTime runs an algorithm a number of times and tells what the process used meanwhile.
func processorTime(t *testing.T, s *subject, set explore.Conditions, name string, times int) (
	r *explore.Result, used time.Duration) {
	t.Helper()
	v, err := compare.FindVariant(name)
	if err != nil {
		t.Fatal(err)
	}
	opt := v.Options
	opt.Conditions = set
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	for range times {
		if r, err = explore.Run(context.Background(), s.m, v.Algorithm, opt); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	sum := func(u *syscall.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }
	return r, sum(&after) - sum(&before)
}
