package vet

import (
	"slices"
	"strings"

	"cdpor/lang/step"
)

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
