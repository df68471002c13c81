package synth

import (
	"math/bits"
	"slices"
)

// A candidate is a condition that may appear in the result. Where its guards do not hold (an index is out of range) it
// cannot be evaluated, and neither it nor its negation holds.
type candidate struct {
	cost int
	in   bitset // where it and its guards hold
}

// A cube is a conjunction of candidates, by index in increasing order.
type cube struct {
	lits []int
	in   bitset
	cost int
}

// maxTerms is the most terms a result may have; beyond that nobody reads it.
const maxTerms = 8

// termCost is what a term costs beside its characters: fewer are preferred.
const termCost = 1

// cover finds a cheap set of cubes that together hold exactly on the set `on`; complete is false if they miss a part.
func cover(pool []candidate, on, off bitset, spend func(units int)) (terms []cube, cost int, complete bool) {
	primes := primeCubes(pool, on, off, spend)
	left, best := on, []cube(nil)
	limit := 1 << 30
	budget := 4000
	var chosen []cube
	var search func(left bitset, cost int)
	search = func(left bitset, cost int) {
		if budget--; budget < 0 || cost >= limit || len(chosen) > maxTerms {
			return
		}
		first := -1
		for i, w := range left {
			if w != 0 {
				first = i*64 + bits.TrailingZeros64(w)
				break
			}
		}
		if first < 0 {
			limit, best = cost, append([]cube(nil), chosen...)
			return
		}
		spend(1 + len(primes)/128)
		for _, p := range primes {
			if p.in.has(first) {
				chosen = append(chosen, p)
				search(left.minus(p.in), cost+p.cost+termCost)
				chosen = chosen[:len(chosen)-1]
			}
		}
	}
	if greedy, total, ok := greedyCover(primes, on, spend); ok && len(greedy) <= maxTerms {
		limit, best = total, greedy
	}
	search(left, 0)
	if best == nil {
		greedy, total, _ := greedyCover(primes, on, spend)
		return greedy[:min(len(greedy), maxTerms)], total, false
	}
	slices.SortStableFunc(best, func(a, b cube) int { return slices.Compare(a.lits, b.lits) })
	return best, limit, true
}

func greedyCover(primes []cube, on bitset, spend func(units int)) (terms []cube, cost int, ok bool) {
	left := on
	for left.count() > 0 {
		spend(1 + len(primes)*len(on)/32)
		pick, gain := -1, 0.0
		for i, p := range primes {
			if g := float64(p.in.and(left).count()) / float64(p.cost+termCost); g > gain {
				pick, gain = i, g
			}
		}
		if pick < 0 {
			return terms, cost, false
		}
		terms = append(terms, primes[pick])
		cost += primes[pick].cost + termCost
		left = left.minus(primes[pick].in)
	}
	return terms, cost, true
}

// primeCubes lists conjunctions without a superfluous literal that hold nowhere in off: all of up to three literals
// (four in small pools), and for each cell of on at least one if there is any.
func primeCubes(pool []candidate, on, off bitset, spend func(units int)) []cube {
	depth := 3
	if len(pool) <= 16 {
		depth = 4
	}
	var primes []cube
	prime := func(lits []int) bool {
		if len(lits) == 1 {
			return true
		}
		for skip := range lits {
			var in bitset
			for i, l := range lits {
				if i != skip {
					if in == nil {
						in = pool[l].in
					} else {
						in = in.and(pool[l].in)
					}
				}
			}
			if !in.meets(off) {
				return false
			}
		}
		return true
	}
	budget := 60000
	var lits []int
	var extend func(from int, in bitset, cost int)
	extend = func(from int, in bitset, cost int) {
		for i := from; i < len(pool); i++ {
			if budget--; budget < 0 {
				return
			}
			if budget%16 == 0 {
				spend(1 + len(on))
			}
			next := pool[i].in
			if in != nil {
				if next = in.and(next); next.equal(in) {
					continue
				}
			}
			if !next.meets(on) {
				continue
			}
			lits = append(lits, i)
			if !next.meets(off) {
				if prime(lits) {
					primes = append(primes, cube{append([]int(nil), lits...), next, cost + pool[i].cost})
				}
			} else if len(lits) < depth {
				extend(i+1, next, cost+pool[i].cost)
			}
			lits = lits[:len(lits)-1]
		}
	}
	extend(0, nil, 0)
	for i := range len(on) * 64 {
		if !on.has(i) || slices.ContainsFunc(primes, func(p cube) bool { return p.in.has(i) }) {
			continue
		}
		spend(1 + len(pool)*len(pool)*len(on)/64)
		if p, ok := shrink(pool, i, off); ok {
			primes = append(primes, p)
		}
	}
	slices.SortStableFunc(primes, func(a, b cube) int { return a.cost - b.cost })
	return primes
}

// shrink drops literals from the conjunction of all that hold in a cell, as long as it stays outside off.
func shrink(pool []candidate, cell int, off bitset) (cube, bool) {
	var lits []int
	for i := range pool {
		if pool[i].in.has(cell) {
			lits = append(lits, i)
		}
	}
	all := func(skip int) bitset {
		var in bitset
		for i, l := range lits {
			switch {
			case i == skip:
			case in == nil:
				in = pool[l].in
			default:
				in = in.and(pool[l].in)
			}
		}
		return in
	}
	in := all(-1)
	if in == nil || in.meets(off) {
		return cube{}, false
	}
	for i := len(lits) - 1; i >= 0 && len(lits) > 1; i-- {
		if !all(i).meets(off) {
			lits = slices.Delete(lits, i, i+1)
		}
	}
	cost := 0
	for _, l := range lits {
		cost += pool[l].cost
	}
	return cube{lits, all(-1), cost}, true
}
