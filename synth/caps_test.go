//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// TestCaps writes a section of testdata/tables/synthesis.md: what the limit of the exact treatment buys and costs.
// Without -update it looks at the row of the default only, as all of them take a while; the times may differ.
func TestCaps(t *testing.T) {
	if testing.Short() {
		t.Skip("compares a page of measurements")
	}
	var b bytes.Buffer
	b.WriteString("## The limit of the exact treatment\n\n" +
		"Written by `go test ./synth -run Caps -update`. A pair of steps is treated exactly if the atoms " +
		"in its question cut the\n" +
		"states into at most so many cells (`Options.MaxCells`, " + fmt.Sprint(defaultMaxCells) +
		" unless it is set; n independent atoms give 2^n). Beyond it\n" +
		"proved cubes cover what they can. The pairs are those with common data of the shipped " +
		"programs, of the blocks of\n" +
		"[pairs.md](pairs.md) and of 250 random programs. Times are of one run, uniform parts included; " +
		"compare them with each\n" +
		"other only. *Length* counts comparisons and flags in the commuting conditions, *lost* the pairs " +
		"whose uniform part is\n" +
		"`false` although they commute somewhere: without cells a condition is given up as a whole.\n" +
		"The default loses at most 2 % more pairs than the best limit; smaller ones are less often exact.\n\n" +
		"| atoms | cells | shipped: exact | partial | unknown | length | lost | time | blocks: exact | partial | " +
		"unknown | length | lost | time | random: exact | partial | unknown | length | lost | time |\n" +
		"|---|---|" + strings.Repeat("---|", 18) + "\n")
	var blocks, files []*step.Program
	for _, c := range pairCases {
		blocks = append(blocks, load(t, c.text()))
	}
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		files = append(files, programs[name])
	}
	var lostAt, cells []int
	for atoms := 2; atoms <= 11; atoms++ {
		if !*flagUpdate && 1<<atoms != defaultMaxCells {
			continue
		}
		find := func(prog *step.Program) (*constraints.Set, *Report) { return synthesisOf(t, prog, false) }
		if *flagUpdate { // the times are measured
			session, err := NewSession(Options{MaxCells: 1 << atoms})
			if err != nil {
				t.Fatal(err)
			}
			find = func(prog *step.Program) (*constraints.Set, *Report) {
				set, report, err := session.Synthesize(context.Background(), prog)
				if err != nil {
					t.Fatal(err)
				}
				return set, report
			}
		}
		fmt.Fprintf(&b, "| %d | %d |", atoms, 1<<atoms)
		totalLost := 0
		for _, programs := range [][]*step.Program{files, blocks, measuredPrograms(t)} {
			begin, sum, length, lost := time.Now(), Report{}, 0, 0
			for _, prog := range programs {
				set, report := find(prog)
				sum.Exact += report.Exact - report.Independent
				sum.Partial += report.Partial
				sum.Unknown += report.Unknown
				for _, p := range set.Pairs {
					length += atomsOf(p.Commute)
					if constraints.IsFalse(p.Uniform) && !constraints.IsFalse(p.Commute) {
						lost++
					}
				}
			}
			totalLost += lost
			fmt.Fprintf(&b, " %d | %d | %d | %d | %d | %.2fs |", sum.Exact, sum.Partial, sum.Unknown, length, lost,
				time.Since(begin).Seconds())
		}
		b.WriteString("\n")
		lostAt, cells = append(lostAt, totalLost), append(cells, 1<<atoms)
	}
	if *flagUpdate {
		least := slices.Min(lostAt)
		if lost := lostAt[slices.Index(cells, defaultMaxCells)]; 50*lost > 51*least {
			t.Errorf("with %d cells %d pairs are lost, at best %d", defaultMaxCells, lost, least)
		}
	}
	want := measured(t, b.String())
	mask := func(text string) string {
		return regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(text, "TIME")
	}
	for _, line := range strings.SplitAfter(mask(b.String()), "\n") {
		if !strings.Contains(mask(want), line) {
			t.Errorf("%s is stale; -update rewrites it. It lacks\n%s", measurements, line)
		}
	}
}

// atomsOf counts the comparisons and flags of a condition.
func atomsOf(x *step.Expr) (n int) {
	switch x.Op {
	case step.And, step.Or, step.Not:
		for _, a := range x.Args {
			n += atomsOf(a)
		}
		return n
	case step.Const:
		return 0
	}
	return 1
}
