package lang

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A builder makes the nodes of one template. Control flow is wired by open ends: the successors still to be filled
// with whatever node comes next.
type builder struct {
	t      *step.Template
	nodes  []*step.Node
	labels []*label // per node: the label it stands under, or nil
	open   []*int

	access bool // atomicity: access, every shared access of its own step
	atomic int  // depth of atomic blocks, in which nothing begins a step
	label  *label
	pos    step.Pos
	text   string
	calls  []step.Pos // of procedures that are being written out, outermost first
	loops  []loop
	withs  []func() // release what the with blocks around hold, innermost last
	start  int
	actor  *actorCode // in methods, which are steps from await to await
	blocks int        // atomic blocks around, in methods
}

// A label as written; it names the first step under it, and with a number the following ones.
type label struct {
	name  string
	steps int
}

type loop struct {
	withs     int // with blocks around the loop
	breaks    []*int
	continues []*int
}

func newBuilder(t *step.Template, access bool) *builder {
	b := &builder{t: t, access: access, start: step.End}
	b.open = []*int{&b.start}
	return b
}

// split reports whether shared reads and writes are steps of their own here.
func (b *builder) split() bool { return b != nil && b.access && b.atomic == 0 }

func (b *builder) emit(n step.Node) *step.Node {
	node := &n
	node.Pos, node.Text, node.Calls, node.Next, node.Else = b.pos, b.text, b.calls, step.End, step.End
	b.connect(b.open, len(b.nodes))
	b.nodes = append(b.nodes, node)
	b.labels = append(b.labels, b.label)
	b.open = []*int{&node.Next}
	return node
}

// branch emits a Branch; the code that follows is for a true condition, the returned end for a false one.
func (b *builder) branch(cond *step.Expr) (otherwise *int) {
	return &b.emit(step.Node{Kind: step.Branch, Cond: cond}).Else
}

// decide is branch for a condition that says which alternative of a construct is taken.
func (b *builder) decide(cond *step.Expr, next, other string) (otherwise *int) {
	n := b.emit(step.Node{Kind: step.Branch, Cond: cond, Decides: &step.Decision{Ways: []string{next, other}}})
	return &n.Else
}

func (b *builder) connect(ends []*int, to int) {
	for _, end := range ends {
		*end = to
	}
}

// assign emits an assignment; a shared destination is a step of its own under split.
func (b *builder) assign(dst, src *step.Expr) {
	n := b.emit(step.Node{Kind: step.Assign, Dst: dst, Src: src})
	n.Visible = b.split() && (touches(n))
}

func touches(n *step.Node) bool {
	return n.Kind == step.Spawn || n.Dst.TouchesShared() || n.Src.TouchesShared() || n.Cond.TouchesShared()
}

// temp declares a local without a name in the source.
func (b *builder) temp(t *step.Type, pos step.Pos) *step.Expr {
	if t.Numeric() {
		t = step.IntType
	}
	return b.checkedTemp(t, pos)
}

// checkedTemp keeps the bounds of a range: assigning to it checks them.
func (b *builder) checkedTemp(t *step.Type, pos step.Pos) *step.Expr {
	v := b.declare(fmt.Sprintf("$%d", len(b.t.Locals)), t, pos)
	v.Temp = true
	return ref(v, pos)
}

func (b *builder) declare(name string, t *step.Type, pos step.Pos) *step.Var {
	v := &step.Var{Name: name, Type: t, Pos: pos, Offset: b.t.LocalWords}
	b.t.LocalWords += t.Words()
	b.t.Locals = append(b.t.Locals, v)
	return v
}

func ref(v *step.Var, pos step.Pos) *step.Expr {
	return &step.Expr{Op: step.VarRef, Type: v.Type, Pos: pos, Var: v, Of: step.Own}
}

// unit emits what f does as one step if it touches anything shared, unless it is inside a larger step. Under split only whole
// operations are units, not statements.
func (b *builder) unit(f func()) {
	from := len(b.nodes)
	b.atomic++
	f()
	b.atomic--
	if b.atomic == 0 {
		b.markFrom(from)
	}
}

// simple emits a simple statement or a condition.
func (b *builder) simple(f func()) {
	if b.split() {
		f()
		return
	}
	b.unit(f)
}

func (b *builder) markFrom(from int) {
	if slices.ContainsFunc(b.nodes[from:], func(n *step.Node) bool { return touches(n) || n.Kind == step.Await }) {
		b.nodes[from].Visible = true
	}
}

// seal removes the nodes that do nothing or are never reached, names the steps and fills the template. It returns the nodes
// that block in the middle of a step.
func (b *builder) seal() (misplaced []*step.Node) {
	b.connect(b.open, step.End)
	b.mergeEntries()
	for _, n := range b.nodes {
		if n.Kind == step.Await && !n.Visible {
			misplaced = append(misplaced, n)
		}
	}
	// Invisible Nops are jumped over. A cycle of them is a loop that does nothing: its last Nop stays.
	target := func(i int) int {
		for hops := 0; i != step.End && hops <= len(b.nodes); hops++ {
			n := b.nodes[i]
			if n.Kind != step.Nop || n.Visible || n.Mark != nil {
				return i
			}
			i = n.Next
		}
		return i
	}
	reached := map[int]bool{}
	start := target(b.start)
	work := []int{start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i == step.End || reached[i] {
			continue
		}
		reached[i] = true
		n := b.nodes[i]
		n.Next = target(n.Next)
		work = append(work, n.Next)
		if n.Kind == step.Branch {
			n.Else = target(n.Else)
			work = append(work, n.Else)
		}
	}
	place := make(map[int]int, len(reached))
	place[step.End] = step.End
	for i, n := range b.nodes {
		if reached[i] {
			place[i] = len(b.t.Nodes)
			b.t.Nodes = append(b.t.Nodes, n)
			if n.Visible {
				b.name(n, b.labels[i])
			}
		}
	}
	steps := 0
	for _, n := range b.t.Nodes {
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
	b.t.Start = place[start]
	b.t.Seal()
	return misplaced
}

func (b *builder) name(n *step.Node, l *label) {
	if l == nil {
		return
	}
	l.steps++
	n.Label = l.name
	if l.steps > 1 {
		n.Label = fmt.Sprintf("%s.%d", l.name, l.steps)
	}
}

// mergeEntries makes the first node of an atomic block its entry where nothing else leads to that node. Otherwise (the
// block begins with a loop) the Nop in front stays, so that going round the loop does not begin a new step.
func (b *builder) mergeEntries() {
	preds := make([]int, len(b.nodes))
	count := func(i int) {
		if i != step.End {
			preds[i]++
		}
	}
	for _, n := range b.nodes {
		count(n.Next)
		if n.Kind == step.Branch {
			count(n.Else)
		}
	}
	for i, n := range b.nodes {
		if n.Kind != step.Nop || !n.Visible || n.Next == step.End || preds[n.Next] != 1 || n.Next == i {
			continue
		}
		first := b.nodes[n.Next]
		if first.Visible && first.Kind == step.Await {
			n.Visible = false // a method that begins to wait at once
		}
		if !first.Visible {
			n.Visible, first.Visible = false, true
			b.labels[n.Next] = b.labels[i]
		}
	}
}
