package step

import "slices"

// What a step may change of a state.

// Changes lists the words of a state, in ascending order, that the step with an id may change, whatever the state is. It is nil for a step
// that starts processes: that may change all of them.
func (m *Machine) Changes(id int) []int32 { return m.info[id].changes }

// changes finds out what a step of a process may change: shared variables that it writes, its control word, and the locals that are assigned or
// zeroed somewhere, since it may fail.
func (m *Machine) changes(c *procCode, foot *footCode) []int32 {
	if len(foot.spawns) > 0 {
		return nil
	}
	var words []int32
	for loc := range m.locs.count {
		if foot.any.Writes(loc) {
			first, n := m.LocationWords(loc)
			for w := first; w < first+n; w++ {
				words = append(words, int32(w))
			}
		}
	}
	words = append(append(words, int32(c.control)), c.all...)
	slices.Sort(words)
	return words
}
