package step

// GuardFootprint has the locations that the guard of the next step of a process reads: a subset of the footprint of the
// step. The result is valid until buf, of length FootprintWords, is used again; it may be shared and must not be
// changed. The step must be guarded.
func (r *Runner) GuardFootprint(s State, proc int, buf Footprint) Footprint {
	c := &r.m.procs[proc]
	return r.evaluate(&c.steps[s[c.control]].guardFoot, s, buf)
}

// guardFootprint analyses the guard of a step for a process.
func (m *Machine) guardFootprint(proc int, s *Step) footCode {
	f := footCode{any: make(Footprint, m.FootprintWords()), fixed: make(Footprint, m.FootprintWords()), single: -1}
	n := s.Template.Nodes[s.Entry]
	modified := n.evaluated(s.Template.modifiedBefore(s)[s.Entry])
	places(n.Cond, func(place *Expr, write bool) { m.access(proc, &f, place, write, modified) })
	return f
}
