package slice_test

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/lang/slice"
)

// large is a program of ten threads with so many statements: half of them conditions, half of them assignments.
func large(statements int) string {
	var text strings.Builder
	text.WriteString("cdpor: 1\nshared:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  x%d: int\n", i)
	}
	text.WriteString("threads:\n")
	for t := range 10 {
		fmt.Fprintf(&text, "  t%d: |\n", t)
		for k := range statements / 20 {
			from, to := (3*k+t)%20, (7*k+3*t)%20
			if k%3 == 0 {
				from, to = from+20, to+20 // two halves that have nothing to do with each other
			}
			fmt.Fprintf(&text, "    if x%d > 0 { x%d = x%d }\n", from, to, (from/20)*20+k%20)
		}
	}
	return text.String()
}

// BenchmarkSlice slices a large program for one of its variables.
func BenchmarkSlice(b *testing.B) {
	for _, statements := range []int{500, 1000, 2000, 5000} {
		src := parse(b, large(statements))
		for mode, name := range map[slice.Mode]string{slice.Context: "context", slice.Insensitive: "insensitive"} {
			b.Run(fmt.Sprintf("%s/%d", name, statements), func(b *testing.B) {
				for b.Loop() {
					c, err := slice.Named(src.Program, "x0")
					if err != nil {
						b.Fatal(err)
					}
					r, err := slice.New(src.Program, slice.Deadlock).Slice(c, mode, 0, nil)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(r.Lines())), "lines")
					if !r.Exact {
						b.ReportMetric(1, "inexact")
					}
				}
			})
		}
	}
}
