package instrument

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// StopCrashed makes each step of a thread that may crash wait until the thread has not crashed, which is for ever if it
// has: an ordinary guard, which reads what the crash writes. So a crash conflicts with every step of its thread, and
// footprints and guards need no rule for crashes.
func StopCrashed(prog *step.Program) {
	for _, t := range prog.Templates {
		if t.Crashed == nil {
			continue
		}
		for i := range t.Nodes { // those that are added do not begin steps
			if t.Nodes[i].Visible {
				stopCrashed(t, i)
			}
		}
		t.Seal()
	}
}

func stopCrashed(t *step.Template, entry int) {
	n := t.Nodes[entry]
	c := &build.Code{At: n.Pos}
	flag := build.Ref(t.Crashed, n.Pos)
	if t.Crashed.Type.Kind == step.Array {
		flag = c.Bool(step.Index, flag, c.Int(step.Self))
	}
	lives := c.Not(flag)
	switch {
	case n.Kind == step.Choose && n.Otherwise:
		// The last alternative is possible while no other is, and now one must say that in its guard.
		last := n.Src.Words[0] - 1
		var other *step.Expr
		for i := range last {
			other = c.Join(step.Or, other, n.Condition(int(i)))
		}
		otherwise := c.Bool(step.And, c.Bool(step.Eq, n.Dst, c.Number(last)), c.Not(other))
		n.Cond, n.Otherwise = c.Bool(step.And, lives, c.Bool(step.Or, n.Cond, otherwise)), false
	case n.Kind == step.Await || n.Kind == step.Choose && n.Cond != nil:
		n.Cond = c.Bool(step.And, lives, n.Cond)
	case n.Kind == step.Choose && n.Src.Op == step.Const:
		n.Cond = lives
	case n.Kind == step.Choose:
		// A guarded choice is among a constant number. Of the others that there may be none is possible but the first.
		most := int64(step.MaxAlternatives)
		few := &step.Node{Kind: step.Check, Pos: n.Pos, Text: n.Text, Calls: n.Calls, Next: n.Next, Else: step.End,
			Cond: c.Bool(step.Le, n.Src, c.Number(most)), Fault: step.TooManyChoices}
		if r := n.Src.Type; r.Kind == step.Range {
			most = max(1, min(r.Hi, most))
		}
		there := c.Bool(step.Or, c.Bool(step.Eq, n.Dst, c.Number(0)), c.Bool(step.Lt, n.Dst, n.Src))
		n.Cond, n.Src, n.Next = c.Bool(step.And, lives, there), c.Number(most), len(t.Nodes)
		t.Nodes = append(t.Nodes, few)
	default:
		// The first node goes elsewhere, and what leads to it now leads to the guard.
		guard := &step.Node{Kind: step.Await, Pos: n.Pos, Text: n.Text, Calls: n.Calls, Cond: lives, Deed: n.Deed,
			Ghost: n.Ghost, Label: n.Label, Visible: true, Next: len(t.Nodes), Else: step.End}
		n.Visible, n.Label = false, ""
		t.Nodes[entry] = guard
		t.Nodes = append(t.Nodes, n)
	}
}
