//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"cdpor/constraints"
)

// manyTemplates is a program of n threads with a step each, every one so many times, which work on some variables of
// each kind in the ways of small programs: counters, guarded updates, copies, array elements, queues and locks.
func manyTemplates(n, vars, count int) string {
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: many\nshared:\n")
	for i := range vars {
		fmt.Fprintf(&b, "  x%d: int\n  f%d: bool\n  m%d: mutex\n  a%d: array[8] int\n  q%d: queue[int, 3]\n",
			i, i, i, i, i)
	}
	b.WriteString("threads:\n")
	bodies := []string{
		"x%[1]d += %[3]d",
		"if x%[1]d > %[3]d { x%[1]d = x%[1]d - 1; x%[2]d = x%[2]d + 1 }",
		"x%[1]d = x%[2]d",
		"if !f%[1]d { f%[1]d = true; x%[2]d = %[3]d }",
		"if !q%[1]d.full() { q%[1]d.push(x%[2]d) }",
		"if !q%[1]d.empty() { x%[2]d = q%[1]d.pop() }",
		"if x%[2]d >= 0 && x%[2]d < 8 { a%[1]d[x%[2]d] = %[3]d }",
		"a%[1]d[self] = a%[1]d[%[3]d %% 8] + 1",
		"if x%[1]d < %[3]d { x%[1]d = %[3]d }",
		"lock m%[1]d; f%[2]d = !f%[2]d",
	}
	for i := range n {
		body := fmt.Sprintf(bodies[i%len(bodies)]+" # %[1]d %[2]d %[3]d", i%vars, (i/3+1)%vars, i)
		fmt.Fprintf(&b, "  t%d:\n    count: %d\n    run: |\n      s: atomic { %s }\n", i, count,
			strings.Split(body, " #")[0])
	}
	return b.String()
}

// growthCases are programs of more and more templates: loose ones share each variable with a few others, dense ones
// with many; with two processes of a template, steps meet themselves, too.
var growthCases = []struct {
	name           string
	n, vars, count int
	limit          int // of questions to the solver; 0: none
}{
	{"loose", 10, 4, 2, 0}, {"loose", 20, 7, 2, 0}, {"loose", 40, 12, 2, 0}, {"loose", 100, 27, 2, 0},
	{"dense, one process each", 10, 2, 1, 0}, {"dense, one process each", 20, 2, 1, 0},
	{"dense, one process each", 40, 2, 1, 0},
	{"dense", 10, 2, 2, 0}, {"dense", 20, 2, 2, 0}, {"dense", 40, 2, 2, 0}, {"dense", 100, 2, 2, budgetOf100},
	{"dense", 100, 2, 2, 0},
}

// budgetOf100 is the budget that the dense program of 100 templates is given.
const budgetOf100 = 2000

// BenchmarkTemplates is the growth of a synthesis with the number of templates: all pairs, and all thirds for uniform.
// With -short it leaves out a hundred templates.
func BenchmarkTemplates(b *testing.B) {
	for _, c := range growthCases {
		if testing.Short() && c.n > 40 {
			continue
		}
		b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(c.name, " ", "-"), c.n), func(b *testing.B) {
			prog := load(b, manyTemplates(c.n, c.vars, c.count))
			for b.Loop() {
				_, report, err := Synthesize(context.Background(), prog, Options{AnyState: true, MaxQueries: c.limit})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(report.Pairs), "pairs")
				b.ReportMetric(float64(report.Queries), "queries")
				b.ReportMetric(float64(report.Exact)/float64(report.Pairs), "exact")
			}
		})
	}
}

// TestGrowth writes a section of testdata/tables/synthesis.md. Without -update it looks at the rows of up to forty
// templates, as those of a hundred take a while; the times may differ.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("compares a page of measurements")
	}
	var b bytes.Buffer
	b.WriteString("## Growth with the number of templates\n\n" +
		"Written by `go test ./synth -run Growth -update`. Programs of n threads, each of one step that " +
		"updates, guards, copies,\n" +
		"indexes, queues or locks some of the shared variables: *loose* ones have more variables the " +
		"more threads there are,\n" +
		"*dense* ones two of each kind, so that almost every pair has common data and almost every third " +
		"step can disturb it.\n" +
		"Every thread has two processes unless it says one, so that n templates have n(n+1)/2 pairs. *Time* " +
		"is processor time of\n" +
		"one run, uniform parts included, in milliseconds; *per template* is that divided by n. " +
		"*Questions* are those that\n" +
		"reached the solver; the row with a budget was given `--max-queries` of that many.\n\n" +
		"| program | templates | budget | pairs | exact | partial | unknown | questions | time | per template |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range growthCases {
		if !*flagUpdate && c.n > 40 {
			continue
		}
		prog := load(t, manyTemplates(c.n, c.vars, c.count))
		before := processorTime(t)
		_, report, err := Synthesize(context.Background(), prog, Options{AnyState: true, MaxQueries: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		used := float64((processorTime(t) - before).Microseconds()) / 1000
		budget := "none"
		if c.limit > 0 {
			budget = fmt.Sprint(c.limit)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %d | %d | %d | %d | %.1f | %.1f |\n", c.name, c.n, budget, report.Pairs,
			report.Exact, report.Partial,
			report.Unknown, report.Queries, used, used/float64(c.n))
	}
	want := measured(t, b.String())
	mask := func(text string) string {
		return regexp.MustCompile(`(?m) [0-9.]+ \| [0-9.]+ \|$`).ReplaceAllString(text, "")
	}
	for line := range strings.Lines(mask(b.String())) {
		if !strings.Contains(mask(want), line) {
			t.Errorf("%s is stale; -update rewrites it. It lacks\n%s", measurements, line)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestTemplates: for all pairs of forty templates the solver is asked few questions, and hardly any is left unknown.
func TestTemplates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	prog := load(t, manyTemplates(40, 2, 2))
	_, report, err := Synthesize(context.Background(), prog, Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Pairs != 820 || report.Queries > 100 || report.Exact < report.Pairs*9/10 {
		t.Errorf("%+v", report)
	}
}

// TestHundredTemplates: with a budget a hundred templates come to an end, the budget is kept, and what was not asked
// is not claimed.
func TestHundredTemplates(t *testing.T) {
	prog := load(t, manyTemplates(100, 2, 2))
	const budget = 200 // less than testdata/tables/synthesis.md has, to be quick
	set, report, err := Synthesize(context.Background(), prog,
		Options{AnyState: true, MaxQueries: budget, MaxWork: 1000 * budget})
	if err != nil {
		t.Fatal(err)
	}
	if report.Pairs != 5050 || report.Queries > budget || report.Open == 0 {
		t.Errorf("%d pairs, %d questions, %d unknown, %d open", report.Pairs, report.Queries,
			report.Unknown, report.Open)
	}
	for _, p := range set.Pairs {
		if p.Status == constraints.Unknown && !(constraints.IsFalse(p.Commute) && constraints.IsFalse(p.Uniform)) {
			t.Errorf("%s and %s are unknown, but %v", p.A.Name(), p.B.Name(), p.Commute)
		}
	}
}
