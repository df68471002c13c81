package step

// Parts of the guard of a process, looked at one by one, for explaining to people why it does not hold.

// CompileOwn compiles a scalar expression of the code of a process. ok is false when the evaluation failed.
func (m *Machine) CompileOwn(e *Expr, proc int) func(r *Runner, s State) (v int64, ok bool) {
	x := &compiler{m: m, own: proc, p: -1, q: -1}
	f := x.scalar(e)
	return x.guarded(func(r *Runner) int64 { return f(r) })
}

// CompilePlace compiles the word at which a place begins that the code of a process names. ok is false when an index is
// out of range or cannot be evaluated.
func (m *Machine) CompilePlace(e *Expr, proc int) func(r *Runner, s State) (word int64, ok bool) {
	x := &compiler{m: m, own: proc, p: -1, q: -1}
	f := x.addr(e)
	return x.guarded(func(r *Runner) int64 { return int64(f(r)) })
}

// guarded evaluates what has been compiled.
func (x *compiler) guarded(f intFunc) func(r *Runner, s State) (int64, bool) {
	if x.err != nil {
		return func(*Runner, State) (int64, bool) { return 0, false }
	}
	scratch := x.scratch
	return func(r *Runner, s State) (int64, bool) {
		r.prepare(s, scratch)
		v := f(r)
		return v, r.fault == NoFault
	}
}

// EachPlace calls f for every shared place that evaluating the expression reads.
func (e *Expr) EachPlace(f func(place *Expr)) {
	places(e, func(place *Expr, _ bool) { f(place) })
}

// Location is the part of a place that is a location of its own: up to the first list.
func (e *Expr) Location() *Expr { return e.location() }
