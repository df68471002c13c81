package instrument

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/printer"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// check.races: plain writes, and plain reads of what steps of synchronisation write, are two steps with a mark between
// them (package primitive, races.go). Plain is what is no part of an atomic block or of an operation that synchronises.
// A process that waits for a condition that does not hold has no access next: only what it does afterwards counts.

// An access is one to a shared place, in a node that may be executed; guard says when the node makes it, nil: always.
type access struct {
	place *step.Expr
	write bool
	guard *step.Expr
}

// A raceFinder marks the accesses of a program.
type raceFinder struct {
	prog *step.Program
	uses map[*step.Var]*usage
	mark map[*step.Var]*step.Var
}

// usage says who accesses a variable, and how.
type usage struct {
	by                map[*step.Template]bool
	plain, write      bool
	synchronisedWrite bool // by a step that is not plain
}

// ForbidRaces makes each data race of a program a failure of one of its processes. The plain accesses of the program
// are steps of their own; their first nodes say Plain.
func ForbidRaces(prog *step.Program) {
	f := &raceFinder{prog: prog, uses: map[*step.Var]*usage{}, mark: map[*step.Var]*step.Var{}}
	for _, t := range prog.Templates {
		f.note(t)
	}
	for _, v := range slices.Clone(prog.Shared) {
		if u := f.uses[v]; u != nil && u.contended() {
			f.declare(v, u)
		}
	}
	for _, t := range prog.Templates {
		o := &overseer{t: t}
		count := len(t.Nodes)
		inPlain := map[int]bool{}
		for i := range count {
			if t.Nodes[i].Visible && t.Nodes[i].Plain {
				for _, k := range o.region(i) {
					inPlain[k] = true
				}
			}
		}
		for i := range count {
			switch n := t.Nodes[i]; {
			case n.Visible && n.Plain:
				f.plain(o, i)
			case !inPlain[i]:
				f.synchronised(o, i)
			}
		}
		t.Seal()
	}
}

// contended reports whether there can be a race about a variable at all.
func (u *usage) contended() bool {
	several := len(u.by) > 1
	for t := range u.by {
		several = several || t.Multi || t.Pool != nil
	}
	return several && u.plain && u.write
}

// note collects who uses what.
func (f *raceFinder) note(t *step.Template) {
	o := &overseer{t: t}
	for i, n := range t.Nodes {
		if !n.Visible && i != t.Start {
			continue
		}
		for _, k := range o.region(i) {
			for _, a := range accesses(t.Nodes[k]) {
				v := a.place.Root()
				u := f.uses[v]
				if u == nil {
					u = &usage{by: map[*step.Template]bool{}}
					f.uses[v] = u
				}
				u.by[t] = true
				u.plain = u.plain || n.Plain
				u.write = u.write || a.write
				u.synchronisedWrite = u.synchronisedWrite || a.write && !n.Plain
			}
		}
	}
}

// declare makes the marks of a variable.
func (f *raceFinder) declare(v *step.Var, u *usage) {
	leaf := primitive.WriterMark
	if u.synchronisedWrite {
		leaf = primitive.ReaderMark
	}
	m := &step.Var{Name: v.Name + "_access", Type: primitive.Marks(v.Type, leaf, nil), Pos: v.Pos, Shared: true,
		Temp: true, Offset: f.prog.SharedWords}
	if m.Type.Words() == 0 {
		return
	}
	for slices.ContainsFunc(f.prog.Shared, func(o *step.Var) bool { return o.Name == m.Name }) {
		m.Name += "_"
	}
	f.prog.Shared = append(f.prog.Shared, m)
	f.prog.SharedWords += m.Type.Words()
	f.prog.Init = append(f.prog.Init, make([]int64, m.Type.Words())...)
	f.mark[v] = m
}

