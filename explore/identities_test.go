package explore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// startedByTwo has two threads that start processes, so that who comes first gets the first identity.
const startedByTwo = `cdpor: 1
shared: {count: int, last: int}
bounds: {worker: 4}
threads:
  boss:
    count: 2
    run: |
      let a = spawn worker(self)
      let b = spawn worker(2)
      join b
      count = count * 2
  worker:
    params: [part int]
    run: |
      count += part
      last = last * 3 + part
`

// TestFresh searches a program that starts processes with one machine, with two seeds in either order and at once: each
// search on a machine of Fresh gives the identities, outcomes and schedules that it gives alone, and the machine itself
// gets none. With one table for both searches the identities depend on the order.
func TestFresh(t *testing.T) {
	m := loadText(t, startedByTwo)
	for _, a := range []*Algorithm{dpor.SourceAlgorithm, states.Algorithm} {
		found := func(m *step.Machine, seed int64) string {
			res, err := Run(context.Background(), m, a, Options{MaxExecutions: 200, Seed: seed})
			if err != nil {
				t.Error(err)
				return ""
			}
			text := fmt.Sprint(m.Origins(), res.Executions, res.Events)
			for _, set := range []OutcomeSet{res.Outcomes, res.Deadlocks} {
				for _, o := range set.All() {
					text += fmt.Sprint(o.Words, o.Schedule)
				}
			}
			for p := range m.NumProcs() {
				text += " " + m.ProcName(p)
			}
			return text
		}
		seeds := []int64{1, 2, 3, 4}
		alone := map[int64]string{}
		for _, seed := range seeds {
			other, err := step.NewMachine(m.Program)
			if err != nil {
				t.Fatal(err)
			}
			alone[seed] = found(other, seed)
		}
		reversed := slices.Clone(seeds)
		slices.Reverse(reversed)
		var at [2]*step.Machine
		for k, order := range [][]int64{seeds, reversed} {
			at[k] = m.Fresh()
			for _, seed := range order {
				if found(m.Fresh(), seed) != alone[seed] {
					t.Errorf("%s finds something else after other searches with the machine", a.Name)
				}
				found(at[k], seed)
			}
		}
		if reflect.DeepEqual(at[0].Origins(), at[1].Origins()) {
			t.Errorf("%s: the order of searches cannot be seen, so this tests nothing", a.Name)
		}
		var all sync.WaitGroup
		for _, seed := range seeds {
			all.Go(func() {
				if found(m.Fresh(), seed) != alone[seed] {
					t.Errorf("%s finds something else beside other searches with the machine", a.Name)
				}
			})
		}
		all.Wait()
	}
	if got := m.Origins(); slices.ContainsFunc(got, func(of []step.Origin) bool { return len(of) > 0 }) {
		t.Errorf("the machine itself has the identities %v", got)
	}
}
