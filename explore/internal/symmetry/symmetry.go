package symmetry

import (
	"slices"

	"cdpor/lang/step"
)

// Symmetry reduction of the state graph (Ip and Dill 1996; scalarset.go says what is symmetric). A permutation of
// interchangeable threads maps a state to a state from which the same can happen, with the threads permuted. So of all
// the states that permutations of one state lead to, one is explored; the visited set keeps a representative of them.
// The search itself stays among states that really follow each other, and schedules are real schedules. At the end of
// an execution all permutations of the terminal state are reported, each with its permuted schedule: outcomes,
// deadlocks and violations are those of a search without reduction.

// Interchangeable says which threads of a template a search took for each other, or why it did not.
type Interchangeable struct {
	Template *step.Template
	Why      string // why they are not interchangeable; empty: they are
}

// A group are the instances of a template that are interchangeable.
type group struct {
	template *step.Template
	procs    []int // by number
	to       []int // the permutation: number i becomes to[i]

	signatures [][]int64 // scratch
	order      []int
}

// has reports whether there is an instance of a number.
func (g *group) has(i int64) bool { return i >= 0 && i < int64(len(g.to)) }

// A shape says what of a value a permutation changes. A nil shape: nothing.
type shape struct {
	number   *group // a scalar that is the number of an instance
	mutex    bool   // a scalar that is a process that holds something
	index    *group // an array with an element for each instance
	first    int64  // the number, or the index, of the first instance
	elem     *shape // of an array, list or option
	length   int    // of an array
	width    int    // words of an element
	counted  bool   // the first word says how many elements there are
	parts    []part // of a record
	elements bool   // an array, list or option
}

// A part is a value inside another or inside a state.
type part struct {
	at, words int
	shape     *shape
}

// A symmetry knows the interchangeable threads of a machine and permutes states.
type Symmetries struct {
	m      *step.Machine
	Found  []Interchangeable
	Groups []*group
	ToProc []int      // the permutation of all processes
	of     []*group   // per process, its group
	shared []part     // shared variables that change
	locals [][]part   // per process, its locals that change
	live   [][][]bool // per process and control word + 1, which of them are alive
}

// New finds out what is interchangeable. Threads that may crash are not, for the process that crashes them names each.
func New(m *step.Machine) *Symmetries { return find(m, false) }

// AtEnds is New for states in which no process can go on: they do not depend on the process that crashes others, nor on
// who started whom.
func AtEnds(m *step.Machine) *Symmetries { return find(m, true) }

func find(m *step.Machine, ended bool) *Symmetries {
	x := infer(m, ended)
	for {
		y := &Symmetries{m: m, ToProc: make([]int, m.NumProcs()), of: make([]*group, m.NumProcs())}
		groups := map[*step.Template]*group{}
		for _, t := range m.Program.Templates {
			if t.Count > 1 && x.refused[t] == "" {
				groups[t] = &group{template: t, to: make([]int, t.Count), order: make([]int, t.Count),
					signatures: make([][]int64, t.Count)}
				y.Groups = append(y.Groups, groups[t])
			}
			if t.Count > 1 {
				y.Found = append(y.Found, Interchangeable{t, x.refused[t]})
			}
		}
		for i, p := range m.Program.Procs {
			if g := groups[p.Template]; g != nil {
				g.procs, y.of[i] = append(g.procs, i), g
			}
		}
		y.shapes(x, groups)
		if !y.refuseUnlike(x) {
			return y
		}
	}
}

// shapes finds out which variables change.
func (y *Symmetries) shapes(x *inference, groups map[*step.Template]*group) {
	for _, g := range y.Groups {
		if p := g.template.Pool; p != nil {
			y.shared = append(y.shared, part{p.Life.Offset + p.First, p.Size,
				&shape{elements: true, index: g, length: p.Size, width: 1}})
		}
	}
	for _, v := range y.m.Program.Shared {
		if v.Life {
			continue
		}
		if s := shapeOf(v.Type, x.variable(v), groups); s != nil {
			y.shared = append(y.shared, part{v.Offset, v.Type.Words(), s})
		}
	}
	for i, p := range y.m.Program.Procs {
		var changing []part
		for _, v := range p.Template.Locals {
			if s := shapeOf(v.Type, x.variable(v), groups); s != nil {
				changing = append(changing, part{y.m.LocalBase(i) + v.Offset, v.Type.Words(), s})
			}
		}
		y.locals = append(y.locals, changing)
		nodes := []int{step.End} // where it stands if its control word is -1, 0, 1...
		for _, s := range p.Template.Steps {
			nodes = append(nodes, s.Entry)
		}
		var live [][]bool
		for _, node := range nodes {
			words, list := p.Template.LiveIn(node), make([]bool, len(changing))
			for k, c := range changing {
				list[k] = c.words > 0 && words[c.at-y.m.LocalBase(i)]
			}
			live = append(live, list)
		}
		y.live = append(y.live, live)
	}
}

