package partition

import (
	"math/bits"
	"slices"
)

// A Candidate is a condition that may appear in the result. Where its guards do not hold (an index is out of range) it
// cannot be evaluated, and neither it nor its negation holds.
type Candidate struct {
	Cost int
	In   Bitset // where it and its guards hold
}

// A Cube is a conjunction of candidates, by index in increasing order.
type Cube struct {
	Lits []int
	In   Bitset
	cost int
}

// MaxTerms is the most terms a result may have; beyond that nobody reads it.
const MaxTerms = 8

// termCost is what a term costs beside its characters: fewer are preferred.
const termCost = 1

// Cover finds a cheap set of cubes that together hold exactly on the set `on`; complete is false if they miss a part.
func Cover(pool []Candidate, on, off Bitset, spend func(units int)) (terms []Cube, cost int, complete bool) {
	primes := primeCubes(pool, on, off, spend)
	left, best := on, []Cube(nil)
	limit := 1 << 30
	budget := 4000
	var chosen []Cube
	var search func(left Bitset, cost int)
	search = func(left Bitset, cost int) {
		if budget--; budget < 0 || cost >= limit || len(chosen) > MaxTerms {
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
			limit, best = cost, append([]Cube(nil), chosen...)
			return
		}
		spend(1 + len(primes)/128)
		for _, p := range primes {
			if p.In.Has(first) {
				chosen = append(chosen, p)
				search(left.minus(p.In), cost+p.cost+termCost)
				chosen = chosen[:len(chosen)-1]
			}
		}
	}
	if greedy, total, ok := greedyCover(primes, on, spend); ok && len(greedy) <= MaxTerms {
		limit, best = total, greedy
	}
	search(left, 0)
	if best == nil {
		greedy, total, _ := greedyCover(primes, on, spend)
		return greedy[:min(len(greedy), MaxTerms)], total, false
	}
	slices.SortStableFunc(best, func(a, b Cube) int { return slices.Compare(a.Lits, b.Lits) })
	return best, limit, true
}

func greedyCover(primes []Cube, on Bitset, spend func(units int)) (terms []Cube, cost int, ok bool) {
	left := on
	for left.Count() > 0 {
		spend(1 + len(primes)*len(on)/32)
		pick, gain := -1, 0.0
		for i, p := range primes {
			if g := float64(p.In.and(left).Count()) / float64(p.cost+termCost); g > gain {
				pick, gain = i, g
			}
		}
		if pick < 0 {
			return terms, cost, false
		}
		terms = append(terms, primes[pick])
		cost += primes[pick].cost + termCost
		left = left.minus(primes[pick].In)
	}
	return terms, cost, true
}

// primeCubes lists conjunctions without a superfluous literal that hold nowhere in off: all of up to three literals
// (four in small pools), and for each cell of on at least one if there is any.
func primeCubes(pool []Candidate, on, off Bitset, spend func(units int)) []Cube {
	depth := 3
	if len(pool) <= 16 {
		depth = 4
	}
	var primes []Cube
	prime := func(lits []int) bool {
		for skip := range lits {
			var in Bitset
			for i, l := range lits {
				if i != skip {
					if in == nil {
						in = pool[l].In
					} else {
						in = in.and(pool[l].In)
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
	var extend func(from int, in Bitset, cost int)
	extend = func(from int, in Bitset, cost int) {
		for i := from; i < len(pool); i++ {
			if budget--; budget < 0 {
				return
			}
			if budget%16 == 0 {
				spend(1 + len(on))
			}
			next := pool[i].In
			if in != nil {
				if next = in.and(next); next.Equal(in) {
					continue
				}
			}
			if !next.meets(on) {
				continue
			}
			lits = append(lits, i)
			if !next.meets(off) {
				if len(lits) > 1 && prime(lits) {
					primes = append(primes, Cube{append([]int(nil), lits...), next, cost + pool[i].Cost})
				}
			} else if len(lits) < depth {
				extend(i+1, next, cost+pool[i].Cost)
			}
			lits = lits[:len(lits)-1]
		}
	}
	for i, k := range pool { // first, however many conjunctions there are
		if k.In.meets(on) && !k.In.meets(off) {
			primes = append(primes, Cube{[]int{i}, k.In, k.Cost})
		}
	}
	extend(0, nil, 0)
	for i := range len(on) * 64 {
		if !on.Has(i) || slices.ContainsFunc(primes, func(p Cube) bool { return p.In.Has(i) }) {
			continue
		}
		spend(1 + len(pool)*len(pool)*len(on)/64)
		if p, ok := shrink(pool, i, off); ok {
			primes = append(primes, p)
		}
	}
	slices.SortStableFunc(primes, func(a, b Cube) int { return a.cost - b.cost })
	return primes
}

// shrink drops literals from the conjunction of all that hold in a cell, as long as it stays outside off.
func shrink(pool []Candidate, cell int, off Bitset) (Cube, bool) {
	var lits []int
	for i := range pool {
		if pool[i].In.Has(cell) {
			lits = append(lits, i)
		}
	}
	all := func(skip int) Bitset {
		var in Bitset
		for i, l := range lits {
			switch {
			case i == skip:
			case in == nil:
				in = pool[l].In
			default:
				in = in.and(pool[l].In)
			}
		}
		return in
	}
	in := all(-1)
	if in == nil || in.meets(off) {
		return Cube{}, false
	}
	for i := len(lits) - 1; i >= 0 && len(lits) > 1; i-- {
		if !all(i).meets(off) {
			lits = slices.Delete(lits, i, i+1)
		}
	}
	cost := 0
	for _, l := range lits {
		cost += pool[l].Cost
	}
	return Cube{lits, all(-1), cost}, true
}
