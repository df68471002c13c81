package step

import "slices"

// An Access is one read or write of a variable by a step, for showing executions to people. It never decides
// dependence.
type Access struct {
	Write bool
	Word  int     // first word in the state
	Words []int64 // the value read or written
}

// A Taken is the alternative that a step takes at a Decision: one of its Ways, or a value.
type Taken struct {
	*Decision
	Way   int
	Words []int64 // of the Value; nil without one
}

// A Trace collects the accesses of steps and the alternatives they take, in the order in which they happened.
type Trace struct {
	Accesses []Access
	Taken    []Taken
}

// A Tracer executes steps like a Runner and reports what they read and write.
type Tracer struct{ r *Runner }

// NewTracer compiles the program of a machine a second time, with recording. States and schedules of the machine mean
// the same to the tracer.
func NewTracer(of *Machine) (*Tracer, error) {
	m, err := newMachine(of.Program, true, false, of.identities)
	if err != nil {
		return nil, err
	}
	return &Tracer{m.NewRunner()}, nil
}

// Take executes an action in place and returns the accesses of the step and the alternatives it takes.
func (t *Tracer) Take(s State, action int) Trace {
	t.r.trace = &Trace{}
	t.r.Take(s, action)
	return *t.r.trace
}

func (r *Runner) read(at, words int)  { r.record(false, at, words) }
func (r *Runner) wrote(at, words int) { r.record(true, at, words) }

func (r *Runner) record(write bool, at, words int) {
	if r.trace != nil {
		r.trace.Accesses = append(r.trace.Accesses, Access{write, at, append([]int64(nil), r.s[at:at+words]...)})
	}
}

// untraced evaluates a condition without a record of what it reads.
func untraced(cond intFunc) intFunc {
	return func(r *Runner) int64 {
		t := r.trace
		r.trace = nil
		v := cond(r)
		r.trace = t
		return v
	}
}

// deciding is a condition of a Branch that records which way it goes.
func (x *compiler) deciding(n *Node, cond intFunc) intFunc {
	return func(r *Runner) int64 {
		v := cond(r)
		if r.trace != nil && r.fault == NoFault {
			way := 0
			if v == 0 {
				way = 1
			}
			r.trace.Taken = append(r.trace.Taken, Taken{Decision: n.Decides, Way: way})
		}
		return v
	}
}

// chosen records what a Choose node has chosen.
func (x *compiler) chosen(n *Node) func(*Runner) {
	d := n.Decides
	var value spanFunc
	if d.Value != nil {
		value = x.span(d.Value)
	}
	return func(r *Runner) {
		t := r.trace
		if t == nil {
			return
		}
		taken := Taken{Decision: d, Way: int(r.choice)}
		if value != nil {
			fault := r.fault // evaluating for people must not fail a step
			r.trace = nil
			words := slices.Clone(value(r))
			failed := r.fault != fault
			r.trace, r.fault = t, fault
			if failed {
				return
			}
			taken.Words = words
		}
		t.Taken = append(t.Taken, taken)
	}
}

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
		for w := from; w < from+words; w++ {
			r.log = append(r.log, int32(w))
		}
	}
}
