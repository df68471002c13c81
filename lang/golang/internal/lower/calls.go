package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// emitCall emits a call.
func emitCall(c *code, f *frame, i *ssa.Call) {
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		emitBuiltin(c, f.in, i, i, b, valuesFor(c, f.in, i.Call.Args))
		return
	}
	args := valuesFor(c, f.in, i.Call.Args)
	results := emitInvoke(c, f.in, i, calleeOf(c, f.in, &i.Call), args, nil)
	switch {
	case c.Open == nil || results == nil:
	case i.Call.Signature().Results().Len() == 1:
		c.define(f.in, i, results[0])
	default:
		c.tuples[register{f.in, i}] = results
	}
}

// valuesFor are the values of operands.
func valuesFor(c *code, in *pointsto.Instance, list []ssa.Value) (values []*step.Expr) {
	for _, a := range list {
		if m, ok := a.(*ssa.MakeClosure); ok && isOnlyCalled(m) {
			values = append(values, c.Number(0))
		} else {
			values = append(values, c.value(in, a))
		}
	}
	return values
}

// calleeOf is the value that decides which function a call through a function value or an interface reaches; nil for
// other calls.
func calleeOf(c *code, in *pointsto.Instance, call *ssa.CallCommon) *step.Expr {
	if call.IsInvoke() || call.StaticCallee() == nil {
		return c.value(in, call.Value)
	}
	return nil
}

// emitInvoke emits what a call does, for each function that it may go to, and returns locals with the results. captured
// are the captured variables of a function literal that is called where it was deferred.
func emitInvoke(c *code, in *pointsto.Instance, site ssa.CallInstruction, value *step.Expr, args,
	captured []*step.Expr) []*step.Expr {
	call := site.Common()
	callees := c.l.r.Callees(in, site)
	if fn := call.StaticCallee(); fn != nil && !call.IsInvoke() {
		if fn.Blocks == nil || len(callees) == 0 || External(fn) {
			return emitExternal(c, in, site, fn, args)
		}
		if captured == nil {
			captured = bindings(c, in, call.Value)
		}
		return enterFunction(c, callees[0], args, captured)
	}
	key := value
	if call.IsInvoke() {
		key = c.field(value, 0)
	}
	key = c.settle(key)
	c.require(c.Bool(step.Ne, key, c.Number(0)), "invalid memory address or nil pointer dereference")
	var results []*step.Expr
	for v := range call.Signature().Results().Variables() {
		results = append(results, c.CheckedTemp(c.typed(v.Type())))
	}
	var after []*int
	for k, callee := range callees {
		var skip *int
		if is := goesTo(c, key, callee); k < len(callees)-1 {
			skip = c.Branch(is)
		}
		for n, r := range emitDispatch(c, in, site, callee, key, value, args) {
			c.set(results[n], r)
		}
		c.Turn(&after, skip)
	}
	if c.Open != nil {
		c.Assume(c.Const(step.BoolType, 0), "a call of an unknown function")
	}
	c.Open = append(c.Open, after...)
	return results
}

// goesTo is the condition that a call goes to a function.
func goesTo(c *code, key *step.Expr, callee pointsto.Callee) *step.Expr {
	if callee.Type != nil {
		return c.Bool(step.Eq, key, c.Number(c.l.tag(callee.Type)))
	}
	if m, ok := callee.Object.Site.(*ssa.MakeClosure); ok {
		r, err := c.l.regionOf(callee.Object)
		if err != nil {
			noteRefused(c, "%s: %v", m, err)
			return c.Const(step.BoolType, 0)
		}
		base, size := c.l.base(r, nil)
		return c.within(key, spot{region: r, base: base, size: size})
	}
	return c.Bool(step.Eq, key, c.Number(c.l.function(callee.Object.Site.(*ssa.Function))))
}

