package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/model"
	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Panics. One that no deferred function can recover from is a failure at once. Otherwise control goes to the end of the
// innermost frame with deferred calls, which are made there; if one of them recovers the function returns, else the
// panic goes on in the frames outside. A panic without recovery fails where it began.

// An unwinding is the panic of a process: the number of its site, 0 for none, and its value.
type unwinding struct {
	site, value *step.Expr
	sites       []panicSite
}

// A panicSite is where a panic begins.
type panicSite struct {
	msg   string
	pos   step.Pos
	text  string
	calls []step.Pos
}

// runtimeError is the dynamic type of the panics of the language itself, which no type of the program is.
const runtimeError = 1 << 40

// mayRecover reports whether a function defers one that calls recover.
func mayRecover(l *lowerer, in *pointsto.Instance) bool {
	if in.Func.Recover == nil && !hasDefer(in.Func) {
		return false
	}
	for _, x := range l.r.Instances {
		if d, deferred := x.Site.(*ssa.Defer); !deferred || x.Caller != in || d == nil {
			continue
		}
		for _, b := range x.Func.Blocks {
			if slices.ContainsFunc(b.Instrs, isRecover) {
				return true
			}
		}
	}
	return false
}

func hasDefer(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Defer); ok {
				return true
			}
		}
	}
	return false
}

func isRecover(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "recover"
}

