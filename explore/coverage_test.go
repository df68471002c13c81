package explore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/states"
	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// Of how many searches the coverage was compared; how many of them say that they have all; how many others have not.
var coverages, coveredAll, coveredLess atomic.Int64

// compareCoverage compares what a search has gone through with the state graph. Nothing else may be in it, and if it
// says so, everything is.
func compareCoverage(m *step.Machine, res *Result, g *oracle.Graph) error {
	if !m.Covering() {
		return nil
	}
	coverages.Add(1)
	if len(res.Covered) != len(g.Covered) {
		return fmt.Errorf("a coverage of %d nodes, there are %d", len(res.Covered), len(g.Covered))
	}
	same := true
	for i, ways := range g.Covered {
		if res.Covered[i]&^ways != 0 {
			return fmt.Errorf("node %d is said to go the ways %b, and goes %b", i, res.Covered[i], ways)
		}
		same = same && res.Covered[i] == ways
	}
	switch {
	case res.CoveredAll && !same:
		return fmt.Errorf("the coverage %b is said to be all, there is %b", res.Covered, g.Covered)
	case res.CoveredAll:
		coveredAll.Add(1)
	case !same:
		coveredLess.Add(1)
	}
	return nil
}

// onlyInOneOrder has a branch that is taken only if b runs before a, although the order does not matter to what is
// written.
const onlyInOneOrder = `cdpor: 1
shared: {x: 0..1, y: 0..1}
threads:
  a: |
    atomic {
      if x == 1 { y = 1 } else { y = 1 }
    }
  b: x = 1
`

// TestCoverageClaims: that everything was gone through is said by searches that leave out only orders of steps that
// touch different data, and it is true.
func TestCoverageClaims(t *testing.T) {
	m, err := loadCovering(onlyInOneOrder)
	if err != nil {
		t.Fatal(err)
	}
	g, err := oracle.Search(m, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Algorithms() {
		for _, opt := range []Options{
			{}, {Workers: atMost(a, 2)}, {Visited: a.Visits}, {MaxExecutions: 1}, {Symmetry: a.Stateful},
		} {
			res, err := Run(context.Background(), m, a, opt)
			if err != nil {
				t.Fatal(a.Name, err)
			}
			exact := (a.Traces || a.Stateful || a.Name == "interleavings") && !opt.Visited && opt.MaxExecutions == 0
			if a.Name != "auto" && res.CoveredAll != exact {
				t.Errorf("%s %+v: says %t", a.Name, opt, res.CoveredAll)
			}
			if err := compareCoverage(m, res, g); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
			err = Cover(context.Background(), m, res, 1000, nil)
			if err != nil || !res.CoveredAll || !slices.Equal(res.Covered, g.Covered) {
				t.Errorf("%s: the state graph adds %b: %v", a.Name, res.Covered, err)
			}
		}
	}
	plain, err := load(onlyInOneOrder)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), plain, dpor.SourceAlgorithm, Options{})
	if err != nil || len(res.Covered) >= len(g.Covered) {
		t.Error("a machine that does not note all nodes", err)
	}
}

// TestCoverageLimit: where the state graph is too large nothing is claimed.
func TestCoverageLimit(t *testing.T) {
	m, err := loadCovering("cdpor: 1\nshared: {x: int, y: int}\n" +
		"threads:\n  a: \"for i in 1..90 { x = i }\"\n  b: \"for i in 1..90 { y = x }\"\n")
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), m, auto.Algorithm, Options{MaxExecutions: 1})
	if err != nil || res.CoveredAll {
		t.Fatal(err)
	}
	if err := Cover(context.Background(), m, res, 2000, nil); err != nil || res.CoveredAll || res.CoveredStates < 2000 {
		t.Error(res.CoveredAll, res.CoveredStates, err)
	}
}

// TestCoverageResumed: what was gone through before an interruption is in the checkpoint; without it nothing is
// claimed.
func TestCoverageResumed(t *testing.T) {
	m, err := loadCovering("cdpor: 1\nshared: {x: 0..3}\n" +
		"threads:\n  a: \"if x == 1 { x = 3 }\"\n  b: x = 1\n  c: x = 2\n")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Run(context.Background(), m, dpor.SourceAlgorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	_, err = Run(context.Background(), m, dpor.SourceAlgorithm, Options{MaxExecutions: 2,
		Checkpoint: func(stopped string, save func() *Checkpoint) {
			if stopped != "" {
				if err := save().Write(&written); err != nil {
					t.Error(err)
				}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []bool{true, false} {
		cp, err := ReadCheckpoint(bytes.NewReader(written.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if !kept {
			cp.Found.Covered = nil
		}
		res, err := Resume(context.Background(), m, cp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.CoveredAll != kept || kept && !slices.Equal(res.Covered, whole.Covered) {
			t.Errorf("kept %t: %t %b, without interruption %b", kept, res.CoveredAll, res.Covered, whole.Covered)
		}
	}
}

// BenchmarkCoverage is the cost of a machine that notes what is executed, and of one that does not.
func BenchmarkCoverage(b *testing.B) {
	text := "cdpor: 1\nshared: {x: int, y: int}\n" +
		"threads:\n  a: {count: 4, run: \"for i in 1..2 { if x == i { y = i }; x = i }\"}\n"
	for name, loading := range map[string]func(string) (*step.Machine, error){"without": load, "with": loadCovering} {
		m, err := loading(text)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range []*Algorithm{dpor.SourceAlgorithm, states.Algorithm} {
			b.Run(a.Name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := Run(context.Background(), m, a, Options{MaxExecutions: 5000}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