// emitDispatch emits the call of one of the functions that a call may go to.
func emitDispatch(c *code, in *pointsto.Instance, site ssa.CallInstruction, callee pointsto.Callee,
	key, value *step.Expr, args []*step.Expr) []*step.Expr {
	if callee.Type != nil { // the receiver comes first
		recv := c.field(value, 1)
		t := c.typed(callee.Type)
		if t.Words() == 1 {
			recv = c.unword(recv, t)
		} else {
			dst := c.CheckedTemp(t)
			unbox(c, in, site.Common().Value, callee.Type, recv, dst)
			recv = dst
		}
		args = append([]*step.Expr{recv}, args...)
	}
	if callee.Func.Blocks == nil || External(callee.Func) {
		return emitExternal(c, in, site, callee.Func, args)
	}
	var captured []*step.Expr
	if callee.Object != nil {
		if _, ok := callee.Object.Site.(*ssa.MakeClosure); ok {
			place := c.l.at(c, regionAt(c, callee.Object), nil, key)
			for k := range callee.Func.FreeVars {
				captured = append(captured, c.field(place, k))
			}
		}
	}
	return enterFunction(c, callee, args, captured)
}

// bindings are the captured variables of a function literal that is called where it stands.
func bindings(c *code, in *pointsto.Instance, v ssa.Value) (list []*step.Expr) {
	if m, ok := v.(*ssa.MakeClosure); ok {
		for _, b := range m.Bindings {
			list = append(list, c.value(in, b))
		}
	}
	return list
}

// enterFunction emits the code of a function with its arguments.
func enterFunction(c *code, callee pointsto.Callee, args, captured []*step.Expr) []*step.Expr {
	if callee.Instance == nil && !callee.TooDeep {
		return nil // the initialisation of another package, which is an entry of its own if it is needed
	}
	if callee.Instance == nil {
		c.assumeBound(c.Const(step.BoolType, 0), "calls", "calls of "+callee.Func.Name()+" inside each other")
		return nil
	}
	in := callee.Instance
	for k, p := range in.Func.Params {
		if k < len(args) {
			arg := args[k]
			if _, ok := p.Type().Underlying().(*types.Pointer); ok && c.l.src.InModel(in.Func.Pos()) {
				arg = c.settle(arg) // before the step that the model enters
			}
			c.define(in, p, arg)
		}
	}
	for k, v := range in.Func.FreeVars {
		if k < len(captured) {
			c.define(in, v, captured[k])
		}
	}
	return c.instance(in)
}

// emitGo starts a goroutine.
func emitGo(c *code, in *pointsto.Instance, i *ssa.Go) {
	args := valuesFor(c, in, i.Call.Args)
	value := calleeOf(c, in, &i.Call)
	callees := c.l.r.Callees(in, i)
	if fn := i.Call.StaticCallee(); fn != nil && len(callees) == 0 {
		refuseOutside(c, fn.Pkg, "go "+fn.RelString(nil))
	}
	var after []*int
	for k, callee := range callees {
		var skip *int
		captured := bindings(c, in, i.Call.Value)
		all := args
		if value != nil {
			key := value
			if i.Call.IsInvoke() {
				key = c.field(value, 0)
			}
			key = c.settle(key)
			if is := goesTo(c, key, callee); k < len(callees)-1 {
				skip = c.Branch(is)
			}
			if callee.Type != nil {
				t := c.typed(callee.Type)
				if t.Words() != 1 {
					c.refuse("go with a method of a value of type %s is not supported", callee.Type)
				}
				all = append([]*step.Expr{c.unword(c.field(value, 1), t)}, args...)
			} else if _, ok := callee.Object.Site.(*ssa.MakeClosure); ok {
				place := c.l.at(c, regionAt(c, callee.Object), nil, key)
				for k := range callee.Func.FreeVars {
					captured = append(captured, c.field(place, k))
				}
			}
		}
		startGoroutine(c, callee, all, captured)
		c.Turn(&after, skip)
	}
	c.Open = append(c.Open, after...)
}

