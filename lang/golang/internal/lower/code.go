package lower

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// goTo lets a position of the source stand for the nodes to come.
func (c *code) goTo(pos token.Pos) {
	if !pos.IsValid() || c.l.src.InModel(pos) || c.l.src.InEntry(pos) {
		return
	}
	c.at, c.l.now = pos, pos
	at := c.l.src.At(pos)
	c.At = c.l.pos(pos)
	c.Code.Pos, c.Text, c.Calls = c.At, c.l.src.Line(pos), c.calls
	name := fmt.Sprint("L", at.Line)
	if c.labels[name] == nil {
		c.labels[name] = &build.Label{Name: name}
	}
	c.Label = c.labels[name]
}

// A refused is the panic that ends an instruction of which something is not supported.
type refused struct{}

// refuse notes that something is not supported where the code is now, and ends the instruction.
func (c *code) refuse(format string, args ...any) {
	noteRefused(c, format, args...)
	panic(refused{})
}

// noteRefused notes that something is not supported where the code is now.
func noteRefused(c *code, format string, args ...any) {
	var in *pointsto.Instance
	if n := len(c.frames); n > 0 {
		in = c.frames[n-1].in
	}
	c.l.refuseIn(in, c.at, format, args...)
}

// attempt emits something. Behind what is refused the code goes on, only to find what else is: it is not used.
func attempt(c *code, emit func()) {
	open, atomic, failing, frames, calls := c.Open, c.Atomic, c.Failing, c.frames, c.calls
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refused:
			c.Open, c.Atomic, c.Failing, c.frames, c.calls = open, atomic, failing, frames, calls
		default:
			panic(p)
		}
	}()
	emit()
}

// constantly reports whether a comparison of constants holds.
func constantly(cond *step.Expr) bool {
	if cond.Op != step.Ne || cond.Args[0].Op != step.Const || cond.Args[1].Op != step.Const {
		return false
	}
	return cond.Args[0].Words[0] != cond.Args[1].Words[0]
}

// Assume emits the end of an execution that goes beyond a bound unless a condition holds.
func (c *code) Assume(cond *step.Expr, what string) {
	c.Emit(step.Node{Kind: step.Assume, Cond: cond, Msg: what})
}

// assumeBound emits the end of an execution that goes beyond one of the bounds that a user can raise (golang.Bounds)
// unless a condition holds.
func (c *code) assumeBound(cond *step.Expr, bound, what string) {
	c.Emit(step.Node{Kind: step.Assume, Cond: cond, Bound: bound,
		Msg: what + "; a larger --bound " + bound + "=N goes further"})
}

// set emits an assignment that is a part of the step before it.
func (c *code) set(dst, src *step.Expr) *step.Node {
	return c.Emit(step.Node{Kind: step.Assign, Dst: dst, Src: src})
}

// maxDeferred bounds the calls that a function defers in loops.
const maxDeferred = 16

// refuseOutside refuses the use of what a package of the library exports.
func refuseOutside(c *code, pkg *ssa.Package, name string) {
	advice := instead(pkg)
	if name == "testing.testMainElsewhere" {
		name, advice = "TestMain of another package", "move it into a file of the package of the test"
	}
	if advice == "" {
		advice = "it has no body, and there is no model of it"
	}
	c.refuse("%s is not supported: %s", name, advice)
}

// require emits a panic unless a condition holds.
func (c *code) require(cond *step.Expr, msg string) {
	if cond != nil && !constantly(cond) {
		c.Check(cond, step.Panicked, msg)
	}
}

// requireFatal emits an error that ends the program and cannot be recovered from, unless a condition holds.
func requireFatal(c *code, cond *step.Expr, msg string) {
	failing := c.Failing
	c.Failing = nil
	c.require(cond, msg)
	c.Failing = failing
}
