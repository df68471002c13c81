package synth

import (
	"fmt"
	"math"
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// A world is one concrete state of a question.
type world struct {
	e      *engine
	values map[worldKey]int64
	procs  []*step.Proc // by slot
	choice map[int]int64
}

type worldKey struct {
	slot int
	v    *step.Var
	word int
}

// concretise finds a state on a path: each symbol in turn gets its initial value if that is possible, else the smallest
// one that is. It asks for satisfiability only, so the state is the same on every run.
func (e *engine) concretise(x *symbolic.Path) *world {
	w := &world{e: e, values: map[worldKey]int64{}, choice: map[int]int64{},
		procs: make([]*step.Proc, len(x.Table.Actors))}
	lits := append([]term.Literal(nil), x.Lits...)
	fixed := map[term.SymID]int64{}
	for id := 0; id < len(x.Table.Syms); id++ {
		s := x.Table.Syms[id]
		if s.Kind.Nonlinear() {
			continue
		}
		dir, _ := x.Table.Direction([]term.Term{{S: term.SymID(id), C: 1}})
		possible := func(more ...term.Literal) bool {
			return e.Oracle.Check(x.Table, append(append([]term.Literal(nil), lits...), more...)) == decide.Sat
		}
		v, ok := e.value(&s, dir, possible)
		if !ok {
			return nil
		}
		lits = append(lits, term.Literal{Dir: dir, Rel: term.EqRel, K: v})
		fixed[term.SymID(id)] = v
	}
	for id, s := range x.Table.Syms {
		v := fixed[term.SymID(id)]
		switch s.Kind {
		case term.SelfSym, term.MeSym:
			for _, p := range x.Table.Actors[s.Mem.Slot].Procs {
				if s.Kind == term.SelfSym && p.Self == v || s.Kind == term.MeSym && int64(p.Index)+1 == v {
					w.procs[s.Mem.Slot] = p
				}
			}
		case term.ChoiceSym:
			w.choice[s.Mem.Slot] = v
		case term.WordSym:
			if s.Mem.View == term.Keyed {
				continue // see collections
			}
			var idx []int64
			for _, f := range s.Idx {
				i := f.K
				for _, y := range f.Terms {
					if x.Table.Syms[y.S].Kind.Nonlinear() {
						return nil
					}
					i += y.C * fixed[y.S]
				}
				idx = append(idx, i)
			}
			if word, ok := term.WordAt(s.Mem, idx); ok {
				w.values[worldKey{s.Mem.Slot, s.Mem.V, word}] = v
			}
		}
	}
	if !w.collections(x.Table, fixed) {
		return nil
	}
	used := map[*step.Proc]bool{}
	for _, p := range w.procs {
		used[p] = true
	}
	for slot, a := range x.Table.Actors {
		for _, p := range a.Procs {
			if w.procs[slot] == nil && !used[p] {
				w.procs[slot], used[p] = p, true
			}
		}
	}
	return w
}

// value finds a possible value of a symbol.
func (e *engine) value(s *term.Symbol, dir int, possible func(...term.Literal) bool) (int64, bool) {
	if s.Kind == term.WordSym && s.Mem.Slot == term.Shared && len(s.Idx) == 0 {
		if v := e.Prog.Init[s.Mem.V.Offset+s.Mem.Off]; possible(term.Literal{Dir: dir, Rel: term.EqRel, K: v}) {
			return v, true
		}
	}
	least := func(sign int64) (int64, bool) { // the value nearest to zero on one side
		within := func(lo, hi int64) bool { // sign * value in lo..hi
			if sign < 0 {
				lo, hi = -hi, -lo
			}
			return possible(term.Literal{Dir: dir, Rel: term.LeRel, K: hi},
				term.Literal{Dir: dir, Rel: term.LeRel, Neg: true, K: lo - 1})
		}
		for hi := int64(1); hi < math.MaxInt32; hi *= 2 {
			if !within(0, hi) {
				continue
			}
			lo := int64(0)
			for lo < hi {
				if mid := (lo + hi) / 2; within(lo, mid) {
					hi = mid
				} else {
					lo = mid + 1
				}
			}
			return sign * lo, true
		}
		return 0, false
	}
	if v, ok := least(1); ok {
		return v, true
	}
	return least(-1)
}

// word is the initial value of a word in this world.
func (w *world) word(slot int, v *step.Var, word int) int64 {
	if v == nil { // self, or with word 1 the mutex value, with word 2 the alternative taken
		switch word {
		case 0:
			return w.procs[slot].Self
		case 1:
			return int64(w.procs[slot].Index) + 1
		}
		return w.choice[slot]
	}
	if k, ok := w.values[worldKey{slot, v, word}]; ok {
		return k
	}
	if slot == term.Shared {
		return w.e.Prog.Init[v.Offset+word]
	}
	return w.procs[slot].Init[v.Offset+word]
}

// run executes f once, in this world.
func (w *world) run(actors []*term.Actor, f func(r *symbolic.Run)) bool {
	return symbolic.Explore(term.NewTable(actors...), w.e.Oracle, symbolic.MaxLeaves, func(r *symbolic.Run) {
		r.Concrete, r.Store = w.word, &symbolic.Store{}
		r.Running()
		f(r)
	}) == ""
}

// bindings shows the shared variables of a store and the locals that the processes still need.
func (w *world) bindings(r *symbolic.Run, at []int) []Binding {
	var list []Binding
	show := func(name string, slot int, v *step.Var) {
		var words []int64
		term.PlaceOf(slot, v).WordsOf(func(p term.Place) { words = append(words, r.Read(p).K) })
		list = append(list, Binding{name, lang.FormatValue(w.e.Prog, v.Type, words)})
	}
	for _, v := range w.e.Prog.Shared {
		show(v.Name, term.Shared, v)
	}
	for slot, node := range at {
		t := r.Table.Actors[slot].Tmpl
		if node == gone {
			continue
		}
		live := t.LiveIn(node)
		for _, v := range t.Locals {
			if v.IsLive(live) && !v.Temp {
				show(term.SlotNames[slot]+"."+v.Name, slot, v)
			}
		}
	}
	return list
}

// gone is the control point of a process that failed or was dropped.
const gone = -2

func point(o symbolic.Outcome) int {
	if o.Kind == symbolic.Stopped {
		return o.Node
	}
	return gone
}

func ended(o symbolic.Outcome, t *step.Template) string {
	switch o.Kind {
	case symbolic.Failed:
		return o.Fault.String() + " at " + t.Nodes[o.Node].Pos.String()
	case symbolic.DroppedOut:
		return "dropped by assume"
	}
	return "done"
}

// showPair fills a finding about a pair with a state and what both orders do from it.
func (e *engine) showPair(x *symbolic.Path, n *commute.Entry, f *Finding) bool {
	w := e.concretise(x)
	return w != nil && w.showPair([]*step.Step{n.A, n.B}, f)
}

func (w *world) showPair(steps []*step.Step, f *Finding) bool {
	actors, at := w.actors(steps)
	return w.run(actors, func(r *symbolic.Run) {
		f.State = w.bindings(r, at)
		var ends [][]int
		for _, order := range [][]int{{0, 1}, {1, 0}} {
			result, at := w.play(r, steps, order)
			f.Runs, ends = append(f.Runs, result), append(ends, at)
		}
		for slot, s := range steps {
			first, second := ends[0][slot], ends[1][slot]
			if first == second || first == gone || second == gone {
				continue // an end like that is told by Ends
			}
			for i, at := range ends {
				f.Runs[i].Result = append(f.Runs[i].Result,
					Binding{"next of " + term.SlotNames[slot], nextAt(s.Template, at[slot])})
			}
		}
	})
}

// nextAt names the step at which a process stands. Both orders may lead to the same values and yet go on differently.
func nextAt(t *step.Template, node int) string {
	for _, s := range t.Steps {
		if s.Entry == node {
			return s.Name()
		}
	}
	return "none"
}

// play runs steps of processes in an order from the initial state, and tells where each of them stands then.
func (w *world) play(r *symbolic.Run, steps []*step.Step, order []int) (result Run, at []int) {
	r.Store = &symbolic.Store{}
	at = make([]int, len(steps))
	for i, s := range steps {
		at[i] = s.Entry
	}
	for _, slot := range order {
		s := steps[slot]
		result.Steps = append(result.Steps, term.SlotNames[slot]+":"+s.Name())
		if !r.Enabled(slot, s) {
			result.Ends = append(result.Ends, "blocked")
			continue
		}
		o := r.Exec(slot, s)
		at[slot] = point(o)
		result.Ends = append(result.Ends, ended(o, s.Template))
	}
	r.Fault = step.NoFault
	result.Result = w.bindings(r, at)
	return result, at
}

// actors are those that stand at some steps, one in each slot, and where they stand.
func (w *world) actors(steps []*step.Step) (actors []*term.Actor, at []int) {
	for i, s := range steps {
		actors = append(actors, &term.Actor{Tmpl: s.Template, Procs: w.procs[i : i+1]})
		at = append(at, s.Entry)
	}
	return actors, at
}

// showTriple fills a finding about a third step with a state and the one after that step.
func (e *engine) showTriple(x *symbolic.Path, n *commute.Entry, q *step.Step, f *Finding) bool {
	w := e.concretise(x)
	return w != nil && w.showTriple([]*step.Step{n.A, n.B, q}, f)
}

func (w *world) showTriple(steps []*step.Step, f *Finding) bool {
	actors, at := w.actors(steps)
	return w.run(actors, func(r *symbolic.Run) {
		f.State = w.bindings(r, at)
		result, _ := w.play(r, steps, []int{2})
		f.Runs = append(f.Runs, result)
	})
}

// collections gives the collections of a world elements, from what is decided of their keys; it reports false if there
// are no fitting ones.
func (w *world) collections(t *term.Table, fixed map[term.SymID]int64) bool {
	type partial struct {
		p        term.Place
		size     int64
		elems    map[string][]int64 // by key
		counts   map[string]int64
		mentions []string // keys, in the order of the symbols
	}
	var order []worldKey
	all := map[worldKey]*partial{}
	for id := range t.Syms {
		s := &t.Syms[id]
		if s.Kind != term.WordSym || s.Mem.View != term.Keyed {
			continue
		}
		var idx []int64
		for _, f := range s.Idx {
			v, known := f.ValueIn(fixed)
			if !known {
				return false
			}
			idx = append(idx, v)
		}
		p := s.Mem.Collection(s.Idx)
		base, ok := term.WordAt(p.Key(), idx[:len(p.Idx)])
		if !ok {
			continue
		}
		at := worldKey{p.Slot, p.V, base}
		c := all[at]
		if c == nil {
			c = &partial{p: p, elems: map[string][]int64{}, counts: map[string]int64{}}
			all[at], order = c, append(order, at)
		}
		key := idx[len(p.Idx):]
		name := fmt.Sprint(key)
		elem := c.elems[name]
		if elem == nil {
			elem = append(slices.Clone(key), term.Smallest(p.Typ.Elem)[len(key):]...)
			c.elems[name], c.mentions = elem, append(c.mentions, name)
		}
		if s.Mem.Off != p.Off {
			elem[s.Mem.Off-p.Off-1] = fixed[term.SymID(id)]
			continue
		}
		c.counts[name], c.size = fixed[term.SymID(id)], fixed[s.Size]
	}
	for _, at := range order {
		c, l := all[at], &term.Contents{}
		for _, name := range c.mentions {
			for range c.counts[name] {
				l.Elems = append(l.Elems, c.elems[name])
			}
		}
		key := c.p.Typ.Key()
		// Others are keys that no question mentions.
		for next := max(reachable.Leaf(key).Lo, 0); int64(len(l.Elems)) < c.size; next++ {
			if !key.Scalar() || key.Kind == step.Mutex || next > reachable.Leaf(key).Hi || next > 1<<7 {
				return false
			}
			if c.elems[fmt.Sprint([]int64{next})] == nil {
				l.Elems = append(l.Elems, append([]int64{next}, term.Smallest(c.p.Typ.Elem)[1:]...))
			}
		}
		if int64(len(l.Elems)) != c.size {
			return false
		}
		for i, f := range l.Words(c.p.Typ) {
			w.values[worldKey{at.slot, at.v, at.word + i}] = f.K
		}
	}
	return true
}
