package executions

import (
	"math/bits"

	"cdpor/lang/step"
)

// racing is of each step a bit set of those that it has met in a race.
type racing [][]uint64

// Pairs lists the pairs of steps that have met in a race, in the order of the program.
func (r racing) Pairs(m *step.Machine) (list [][2]*step.Step) {
	known := map[[2]*step.Step]bool{}
	for a, row := range r {
		for i, word := range row {
			for ; word != 0; word &= word - 1 {
				_, s := m.StepAt(a)
				_, t := m.StepAt(i*64 + bits.TrailingZeros64(word))
				if !known[[2]*step.Step{s, t}] {
					known[[2]*step.Step{s, t}], known[[2]*step.Step{t, s}] = true, true
					list = append(list, [2]*step.Step{s, t})
				}
			}
		}
	}
	return list
}

// meet notes that two steps have met in a race.
func (r racing) meet(a, b int) {
	if r != nil {
		for len(r[a]) <= b/64 {
			r[a] = append(r[a], 0)
		}
		r[a][b/64] |= 1 << (b % 64)
	}
}
