package build

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A Builder makes the nodes of one template. Control flow is wired by open ends: the successors still to be filled
// with whatever node comes next.
type Builder struct {
	Template *step.Template
	Nodes    []*step.Node // so far; Seal leaves out those that do nothing
	Open     []*int
	Atomic   int    // depth of blocks in which nothing begins a step
	Label    *Label // that the nodes to come stand under, or nil
	Pos      step.Pos
	Text     string
	Calls    []step.Pos // of procedures that are being written out, outermost first
	Deed     step.Deed  // that the nodes to come belong to
	Waits    []step.Wait
	access   bool
	labels   []*Label // per node
	start    int
}

// A Label as written; it names the first step under it, and with a number the following ones.
type Label struct {
	Name  string
	steps int
}

// New makes a Builder for a template without nodes. With access every shared access is a step of its own, outside of
// atomic blocks; otherwise every unit is.
func New(t *step.Template, access bool) *Builder {
	b := &Builder{Template: t, access: access, start: step.End}
	b.Open = []*int{&b.start}
	return b
}

// Access reports whether every shared access is a step of its own, except in atomic blocks.
func (b *Builder) Access() bool { return b.access }

// Split reports whether shared reads and writes are steps of their own here.
func (b *Builder) Split() bool { return b.access && b.Atomic == 0 }

// Emit adds a node, which whatever is open leads to; its own successor is open now.
func (b *Builder) Emit(n step.Node) *step.Node {
	node := &n
	node.Pos, node.Text, node.Calls, node.Next, node.Else = b.Pos, b.Text, b.Calls, step.End, step.End
	node.Deed = b.Deed
	if n.Kind == step.Await || n.Kind == step.Choose {
		node.Waits = b.Waits
	}
	b.Connect(b.Open, len(b.Nodes))
	b.Nodes = append(b.Nodes, node)
	b.labels = append(b.labels, b.Label)
	b.Open = []*int{&node.Next}
	return node
}

// Branch emits a Branch; the code that follows is for a true condition, the returned end for a false one.
func (b *Builder) Branch(cond *step.Expr) (otherwise *int) {
	return &b.Emit(step.Node{Kind: step.Branch, Cond: cond}).Else
}

// Otherwise emits what f does where a branch has left an end open, and goes on behind both ways.
func (b *Builder) Otherwise(end *int, f func()) {
	after := b.Open
	b.Open = []*int{end}
	f()
	b.Open = append(b.Open, after...)
}

// Turn adds what is open to the ends of alternatives, and goes on where a branch has left an end open; nil: nowhere.
func (b *Builder) Turn(ends *[]*int, end *int) {
	*ends = append(*ends, b.Open...)
	if b.Open = nil; end != nil {
		b.Open = []*int{end}
	}
}

// Decide is Branch for a condition that says which alternative of a construct is taken.
func (b *Builder) Decide(cond *step.Expr, next, other string) (otherwise *int) {
	n := b.Emit(step.Node{Kind: step.Branch, Cond: cond, Decides: &step.Decision{Ways: []string{next, other}}})
	return &n.Else
}

// Connect lets open ends lead to a node, by its index in Nodes.
func (b *Builder) Connect(ends []*int, to int) {
	for _, end := range ends {
		*end = to
	}
}

// Assign emits an assignment, which is a step of its own under Split if it touches anything shared.
func (b *Builder) Assign(dst, src *step.Expr) {
	n := b.Emit(step.Node{Kind: step.Assign, Dst: dst, Src: src})
	n.Visible = b.Split() && Touches(n)
	n.Plain = n.Visible
}

// Touches reports whether a node reads or writes anything shared.
func Touches(n *step.Node) bool {
	return n.Kind == step.Spawn || n.Dst.TouchesShared() || n.Src.TouchesShared() || n.Cond.TouchesShared()
}

// Temp declares a local without a name in the source. One of a range takes any integer.
func (b *Builder) Temp(t *step.Type, pos step.Pos) *step.Expr {
	if t.Numeric() {
		t = step.IntType
	}
	return b.CheckedTemp(t, pos)
}

// CheckedTemp is Temp that keeps the bounds of a range: assigning to it checks them.
func (b *Builder) CheckedTemp(t *step.Type, pos step.Pos) *step.Expr {
	v := b.Declare(fmt.Sprintf("$%d", len(b.Template.Locals)), t, pos)
	v.Temp = true
	return Ref(v, pos)
}

// Declare adds a local to the template.
func (b *Builder) Declare(name string, t *step.Type, pos step.Pos) *step.Var {
	v := &step.Var{Name: name, Type: t, Pos: pos, Offset: b.Template.LocalWords}
	b.Template.LocalWords += t.Words()
	b.Template.Locals = append(b.Template.Locals, v)
	return v
}

