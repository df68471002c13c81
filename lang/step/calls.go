package step

import "fmt"

// Functions are executed with the same closures as threads: while a call runs, the frame takes the place of the state
// and of the scratch memory of the runner. Frames lie on a stack that grows as needed and is then reused.

// frames is the part of a Runner that calls use.
type frames struct {
	stack []int64
	sp    int
	depth int // calls inside each other
	work  int // nodes of functions executed since begin
}

// begin makes the runner ready to evaluate something in a state.
func (r *Runner) begin(s State) {
	r.s, r.fault = s, NoFault
	r.sp, r.depth, r.work = 0, 0, 0
}

// funcCode is a compiled function.
type funcCode struct {
	f       *Func
	nodes   []nodeFunc
	scratch int
}

// compileFunc compiles a function. Its code is entered before it is complete, so that functions may call each other.
func (m *Machine) compileFunc(f *Func) error {
	if m.funcs[f] != nil {
		return nil
	}
	c := &funcCode{f: f}
	m.funcs[f] = c
	x := &compiler{m: m, own: Own, p: -1, q: -1, inFunc: true}
	for _, n := range f.Nodes {
		x.scratch = 0
		c.nodes = append(c.nodes, x.node(n))
		c.scratch = max(c.scratch, x.scratch)
	}
	if x.err != nil {
		return fmt.Errorf("step: function %s: %w", f.Name, x.err)
	}
	return nil
}

// call compiles a call; the code returns the words of the result, valid until the next call.
func (x *compiler) call(e *Expr) spanFunc {
	f := e.Func
	if err := x.m.compileFunc(f); err != nil && x.err == nil {
		x.err = err
	}
	if len(e.Args) != len(f.Params) {
		x.fail("%s: %d arguments for %s", e.Pos, len(e.Args), f.Name)
		return func(*Runner) []int64 { return nil }
	}
	code := x.m.funcs[f]
	args := make([]storeFunc, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.store(f.Params[i].Type, a)
	}
	return func(r *Runner) []int64 { return r.call(code, args) }
}

func (r *Runner) call(c *funcCode, args []storeFunc) []int64 {
	f := c.f
	base, need := r.sp, f.LocalWords+c.scratch
	if base+need > len(r.stack) {
		r.stack = make([]int64, 2*(base+need)) // frames in use keep the old one
	}
	frame, scratch := r.stack[base:base+f.LocalWords], r.stack[base+f.LocalWords:base+need]
	clear(frame)
	r.sp += need
	for i, store := range args {
		v := f.Params[i]
		store(r, frame[v.Offset:v.Offset+v.Type.Words()])
	}
	if r.depth++; r.depth > f.Depth {
		r.raise(TooDeep)
	}
	if r.fault == NoFault {
		s, outer, trace, logging := r.s, r.scratch, r.trace, r.logging
		r.s, r.scratch, r.trace, r.logging = frame, scratch, nil, false
		for node := f.Start; node != End && r.fault == NoFault; {
			if r.work++; r.work > r.m.StepBudget {
				r.raise(EndlessLoop)
			}
			node = c.nodes[node](r)
		}
		r.s, r.scratch, r.trace, r.logging = s, outer, trace, logging
	}
	r.depth--
	r.sp = base
	return frame[f.Result.Offset : f.Result.Offset+f.Result.Type.Words()]
}

// Evaluate computes an expression without variables for the instance self of a thread. ok is false if it has variables.
func Evaluate(e *Expr, self int64) (words []int64, fault Fault, ok bool) {
	if e.Has(func(e *Expr) bool { return e.Op == VarRef || e.Op == Me }) {
		return nil, NoFault, false
	}
	proc := &Proc{Self: self, Template: &Template{}}
	m := &Machine{Program: &Program{Procs: []*Proc{proc}}, StepBudget: DefaultStepBudget, procs: make([]procCode, 1),
		funcs: map[*Func]*funcCode{}}
	x := &compiler{m: m, own: 0, p: -1, q: -1}
	f := x.span(e)
	if x.err != nil {
		return nil, NoFault, false
	}
	r := &Runner{m: m, scratch: make([]int64, x.scratch)}
	r.begin(nil)
	words = f(r)
	return append([]int64(nil), words...), r.fault, true
}