// startGoroutine emits the start of one of the processes of a go statement.
func startGoroutine(c *code, callee pointsto.Callee, args, captured []*step.Expr) {
	if callee.Instance == nil && !callee.TooDeep {
		refuseOutside(c, callee.Func.Pkg, "go "+callee.Func.RelString(nil))
	}
	if callee.Instance == nil {
		c.assumeBound(c.Const(step.BoolType, 0), "calls", "goroutines that start each other")
		return
	}
	p := c.l.of[callee.Instance]
	if p.starts == nil {
		p.starts = map[*code]*step.Expr{}
	}
	if p.starts[c] == nil {
		p.starts[c] = c.Temp(step.IntType)
	}
	counter := p.starts[c]
	c.assumeBound(c.Bool(step.Lt, counter, c.Number(int64(p.each))), "goroutines", "goroutines of one go statement")
	var list []*step.Expr
	for k, v := range p.passed {
		var arg *step.Expr
		if k < len(args) {
			arg = args[k]
		} else if k-len(args) < len(captured) {
			arg = captured[k-len(args)]
		}
		if v == nil {
			continue // it is the same for all
		}
		if arg == nil {
			return
		}
		list = append(list, arg)
	}
	n := c.Emit(step.Node{Kind: step.Spawn, Target: p.tmpl, Args: list, Counter: counter})
	n.Visible = c.Atomic == 0
}

// emitBuiltin emits a call of a function of the language.
func emitBuiltin(c *code, in *pointsto.Instance, site ssa.CallInstruction, result ssa.Value, b *ssa.Builtin,
	args []*step.Expr) {
	operands := site.Common().Args
	switch name := b.Name(); name {
	case "print", "println":
	case "close":
		emitClose(c, in, site, operands[0], args[0])
	case "len", "cap":
		emitLen(c, in, site, result, name, operands[0], args[0])
	case "min", "max":
		e := args[0]
		op := step.Lt
		if name == "max" {
			op = step.Gt
		}
		for _, a := range args[1:] {
			e = c.Expr(step.Cond, e.Type, c.Bool(op, a, e), a, e)
		}
		c.define(in, result, e)
	case "recover":
		emitRecover(c, in, result)
	case "append":
		emitAppend(c, in, site, result, args)
	case "copy":
		emitCopy(c, in, site, result, args)
	case "delete":
		emitDelete(c, in, site, args)
	case "clear":
		emitClear(c, in, site, args[0])
	case "ssa:wrapnilchk":
		c.require(c.Bool(step.Ne, args[0], c.Number(0)), "value method called using nil pointer")
		c.define(in, result, args[0])
	default:
		c.refuse("%s is not supported", name)
	}
}

// emitExternal emits a call of a function without a body that is lowered by hand, or can be left out.
func emitExternal(c *code, in *pointsto.Instance, site ssa.CallInstruction, fn *ssa.Function,
	args []*step.Expr) []*step.Expr {
	pkg := ""
	if fn.Pkg != nil {
		pkg = fn.Pkg.Pkg.Path()
	}
	if handled, results := emitPrimitive(c, in, site, pkg, fn, args); handled {
		return results
	}
	switch {
	case looksAtTexts(fn):
		return lookAtTexts(c, fn, args)
	case outside(fn) && fn == fn.Pkg.Func("init"):
		return nil // what it initialises is refused where it is used
	}
	if pkg != "fmt" && !makesText(fn) { // it does more than to print, or to make texts
		refuseOutside(c, fn.Pkg, fn.RelString(nil))
	}
	var results []*step.Expr
	for v := range fn.Signature.Results().Variables() {
		t := c.typed(v.Type())
		if call, ok := site.(*ssa.Call); ok && t == stringType {
			results = append(results, puttingTogether(c, in, call))
		} else if t == stringType {
			results = append(results, c.Const(t, unknownText))
		} else {
			results = append(results, c.zero(t))
		}
	}
	return results
}
