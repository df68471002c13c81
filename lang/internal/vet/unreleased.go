package vet

import (
	"slices"

	"cdpor/lang/step"
)

// unreleased reports threads that end while they hold a mutex: on every way from where they take it, or on some way if
// they take it on all. Where taking and releasing both depend on conditions, nothing is said: the conditions may agree.
func (v *vetter) unreleased() {
	told := map[step.Pos]bool{}
	for _, t := range v.prog.Templates {
		if t.Count == 0 {
			continue
		}
		reached := map[int]bool{}
		walk(t, t.Start, func(i int) bool {
			reached[i] = true
			return i != step.End
		})
		for i, n := range t.Nodes {
			if !reached[i] || !takes(t, i) || told[n.Pos] {
				continue
			}
			const hint = "unlock it on each way to the end, or write with lock { }"
			switch ends, released := waysFrom(t, n); {
			case ends && !released:
				v.Report(n.Pos, step.Pos{}, hint, "%s ends while it holds this mutex", t.Name)
			case ends && onEveryWay(t, i):
				v.Report(n.Pos, step.Pos{}, hint, "%s may end while it holds this mutex", t.Name)
			default:
				continue
			}
			told[n.Pos] = true
		}
	}
}

// takes reports whether a node takes a mutex that it has waited for.
func takes(t *step.Template, node int) bool {
	n := t.Nodes[node]
	return n.Kind == step.Assign && n.Dst.Type.Kind == step.Mutex && n.Src.Op == step.Me &&
		slices.ContainsFunc(t.Nodes, func(o *step.Node) bool { return o.Kind == step.Await && o.Next == node })
}

// waysFrom reports whether the end can be reached from behind a node that takes a mutex without a node that releases
// it, and whether one that releases it can be reached.
func waysFrom(t *step.Template, n *step.Node) (ends, released bool) {
	walk(t, n.Next, func(i int) bool {
		if i == step.End {
			ends = true
			return false
		}
		m := t.Nodes[i]
		if m.Kind == step.Assign && m.Dst.Type.Kind == step.Mutex && m.Src.Op != step.Me &&
			m.Dst.Root() == n.Dst.Root() {
			released = true
			return false
		}
		return true
	})
	return ends, released
}

// onEveryWay reports whether the end cannot be reached from the start without a node.
func onEveryWay(t *step.Template, node int) bool {
	every := true
	walk(t, t.Start, func(i int) bool {
		every = every && i != step.End
		return i != step.End && i != node
	})
	return every
}

// walk visits a node and those that follow it, End among them; behind a node for which visit says no it does not go on.
func walk(t *step.Template, from int, visit func(node int) (on bool)) {
	seen, work := map[int]bool{}, []int{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		if work = work[:len(work)-1]; seen[i] {
			continue
		}
		seen[i] = true
		if visit(i) {
			work = append(work, ways(t.Nodes[i])...)
		}
	}
}
