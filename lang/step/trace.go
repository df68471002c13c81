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

// NewTracer compiles a program a second time, with recording.
func NewTracer(p *Program) (*Tracer, error) {
	m, err := newMachine(p, true)
	if err != nil {
		return nil, err
	}
	return &Tracer{m.NewRunner()}, nil
}

// Run executes the next step of the process in place and returns its accesses.
func (t *Tracer) Run(s State, proc int) []Access {
	t.r.trace = &Trace{}
	t.r.Run(s, proc)
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
