package vet

import (
	"slices"
	"strings"

	"cdpor/lang/step"
)

// Remarks of Vet on integers that only grow.

// growing reports additions in loops without an end to integers that nothing bounds: such a program has always another
// state.
func (v *vetter) growing() {
	said := map[step.Pos]bool{} // a procedure may be written out several times
	for _, t := range v.prog.Templates {
		var circling []bool
		for i, n := range t.Nodes {
			x, sign := added(n)
			if sign == 0 || x.Temp || said[n.Pos] || !v.onlyGrows(x, sign) {
				continue
			}
			if circling == nil {
				circling = endless(t)
			}
			if circling[i] && onCycle(t, i) {
				said[n.Pos] = true
				v.Report(n.Pos, step.Pos{}, "give it a range, 0..K, or count modulo K",
					"%s takes ever new values in a loop without an end", x.Name)
			}
		}
	}
}

// added is the integer variable that a node adds a constant to, and the sign of that; 0 if it does something else.
func added(n *step.Node) (x *step.Var, sign int) {
	if n.Kind != step.Assign || n.Dst.Op != step.VarRef || n.Dst.Var.Type.Kind != step.Int ||
		n.Src.Op != step.Add && n.Src.Op != step.Sub {
		return nil, 0
	}
	a, b := n.Src.Args[0], n.Src.Args[1]
	if a.Op != step.VarRef || a.Var != n.Dst.Var || b.Op != step.Const {
		return nil, 0
	}
	switch up := (b.Words[0] > 0) == (n.Src.Op == step.Add); {
	case b.Words[0] == 0:
		return nil, 0
	case up:
		return a.Var, 1
	}
	return a.Var, -1
}

// onlyGrows reports whether all that loops do to a variable is to add constants of a sign, and no condition compares it
// with a constant.
func (v *vetter) onlyGrows(x *step.Var, sign int) bool {
	bounds := func(e *step.Expr) bool {
		if e.Op < step.Eq || e.Op > step.Ge || len(e.Args) != 2 {
			return false
		}
		a, b := e.Args[0], e.Args[1]
		return a.Op == step.VarRef && a.Var == x && b.Op == step.Const ||
			b.Op == step.VarRef && b.Var == x && a.Op == step.Const
	}
	for _, t := range v.prog.Templates {
		for i, n := range t.Nodes {
			if n.Cond.Has(bounds) || n.Counter.Root() == x {
				return false
			}
			if n.Dst.Root() == x {
				if y, other := added(n); (y != x || other != sign) && onCycle(t, i) {
					return false
				}
			}
		}
	}
	return true
}

// endless reports, for each node of a template, whether the end cannot be reached from it.
func endless(t *step.Template) []bool {
	before := map[int][]int{}
	list := make([]bool, len(t.Nodes))
	for i, n := range t.Nodes {
		list[i] = true
		for _, next := range ways(n) {
			before[next] = append(before[next], i)
		}
	}
	for _, i := range step.Reach(func(i int) []int { return before[i] }, before[step.End]...) {
		list[i] = false
	}
	return list
}

// onCycle reports whether a node may come again.
func onCycle(t *step.Template, node int) bool {
	return slices.ContainsFunc(ways(t.Nodes[node]),
		func(next int) bool { return slices.Contains(behind(t, next, nil), node) })
}

// ways are the nodes that may come after one.
func ways(n *step.Node) []int {
	if n.Kind != step.Branch {
		return n.Successors()
	}
	switch cond, fault, ok := fixed(n.Cond); {
	case !ok || fault != step.NoFault:
		return n.Successors()
	case cond != 0:
		return []int{n.Next}
	}
	return []int{n.Else}
}

// Remarks of Vet on loops that wait by going round.

// spins reports loops that only other threads can end, and those that no thread can end.
func (v *vetter) spins() {
	said := map[step.Pos]bool{} // a procedure may be written out several times
	for _, l := range v.loops {
		reads, quiet := l.waits()
		if len(reads) == 0 || said[l.pos] {
			continue
		}
		text := v.File.Between(l.pos, l.end)
		switch {
		case !v.writtenElsewhere(l, reads):
			said[l.pos] = true
			v.Report(l.pos, l.end, "another thread must write what it reads, or the loop itself",
				"no thread writes what the condition of this loop reads: it does not end once %s holds", text)
		case quiet:
			said[l.pos] = true
			v.Report(l.pos, l.end, "await "+opposite(text)+
				" waits in one step, and executions that cannot go on are deadlocks then",
				"this loop waits by going round: its body changes nothing that %s reads", text)
		}
	}
}

// opposite is the text of a condition that holds when another one does not.
func opposite(text string) string {
	if rest, ok := strings.CutPrefix(text, "!"); ok && !strings.ContainsAny(rest, " &|") {
		return rest
	}
	return "!(" + text + ")"
}

// waits are the shared variables that the condition of a loop reads, if only other threads can make it false: the loop
// writes nothing that the condition reads, there is no other way out, and nothing in it blocks. quiet tells that it
// writes nothing shared at all.
func (l *waitingLoop) waits() (reads map[*step.Var]bool, quiet bool) {
	if l.branch.Cond.Op == step.Const {
		return nil, false
	}
	inside := map[*step.Node]bool{}
	for _, n := range l.nodes {
		inside[n] = slices.Contains(l.tmpl.Nodes, n) // not those that do nothing
	}
	if !inside[l.branch] {
		return nil, false
	}
	all := map[*step.Var]bool{}
	reads, quiet = map[*step.Var]bool{}, true
	l.branch.Cond.EachVar(func(e *step.Expr) {
		all[e.Var] = true
		if e.Var.Shared {
			reads[e.Var] = true
		}
	})
	for _, n := range l.nodes {
		if !inside[n] {
			continue
		}
		blocks := n.Kind == step.Await && (n.Cond.Op != step.Const || n.Cond.Words[0] == 0)
		if blocks || n.Kind == step.Choose || n.Kind == step.Spawn || n.Counter != nil {
			return nil, false
		}
		if n.Dst != nil {
			x := n.Dst.Root()
			if all[x] {
				return nil, false
			}
			quiet = quiet && !x.Shared
		}
		leaves := func(to int) bool { return to == step.End || !inside[l.tmpl.Nodes[to]] }
		if leaves(n.Next) || n.Kind == step.Branch && n != l.branch && leaves(n.Else) {
			return nil, false
		}
	}
	return reads, quiet
}

// writtenElsewhere reports whether another process may write one of some variables.
func (v *vetter) writtenElsewhere(l *waitingLoop, reads map[*step.Var]bool) bool {
	for _, t := range v.prog.Templates {
		if t.Count == 0 || t == l.tmpl && t.Count == 1 {
			continue
		}
		for _, n := range t.Nodes {
			if n.Dst != nil && reads[n.Dst.Root()] || n.Kind == step.Spawn {
				return true
			}
		}
	}
	return false
}