// alive tells which of the locals of a process that change are alive in a state: none, if it failed or was dropped.
func (y *Symmetries) alive(s step.State, proc int) []bool {
	if control := s[y.m.LocalBase(proc)-1]; control >= -1 {
		return y.live[proc][control+1]
	}
	return nil
}

func shapeOf(t *step.Type, s *sort, groups map[*step.Template]*group) *shape {
	leaf := func(s *sort) (g *group, first int64) {
		s = s.root()
		if s.data != nil || len(s.of) == 0 {
			return nil, 0
		}
		return groups[s.of[0].template], s.of[0].first
	}
	switch t.Kind {
	case step.Array:
		r := &shape{elements: true, elem: shapeOf(t.Elem, s.elem, groups), length: t.Len, width: t.Elem.Words()}
		r.index, r.first = leaf(s.index)
		if r.index != nil || r.elem != nil {
			return r
		}
	case step.List, step.Queue, step.Option:
		if elem := shapeOf(t.Elem, s.elem, groups); elem != nil {
			return &shape{elements: true, counted: true, elem: elem, width: t.Elem.Words()}
		}
	case step.Record:
		r := &shape{}
		for i, f := range t.Fields {
			if sub := shapeOf(f.Type, s.parts[i], groups); sub != nil {
				r.parts = append(r.parts, part{t.FieldAt(i), f.Type.Words(), sub})
			}
		}
		if len(r.parts) > 0 {
			return r
		}
	case step.Mutex:
		if len(groups) > 0 {
			return &shape{mutex: true}
		}
	case step.Int, step.Range, step.Enum: // an enum where threads are known by what spawn has given
		if g, first := leaf(s); g != nil {
			return &shape{number: g, first: first}
		}
	}
	return nil
}

// refuseUnlike refuses templates whose instances start differently, and reports whether there are any.
func (y *Symmetries) refuseUnlike(x *inference) (found bool) {
	const why = "its threads do not start alike"
	initial := y.m.Initial()
	image := make(step.State, len(initial))
	for _, g := range y.Groups {
		before := len(x.refused)
		for i, p := range y.m.Program.Procs {
			if y.startsWith(i, p, g) {
				x.refuse(g.template, step.Pos{}, why)
			}
		}
		y.identity()
		for i := range len(g.to) - 1 {
			y.swap(g, i)
			y.permute(initial, image)
			if !slices.Equal(initial, image) {
				x.refuse(g.template, step.Pos{}, why)
			}
			y.swap(g, i)
		}
		found = found || len(x.refused) > before
	}
	return found
}

// startsWith reports whether a process starts with something that tells instances of a group from each other: a number
// other than its own that may be read before it is set, or as an instance, other values than the first one.
func (y *Symmetries) startsWith(proc int, p *step.Proc, g *group) bool {
	first := y.m.Program.Procs[g.procs[0]]
	words := p.Template.LiveIn(p.Template.Start)
	changing := map[int]*shape{}
	for _, c := range y.locals[proc] {
		changing[c.at-y.m.LocalBase(proc)] = c.shape
	}
	for _, v := range p.Template.Locals {
		lo, hi := v.Offset, v.Offset+v.Type.Words()
		if lo == hi {
			continue
		}
		s := changing[lo]
		switch {
		case s != nil && s.number == g && p.Template == g.template && p.Init[lo] == p.Self: // its own
		case s != nil && s.concerns(g) && words[lo]:
			return true
		case p.Template == g.template && !slices.Equal(p.Init[lo:hi], first.Init[lo:hi]):
			return true
		}
	}
	return false
}

