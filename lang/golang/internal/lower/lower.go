package lower

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/share"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Lower makes the step form of a program. The error lists what is not supported, or says why the context has ended.
func Lower(ctx context.Context, src *source.Program, r *pointsto.Result, s *share.Sharing, opt Options) (
	p *step.Program, err error) {
	l := &lowerer{refusals: refusals{src: src}, texts: newTexts(), ctx: ctx, now: src.Body.Pos(), r: r, share: s,
		opt: opt, prog: &step.Program{Name: src.Name}, names: map[string]bool{},
		regions: map[*pointsto.Object]*region{}, functions: map[*ssa.Function]int64{},
		of:    map[*pointsto.Instance]*process{},
		debug: map[*ssa.Function]map[ssa.Value]string{}, said: map[*step.Node]*said{}}
	defer func() {
		if many := (*TooManyError)(nil); err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if err != nil && len(l.errors) > 0 && !errors.As(err, &many) {
			// What is not supported has no value, which others may need.
			err = source.Error(l.errors)
		}
	}()
	defer source.Recover(&err, func() string { return l.where(l.now) })
	for _, u := range r.Unsupported {
		if u.Why == pointsto.Reflection {
			continue // the call is refused with what to do instead
		}
		l.refuseIn(u.In, u.Instr.Pos(), "%s is not supported%s", u.Why, insteadOf(u.Why))
	}
	collectTexts(l)
	l.testNames = []string{src.Name}
	refused := len(l.errors)
	if l.findProcesses(); len(l.errors) > refused {
		return nil, &TooManyError{source.Error(l.errors)}
	}
	findOffers(l)
	declareDozing(l)
	for _, p := range l.processes {
		l.declareProcess(p)
	}
	for _, p := range l.processes {
		l.emit(p)
		if l.failed() {
			break
		}
	}
	if len(l.errors) > 0 {
		return nil, source.Error(l.errors)
	}
	l.finish()
	separateNames(l)
	if err := l.prog.Validate(); err != nil {
		return nil, fmt.Errorf("this is a bug of cdpor, not of the program: %w", err)
	}
	return l.prog, nil
}

// separateNames gives other names to locals that are called like shared variables: in conditions a name alone is that
// of the shared one.
func separateNames(l *lowerer) {
	for _, p := range l.processes {
		taken := maps.Clone(l.names)
		for _, v := range p.code.Template.Locals {
			if !l.names[v.Name] {
				taken[v.Name] = true
			}
		}
		for _, v := range p.code.Template.Locals {
			if !l.names[v.Name] {
				continue
			}
			if v.Type == refType {
				v.Name += "_ref"
			}
			own := v.Name
			v.Name = unique(taken, own)
			if rest := strings.TrimPrefix(v.Name, own); v.Shown == "" && v.Type != refType {
				v.Shown = own + strings.Replace(rest, "_", "#", 1)
			}
		}
	}
}

// findProcesses lists the goroutines that there may be.
func (l *lowerer) findProcesses() {
	root := &process{count: 1, each: 1, names: map[string]bool{}}
	l.processes = append(l.processes, root)
	l.of[l.r.Entries[0]] = root
	for _, in := range l.r.Instances {
		if _, begins := in.Site.(*ssa.Go); begins {
			p := &process{in: in, count: l.share.Count(in), each: l.share.Times(in.Caller, in.Site.Block()),
				names: map[string]bool{}}
			l.processes = append(l.processes, p)
			l.of[in] = p
		}
	}
	for _, p := range l.processes {
		if p.in != nil && l.processOf(p.in.Caller).count*p.each > p.count {
			l.refuse(p.in.Site.Pos(), "more than %d goroutines may start here: a smaller --bound "+
				"goroutines=N goes less far", p.count)
		}
		l.instances += p.count
	}
}

// declareProcess makes the template of a goroutine, and its processes.
func (l *lowerer) declareProcess(p *process) {
	t := &step.Template{Count: p.count, Multi: p.count > 1}
	p.tmpl = t
	c := &code{Code: &build.Code{Builder: build.New(t, false)}, l: l, p: p, labels: map[string]*build.Label{},
		values: map[register]*step.Expr{},
		tuples: map[register][]*step.Expr{}, ranges: map[register]iteration{}}
	c.Failing = c.failing
	p.code = c
	l.prog.Templates = append(l.prog.Templates, t)
	taken := map[string]bool{}
	for _, o := range l.prog.Templates {
		taken[o.Name] = true
	}
	if p.in == nil {
		t.Name, t.Pos = unique(taken, identifier(l.src.Name)), l.pos(l.src.Body.Pos())
		return
	}
	t.Name, t.Pos = unique(taken, identifier(goName(p.in.Func))), l.pos(p.in.Site.Pos())
	for _, v := range p.in.Func.Params {
		l.pass(c, v, nil)
	}
	for k, v := range p.in.Func.FreeVars {
		var from ssa.Value
		if m, ok := p.in.Site.Common().Value.(*ssa.MakeClosure); ok {
			from = m.Bindings[k]
		}
		l.pass(c, v, from)
	}
}

// goName is the name of a function as Go's tools write it, without the package.
func goName(f *ssa.Function) string {
	if f.Parent() != nil {
		return strings.ReplaceAll(f.Name(), "$", "_func")
	}
	return f.Name()
}

