package partition

import (
	"slices"

	"cdpor/synth/internal/term"
)

// maxComparisons bounds the pairs of leaves that are compared to find what matters.
const maxComparisons = 400_000

// Relevant takes directions out of the leaves on which the value does not depend: those without which each leaf in
// which the steps commute still contradicts each one in which they do not, or not uniformly. The leaves cover all
// states, so what is left determines the value. drop says which directions are not worth keeping if they can be done
// without.
func Relevant(leaves []Leaf, drop func(dir int) bool) []Leaf {
	number, dirs := map[int]int{}, Directions(leaves)
	for i, dir := range dirs {
		number[dir] = i
	}
	if len(dirs) > 64 || len(leaves)*len(leaves) > maxComparisons {
		return leaves
	}
	against, in := contradictions(leaves)
	var masks []uint64 // per pair of leaves the directions in which they contradict each other
	for _, f := range leaves {
		for j, g := range leaves {
			if f.class() <= g.class() {
				continue
			}
			mask := uint64(0)
			for _, l := range f.Cube {
				if bit := uint64(1) << number[l.Dir]; mask&bit == 0 && against[l].meets(in[j]) {
					mask |= bit
				}
			}
			if mask == 0 {
				return leaves // only a theory keeps these two apart
			}
			masks = append(masks, mask)
		}
	}
	gone := uint64(0)
next:
	for i := len(dirs) - 1; i >= 0; i-- { // later ones tend to be derived from earlier ones
		if !drop(dirs[i]) {
			continue
		}
		for _, m := range masks {
			if m&^gone == 1<<i {
				continue next
			}
		}
		gone |= 1 << i
	}
	if gone == 0 {
		return leaves
	}
	rest := make([]Leaf, len(leaves))
	for i, f := range leaves {
		rest[i] = Leaf{Value: f.Value, Bound: f.Bound, Fails: f.Fails}
		for _, l := range f.Cube {
			if gone>>number[l.Dir]&1 == 0 {
				rest[i].Cube = append(rest[i].Cube, l)
			}
		}
	}
	return rest
}

// Directions are those of some leaves, in the order in which they occur.
func Directions(leaves []Leaf) (dirs []int) {
	seen := map[int]bool{}
	for _, f := range leaves {
		for _, l := range f.Cube {
			if !seen[l.Dir] {
				seen[l.Dir] = true
				dirs = append(dirs, l.Dir)
			}
		}
	}
	return dirs
}

// Apart reports whether each leaf contradicts in some direction each one that is good for something else.
func Apart(leaves []Leaf) bool {
	if len(leaves)*len(leaves) > maxComparisons {
		return false
	}
	against, in := contradictions(leaves)
	for _, f := range leaves {
		for j, g := range leaves {
			if f.class() > g.class() &&
				!slices.ContainsFunc(f.Cube, func(l term.Literal) bool { return against[l].meets(in[j]) }) {
				return false
			}
		}
	}
	return true
}

// contradictions are, for each literal of some leaves, those that exclude it, and those in each leaf, as sets.
func contradictions(leaves []Leaf) (against map[term.Literal]Bitset, in []Bitset) {
	number := map[term.Literal]int{}
	var all []term.Literal
	for _, f := range leaves {
		for _, l := range f.Cube {
			if _, ok := number[l]; !ok {
				number[l] = len(all)
				all = append(all, l)
			}
		}
	}
	against = map[term.Literal]Bitset{}
	for _, l := range all {
		set := NewBitset(len(all))
		for i, m := range all {
			if l.Dir == m.Dir && term.Contradict(l, m) {
				set.Set(i)
			}
		}
		against[l] = set
	}
	for _, f := range leaves {
		set := NewBitset(len(all))
		for _, l := range f.Cube {
			set.Set(number[l])
		}
		in = append(in, set)
	}
	return against, in
}

// class tells what the value of a leaf is good for: nothing, commute, or uniform, too.
func (f *Leaf) class() int {
	switch {
	case !f.Value:
		return 0
	case f.Bound:
		return 1
	}
	return 2
}

// CompareWork is what relevant costs.
func CompareWork(leaves []Leaf) int {
	lits := 0
	for _, f := range leaves {
		lits += len(f.Cube)
	}
	if len(leaves)*len(leaves) > maxComparisons {
		return len(leaves)
	}
	return 1 + lits*lits/64
}
