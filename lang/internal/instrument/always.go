package instrument

import (
	"slices"

	"cdpor/lang/internal/printer"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// check.always and check.transition. A search that leaves interleavings out does not see every reachable state, but it
// finds every assertion that can fail. So each step that may write what such a property reads gets an assertion of it
// at each of its ends, inside the same step. That makes the step read all that the property reads: steps that write
// different parts of it become dependent, which is just the order that intermediate states depend on. A state in which
// the property is false is the end of a step that made it so, and this step fails.
//
// It is done on the step form, when all threads are lowered, so that no construct can be forgotten.

// A Duty is a property that steps must keep.
type Duty struct {
	*step.Property
	cond  *step.Expr   // what must hold at the end of a step; mentions twins in a transition
	reads []*step.Expr // the places it reads now or before the step, in terms of the shared variables
	saved []*step.Expr // of a transition: what must be put aside when the step begins
	twins map[*step.Var]*step.Var
}

// NewDuty is the duty to keep a property. In a transition old(x) is written with the twin of x, a variable that means
// its value before the step; twins has those of the shared variables.
func NewDuty(p *step.Property, twins map[*step.Var]*step.Var) *Duty {
	d := &Duty{Property: p, cond: p.Expr, twins: map[*step.Var]*step.Var{}}
	for v, twin := range twins {
		d.twins[twin] = v
	}
	var visit func(e *step.Expr)
	visit = func(e *step.Expr) {
		if e.Root() != nil {
			d.reads = append(d.reads, d.present(e))
			for ; e.Op != step.VarRef; e = e.Args[0] {
				if e.Op == step.Index {
					visit(e.Args[1])
				}
			}
			return
		}
		for _, a := range e.Args {
			visit(a)
		}
	}
	visit(d.cond)
	if twins != nil {
		d.saved = d.staticPlaces()
	}
	return d
}

// present is an expression with the shared variables in the place of their twins.
func (d *Duty) present(e *step.Expr) *step.Expr {
	c := e.With(d.present)
	if v := d.twins[e.Var]; v != nil {
		c.Var = v
	}
	return c
}

// staticPlaces are the places whose values before and after a step decide a transition, none inside another: where an
// index is not constant, all that it may choose from.
func (d *Duty) staticPlaces() (list []*step.Expr) {
	var static func(e *step.Expr) (part *step.Expr, whole bool)
	static = func(e *step.Expr) (*step.Expr, bool) {
		if e.Op == step.VarRef {
			return e, true
		}
		base, whole := static(e.Args[0])
		if whole && (e.Op == step.Part || inArray(e)) {
			return e, true
		}
		return base, false
	}
	for _, e := range d.reads {
		part, _ := static(e)
		list = include(list, part)
	}
	// All the elements of an array are the array.
	for i := 0; i < len(list); i++ {
		e := list[i]
		if e.Op != step.Index {
			continue
		}
		elements := 0
		for _, o := range list {
			if o.Op == step.Index && step.Equal(o.Args[0], e.Args[0]) {
				elements++
			}
		}
		if elements == e.Args[0].Type.Len {
			list = include(list, e.Args[0])
			i = -1
		}
	}
	return list
}

// inArray reports whether a place is an element of an array at an index that is constant and right.
func inArray(e *step.Expr) bool {
	return e.Args[0].Type.Kind == step.Array && e.Args[1].Op == step.Const &&
		uint64(e.Args[1].Words[0]) < uint64(e.Args[0].Type.Len)
}

// include adds a place to a list of places; none is inside another.
func include(list []*step.Expr, e *step.Expr) []*step.Expr {
	inside := func(a, b *step.Expr) bool { // whether a is b or a part of it
		for ; !step.Equal(a, b); a = a.Args[0] {
			if a.Op == step.VarRef {
				return false
			}
		}
		return true
	}
	if slices.ContainsFunc(list, func(o *step.Expr) bool { return inside(e, o) }) {
		return list
	}
	return append(slices.DeleteFunc(list, func(o *step.Expr) bool { return inside(o, e) }), e)
}

// path is where in its variable a place is: numbers of fields and constant indices, -1 for other indices. It ends at
// the first collection that is not an array: every part of one is the whole.
func path(e *step.Expr) (list []int64) {
	if e.Op == step.VarRef {
		return nil
	}
	list = path(e.Args[0])
	switch {
	case e.Op == step.Part:
		return append(list, int64(e.Field))
	case e.Args[0].Type.Kind != step.Array:
		return list
	case e.Args[1].Op == step.Const:
		return append(list, e.Args[1].Words[0])
	}
	return append(list, -1)
}

// mayWrite reports whether a node may write what the property reads.
func (d *Duty) mayWrite(n *step.Node) bool {
	touched := func(e *step.Expr) bool {
		if e == nil || e.Root() == nil {
			return false
		}
		at := path(e)
		return slices.ContainsFunc(d.reads, func(r *step.Expr) bool {
			if r.Root() != e.Root() {
				return false
			}
			for i, k := range path(r) {
				if i < len(at) && at[i] != k && at[i] >= 0 && k >= 0 {
					return false
				}
			}
			return true
		})
	}
	if touched(n.Dst) || touched(n.Counter) {
		return true
	}
	if n.Kind != step.Spawn {
		return false
	}
	pool := n.Target.Pool
	return slices.ContainsFunc(append(slices.Clone(pool.Fields), pool.Life), func(v *step.Var) bool {
		return slices.ContainsFunc(d.reads, func(r *step.Expr) bool { return r.Root() == v })
	})
}

// An overseer adds the checks to one template.
type overseer struct {
	t     *step.Template
	saved []*step.Expr // places that some step saves
	in    []*step.Expr // and the temporaries that take them
}

// oversee adds what is needed to the step that begins with a node.
func (o *overseer) oversee(entry int, duties []*Duty) {
	region := o.region(entry)
	duties = slices.DeleteFunc(slices.Clone(duties), func(d *Duty) bool {
		return !slices.ContainsFunc(region, func(i int) bool { return d.mayWrite(o.t.Nodes[i]) })
	})
	if len(duties) == 0 {
		return
	}
	o.isolate(entry, region)
	checks := make([]step.Node, len(duties))
	for i, d := range duties {
		checks[i] = step.Node{Kind: step.Check, Pos: d.Pos, Text: d.Text, Cond: o.required(d), Fault: step.Assertion,
			Msg: d.Msg, Property: d.Property}
	}
	after := map[int]int{} // what a step leads to -> the checks before that
	for _, i := range o.region(entry) {
		for _, next := range ends(o.t.Nodes[i]) {
			if !o.outside(*next) {
				continue
			}
			first, ok := after[*next]
			if !ok {
				first = o.chain(checks, *next)
				after[*next] = first
			}
			*next = first
		}
	}
	o.save(entry, duties)
}

func (o *overseer) outside(node int) bool { return node == step.End || o.t.Nodes[node].Visible }

func ends(n *step.Node) []*int {
	if n.Kind == step.Branch {
		return []*int{&n.Next, &n.Else}
	}
	return []*int{&n.Next}
}

// region lists a node and what can be reached from it without beginning a step.
func (o *overseer) region(from int) []int {
	return step.Reach(func(i int) []int { return slices.DeleteFunc(o.t.Nodes[i].Successors(), o.outside) }, from)
}

// isolate gives a step copies of the nodes that it shares with others or with the code before the first step, which
// must not be checked with it.
func (o *overseer) isolate(entry int, region []int) {
	others := map[int]bool{}
	reach := func(root int) {
		for _, i := range o.region(root) {
			others[i] = true
		}
	}
	if !o.outside(o.t.Start) {
		reach(o.t.Start)
	}
	for i, n := range o.t.Nodes {
		if n.Visible && i != entry {
			reach(i)
		}
	}
	own := map[int]int{}
	for _, i := range region {
		own[i] = i
		if i != entry && others[i] {
			own[i] = len(o.t.Nodes)
			c := *o.t.Nodes[i]
			o.t.Nodes = append(o.t.Nodes, &c)
		}
	}
	for _, i := range region {
		for _, next := range ends(o.t.Nodes[own[i]]) {
			if !o.outside(*next) {
				*next = own[*next]
			}
		}
	}
}

// chain appends nodes that lead to a node one after the other, and returns the first of all these.
func (o *overseer) chain(nodes []step.Node, to int) (first int) {
	if len(nodes) == 0 {
		return to
	}
	first = len(o.t.Nodes)
	for i, n := range nodes {
		n.Next, n.Else = first+i+1, step.End
		if i == len(nodes)-1 {
			n.Next = to
		}
		o.t.Nodes = append(o.t.Nodes, &n)
	}
	return first
}

// required is the condition that a step must make true. A step that leaves everything alone that a transition is about
// keeps it.
func (o *overseer) required(d *Duty) *step.Expr {
	if len(d.saved) == 0 {
		return d.cond
	}
	c := &build.Code{At: d.Pos}
	var same *step.Expr
	for _, e := range d.saved {
		same = c.Join(step.And, same, c.Bool(step.Eq, e, o.temporary(e)))
	}
	return c.Bool(step.Or, same, o.remembered(d, d.cond))
}

// temporary is the local that takes the value of a place.
func (o *overseer) temporary(place *step.Expr) *step.Expr {
	for i, e := range o.saved {
		if step.Equal(e, place) {
			return o.in[i]
		}
	}
	t := place.Type
	if t.Numeric() {
		t = step.IntType
	}
	v := &step.Var{Name: "old(" + printer.FormatExpr(place, nil, nil) + ")", Type: t, Pos: place.Pos,
		Offset: o.t.LocalWords, Temp: true}
	o.t.LocalWords += t.Words()
	o.t.Locals = append(o.t.Locals, v)
	o.saved, o.in = append(o.saved, place), append(o.in, build.Ref(v, place.Pos))
	return o.in[len(o.in)-1]
}

// remembered is an expression with the temporaries in the place of what mentions twins.
func (o *overseer) remembered(d *Duty, e *step.Expr) *step.Expr {
	if e.Root() != nil && d.twins[e.Root()] != nil {
		now := d.present(e)
		if i := slices.IndexFunc(d.saved, func(s *step.Expr) bool { return step.Equal(s, now) }); i >= 0 {
			return o.temporary(d.saved[i])
		}
	}
	return e.With(func(a *step.Expr) *step.Expr { return o.remembered(d, a) })
}

// save puts aside, at the beginning of a step, what transitions compare with. Nothing may come before a node that
// blocks or chooses; those write nothing shared.
func (o *overseer) save(entry int, duties []*Duty) {
	var list []step.Node
	n := o.t.Nodes[entry]
	for _, d := range duties {
		for _, e := range d.saved {
			to := o.temporary(e)
			if !slices.ContainsFunc(list, func(s step.Node) bool { return s.Dst == to }) {
				list = append(list, step.Node{Kind: step.Assign, Pos: n.Pos, Text: n.Text, Dst: to, Src: e,
					Property: d.Property})
			}
		}
	}
	switch {
	case len(list) == 0:
	case n.Kind == step.Await || n.Kind == step.Choose:
		n.Next = o.chain(list, n.Next)
	default:
		// The first node goes elsewhere, and what leads to it now leads to the first of these.
		first := list[0]
		first.Visible, first.Label, first.Else = true, n.Label, step.End
		n.Visible, n.Label = false, ""
		o.t.Nodes[entry] = &first
		o.t.Nodes = append(o.t.Nodes, n)
		first.Next = o.chain(list[1:], len(o.t.Nodes)-1)
	}
}

// Impose makes the steps of a program check the duties. It stops when a template is crowded, which has been reported
// then.
func Impose(prog *step.Program, duties []*Duty, crowded func(*step.Template) bool) {
	if len(duties) == 0 {
		return
	}
	for _, t := range prog.Templates {
		o := &overseer{t: t}
		words := t.LocalWords
		for i := range t.Nodes { // those that are added do not begin steps
			if t.Nodes[i].Visible {
				o.oversee(i, duties)
			}
		}
		t.Seal()
		if t.LocalWords > words && crowded(t) {
			return
		}
		extend(prog, t, words)
	}
}

// extend gives the processes of a template room for the locals that have been added behind some words.
func extend(prog *step.Program, t *step.Template, words int) {
	for _, p := range prog.Procs {
		if p.Template == t {
			p.Init = append(p.Init, make([]int64, t.LocalWords-words)...)
		}
	}
}
