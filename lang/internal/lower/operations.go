package lower

import (
	"maps"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/internal/vet"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

// Operations and their sequential specification. op f(x) { } and op p(x), where p is a procedure, are lowered to the
// code inside between two marks, which package instrument replaces when all threads are known.

// readSpec reads the specification: a program of its own, with a thread for each operation.
func (l *loader) readSpec(n *yaml.Node) {
	var state, list *yaml.Node
	l.Fields(n, "spec", map[string]func(*yaml.Node){
		"state":      func(n *yaml.Node) { state = n },
		"operations": func(n *yaml.Node) { list = n },
	})
	if list == nil || list.Kind != yaml.MappingNode || len(list.Content) == 0 {
		l.At(n, "write operations: and below it push(v int): ...", "the specification has no operations")
		return
	}
	names := *l.Table
	names.SharedVars, names.Procs, names.Heads = map[string]*step.Var{}, map[string]*check.Routine{},
		maps.Clone(l.Heads)
	names.Mailboxes, names.Classes, names.Threads, names.Processes = nil, nil, map[string]bool{}, 0
	part := &loader{Reporter: l.Reporter, Table: &names, opt: l.opt, recursion: l.recursion, code: l.code,
		bodies: l.bodies, findings: &vet.Findings{},
		prog: &step.Program{Name: l.prog.Name, Path: l.prog.Path, Params: l.prog.Params, Funcs: l.prog.Funcs}}
	if state != nil {
		part.announceShared(state)
		part.readShared(state)
		for _, v := range part.prog.Shared {
			if v.Type != nil && types.Pinned(v.Type) {
				l.Report(v.Pos, step.Pos{}, "",
					"a specification has no use for a %s: its operations follow one another", types.PinnedWord(v.Type))
			}
		}
	}
	spec := &step.Spec{Pos: syntax.NodePos(n), Program: part.prog}
	for _, d := range readRoutines(part, list, "operation") {
		part.access = false
		spec.Operations = append(spec.Operations, lowerSpecified(part, d))
	}
	l.Unrolled, l.Probes = names.Unrolled, names.Probes
	l.findings.Join(part.findings)
	l.prog.Spec, l.performs = spec, names.Heads
}

// lowerSpecified lowers an operation of the specification.
func lowerSpecified(l *loader, d *check.Routine) *step.Operation {
	o := &step.Operation{Name: d.Name, Pos: d.Key.Pos}
	t := &step.Template{Name: d.Name, Pos: o.Pos, Count: 1}
	names := check.NewThreadNames()
	lo := &lowering{Checker: l.Checker(l.Reporter, names), loader: l, names: names, labels: map[string]step.Pos{}}
	lo.Builder = check.NewBuilder(t, false)
	for _, p := range d.Params {
		if names.Lookup(p.Name) != nil || l.SharedVars[p.Name] != nil || l.Params[p.Name] != nil {
			l.Report(p.At, step.Pos{}, "choose another name", "%s is already declared", p.Name)
		}
		v := lo.Builder.Declare(p.Name, p.Type, p.At)
		o.Params = append(o.Params, v)
		names.Visible[0][p.Name] = check.Local{Var: v, At: p.At}
		names.Fixed[v] = "a parameter"
	}
	lo.Builder.Emit(step.Node{}).Visible = true // nothing is done before the operation begins
	for _, v := range o.Params {                // set from outside: what no node assigns is taken for a constant
		lo.Builder.Assign(build.Ref(v, v.Pos), build.Ref(v, v.Pos))
	}
	f := &frame{routine: d}
	if d.Result != nil {
		f.result = lo.Builder.CheckedTemp(d.Result, o.Pos)
		o.Result = f.result.Var
		o.Result.Keep = true
	}
	lo.frames = []*frame{f}
	if code, ok := l.Code(l.bodies[d], "the body of operation "+d.Name); ok {
		before := l.Count()
		lo.stmts(syntax.ParseBody(l.Reporter, code))
		if d.Result != nil && len(lo.Builder.Open) > 0 && l.Count() == before {
			l.Report(o.Pos, step.Pos{}, "", "operation %s may end without return", d.Name)
		}
	}
	lo.Builder.Open = append(lo.Builder.Open, f.ends...)
	refuseSelf(l.Reporter, lo.Builder.Seal())
	if l.crowded(t) {
		return o
	}
	p := &step.Proc{Index: len(l.prog.Procs), Template: t, Name: t.Name, Init: make([]int64, t.LocalWords)}
	l.prog.Templates, l.prog.Procs = append(l.prog.Templates, t), append(l.prog.Procs, p)
	return o
}

// specifiedAs finds the operation of a name; nil after an error.
func specifiedAs(lo *lowering, e *syntax.Expr, name string) *operation {
	spec := lo.loader.prog.Spec
	switch {
	case lo.pureCode:
		lo.Fail(e, "", "an operation in a function: it has no effects")
		return nil
	case spec == nil:
		lo.Fail(e, "add spec: {operations: ...}", "there is no specification that says what the operation %s does",
			name)
		return nil
	case lo.within != nil:
		lo.Fail(e, "", "operation %s inside of operation %s", name, lo.within.name)
		return nil
	}
	known := []string{}
	for i, o := range spec.Operations {
		if o.Name == name {
			if e.Kind == syntax.ECall && lo.Procs[name] == nil {
				lo.Mention(syntax.Mention{Pos: e.Pos, What: "operation", Name: name, Type: lo.loader.performs[name],
					Decl: o.Pos}, nil)
			}
			return &operation{o, i, name}
		}
		known = append(known, o.Name)
	}
	lo.Fail(e, syntax.DidYouMean(name, known), "the specification has no operation %s", name)
	return nil
}

// lowerOperation lowers op f(args) { } and op r = f(args) { }, where r has the result when the block is left.
func lowerOperation(lo *lowering, s *syntax.Stmt) {
	b, call := lo.Builder, s.Value
	o := specifiedAs(lo, call, call.Name)
	if o == nil {
		lo.stmts(s.Body)
		return
	}
	wanted := make([]*step.Type, len(o.Params))
	for i, p := range o.Params {
		wanted[i] = p.Type
	}
	hoistChoices(lo, call.Args...)
	var args []*step.Expr
	b.Simple(func() {
		for i, a := range check.Arguments(lo.Checker, call, wanted) {
			if a.Op != step.Const { // what is in a variable now may be changed by the code inside
				to := b.Temp(wanted[i], call.Args[i].Pos)
				b.Assign(to, a)
				a = to
			}
			args = append(args, a)
		}
	})
	if len(args) != len(wanted) {
		lo.stmts(s.Body)
		return
	}
	var result *step.Expr
	if s.Place != nil {
		if result = lo.Place(s.Place); result == nil {
			lo.stmts(s.Body)
			return
		}
		if result.TouchesShared() {
			lo.Fail(s.Place, "declare it first: var "+s.Place.Name+" int",
				"the result of an operation is in a variable of the thread")
			return
		}
	}
	if o = beginOperation(lo, call, call.Name, args); o == nil {
		lo.stmts(s.Body)
		return
	}
	over := func() {
		within := lo.within
		endOperation(lo, o, call, result)
		lo.within = within
	}
	lo.withs = append(lo.withs, over)
	lo.stmts(s.Body)
	lo.withs = lo.withs[:len(lo.withs)-1]
	if len(b.Open) > 0 {
		b.Pos, b.Text = s.Pos, lo.File.Between(s.Pos, s.HeaderEnd)
		over()
	}
	lo.within = nil
}

// beginOperation emits the mark where an operation begins; the operation is nil after an error.
func beginOperation(lo *lowering, e *syntax.Expr, name string, args []*step.Expr) *operation {
	o := specifiedAs(lo, e, name)
	if o == nil {
		return nil
	}
	if len(args) != len(o.Params) {
		lo.Fail(e, "", "operation %s has %s in the specification, not %d", name,
			syntax.Plural(len(o.Params), "argument"), len(args))
		return nil
	}
	values := make([]*step.Expr, len(args))
	for i, a := range args {
		at := &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End, Done: a}
		if values[i] = lo.Coerce(at, a, o.Params[i].Type); values[i] == nil {
			return nil
		}
	}
	tallyOperation(lo, o, e.Pos)
	lo.within = o
	lo.Builder.Emit(step.Node{Mark: &step.Mark{Op: o.number, Begins: true, Args: values,
		Inside: lo.Builder.Atomic > 0}})
	return o
}