// concerns reports whether there are numbers of a group in values of the shape, or arrays with an element for each.
func (s *shape) concerns(g *group) bool {
	return s != nil && (s.number == g || s.index == g || s.elem.concerns(g) ||
		slices.ContainsFunc(s.parts, func(p part) bool { return p.shape.concerns(g) }))
}

// identity makes the permutation the identity.
func (y *Symmetries) identity() {
	for _, g := range y.Groups {
		for i := range g.to {
			g.to[i] = i
		}
	}
	for i := range y.ToProc {
		y.ToProc[i] = i
	}
}

// swap exchanges what the instances i and i+1 of a group become.
func (y *Symmetries) swap(g *group, i int) {
	g.to[i], g.to[i+1] = g.to[i+1], g.to[i]
	p, q := g.procs[i], g.procs[i+1]
	y.ToProc[p], y.ToProc[q] = y.ToProc[q], y.ToProc[p]
}

// permute applies the permutation to a state.
func (y *Symmetries) permute(from, to step.State) {
	copy(to, from)
	for _, c := range y.shared {
		y.value(c.shape, from[c.at:c.at+c.words], to[c.at:c.at+c.words])
	}
	for p, changing := range y.locals {
		base := y.m.LocalBase(p)
		shift := 0
		if q := y.ToProc[p]; q != p {
			shift = y.m.LocalBase(q) - base
			copy(to[base-1+shift:], from[base-1:base+y.m.Program.Procs[p].Template.LocalWords])
		}
		live := y.alive(from, p)
		for k, c := range changing {
			if live != nil && live[k] {
				y.value(c.shape, from[c.at:c.at+c.words], to[c.at+shift:c.at+c.words+shift])
			}
		}
	}
}

// value applies the permutation to a value whose words have been copied.
func (y *Symmetries) value(s *shape, from, to []int64) {
	switch {
	case s == nil:
		copy(to, from)
	case s.number != nil:
		if to[0] = from[0]; s.number.has(from[0] - s.first) {
			to[0] = s.first + int64(s.number.to[from[0]-s.first])
		}
	case s.mutex:
		if to[0] = from[0]; from[0] > 0 {
			to[0] = int64(1 + y.ToProc[from[0]-1])
		}
	case s.elements:
		n := s.length
		if s.counted {
			copy(to, from)
			n, from, to = int(from[0]), from[1:], to[1:]
		}
		for i := range n {
			j := i
			if k := int64(i) - s.first; s.index != nil && s.index.has(k) {
				j = int(s.first) + s.index.to[k]
			}
			y.value(s.elem, from[i*s.width:(i+1)*s.width], to[j*s.width:(j+1)*s.width])
		}
	default:
		copy(to, from)
		for _, p := range s.parts {
			y.value(p.shape, from[p.at:p.at+p.words], to[p.at:p.at+p.words])
		}
	}
}

// Represent writes a representative of all the states that permutations of a state lead to, and leaves the permutation
// that leads there. Not all of them need have the same one, only less is reduced then: instances are sorted by what can
// be said of each without naming others.
func (y *Symmetries) Represent(s, to step.State) {
	y.identity()
	for _, g := range y.Groups {
		for i := range g.order {
			g.order[i] = i
			g.signatures[i] = y.signature(g, i, s, g.signatures[i][:0])
		}
		slices.SortStableFunc(g.order, func(a, b int) int { return slices.Compare(g.signatures[a], g.signatures[b]) })
	}
	for _, g := range y.Groups {
		for k, i := range g.order {
			g.to[i] = k
			y.ToProc[g.procs[i]] = g.procs[k]
		}
	}
	y.permute(s, to)
}

// signature appends what a state says of an instance.
func (y *Symmetries) signature(g *group, i int, s step.State, list []int64) []int64 {
	p := g.procs[i]
	base := y.m.LocalBase(p)
	list = append(list, s[base-1])
	live, at := y.alive(s, p), base
	for k, c := range y.locals[p] {
		list = append(list, s[at:c.at]...)
		if at = c.at + c.words; live != nil && live[k] {
			list = y.says(c.shape, g, i, s[c.at:at], list)
		}
	}
	list = append(list, s[at:base+g.template.LocalWords]...)
	for _, c := range y.shared {
		list = y.says(c.shape, g, i, s[c.at:c.at+c.words], list)
	}
	return list
}

