package step

// TakeLogged is Take, and tells which words of the state the step has written: some may be there several times, or be
// what they were. The list is valid until the runner is used again.
func (r *Runner) TakeLogged(s State, action int) (words []int32) {
	r.logging, r.log = true, r.log[:0]
	r.Take(s, action)
	r.logging = false
	return r.log
}

// writes is called when some words are written.
func (r *Runner) writes(from, words int) {
	if r.logging {
		r.note(from, words)
	}
}

func (r *Runner) note(from, words int) {
	for w := from; w < from+words; w++ {
		r.log = append(r.log, int32(w))
	}
}
