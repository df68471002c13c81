//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// manyTemplates is a program of n threads with a step each, which work on some variables of each kind in the ways of small
// programs: counters, guarded updates, copies, array elements, queues and locks.
func manyTemplates(n, vars int) string {
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: many\nshared:\n")
	for i := range vars {
		fmt.Fprintf(&b, "  x%d: int\n  f%d: bool\n  m%d: mutex\n  a%d: array[8] int\n  q%d: queue[int, 3]\n", i, i, i, i, i)
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
		fmt.Fprintf(&b, "  t%d: |\n    s: atomic { %s }\n", i, strings.Split(body, " #")[0])
	}
	return b.String()
}

// BenchmarkTemplates is the growth of a synthesis with the number of templates: all pairs, and all thirds for uniform.
func BenchmarkTemplates(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, vars int
	}{{"loose/10", 10, 4}, {"loose/20", 20, 7}, {"loose/40", 40, 12}, {"loose/100", 100, 27},
		{"dense/10", 10, 2}, {"dense/20", 20, 2}, {"dense/40", 40, 2}, {"dense/100", 100, 2}} {
		b.Run(c.name, func(b *testing.B) {
			prog := load(b, manyTemplates(c.n, c.vars))
			for b.Loop() {
				_, report, err := Synthesize(context.Background(), prog, Options{})
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

// TestTemplates: forty templates are a matter of a second or two; the bound leaves room for a busy machine.
func TestTemplates(t *testing.T) {
	prog := load(t, manyTemplates(40, 2))
	begin := time.Now()
	_, report, err := Synthesize(context.Background(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("%d pairs took %v", report.Pairs, took)
	}
	if report.Pairs != 780 || report.Exact < report.Pairs*9/10 {
		t.Errorf("%+v", report)
	}
}
