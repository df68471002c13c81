package lower

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"

	"gopkg.in/yaml.v3"
)

// crashes: {count: 1, of: [node]}. What crashes is a shared flag of each instance, thread.crashed. All that sets it is
// one more process, which chooses beforehand whom it crashes, if any, and does so in a step of its own, at any time.
// Whoever has crashed takes no further step: package instrument makes each of its steps wait for the flag to be clear.

// crasher is the name of the process that crashes others.
const crasher = "crashes"

// declareCrashes reads the section, and makes the flags before any code is read.
func declareCrashes(l *loader, n, threads, main *yaml.Node) {
	names, nodes := declaredThreads(threads, main)
	l.crashes = 1
	l.Fields(n, "crashes", map[string]func(*yaml.Node){
		"count": func(n *yaml.Node) {
			c, ok := check.ConstInt(l.Checker(l.Reporter, check.ConstNames{}), l.ValueExpr(n), "the count of crashes")
			const most = 16
			if ok && (c < 0 || c > most) {
				l.At(n, "", "a count of %d crashes: it must be from 0 to %d", c, most)
			}
			l.crashes = int(min(max(c, 0), most))
		},
		"of": func(n *yaml.Node) {
			said := names
			names = nil
			for _, item := range syntax.Items(n) {
				switch {
				case slices.Contains(names, item.Value):
					l.At(item, "", "%s is twice among the threads that may crash", item.Value)
				case slices.Contains(said, item.Value):
					names = append(names, item.Value)
					l.Mention(syntax.Mention{Pos: syntax.NodePos(item), What: "thread", Name: item.Value}, nil)
				default:
					l.At(item, syntax.DidYouMean(item.Value, said), "%s is no thread that may crash", item.Value)
				}
			}
		},
	})
	if l.races {
		l.At(n, "leave one of them out", "data races are not looked for where threads crash")
	}
	victims := 0
	for _, name := range names {
		switch {
		case name == crasher:
			l.At(n, "rename the thread", "a thread cannot be called %s beside the section of that name", name)
		case l.IdentitiesOf(name) != nil:
			l.At(n, "name those that run from the start: crashes: {of: [...]}",
				"%s is started by spawn, and only threads that run from the start can crash", name)
			continue
		}
		count, many := l.instancesOf(nodes[name])
		t := step.BoolType
		if many {
			t = &step.Type{Kind: step.Array, Elem: step.BoolType, Len: count}
		}
		v := &step.Var{Name: name + ".crashed", Type: t, Pos: syntax.NodePos(n), Shared: true,
			Offset: l.prog.SharedWords}
		addShared(l.prog, v, make([]int64, t.Words()))
		l.SharedVars[v.Name], l.Crashed[name] = v, v
		victims += count
	}
	if victims >= step.MaxAlternatives {
		l.At(n, "name some: crashes: {of: [...]}", "%d threads may crash; it may be %d at most", victims,
			step.MaxAlternatives-1)
	}
}

// declaredThreads are the names of the threads, in the order of the file, and what they are.
func declaredThreads(threads, main *yaml.Node) (names []string, nodes map[string]*yaml.Node) {
	nodes = map[string]*yaml.Node{}
	add := func(name string, n *yaml.Node) {
		if n != nil && nodes[name] == nil {
			names, nodes[name] = append(names, name), n
		}
	}
	if threads != nil && threads.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(threads.Content); i += 2 {
			add(threads.Content[i].Value, threads.Content[i+1])
		}
	}
	add("main", main)
	return names, nodes
}

// addCrasher makes the process that crashes others, when all threads are lowered.
func addCrasher(l *loader, at step.Pos) {
	type victim struct {
		name string
		flag *step.Expr
	}
	var victims []victim
	for _, p := range l.prog.Procs {
		v := l.Crashed[p.Template.Name]
		if v == nil || v.Type.Kind == step.Array && int(p.Self) >= v.Type.Len {
			continue // after an error
		}
		p.Template.Crashed = v
		flag := build.Ref(v, at)
		if v.Type.Kind == step.Array {
			flag = &step.Expr{Op: step.Index, Type: step.BoolType, Pos: at, Of: step.Own,
				Args: []*step.Expr{flag, check.IntConst(&syntax.Expr{Pos: at}, p.Self)}}
		}
		victims = append(victims, victim{p.Name, flag})
	}
	t := &step.Template{Name: crasher, Pos: at, Count: 1, Crasher: true}
	b := build.New(t, false)
	b.Pos, b.Text = at, "who crashes"
	c := &build.Code{Builder: b, At: at}
	ways := []string{"no thread crashes"}
	for _, v := range victims {
		ways = append(ways, v.name+" crashes some time")
	}
	var earlier []*step.Expr
	for range min(l.crashes, len(victims)) {
		chosen := c.Choose(c.Number(int64(len(ways))), slices.Clone(ways)...)
		if len(earlier) > 0 { // no thread crashes twice
			again := c.Const(step.BoolType, 0)
			for _, e := range earlier {
				again = c.Bool(step.Or, again, c.Bool(step.Eq, chosen, e))
			}
			b.Nodes[len(b.Nodes)-1].Cond = c.Not(again)
		}
		earlier = append(earlier, chosen)
		var after []*int
		for i, v := range victims {
			other := c.Branch(c.Bool(step.Eq, chosen, c.Number(int64(i)+1)))
			b.Text = fmt.Sprintf("%s crashes", v.name)
			c.Unit(func() { c.Set(v.flag, 1) })
			b.Text = "who crashes"
			b.Turn(&after, other)
		}
		ways[0] = "no other thread crashes"
		end := b.Emit(step.Node{}) // no crash: the last choice
		end.Next = step.End
		b.Open = after
	}
	b.Seal()
	l.prog.Templates = append(l.prog.Templates, t)
	l.prog.Procs = append(l.prog.Procs, &step.Proc{Index: len(l.prog.Procs), Template: t, Name: crasher,
		Init: make([]int64, t.LocalWords)})
	instrument.StopCrashed(l.prog)
}
