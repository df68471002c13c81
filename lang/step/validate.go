package step

import (
	"cmp"
	"fmt"
	"slices"
)

// Validate checks the invariants of the form that doc.go lists. A failure is a bug of the front end.
func (p *Program) Validate() error {
	if len(p.Init) != p.SharedWords {
		return fmt.Errorf("step: %d initial words for %d shared words", len(p.Init), p.SharedWords)
	}
	if err := disjoint("shared", p.Shared, p.SharedWords); err != nil {
		return err
	}
	known := map[*Func]bool{}
	for _, f := range p.Funcs {
		known[f] = true
	}
	for _, f := range p.Funcs {
		if err := f.validate(known); err != nil {
			return fmt.Errorf("step: function %s: %w", f.Name, err)
		}
	}
	for _, t := range p.Templates {
		if err := t.validate(known); err != nil {
			return fmt.Errorf("step: thread %s: %w", t.Name, err)
		}
	}
	for i, proc := range p.Procs {
		if proc.Index != i || len(proc.Init) != proc.Template.LocalWords {
			return fmt.Errorf("step: process %s has index %d and %d initial words", proc.Name,
				proc.Index, len(proc.Init))
		}
	}
	return nil
}

func disjoint(what string, vars []*Var, words int) error {
	used := make([]bool, words)
	for _, v := range vars {
		for i := v.Offset; i < v.Offset+v.Type.Words(); i++ {
			if i < 0 || i >= words || used[i] {
				return fmt.Errorf("step: %s variable %s at word %d overlaps or is outside", what, v.Name, i)
			}
			used[i] = true
		}
	}
	return nil
}

// validate checks that a function is pure: it sees only its own locals and never blocks.
func (f *Func) validate(known map[*Func]bool) error {
	if err := disjoint("local", f.Locals, f.LocalWords); err != nil {
		return err
	}
	if f.Result == nil || len(f.Params) > len(f.Locals) || f.Start != End && (f.Start < 0 || f.Start >= len(f.Nodes)) {
		return fmt.Errorf("no result, parameters that are not locals, or a start outside")
	}
	for i, n := range f.Nodes {
		for _, next := range n.Successors() {
			if next != End && (next < 0 || next >= len(f.Nodes)) {
				return fmt.Errorf("node %d has successor %d", i, next)
			}
		}
		if n.Visible || n.Kind == Await || n.Kind == Assume || n.Kind == Choose || n.touchesShared() || n.depends() {
			return fmt.Errorf("node %d (%s) is not pure", i, n.Text)
		}
		if err := n.validate(known); err != nil {
			return fmt.Errorf("node %d (%s): %w", i, n.Text, err)
		}
	}
	return nil
}

// depends reports whether the node asks which process executes it.
func (n *Node) depends() bool {
	return slices.ContainsFunc([]*Expr{n.Dst, n.Src, n.Cond}, func(e *Expr) bool {
		return e.Has(func(e *Expr) bool { return e.Op == Self || e.Op == Me })
	})
}

// validate checks the expressions of a node, and what only Choose demands.
func (n *Node) validate(known map[*Func]bool) (err error) {
	for _, e := range []*Expr{n.Dst, n.Src, n.Cond} {
		e.Walk(func(e *Expr) {
			switch {
			case e.Op == Part && (e.Args[0].Type.Kind != Record || e.Field < 0 ||
				e.Field >= len(e.Args[0].Type.Fields)):
				err = fmt.Errorf("field %d of %v", e.Field, e.Args[0].Type.Kind)
			case e.Op >= BitAnd && e.Type.Kind != Sized:
				err = fmt.Errorf("an operator on bits of a value that is no Sized integer")
			case e.Op == Call && !known[e.Func]:
				err = fmt.Errorf("a call of a function that is not of the program")
			case e.Op == Call && len(e.Args) != len(e.Func.Params):
				err = fmt.Errorf("%d arguments for %s", len(e.Args), e.Func.Name)
			}
		})
	}
	switch {
	case n.Kind == Choose && (!n.Visible || n.Dst.Op != VarRef || n.Dst.Var.Shared || !n.Dst.Type.Scalar() ||
		n.Src.TouchesShared()):
		err = fmt.Errorf("a choice must begin a step, be stored in a local, and be among a number that " +
			"depends on locals only")
	case n.Kind == Choose && n.Cond != nil &&
		(n.Src.Op != Const || n.Src.Words[0] < 1 || n.Src.Words[0] > MaxAlternatives):
		err = fmt.Errorf("a guarded choice is among 1 to %d alternatives", MaxAlternatives)
	case n.Otherwise && (n.Kind != Choose || n.Cond == nil):
		err = fmt.Errorf("only a guarded choice has something to do otherwise")
	}
	return err
}

// Callees are the functions that a node calls.
func (n *Node) Callees() (list []*Func) {
	for _, e := range []*Expr{n.Dst, n.Src, n.Cond} {
		e.Walk(func(e *Expr) {
			if e.Op == Call {
				list = append(list, e.Func)
			}
		})
	}
	return list
}