// catcherOf is the frame whose deferred calls a panic makes first; nil if none can recover from it.
func catcherOf(frames []*frame) *frame {
	recovers := false
	for _, f := range frames {
		recovers = recovers || f.recovers
	}
	if !recovers {
		return nil
	}
	for k := len(frames) - 1; k >= 0; k-- {
		if f := frames[k]; f.recovers || f.hasDefers {
			return f
		}
	}
	return nil
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

// failing emits a panic that a deferred call may recover from, and reports whether it is one.
func (c *code) failing(cond *step.Expr, fault step.Fault, msg string) bool {
	if fault != step.Panicked {
		return false
	}
	f := catcherOf(c.frames)
	if f == nil {
		return false
	}
	raisePanic(c, f, cond, msg, c.Expr(step.Make, ifaceType, c.Number(runtimeError), c.Number(unknownText)))
	return true
}

// emitPanic emits panic(v).
func emitPanic(c *code, in *pointsto.Instance, i *ssa.Panic) {
	never := c.Const(step.BoolType, 0)
	value := c.value(in, i.X)
	if f := catcherOf(c.frames); f != nil && value != nil {
		raisePanic(c, f, never, panicText(i.X), value)
	} else {
		n := c.Emit(step.Node{Kind: step.Check, Cond: never, Fault: step.Panicked, Msg: panicText(i.X)})
		c.l.said[n] = notePanic(c, in, i.X, value)
	}
	c.Open = nil
}

// raisePanic emits the beginning of a panic unless a condition holds.
func raisePanic(c *code, f *frame, cond *step.Expr, msg string, value *step.Expr) {
	if c.unwind == nil {
		c.unwind = &unwinding{site: c.Temp(step.IntType), value: c.CheckedTemp(ifaceType)}
	}
	u := c.unwind
	u.sites = append(u.sites, panicSite{msg, c.Code.Pos, c.Text, c.Calls})
	otherwise := c.Branch(cond)
	after := c.Open
	c.Open = []*int{otherwise}
	c.set(u.value, value)
	c.set(u.site, c.Number(int64(len(u.sites))))
	toHandler(c.Code, f)
	c.Open = after
}

// toHandler leads what is open to where a frame deals with panics.
func toHandler(b *build.Code, f *frame) {
	if f.handler >= 0 {
		b.Connect(b.Open, f.handler)
	} else {
		f.panics = append(f.panics, b.Open...)
	}
	b.Open = nil
}

// emitHandler emits what a frame does about panics that reach it. Then what is open has recovered.
func emitHandler(c *code, f *frame) {
	f.handler = len(c.Nodes)
	c.Open = f.panics
	c.Emit(step.Node{Kind: step.Nop})
	emitRunDefers(c, f)
	if c.Open == nil {
		return
	}
	u := c.unwind
	on := c.Branch(c.Bool(step.Eq, u.site, c.Number(0)))
	recovered := c.Open
	c.Open = []*int{on}
	if outer := catcherOf(c.frames[:len(c.frames)-1]); outer != nil {
		toHandler(c.Code, outer)
	} else {
		emitUnrecovered(c)
	}
	c.Open = recovered
	if !f.recovers {
		c.Open = nil // it never gets there
	}
}

// emitUnrecovered emits the failures of the panics without recovery. Those whose code is made later come from
// other frames, and are not recovered there either.
func emitUnrecovered(c *code) {
	u := c.unwind
	pos, text, calls := c.Code.Pos, c.Text, c.Calls
	for k, s := range u.sites {
		c.Code.Pos, c.Text, c.Calls = s.pos, s.text, s.calls
		n := c.Emit(step.Node{Kind: step.Check, Cond: c.Bool(step.Ne, u.site, c.Number(int64(k)+1)),
			Fault: step.Panicked, Msg: s.msg})
		if strings.HasPrefix(s.msg, valueOfType) {
			c.l.said[n] = &said{tag: c.field(u.value, 0), word: c.field(u.value, 1)}
		}
	}
	c.Code.Pos, c.Text, c.Calls = pos, text, calls
	c.Emit(step.Node{Kind: step.Check, Cond: c.Const(step.BoolType, 0), Fault: step.Panicked,
		Msg: "a panic in a deferred call"})
	c.Open = nil
}

// emitRecover emits recover(): in a function that is deferred itself, the value of the panic, which is over then.
func emitRecover(c *code, in *pointsto.Instance, result ssa.Value) {
	_, deferred := in.Site.(*ssa.Defer)
	if c.unwind == nil || !deferred {
		if result != nil {
			c.define(in, result, c.zero(ifaceType))
		}
		return
	}
	u := c.unwind
	got := c.CheckedTemp(ifaceType)
	c.set(got, c.zero(ifaceType))
	c.When(c.Positive(u.site), func() {
		c.set(got, u.value)
		c.set(u.site, c.Number(0))
	})
	if result != nil {
		c.define(in, result, got)
	}
}

// errors.As. The library asks by reflection what its target points to; here each type of pointer that the target may
// hold is a branch.

// assignError emits the storing of an error where the target points to, if it is of that type. The result is whether
// it was.
func assignError(c *code, in *pointsto.Instance, site ssa.CallInstruction, err, target *step.Expr) []*step.Expr {
	err, target = c.settleAny(err), c.settleAny(target)
	tag, stored := c.field(target, 0), c.Temp(step.BoolType)
	c.set(stored, c.Const(step.BoolType, 0))
	points := c.Const(step.BoolType, 0)
	seen := map[int64]bool{}
	for _, o := range c.l.r.Dynamic(in, site.Common().Args[1]) {
		pointer, ok := o.Type.Underlying().(*types.Pointer)
		if k := c.l.tag(o.Type); ok && !seen[k] {
			seen[k] = true
			is := c.Bool(step.Eq, tag, c.Number(k))
			points = c.Bool(step.Or, points, is)
			c.When(is, func() { assignTo(c, in, site, err, c.field(target, 1), o.Type, pointer.Elem(), stored) })
		}
	}
	c.require(points, "errors: target must be a non-nil pointer")
	return []*step.Expr{stored}
}

// assignTo emits the same for a target of one type.
func assignTo(c *code, in *pointsto.Instance, site ssa.CallInstruction, err, pointer *step.Expr, of, elem types.Type,
	stored *step.Expr) {
	c.require(c.Bool(step.Ne, pointer, c.Number(0)), "errors: target must be a non-nil pointer")
	from, value := site.Common().Args[0], err
	var is *step.Expr
	if u, ok := elem.Underlying().(*types.Interface); ok {
		is = implementsType(c, in, from, c.field(err, 0), u)
	} else {
		if !types.Implements(elem, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
			c.require(c.Const(step.BoolType, 0), "errors: *target must be interface or implement error")
			return
		}
		t := c.typed(elem)
		if t == nil {
			return
		}
		is = c.Bool(step.Eq, c.field(err, 0), c.Number(c.l.tag(elem)))
		if value = c.unword(c.field(err, 1), t); t.Words() != 1 {
			value = c.CheckedTemp(t)
			c.When(is, func() { unbox(c, in, from, elem, c.field(err, 1), value) })
		}
	}
	spots, wrong := c.l.spots(c.l.r.Pointed(in, site.Common().Args[1], of))
	if wrong != nil {
		c.refuse("%v", wrong)
		return
	}
	number := c.settle(pointer)
	c.When(is, func() {
		c.each(number, spots, func(place *step.Expr, s spot) {
			c.access(in, site, number, place, s, true, func(place *step.Expr) { c.set(place, value) })
		})
		c.set(stored, c.Const(step.BoolType, 1))
	})
}

var placed = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)

