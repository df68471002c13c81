//go:build cgo && !noz3

package synth

import (
	"context"
	"runtime"
	"testing"

	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/term"
)

// manyAxes has pairs of steps whose questions mention dozens of words, the owners of a lock that readers share, with
// far more combinations than cells are allowed. A gigabyte is what it takes when each of its thousands of parts is
// decided anew.
const manyAxes = `
cdpor: 1
name: many-axes
shared: {a: int, w: rwlock}
threads:
  t:
    count: 20
    run: |
      await a > 0
      w.wlock(); a = a; w.wunlock()
check: {deadlock: allowed}
`

// TestChainMemory bounds the work on parts of the states by what it allocates, which does not depend on the machine:
// the matrices of single decisions.
func TestChainMemory(t *testing.T) {
	prog := load(t, manyAxes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, report, err := Synthesize(context.Background(), prog, Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
		t.Errorf("%d pairs took %d MB", report.Pairs, used)
	}
}

// TestChain compares a chain with single decisions, for all prefixes of all combinations of regions that a search
// meets.
func TestChain(t *testing.T) {
	s, err := NewSession(Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range pairCases {
		prog := load(t, c.text())
		e, err := s.engine(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		n := e.Pair(prog.Templates[0].Steps[0], prog.Templates[1].Steps[0])
		if n.Cells == nil {
			continue
		}
		axes := n.Cells.Axes
		var dirs []int
		for _, a := range axes {
			dirs = append(dirs, a.Dir)
		}
		chain := decide.NewChain(e.Oracle, n.Table, dirs)
		budget := 300
		var lits []term.Literal
		var visit func(depth int)
		visit = func(depth int) {
			if depth == len(axes) {
				return
			}
			for _, r := range axes[depth].Regions {
				if budget--; budget < 0 {
					return
				}
				before := len(lits)
				lits = append(lits, axes[depth].Literals(r)...)
				got, want := chain.Push(lits[before:]), e.Oracle.Check(n.Table, lits)
				if got != want && got != decide.Unknown && want != decide.Unknown {
					t.Errorf("%s: after %d regions: %v, want %v", c.name, depth+1, got, want)
				}
				if got != decide.Unsat {
					visit(depth + 1)
				}
				chain.Pop()
				lits = lits[:before]
			}
		}
		visit(0)
	}
}
