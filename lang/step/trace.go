package step

// An Access is one read or write of a variable by a step, for showing executions to people. It never decides dependence.
type Access struct {
	Write bool
	Word  int     // first word in the state
	Words []int64 // the value read or written
}

// A Trace collects the accesses of steps in the order in which they happened.
type Trace struct{ Accesses []Access }

// A Tracer executes steps like a Runner and reports what they read and write.
type Tracer struct{ r *Runner }

// NewTracer compiles the program of a machine a second time, with recording. States and schedules of the machine mean the same
// to the tracer.
func NewTracer(of *Machine) (*Tracer, error) {
	m, err := newMachine(of.Program, true, false, of.names)
	if err != nil {
		return nil, err
	}
	return &Tracer{m.NewRunner()}, nil
}

// Take executes an action in place and returns the accesses of the step.
func (t *Tracer) Take(s State, action int) []Access {
	t.r.trace = &Trace{}
	t.r.Take(s, action)
	return t.r.trace.Accesses
}

// GuardReads returns what the guard of the next step of the process reads, and whether it holds.
func (t *Tracer) GuardReads(s State, proc int) ([]Access, bool) {
	t.r.trace = &Trace{}
	enabled := t.r.Enabled(s, proc)
	return t.r.trace.Accesses, enabled
}

func (r *Runner) read(at, words int)  { r.record(false, at, words) }
func (r *Runner) wrote(at, words int) { r.record(true, at, words) }

func (r *Runner) record(write bool, at, words int) {
	if r.trace != nil {
		r.trace.Accesses = append(r.trace.Accesses, Access{write, at, append([]int64(nil), r.s[at:at+words]...)})
	}
}