// endOperation emits the mark where an operation is over.
func endOperation(lo *lowering, o *operation, e *syntax.Expr, result *step.Expr) {
	lo.within = nil
	switch {
	case o.Result == nil && result != nil:
		lo.Fail(e, "", "operation %s has no result in the specification", o.name)
		return
	case o.Result != nil && result == nil:
		lo.Fail(e, "", "operation %s has a result of type %s in the specification", o.name, types.String(o.Result.Type))
		return
	case len(lo.Builder.Open) == 0:
		return
	case result != nil:
		at := &syntax.Expr{Kind: syntax.EDone, Pos: e.Pos, End: e.End, Done: result}
		if result = lo.Coerce(at, result, o.Result.Type); result == nil {
			return
		}
	}
	lo.Builder.Emit(step.Node{Mark: &step.Mark{Op: o.number, Result: result, Inside: lo.Builder.Atomic > 0}})
}

// maxOperations bounds what one process can record.
const maxOperations = 1000

// tallyOperation counts an operation of a thread, as often as the loops around go round.
func tallyOperation(lo *lowering, o *operation, at step.Pos) {
	l, t := lo.loader, lo.Builder.Template
	p := l.performed[t]
	if p == nil {
		p = &instrument.Performed{Ops: map[int]bool{}}
		l.performed[t] = p
	}
	p.Ops[o.number] = true
	times := 1
	for _, r := range lo.rounds {
		times = min(times*r, maxOperations+1)
	}
	switch {
	case slices.Contains(lo.rounds, 0) && l.operations == 0:
		lo.Report(at, step.Pos{}, "say how many operations one process performs at most, in bounds: {operations: N}",
			"this operation is in a loop that goes round an unknown number of times")
	case slices.Contains(lo.rounds, 0):
		p.Open = at
	default:
		p.Most = min(p.Most+times, maxOperations+1)
	}
	if p.Most > maxOperations && l.operations == 0 {
		lo.Report(at, step.Pos{}, "say how many there are in bounds: {operations: N}",
			"the thread may perform more than %d operations", maxOperations)
		l.operations = maxOperations // reported once
	}
}

// roundsOf is how often a loop over a range goes round, 0 if that is not known; an empty one counts as one round.
func roundsOf(from, to *step.Expr) int {
	a, b := check.ConstOf(from), check.ConstOf(to)
	if a == nil || b == nil || b.Words[0]-a.Words[0] > maxOperations {
		return 0
	}
	return int(max(1, b.Words[0]-a.Words[0]+1))
}

// recordOperations makes the threads record the operations of the specification.
func recordOperations(l *loader) {
	spec := l.prog.Spec
	if spec == nil {
		return
	}
	r := &instrument.Recording{Program: l.prog, Performed: l.performed, Limit: l.operations, Hidden: l.hidden,
		Crowded: func(t *step.Template) bool { return l.prog.SharedWords > check.MaxWords || l.crowded(t) }}
	performed := r.Write()
	if len(performed) == 0 {
		l.Report(spec.Pos, step.Pos{}, "write op in front of calls, or op f(x) { } around code",
			"no thread performs an operation of the specification")
		return
	}
	for i, o := range spec.Operations {
		if !performed[i] {
			l.findings.Remark(o.Pos, step.Pos{}, "", "no thread performs the operation %s", o.Name)
		}
	}
}