func (t *Template) validate(known map[*Func]bool) error {
	if err := disjoint("local", t.Locals, t.LocalWords); err != nil {
		return err
	}
	if t.Start != End && (t.Start < 0 || t.Start >= len(t.Nodes)) {
		return fmt.Errorf("start is %d", t.Start)
	}
	own := map[*Var]bool{}
	for _, v := range t.Locals {
		own[v] = true
	}
	for i, n := range t.Nodes {
		if v := n.foreign(own); v != nil {
			return fmt.Errorf("node %d (%s) has %s, a local of another thread", i, n.Text, v.Name)
		}
		for _, next := range n.Successors() {
			if next != End && (next < 0 || next >= len(t.Nodes)) {
				return fmt.Errorf("node %d has successor %d", i, next)
			}
		}
		if n.Kind == Spawn && (n.Target.Pool == nil || n.Target.Pool.Life == nil || n.Counter == nil ||
			!n.argumentsFit()) {
			return fmt.Errorf("node %d (%s) starts a thread that is none", i, n.Text)
		}
		if n.Kind == Check && n.Property != nil && n.Next != End {
			if next := t.Nodes[n.Next]; !next.Visible && (next.Kind != Check || next.Property == nil) {
				return fmt.Errorf("node %d (%s) checks a property before the step is at its end", i, n.Text)
			}
		}
		if n.Kind == Await && !n.Visible {
			return fmt.Errorf("node %d (%s) blocks inside a step", i, n.Text)
		}
		if err := n.validate(known); err != nil {
			return fmt.Errorf("node %d (%s): %w", i, n.Text, err)
		}
	}
	labels := map[string]bool{}
	for i, s := range t.Steps {
		switch {
		case s.Index != i || s.Template != t:
			return fmt.Errorf("step %s is misplaced", s.Label)
		case !t.Nodes[s.Entry].Visible:
			return fmt.Errorf("step %s does not begin with a visible node", s.Label)
		case labels[s.Label]:
			return fmt.Errorf("two steps are called %s", s.Label)
		}
		labels[s.Label] = true
	}
	if t.PreludeTouches() {
		return fmt.Errorf("shared state is touched before the first step")
	}
	return nil
}

// foreign is a local that a node has as its own and that is none of these; nil if there is none.
func (n *Node) foreign(own map[*Var]bool) (v *Var) {
	for _, e := range append([]*Expr{n.Dst, n.Src, n.Cond, n.Counter, n.Maker}, n.Args...) {
		e.Walk(func(e *Expr) {
			if e.Op == VarRef && e.Of == Own && !e.Var.Shared && !own[e.Var] {
				v = e.Var
			}
		})
	}
	return v
}

// PreludeTouches reports whether a node before the first step touches shared state.
func (t *Template) PreludeTouches() bool {
	return t.Start != End && !t.Nodes[t.Start].Visible &&
		slices.ContainsFunc(t.region(t.Start), func(i int) bool { return t.Nodes[i].touchesShared() })
}

func (n *Node) touchesShared() bool {
	for _, a := range n.Args {
		if a.TouchesShared() {
			return true
		}
	}
	return n.Kind == Spawn || n.Dst.TouchesShared() || n.Src.TouchesShared() || n.Cond.TouchesShared()
}

// region lists the nodes reachable from a node (itself first) without entering a visible one, in reverse post-order.
func (t *Template) region(from int) []int {
	if from == End {
		return nil
	}
	seen := map[int]bool{}
	var post []int
	var visit func(int)
	visit = func(i int) {
		seen[i] = true
		succ := t.Nodes[i].Successors()
		for k := len(succ) - 1; k >= 0; k-- {
			if next := succ[k]; next != End && !seen[next] && !t.Nodes[next].Visible {
				visit(next)
			}
		}
		post = append(post, i)
	}
	visit(from)
	slices.Reverse(post)
	return post
}

// Seal fills Steps from the visible nodes, in the order of the nodes. The front end calls it once per template.
func (t *Template) Seal() {
	t.Steps = nil
	for i, n := range t.Nodes {
		if n.Visible {
			t.Steps = append(t.Steps, &Step{Index: len(t.Steps), Template: t, Label: n.Label, Pos: n.Pos,
				Entry: i, Nodes: t.region(i)})
		}
	}
}

// Successors lists the steps of the template that may follow the step, in ascending order; last is set when the process
// may be finished after it.
func (s *Step) Successors() (steps []int, last bool) {
	for _, i := range s.Nodes {
		for _, next := range s.Template.Nodes[i].Successors() {
			switch {
			case next == End:
				last = true
			case s.Template.Nodes[next].Visible:
				steps = append(steps, s.Template.begunAt(next))
			}
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps), last
}

// begunAt is the step that begins with a visible node.
func (t *Template) begunAt(node int) int {
	k, _ := slices.BinarySearchFunc(t.Steps, node, func(s *Step, node int) int { return cmp.Compare(s.Entry, node) })
	return k
}

// Loops reports whether a process of the template may come to a step again.
func (t *Template) Loops() bool {
	after, before := make([][]int, len(t.Steps)), make([]int, len(t.Steps))
	for k, s := range t.Steps {
		after[k], _ = s.Successors()
		for _, next := range after[k] {
			before[next]++
		}
	}
	var first []int // steps that no other step that is left comes before
	for k, n := range before {
		if n == 0 {
			first = append(first, k)
		}
	}
	for i := 0; i < len(first); i++ {
		for _, next := range after[first[i]] {
			if before[next]--; before[next] == 0 {
				first = append(first, next)
			}
		}
	}
	return len(first) < len(t.Steps)
}