// refusals collects the messages on constructs that are not supported.
type refusals struct {
	src    *source.Program
	errors []string
}

// refuse notes something that is not supported.
func (f *refusals) refuse(pos token.Pos, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !placed.MatchString(text) { // what is not supported is a type, say, which is used here
		text = f.where(pos) + ": " + text
	}
	if slices.Contains(f.errors, text) {
		return
	}
	f.errors = append(f.errors, text)
}

// refuseIn notes something that is not supported in an instance. In the library it is the call that the user's code
// makes of it, once for all that is in its way.
func (f *refusals) refuseIn(in *pointsto.Instance, pos token.Pos, format string, args ...any) {
	if !f.src.InLibrary(pos) {
		f.refuse(pos, format, args...)
		return
	}
	for x := in; x != nil && x.Site != nil; x = x.Caller {
		if f.src.InLibrary(x.Site.Pos()) || !x.Site.Pos().IsValid() {
			continue
		}
		text := fmt.Sprintf("%s: %s is not supported: ", f.where(x.Site.Pos()), x.Func.RelString(nil))
		if !slices.ContainsFunc(f.errors, func(e string) bool { return strings.HasPrefix(e, text) }) {
			f.errors = append(f.errors, fmt.Sprintf("%sat %s %s", text, f.where(pos), fmt.Sprintf(format, args...)))
		}
		return
	}
	f.refuse(pos, format, args...)
}

// failed reports whether so much is not supported that there is no use in going on.
func (f *refusals) failed() bool { return len(f.errors) > 20 }

func (f *refusals) where(pos token.Pos) string { return f.src.Where(pos) }

func (f *refusals) pos(pos token.Pos) step.Pos {
	at := f.src.At(pos)
	return step.Pos{Line: at.Line, Col: at.Col, File: at.File}
}

// Packages of the library that are neither entered nor modelled: they do what no exploration can repeat, or are far too
// large to be written out. A program may import them, and what it gets to of them is refused where it is used, with
// what to write instead.

// unmodelled are import paths, which stand for the packages below them, too, and what their users can do.
var unmodelled = []struct {
	paths   []string
	instead string
}{
	{[]string{"net", "database/sql", "crypto/tls", "log/syslog"}, "the outside world is not modelled: " +
		"let the code take an interface, which the test implements with channels"},
	{[]string{"os", "io/fs", "io/ioutil", "syscall", "embed", "plugin", "path/filepath"},
		"files and processes are not modelled: let the code take an interface, which the test implements with " +
			"variables and channels"},
	{[]string{"encoding/json", "encoding/xml", "encoding/gob", "encoding/csv", "encoding/hex", "encoding/base64",
		"encoding/pem", "encoding/asn1", "regexp", "text", "html", "bufio", "unicode", "mime", "compress", "archive",
		"image", "go", "debug"}, "the bytes of texts are not modelled: begin the test behind it, with the values " +
		"that it would return"},
	{[]string{"crypto", "math/big", "math/cmplx"}, "only integers of the machine are modelled: let the test " +
		"replace it by a function over small numbers"},
	{[]string{"reflect", "runtime/debug", "runtime/pprof", "runtime/trace", "runtime/metrics", "expvar", "log/slog",
		"testing/quick", "testing/fstest", "net/http/httptest"}, "the library does too much for it to be " +
		"written out: call the code directly, with values of known types"},
	{[]string{"go.uber.org/goleak"}, "goroutines that are left behind are looked for in any case: let the test " +
		"run without it, or TestMain call m.Run"},
}

// modelled are the packages that have a model, which is entered.
var modelled = model.Paths()

// outside reports whether a function belongs to a package that is not entered at all.
func outside(fn *ssa.Function) bool {
	return fn.Pkg != nil && !modelled[fn.Pkg.Pkg.Path()] && instead(fn.Pkg) != ""
}

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

// instead is the advice for a package that is not entered; empty for the others.
func instead(pkg *ssa.Package) string {
	if pkg == nil {
		return ""
	}
	best, advice := "", ""
	for _, u := range unmodelled {
		for _, path := range u.paths {
			if of := pkg.Pkg.Path(); (of == path || strings.HasPrefix(of, path+"/")) && len(path) > len(best) {
				best, advice = path, u.instead
			}
		}
	}
	return advice
}

// insteadOf is the advice for a construct that the pointer analysis does not support.
func insteadOf(why string) string {
	if strings.HasPrefix(why, "unsafe.") {
		return ": use pointers and slices of the types that are meant"
	}
	return ""
}
