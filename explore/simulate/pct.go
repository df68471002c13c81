package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs, ASPLOS 2010. With n threads, at most k events in an execution, and depth d:
//
//   - the threads get the priorities d, d+1, ..., d+n-1 in a random order;
//   - d-1 priority change points k_1, ..., k_(d-1) are drawn from 1, ..., k, each uniformly;
//   - always the enabled thread with the highest priority takes the next step;
//   - when a thread is about to take the k_i-th step of the execution, its priority becomes i, below all initial ones,
//     and the thread for this step is chosen again.
//
// The depth of a bug is the number of ordering constraints between events that suffice to make it happen: 1 for a use
// before an initialisation, 2 for an atomicity violation or a deadlock of two locks. A single execution shows a bug of
// depth d with probability at least 1/(n k^(d-1)). That is about schedules: where the program itself chooses, it holds
// for the choices that the bug needs, which are made at random.
type pct struct {
	priority []int
	changes  []int // changes[i] is k_(i+1)
}

func newPCT(rng *rand.Rand, threads, length, depth int) *pct {
	s := &pct{priority: rng.Perm(threads), changes: make([]int, depth-1)}
	for p := range s.priority {
		s.priority[p] += depth
	}
	for i := range s.changes {
		s.changes[i] = 1 + rng.IntN(max(1, length))
	}
	return s
}

func (s *pct) choose(enabled []int, taken int) int {
	highest := func() int {
		return slices.MaxFunc(enabled, func(p, q int) int { return s.priority[p] - s.priority[q] })
	}
	p := highest()
	for i, at := range s.changes {
		if at == taken+1 {
			s.priority[p] = i + 1
			p = highest()
		}
	}
	return p
}

// Bound is the least probability with which schedules of PCT, each with n threads, at most k events and depth d, show a
// bug of that depth, if there is one: 1 - (1 - 1/(n k^(d-1)))^schedules.
func Bound(threads, length, depth, schedules int) float64 {
	if threads < 1 || length < 1 || depth < 1 || schedules < 1 {
		return 0
	}
	once := 1 / (float64(threads) * math.Pow(float64(length), float64(depth-1)))
	return -math.Expm1(float64(schedules) * math.Log1p(-min(once, 1)))
}
