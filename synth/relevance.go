package synth

import "cdpor/synth/internal/term"

// maxComparisons bounds the pairs of leaves that are compared to find what matters.
const maxComparisons = 400_000

// relevant takes directions out of the leaves on which the value does not depend: those without which each leaf in
// which the steps commute still contradicts each one in which they do not. The leaves cover all states, so what is left
// determines the value. drop says which directions are not worth keeping if they can be done without.
func relevant(leaves []leaf, drop func(dir int) bool) []leaf {
	number := map[int]int{}
	var dirs []int
	for _, f := range leaves {
		for _, l := range f.cube {
			if _, ok := number[l.Dir]; !ok {
				number[l.Dir] = len(dirs)
				dirs = append(dirs, l.Dir)
			}
		}
	}
	if len(dirs) > 64 || len(leaves)*len(leaves) > maxComparisons {
		return leaves
	}
	var masks []uint64 // per pair of leaves the directions in which they contradict each other
	for _, f := range leaves {
		for _, g := range leaves {
			if !f.value || g.value {
				continue
			}
			mask := uint64(0)
			for _, l := range f.cube {
				for _, m := range g.cube {
					if l.Dir == m.Dir && term.Contradict(l, m) {
						mask |= 1 << number[l.Dir]
					}
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
	rest := make([]leaf, len(leaves))
	for i, f := range leaves {
		rest[i] = leaf{value: f.value}
		for _, l := range f.cube {
			if gone>>number[l.Dir]&1 == 0 {
				rest[i].cube = append(rest[i].cube, l)
			}
		}
	}
	return rest
}

// compareWork is what relevant costs.
func compareWork(leaves []leaf) int {
	lits := 0
	for _, f := range leaves {
		lits += len(f.cube)
	}
	if len(leaves)*len(leaves) > maxComparisons {
		return len(leaves)
	}
	return 1 + lits*lits/64
}
