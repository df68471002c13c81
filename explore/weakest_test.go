package explore

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// unsure are conditions of which none says that steps do not commute.
type unsure struct{ Conditions }

func (c unsure) Uniform(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond {
	cond := c.Conditions.Uniform(procA, a, procB, b)
	cond.Weakest = false
	return cond
}

func (c unsure) Commute(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond {
	cond := c.Conditions.Commute(procA, a, procB, b)
	cond.Weakest = false
	return cond
}

// TestWeakest: where constraints say that steps do not commute, comparing states says so too, so that both ways of
// finding sleep sequences give the same search; but the first compares less.
func TestWeakest(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	solve, err := newSolver()
	if err != nil {
		t.Skip(err)
	}
	compared, unsurely := int64(0), int64(0)
	compare := func(name string, m *step.Machine) {
		solved, err := solve(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, opt := range []Options{{}, {NoGuide: true, NoAnticipate: true, Seed: 7}} {
			opt.MaxExecutions = 300
			var counts []string
			for _, c := range []Conditions{solved, unsure{solved}} {
				opt.Conditions = c
				r, err := Run(context.Background(), m, dpor.ConstrainedAlgorithm, opt)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				counts = append(counts, fmt.Sprintln(r.Executions, r.Blocked, r.Nodes, r.Events, r.Races, r.Sequences,
					r.Virtual, r.Compensated, r.Outcomes.Len(), len(r.Violations)))
				if c == solved {
					compared += r.Compared
				} else {
					unsurely += r.Compared
				}
			}
			if counts[0] != counts[1] {
				t.Errorf("%s: %s, and comparing all states: %s", name, counts[0], counts[1])
			}
		}
	}
	for _, name := range []string{"inc", "readers", "ticket-queue", "filesystem", "dining-philosophers",
		"producer-consumer", "cached-setting"} {
		compare(name, shipped(t, name, nil))
	}
	if compared*2 > unsurely {
		t.Errorf("%d comparisons of states in place of %d", compared, unsurely)
	}
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		m, err := load(random.Program(r, random.Draw(r)))
		if err != nil {
			t.Fatal(err)
		}
		compare(fmt.Sprint("random program ", seed), m)
	}
}
