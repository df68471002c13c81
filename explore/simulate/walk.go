package simulate

import "math/rand/v2"

// A scheduler chooses the process of the next step among those that can take one, which are given in order. taken is
// how many events the execution has.
type scheduler interface {
	choose(enabled []int, taken int) int
}

// A randomWalk gives each enabled process the same chance at each step. It is simple and finds what many schedules
// show. What needs one of n processes to take m steps in a row is found with probability 1/n^m.
type randomWalk struct{ rng *rand.Rand }

func (w randomWalk) choose(enabled []int, _ int) int { return enabled[w.rng.IntN(len(enabled))] }