// Ref is an own local, or a shared variable, as an expression.
func Ref(v *step.Var, pos step.Pos) *step.Expr {
	return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: pos, Var: v, Of: step.Own}
}

// Unit emits what f does as one step if it touches anything shared, unless it is inside a larger step. Under Split only
// whole operations are units, not statements.
func (b *Builder) Unit(f func()) {
	from := len(b.Nodes)
	b.Atomic++
	f()
	b.Atomic--
	if b.Atomic == 0 {
		b.markFrom(from)
	}
}

// Plain is Unit for an operation on data that does not synchronise.
func (b *Builder) Plain(f func()) {
	from := len(b.Nodes)
	b.Unit(f)
	if b.Split() {
		b.Nodes[from].Plain = b.Nodes[from].Visible
	}
}

// Simple emits a simple statement or a condition.
func (b *Builder) Simple(f func()) {
	if b.Split() {
		f()
		return
	}
	b.Unit(f)
}

func (b *Builder) markFrom(from int) {
	if slices.ContainsFunc(b.Nodes[from:], func(n *step.Node) bool { return Touches(n) || n.Kind == step.Await }) {
		b.Nodes[from].Visible = true
	}
}

// Seal removes the nodes that do nothing or are never reached, names the steps and fills the template. It returns the
// nodes that block in the middle of a step.
func (b *Builder) Seal() (misplaced []*step.Node) {
	b.Connect(b.Open, step.End)
	b.mergeEntries()
	for _, n := range b.Nodes {
		if n.Kind == step.Await && !n.Visible {
			misplaced = append(misplaced, n)
		}
	}
	// Invisible Nops are jumped over. A cycle of them is a loop that does nothing: its last Nop stays.
	target := func(i int, returns *step.Pos) int {
		for hops := 0; i != step.End && hops <= len(b.Nodes); hops++ {
			n := b.Nodes[i]
			if n.Kind != step.Nop || n.Visible || n.Mark != nil {
				return i
			}
			if n.Returns.Line > 0 {
				*returns = n.Returns
			}
			i = n.Next
		}
		return i
	}
	reached := map[int]bool{}
	start := target(b.start, new(step.Pos))
	work := []int{start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i == step.End || reached[i] {
			continue
		}
		reached[i] = true
		n := b.Nodes[i]
		n.Next = target(n.Next, &n.Returns)
		work = append(work, n.Next)
		if n.Kind == step.Branch {
			n.Else = target(n.Else, &n.ElseReturns)
			work = append(work, n.Else)
		}
	}
	place := make(map[int]int, len(reached))
	place[step.End] = step.End
	for i, n := range b.Nodes {
		if reached[i] {
			place[i] = len(b.Template.Nodes)
			b.Template.Nodes = append(b.Template.Nodes, n)
			if n.Visible {
				b.nameStep(n, b.labels[i])
			}
		}
	}
	steps := 0
	for _, n := range b.Template.Nodes {
		n.Next = place[n.Next]
		if n.Kind == step.Branch {
			n.Else = place[n.Else]
		}
		if n.Visible {
			steps++
			if n.Label == "" {
				n.Label = fmt.Sprint(steps)
			}
		}
	}
	b.Template.Start = place[start]
	b.Template.Seal()
	return misplaced
}

func (b *Builder) nameStep(n *step.Node, l *Label) {
	if l == nil {
		return
	}
	l.steps++
	n.Label = l.Name
	if l.steps > 1 {
		n.Label = fmt.Sprintf("%s.%d", l.Name, l.steps)
	}
}

// mergeEntries makes the first node of an atomic block its entry where nothing else leads to that node. Otherwise (the
// block begins with a loop) the Nop in front stays, so that going round the loop does not begin a new step.
func (b *Builder) mergeEntries() {
	preds := make([]int, len(b.Nodes))
	count := func(i int) {
		if i != step.End {
			preds[i]++
		}
	}
	for _, n := range b.Nodes {
		count(n.Next)
		if n.Kind == step.Branch {
			count(n.Else)
		}
	}
	for i, n := range b.Nodes {
		if n.Kind != step.Nop || !n.Visible || n.Next == step.End || preds[n.Next] != 1 || n.Next == i {
			continue
		}
		first := b.Nodes[n.Next]
		if first.Visible && first.Guard() != nil {
			n.Visible = false // a method that begins to wait at once
		}
		if !first.Visible {
			n.Visible, first.Visible = false, true
			n.Idle, first.Idle = false, n.Idle
			b.labels[n.Next] = b.labels[i]
		}
	}
}
