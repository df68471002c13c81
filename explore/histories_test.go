package explore

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"cdpor/explore/history"
	"cdpor/explore/internal/stateset"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

var performing = flag.Int("operations", 150, "programs of the test of histories")

// TestHistories compares the histories that each algorithm finds with those of a plain search of the state graph, on
// random programs with operations: with constraints, sleep sequences and visited states.
func TestHistories(t *testing.T) {
	var next, compared, found, broken atomic.Int64
	var wait sync.WaitGroup
	failed := make(chan error, runtime.NumCPU())
	for range runtime.NumCPU() {
		wait.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(*performing) || len(failed) > 0 {
					return
				}
				number := *seed + i
				rng := rand.New(rand.NewSource(number))
				for {
					c := random.Draw(rng)
					c.Ops, c.Threads, c.Steps = true, min(c.Threads, 3), min(c.Steps, 2)
					text := random.Program(rng, c)
					histories, wrong, err := compareHistories(text, rng)
					if errors.Is(err, oracle.ErrLimit) {
						continue
					}
					if err != nil {
						failed <- fmt.Errorf("seed %d: %w\n%s", number, err, text)
						return
					}
					if histories > 0 {
						compared.Add(1)
						found.Add(int64(histories))
						broken.Add(int64(wrong))
						break
					}
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	t.Logf("%d programs, %d histories, %d of them not linearizable", compared.Load(), found.Load(), broken.Load())
	if broken.Load() == 0 || broken.Load() == found.Load() {
		t.Error("the histories are all of one kind")
	}
}

// compareHistories explores a program in all ways, and says how many histories it has and how many are not
// linearizable.
func compareHistories(text string, rng *rand.Rand) (histories, broken int, err error) {
	m, err := load(text)
	if err != nil {
		return 0, 0, err
	}
	if m.Program.Spec == nil || m.NumActions() > MaxActions {
		return 0, 0, oracle.ErrLimit
	}
	g, err := oracle.Search(m, maxStates)
	if err != nil {
		return 0, 0, err
	}
	reader := history.NewReader(m)
	want := map[string]bool{}
	for _, s := range g.Terminals {
		if end := m.EndingOf(s); end == step.Ended || end == step.Deadlocked {
			words := reader.Words(nil, s)
			h := reader.Decode(words)
			key := string(stateset.EncodeWords(nil, words))
			if _, known := want[key]; !known {
				if want[key] = linearizableByOrders(m, h); !want[key] {
					broken++
				}
			}
		}
	}
	t := &lazyTable{m: m, rng: rng}
	all := variants(m, t, nil, t.uniformAt, rng)
	all = slices.DeleteFunc(all, func(v variant) bool { return g.Cyclic && !v.cyclic })
	if *sample > 0 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(*sample, len(all))]
	}
	for _, v := range all {
		v.check = func(res *Result) error {
			got := map[string]bool{}
			for i := range res.Histories.Len() {
				got[string(res.Histories.Set.Values(i))] = true
			}
			if !maps.EqualFunc(got, want, func(bool, bool) bool { return true }) {
				return fmt.Errorf("%d histories, not %d", len(got), len(want))
			}
			if res.NotLinearizable != int64(broken) {
				return fmt.Errorf("%d histories are not linearizable, not %d", res.NotLinearizable, broken)
			}
			return nil
		}
		if err := compareVariant(m, g, v); err != nil {
			return 0, 0, fmt.Errorf("%v: %w", v, err)
		}
	}
	return len(want), broken, nil
}

// linearizableByOrders tries all orders of the operations of a random program with all effects of those that are
// pending, and knows what random.specification says.
func linearizableByOrders(m *step.Machine, h *history.History) bool {
	used := make([]bool, len(h.Operations))
	var try func(n int64) bool
	try = func(n int64) bool {
		rest := false
		for i := range h.Operations {
			o := &h.Operations[i]
			if used[i] {
				continue
			}
			rest = rest || !o.Pending
			first := true
			for k := range h.Operations {
				first = first && (used[k] || !h.Precedes(k, i))
			}
			if !first {
				continue
			}
			after, result := n, []int64{}
			switch m.Program.Spec.Operations[o.Op].Name {
			case "put":
				after = o.Args[0]
			case "get":
				result = []int64{n}
			case "bump":
				after = n + o.Args[0]
				result = []int64{after}
			case "both":
				after = 1 - n
			}
			if !o.Pending && !slices.Equal(result, o.Result) {
				continue
			}
			used[i] = true
			if try(after) {
				return true
			}
			used[i] = false
		}
		return !rest
	}
	return try(0)
}