// accesses has the accesses of a node to variables that the program itself shares.
func accesses(n *step.Node) (list []access) {
	if n.Ghost || n.Property != nil {
		return nil
	}
	var visit func(e, guard *step.Expr)
	when := func(guard, also *step.Expr) *step.Expr { return at(also).Join(step.And, guard, also) }
	not := func(e *step.Expr) *step.Expr { return at(e).Not(e) }
	indices := func(e, guard *step.Expr) {
		for ; e.Op == step.Index || e.Op == step.Part; e = e.Args[0] {
			if e.Op == step.Index {
				visit(e.Args[1], guard)
			}
		}
	}
	visit = func(e, guard *step.Expr) {
		switch {
		case e == nil:
		case e.Root() != nil:
			indices(e, guard)
			if v := e.Root(); v.Shared && !v.Temp {
				list = append(list, access{place: e, guard: guard})
			}
		case e.Op == step.And:
			visit(e.Args[0], guard)
			visit(e.Args[1], when(guard, e.Args[0]))
		case e.Op == step.Or:
			visit(e.Args[0], guard)
			visit(e.Args[1], when(guard, not(e.Args[0])))
		case e.Op == step.Cond:
			visit(e.Args[0], guard)
			visit(e.Args[1], when(guard, e.Args[0]))
			visit(e.Args[2], when(guard, not(e.Args[0])))
		default:
			for _, a := range e.Args {
				visit(a, guard)
			}
		}
	}
	visit(n.Cond, nil)
	visit(n.Src, nil)
	for _, a := range n.Args {
		visit(a, nil)
	}
	if n.Dst != nil && n.Kind != step.Choose {
		if v := n.Dst.Root(); v != nil && v.Shared && !v.Temp {
			indices(n.Dst, nil)
			list = append(list, access{place: n.Dst, write: true})
		}
	}
	return list
}

// at makes expressions that have the place of another one.
func at(e *step.Expr) *build.Code { return &build.Code{At: e.Pos} }

// spot is the place of the marks of an access, and when there is such a place, nil: always; the place itself is nil if
// it has no marks.
func (f *raceFinder) spot(place *step.Expr) (spot, within *step.Expr) {
	switch place.Op {
	case step.VarRef:
		if m := f.mark[place.Var]; m != nil {
			return build.Ref(m, place.Pos), nil
		}
		return nil, nil
	case step.Part:
		if spot, within = f.spot(place.Args[0]); spot != nil && isLeaf(spot.Type) {
			return spot, within
		}
		if spot == nil || spot.Type.Kind != step.Record || len(spot.Type.Fields) == 0 {
			return nil, nil
		}
		return part(spot, place.Field), within
	default:
		if spot, within = f.spot(place.Args[0]); spot == nil || isLeaf(spot.Type) {
			return spot, within // an element of a collection
		}
		i := place.Args[1]
		if i.Op != step.Const {
			c := at(i)
			within = c.Join(step.And, within, c.Bool(step.And, c.Bool(step.Ge, i, c.Number(0)),
				c.Bool(step.Lt, i, c.Number(int64(spot.Type.Len)))))
		}
		return at(place).Elem(spot, i), within
	}
}

func isLeaf(t *step.Type) bool { return t == primitive.WriterMark || t == primitive.ReaderMark }

// leaves are the marks of a spot and its parts.
func leaves(spot *step.Expr) (list []*step.Expr) {
	switch t := spot.Type; {
	case isLeaf(t):
		return []*step.Expr{spot}
	case t.Kind == step.Array && t.Elem.Words() > 0:
		for k := range t.Len {
			list = append(list, leaves(at(spot).Elem(spot, at(spot).Number(int64(k))))...)
		}
	case t.Kind == step.Record:
		for k := range t.Fields {
			list = append(list, leaves(part(spot, k))...)
		}
	}
	return list
}

// part is a field of a record.
func part(e *step.Expr, field int) *step.Expr {
	p := at(e).Expr(step.Part, e.Type.Fields[field].Type, e)
	p.Field = field
	return p
}

// writer is the part of a mark that says who writes, readers the one that counts who reads, nil if there is none.
func writer(leaf *step.Expr) *step.Expr {
	if leaf.Type == primitive.ReaderMark {
		return part(leaf, 0)
	}
	return leaf
}

func readers(leaf *step.Expr) *step.Expr {
	if leaf.Type == primitive.ReaderMark {
		return part(leaf, 1)
	}
	return nil
}

