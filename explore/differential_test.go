package explore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

var (
	programs = flag.Int("n", 2000, "programs of the differential test")
	seed     = flag.Int64("seed", 1, "seed of its first program; the others follow")
)

// Larger programs are drawn again.
const (
	maxStates     = 2000
	maxExecutions = 2000
)

// load makes a machine of the text of a program.
func load(text string) (*step.Machine, error) {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		return nil, err
	}
	return step.NewMachine(src.Program)
}

// variant is one way of exploring that must agree with the oracle.
type variant struct {
	name       string
	algorithm  *Algorithm
	conditions Conditions
	// exact tells that the executions must be as many as the classes of the relation.
	exact bool
}

func (v variant) run(m *step.Machine) (res *Result, ends map[string]bool, err error) {
	ends = map[string]bool{}
	a := *v.algorithm
	a.Constraints = v.conditions != nil
	res, err = Run(context.Background(), m, &a, Options{Conditions: v.conditions, MaxExecutions: maxExecutions, Terminal: func(s step.State) {
		ends[string(s.Bytes())] = true
	}})
	if err == nil && res.Stopped != StoppedComplete {
		err = oracle.ErrLimit
	}
	return
}

func compareOne(text string, rng *rand.Rand) error {
	m, err := load(text)
	if err != nil {
		return err
	}
	g, err := oracle.Search(m, maxStates)
	if err != nil {
		return err
	}
	t, err := newTable(m, rng, maxStates)
	if err != nil {
		return err
	}
	variants := []variant{
		{"source", sourceAlgorithm, nil, true},
		{"source, uniform", sourceAlgorithm, t, true},
		{"constrained without constraints", constrainedAlgorithm, nil, false},
		{"constrained", constrainedAlgorithm, t, false},
	}
	relations := map[string]relationAt{"source": footprintsAt(m), "source, uniform": t.uniformAt}
	for _, v := range variants {
		res, ends, err := v.run(m)
		if err != nil {
			return err
		}
		for key := range g.Terminals {
			if !ends[key] {
				return fmt.Errorf("%s misses the terminal state %v", v.name, g.Terminals[key])
			}
		}
		if len(ends) != len(g.Terminals) {
			return fmt.Errorf("%s finds %d terminal states, there are %d", v.name, len(ends), len(g.Terminals))
		}
		if (res.Dropped > 0) != (g.Dropped > 0) {
			return fmt.Errorf("%s drops %d executions, the oracle %d states", v.name, res.Dropped, g.Dropped)
		}
		if !v.exact {
			continue
		}
		if rel := relations[v.name]; rel != nil {
			graphs, components, ok := classes(m, rel, 400)
			if ok && (int64(graphs) != res.Executions || components != graphs) {
				return fmt.Errorf("%s: %d executions, %d happens-before graphs, %d components", v.name, res.Executions, graphs, components)
			}
		}
		if v.conditions == nil {
			traces, err := oracle.Traces(m, 20000)
			if err == nil && int64(traces) != res.Executions {
				return fmt.Errorf("%s: %d executions, %d traces", v.name, res.Executions, traces)
			}
		}
	}
	return nil
}

// TestDifferential explores random programs with every algorithm and compares with the oracle: terminal states, and where
// defined the number of executions. go test ./explore -run Differential -args -n=200000 -seed=1
func TestDifferential(t *testing.T) {
	var next, done, skipped atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !t.Failed() {
				i := next.Add(1) - 1
				if i >= int64(*programs) {
					return
				}
				rng := rand.New(rand.NewSource(*seed + i))
				for {
					text := random.Program(rng, random.Draw(rng))
					err := compareOne(text, rng)
					if errors.Is(err, oracle.ErrLimit) {
						skipped.Add(1)
						continue
					}
					if err != nil {
						t.Errorf("seed %d: %v\n%s", *seed+i, err, text)
					}
					break
				}
				done.Add(1)
			}
		}()
	}
	wg.Wait()
	t.Logf("%d programs from seed %d, %d larger ones drawn again", done.Load(), *seed, skipped.Load())
}