// says appends what a value says of an instance of a group.
func (y *Symmetries) says(s *shape, g *group, i int, v, list []int64) []int64 {
	switch {
	case s == nil:
		return append(list, v...)
	case s.number != nil:
		switch {
		case s.number == g && v[0]-s.first == int64(i):
			return append(list, 1)
		case !s.number.has(v[0] - s.first):
			return append(list, 2, v[0])
		}
		return append(list, 0)
	case s.mutex:
		switch {
		case v[0] == 0:
			return append(list, 0)
		case v[0] == int64(1+g.procs[i]):
			return append(list, 1)
		case y.of[v[0]-1] != nil:
			return append(list, 2)
		}
		return append(list, 3, v[0])
	case s.elements:
		n := s.length
		if s.counted {
			list = append(list, v[0])
			n, v = int(v[0]), v[1:]
		}
		for k := range n {
			if n := int64(k) - s.first; s.index != nil && s.index.has(n) && (s.index != g || n != int64(i)) {
				continue
			}
			list = y.says(s.elem, g, i, v[k*s.width:(k+1)*s.width], list)
		}
		return list
	}
	at := 0
	for _, p := range s.parts {
		list = y.says(p.shape, g, i, v[p.at:p.at+p.words], append(list, v[at:p.at]...))
		at = p.at + p.words
	}
	return append(list, v[at:]...)
}

// An Image is a state that a permutation leads to, with the permutation of the processes.
type Image struct {
	State step.State
	Procs []int
}

// Images calls f for all the states that permutations of a state lead to, each once, the state itself first.
func (y *Symmetries) Images(s step.State, f func(Image)) {
	first := Image{slices.Clone(s), make([]int, len(y.ToProc))}
	for i := range first.Procs {
		first.Procs[i] = i
	}
	seen := map[string]bool{string(s.Bytes()): true}
	next := make(step.State, len(s))
	for todo := []Image{first}; len(todo) > 0; {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(from)
		for _, g := range y.Groups {
			for i := range len(g.to) - 1 {
				y.identity()
				y.swap(g, i)
				y.permute(from.State, next)
				if key := string(next.Bytes()); !seen[key] {
					seen[key] = true
					to := Image{slices.Clone(next), make([]int, len(y.ToProc))}
					for p, q := range from.Procs {
						to.Procs[p] = y.ToProc[q]
					}
					todo = append(todo, to)
				}
			}
		}
	}
}

// Elsewhere calls f for all other processes that a process may be taken for, each with a permutation that exchanges
// the two.
func (y *Symmetries) Elsewhere(proc int, f func(q int, procs []int)) {
	if y.of[proc] == nil {
		return
	}
	for _, q := range y.of[proc].procs {
		if q == proc {
			continue
		}
		procs := make([]int, len(y.of))
		for p := range procs {
			procs[p] = p
		}
		procs[proc], procs[q] = q, proc
		f(q, procs)
	}
}

// Classes numbers the classes of states, from 0 in the order of their first members: two states are of one class if
// permutations lead from one to the other by way of states of the list, or of representatives of such states. So states
// of one number are the same but for who is who; where the list is all that a search can come to, the converse holds
// too.
func (y *Symmetries) Classes(states []step.State) []int {
	first := map[string]int{} // of a state, the first in the list that it is known to be like
	parent := make([]int, len(states))
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	join := func(i int, s step.State) {
		key := string(s.Bytes())
		k, known := first[key]
		if !known {
			first[key] = i
			return
		}
		a, b := find(i), find(k)
		parent[max(a, b)] = min(a, b)
	}
	for i := range states {
		parent[i] = i
	}
	if len(y.Groups) > 0 && len(states) > 1 {
		like, image := slices.Clone(states[0]), slices.Clone(states[0])
		for i, s := range states {
			y.Represent(s, like)
			join(i, like)
			for _, g := range y.Groups {
				for k := range len(g.to) - 1 {
					y.identity()
					y.swap(g, k)
					y.permute(s, image)
					y.Represent(image, like)
					join(i, like)
				}
			}
		}
	}
	numbers, classes := map[int]int{}, make([]int, len(states))
	for i := range states {
		root := find(i)
		n, known := numbers[root]
		if !known {
			n = len(numbers)
			numbers[root] = n
		}
		classes[i] = n
	}
	return classes
}
