package synth

import "slices"

// Refuted conjunctions. Most of the questions about a triple of steps have no solution for one of a few reasons, each
// of which is a few of their literals. So the literals that a contradiction was derived from are kept, and a question
// that has all of them again is answered by looking. The facts of a table and the bounds of its symbols may be part of
// the reason as well: they hold in every state, and none is ever taken back.

// reasons are what a constraint or a contradiction was derived from: literals of a question, by position, and cases
// that are being looked at, by how deep they are nested.
type reasons uint64

// toldApart is how many literals of a question are told apart, and nestedCases how many cases. What was derived from a
// later literal is not kept; a deeper case is always gone through.
const toldApart, nestedCases = 44, 19

// beyond stands for the literals that are not told apart.
const beyond reasons = 1 << 63

// reasonOf is the literal at a position of a question.
func reasonOf(i int) reasons {
	if i >= toldApart {
		return beyond
	}
	return 1 << i
}

// reasonOfCase is the case at a depth, none if it is too deep.
func reasonOfCase(depth int) reasons {
	if depth >= nestedCases {
		return 0
	}
	return 1 << (toldApart + depth)
}

// A refutation is a conjunction of literals, given by their numbers in the table, that no state satisfies.
type refutation []int32

// maxRefuted is how many refutations a table keeps.
const maxRefuted = 512

// A refutedSet has the conjunctions that were found to have no solution.
type refutedSet struct {
	number map[literal]int32 // of each literal that is part of one
	list   []refutation
	seen   []int // by number of a literal: the last question that has it
	asked  int
}

// keep keeps the literals of a question that its contradiction was derived from.
func (r *refutedSet) keep(lits []literal, why reasons) {
	if why&beyond != 0 || len(r.list) == maxRefuted {
		return
	}
	if r.number == nil {
		r.number = map[literal]int32{}
	}
	var core refutation
	for i, l := range lits {
		if why&reasonOf(i) == 0 {
			continue
		}
		n, known := r.number[l]
		if !known {
			n = int32(len(r.seen))
			r.number[l] = n
			r.seen = append(r.seen, 0)
		}
		core = append(core, n)
	}
	slices.Sort(core)
	slices.Reverse(core) // the newest literal is in the fewest questions
	r.list = append(r.list, core)
}

// covers tells whether a question has all literals of a conjunction that is known to have no solution.
func (r *refutedSet) covers(lits []literal) bool {
	if len(r.list) == 0 {
		return false
	}
	r.asked++
	for _, l := range lits {
		if n, known := r.number[l]; known {
			r.seen[n] = r.asked
		}
	}
	return slices.ContainsFunc(r.list, func(core refutation) bool {
		return !slices.ContainsFunc(core, func(n int32) bool { return r.seen[n] != r.asked })
	})
}