// checks are the nodes that fail where an access meets a mark.
func (f *raceFinder) checks(n *step.Node, list []access) (nodes []step.Node) {
	c := &build.Code{At: n.Pos}
	for _, a := range list {
		spot, within := f.spot(a.place)
		if spot == nil {
			continue
		}
		if within == nil {
			within = a.guard
		} else {
			within = c.Join(step.And, a.guard, within)
		}
		name, verb := printer.FormatExpr(a.place, nil, nil), "read"
		if a.write {
			verb = "written"
		}
		check := func(holds *step.Expr, by string) {
			if within != nil {
				holds = c.Bool(step.Or, c.Not(within), holds)
			}
			nodes = append(nodes, step.Node{Kind: step.Check, Pos: n.Pos, Text: n.Text, Calls: n.Calls, Cond: holds,
				Fault: step.Race, Msg: fmt.Sprintf("%s is %s while another thread %s it", name, verb, by)})
		}
		for _, leaf := range leaves(spot) {
			check(c.Bool(step.Eq, writer(leaf), c.Const(step.MutexType, 0)), "writes")
			if r := readers(leaf); a.write && r != nil {
				check(c.Bool(step.Eq, r, c.Number(0)), "reads")
			}
		}
	}
	return nodes
}

// plain gives the plain step that begins with a node its marks.
func (f *raceFinder) plain(o *overseer, entry int) {
	n := o.t.Nodes[entry]
	var list []access
	for _, i := range o.region(entry) {
		for _, a := range accesses(o.t.Nodes[i]) {
			k := slices.IndexFunc(list, func(b access) bool { return step.Equal(a.place, b.place) })
			if k < 0 {
				list = append(list, a)
			} else {
				list[k].write = list[k].write || a.write
			}
		}
	}
	first := f.checks(n, list)
	if len(first) == 0 {
		return
	}
	c := &build.Code{At: n.Pos}
	var set, unset []step.Node
	for _, a := range list {
		spot, within := f.spot(a.place)
		if spot == nil {
			continue
		}
		for _, leaf := range leaves(spot) {
			to, value, free := writer(leaf), c.Me(), c.Const(step.MutexType, 0)
			if !a.write {
				if to = readers(leaf); to == nil {
					continue
				}
				value, free = c.Int(step.Add, to, c.Number(1)), c.Int(step.Add, to, c.Number(-1))
			}
			set = append(set, assignment(n, within, to, value)...)
			unset = append(unset, assignment(n, within, to, free)...)
		}
	}
	if len(set) == 0 {
		o.before(entry, first, nil)
		return
	}
	o.before(entry, append(first, set...), unset)
}

// assignment makes the assignment of a value to a place, if there is one.
func assignment(n *step.Node, within, to, value *step.Expr) (nodes []step.Node) {
	if within != nil {
		nodes = append(nodes, step.Node{Kind: step.Branch, Pos: n.Pos, Text: n.Text, Calls: n.Calls, Cond: within})
	}
	return append(nodes, step.Node{Kind: step.Assign, Pos: n.Pos, Text: n.Text, Calls: n.Calls, Dst: to, Src: value})
}

// synchronised lets a node of a step that is not plain look at the marks.
func (f *raceFinder) synchronised(o *overseer, at int) {
	n := o.t.Nodes[at]
	nodes := f.checks(n, accesses(n))
	switch {
	case len(nodes) == 0:
	case n.Kind == step.Await || n.Kind == step.Choose: // nothing may come before it
		n.Next = o.chain(nodes, n.Next)
	default:
		o.before(at, nodes, nil)
	}
}

// before puts nodes in front of one; with others behind it these begin a second step, which the node is a part of.
func (o *overseer) before(at int, nodes, second []step.Node) {
	n := o.t.Nodes[at]
	moved := len(o.t.Nodes)
	o.t.Nodes = append(o.t.Nodes, n)
	to := moved
	if len(second) > 0 {
		to = o.line(second, moved)
		o.t.Nodes[to].Visible, o.t.Nodes[to].Label = true, n.Label+".end"
	}
	first := nodes[0] // a check
	first.Next, first.Else = o.line(nodes[1:], to), step.End
	first.Visible, first.Label, first.Plain = n.Visible, n.Label, n.Plain
	n.Visible, n.Label, n.Plain = false, "", false
	if o.t.Nodes[at] = &first; len(second) > 0 {
		first.Text = n.Text + " (begins)"
	}
}

// line is chain, with branches whose other way leads past the node behind them.
func (o *overseer) line(nodes []step.Node, to int) (first int) {
	from := len(o.t.Nodes)
	first = o.chain(nodes, to)
	for i := from; i < len(o.t.Nodes); i++ {
		if n := o.t.Nodes[i]; n.Kind == step.Branch {
			n.Else = o.t.Nodes[i+1].Next
		}
	}
	return first
}
