package happens

import "math/bits"

// What a step with a guard would find if only some events of the stack had run, told without running them. Without
// constraints, events that are closed under happens-before do what they did on the stack, in whatever order: so each
// location holds what the last of them that wrote it left there.

// EnabledAfterPrefix reports whether a locally predictable transition, which stands at a stack position, would be
// enabled if only the events had run for which stays holds. These are closed under happens-before and have all that
// must come before n, whatever else does.
func (x *Execution) EnabledAfterPrefix(n *Transition, at int, stays func(j int, e *Event) bool) bool {
	x.Accesses.Follow(x)
	if x.Guards != nil {
		x.touching = x.Touching(n, 0, x.touching[:0])
		kept, first := x.touching[:0], true
		for i, j := range x.touching {
			if stays(int(j), &x.Levels[j].Event) {
				first = first && len(kept) == i
				kept = append(kept, j)
			}
		}
		return x.Guards.EnabledAfter(n, kept, first)
	}
	s := x.virtual
	copy(s, x.Levels[at].State)
	half := len(n.Foot) / 2
	for w, rest := range n.Foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			location, after := w<<6+bits.TrailingZeros64(rest), 0
			writes := x.Accesses.Writes[location] // each of which happens before the next one
			low, high := 0, len(writes)           // of the first one that does not stay
			for low < high {
				middle := (low + high) / 2
				if j := writes[middle]; stays(int(j), &x.Levels[j].Event) {
					low = middle + 1
				} else {
					high = middle
				}
			}
			if low > 0 {
				after = int(writes[low-1]) + 1
			}
			first, words := x.Machine.LocationWords(location)
			copy(s[first:first+words], x.Levels[after].State[first:])
		}
	}
	return x.Runner.Enabled(s, n.Proc)
}