// pass declares the local for a parameter or a captured variable of a goroutine. A captured variable that is made
// before, once, needs none.
func (l *lowerer) pass(c *code, v, from ssa.Value) {
	p := c.p
	if from != nil {
		if e := l.fixed(p.in.Caller, from); e != nil {
			c.values[register{p.in, v}] = e
			p.passed = append(p.passed, nil)
			return
		}
	}
	t, err := l.typeOf(v.Type())
	if err != nil {
		l.refuse(v.Pos(), "%v", err)
		t = refType
	}
	x := c.Declare(p.unique(variable(v.Name())), t, l.pos(v.Pos()))
	x.Shown = v.Name()
	x.Temp = l.src.InModel(p.in.Func.Pos())
	p.passed = append(p.passed, x)
	c.values[register{p.in, v}] = build.Ref(x, x.Pos)
}

// fixed is the number of a thing that its site makes only once in the whole program; nil if it is no such thing.
func (l *lowerer) fixed(in *pointsto.Instance, v ssa.Value) *step.Expr {
	switch x := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.MakeChan:
		o := l.object(in, v)
		if o == nil {
			return nil
		}
		r, err := l.regionOf(o)
		if err != nil || r.count > 1 || r.each > 1 {
			return nil
		}
		base, size := l.base(r, nil)
		if size != 1 {
			return nil
		}
		return &step.Expr{Op: step.Const, Type: refType, Words: []int64{base}, Of: step.Own}
	case *ssa.FreeVar:
		if in.Caller == nil {
			return nil
		}
		if m, ok := in.Site.Common().Value.(*ssa.MakeClosure); ok {
			for k, f := range in.Func.FreeVars {
				if f == x {
					return l.fixed(in.Caller, m.Bindings[k])
				}
			}
		}
	}
	return nil
}

// emit makes the code of a process.
func (l *lowerer) emit(p *process) {
	c := p.code
	if p.in == nil {
		c.goTo(l.src.Body.Pos())
		n := c.Emit(step.Node{Kind: step.Nop})
		n.Visible, n.Label = true, "start"
		for _, e := range l.r.Entries {
			c.frames = nil
			attempt(c, func() { c.instance(e) })
			if c.Open == nil {
				break
			}
		}
	} else {
		for in := p.in; in != nil; in = in.Caller { // the go statement, or the call of the model that has it
			if in.Site != nil && !l.src.InModel(in.Site.Pos()) {
				c.goTo(in.Site.Pos())
				break
			}
		}
		c.goTo(p.in.Func.Pos())
		attempt(c, func() { c.instance(p.in) })
	}
	c.Open = append(c.Open, c.exits...)
	l.seal(c)
}

// seal finishes the template. A goroutine that reads something shared before its first operation begins with a step.
func (l *lowerer) seal(c *code) {
	if misplaced := c.Seal(); len(misplaced) > 0 {
		l.errors = append(l.errors, fmt.Sprintf("this is a bug of cdpor: %q waits within a step", misplaced[0].Text))
	}
	t := c.p.tmpl
	if t.Start != step.End && !t.Nodes[t.Start].Visible && t.PreludeTouches() {
		t.Nodes[t.Start].Visible = true
		t.Nodes[t.Start].Label = "start"
		t.Seal()
	}
}

// finish lays out the processes and what is observed.
func (l *lowerer) finish() {
	life := &step.Var{Name: "life", Type: &step.Type{Kind: step.Array, Elem: step.IntType, Len: max(l.instances, 1)},
		Shared: true, Life: true,
		Offset: l.prog.SharedWords, Temp: true}
	l.prog.Shared = append(l.prog.Shared, life)
	l.prog.SharedWords += life.Type.Words()
	l.prog.Init = append(l.prog.Init, make([]int64, life.Type.Words())...)
	first := 0
	for _, p := range l.processes {
		t := p.tmpl
		if p.in != nil {
			t.Pool = &step.Pool{Name: t.Name, Size: p.count, First: first, Life: life}
			first += p.count
		}
		for k := range p.count {
			q := &step.Proc{Index: len(l.prog.Procs), Template: t, Self: int64(k), Name: t.Name,
				Init: make([]int64, t.LocalWords)}
			if t.Multi {
				q.Name = fmt.Sprintf("%s[%d]", t.Name, k)
			}
			l.prog.Procs = append(l.prog.Procs, q)
		}
	}
	nameFiles(l)
	nameProcesses(l)
	l.prog.Bounded, l.prog.Text, l.prog.Said = true, l.valueText, l.sayText
	l.prog.Entry = &step.Entry{Ends: !l.src.Test}
	observeGlobals(l)
}

// observeGlobals lets outcomes be told apart by the package-level variables of the program with one word.
func observeGlobals(l *lowerer) {
	var list []*ssa.Global
	for _, m := range l.src.Main.Members {
		if g, ok := m.(*ssa.Global); ok && token.IsIdentifier(g.Name()) {
			list = append(list, g)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Pos() < list[j].Pos() })
	for _, g := range list {
		o := l.object(nil, g)
		if o == nil {
			continue
		}
		r := l.regions[o]
		if r == nil || r.count > 1 || r.owner != nil && r.owner.in != nil ||
			!(r.elem.Kind == step.Sized || r.elem.Kind == step.Bool) {
			continue
		}
		value := build.Ref(r.of, r.of.Pos)
		if r.owner != nil {
			value.Of, r.of.Keep = l.prog.Entry.Proc, true
		}
		l.prog.Observe = append(l.prog.Observe, &step.Observed{Name: g.Name(), Expr: value})
	}
}
