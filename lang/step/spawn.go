package step

import (
	"slices"
)

// Processes that start while the program runs. They are all there from the beginning, in pools, and sleep until a Spawn
// node starts one. Which member of the pool it is, is its identity: see identities.go.

// A Pool hands out identities 0 .. Size-1. It belongs to one template, whose processes they are.
type Pool struct {
	Name string
	Size int
	// Life is a shared array of integers that says how far the processes are: notStarted, running, ended. The number of
	// a process in it is First plus its identity; pools may share the array. Starting a process writes its element, its
	// first step reads it, its last step writes it, joining it reads it.
	Life  *Var
	First int
	// Fields, if not nil, are shared arrays of Size elements that take the arguments of Spawn instead of the locals.
	Fields []*Var
}

// word is the word of Life of an identity.
func (p *Pool) word(id int64) int { return p.Life.Offset + p.First + int(id) }

// Reference is what refers to the process of an identity.
func (p *Pool) Reference(identity *Expr) *Expr {
	if p.First == 0 {
		return identity
	}
	first := &Expr{Op: Const, Type: IntType, Of: Own, Words: []int64{int64(p.First)}}
	return &Expr{Op: Add, Type: IntType, Of: Own, Args: []*Expr{identity, first}}
}

// Parameter is the variable that argument number i of a Spawn of a template goes to: a local, or an array with an
// element for each identity. It is nil if there is none.
func (t *Template) Parameter(i int) *Var {
	switch {
	case t.Pool.Fields != nil && i < len(t.Pool.Fields):
		return t.Pool.Fields[i]
	case t.Pool.Fields == nil && i < len(t.Locals):
		return t.Locals[i]
	}
	return nil
}

// parameter is the type of argument number i of a Spawn of a template; nil if there is none.
func (t *Template) parameter(i int) *Type {
	v := t.Parameter(i)
	switch {
	case v == nil:
		return nil
	case v.Shared:
		return v.Type.Elem
	}
	return v.Type
}

func (n *Node) argumentsFit() bool {
	for i, a := range n.Args {
		if t := n.Target.parameter(i); t == nil || a == nil || t.Words() != a.Type.Words() && !t.Counted() {
			return false
		}
	}
	return n.Counter.Root() != nil
}

const (
	notStarted = 0
	// RunningLife is the value of Pool.Life for a process that has been started and has not come to its end.
	RunningLife = 1
	// EndedLife is the value of Pool.Life for a process that came to its end.
	EndedLife = 2
)

// asleep is the control word of a process that has not been started.
const asleep = -1 << 62

// LifeLocation is the location of a process in Pool.Life, -1 if it is in no pool. The first event that writes it starts
// the process.
func (m *Machine) LifeLocation(proc int) int {
	if w := m.procs[proc].life; w >= 0 {
		return int(m.locations.of[w])
	}
	return -1
}

// sites lists, per template, the Spawn nodes that act in the name of its processes. Their numbers are part of names.
func (p *Program) sites() map[*Template][]*Node {
	list := map[*Template][]*Node{}
	for _, t := range p.Templates {
		for _, n := range t.Nodes {
			if n.Kind == Spawn && siteOf(list[n.maker(t)], n) < 0 {
				list[n.maker(t)] = append(list[n.maker(t)], n)
			}
		}
	}
	return list
}

// siteOf is the number of a Spawn node: nodes that count in the same variable are one place in the program.
func siteOf(list []*Node, n *Node) int {
	return slices.IndexFunc(list, func(m *Node) bool {
		return m.Counter.Root() == n.Counter.Root() &&
			m.Target == n.Target
	})
}

// maker is the template of the process in whose name a Spawn node of a template acts.
func (n *Node) maker(of *Template) *Template {
	if n.Maker != nil {
		return n.MakerOf
	}
	return of
}

// count marks the local words in which the node counts.
func (n *Node) count(words []bool) {
	if v := n.Counter.Root(); v != nil && !v.Shared {
		setWords(words, v, true)
	}
}

// identify compiles the finding of the identity that a Spawn node will create; it raises TooManyProcesses and yields 0
// when there is none left.
func (x *compiler) identify(n *Node) intFunc {
	m, counter := x.m, x.scalar(n.Counter)
	maker := n.maker(m.Program.Procs[x.own].Template)
	of := origin{pool: n.Target.Pool, creator: x.own, site: siteOf(m.sites[maker], n)}
	var creator intFunc
	makers := m.pools[maker]
	if n.Maker != nil {
		creator = x.scalar(n.Maker)
	}
	return func(r *Runner) int64 {
		key := of
		key.before = counter(r)
		if creator != nil {
			i := creator(r)
			if uint64(i) >= uint64(len(makers)) {
				r.raise(BadIndex)
				return 0
			}
			key.creator = makers[i]
		}
		if r.fault != NoFault {
			return 0
		}
		id := r.m.identities.of(key)
		if id < 0 {
			r.raise(TooManyProcesses)
			return 0
		}
		return id
	}
}

// spawn compiles a Spawn node.
func (x *compiler) spawn(n *Node) nodeFunc {
	m, next, pool, members := x.m, n.Next, n.Target.Pool, x.m.pools[n.Target]
	identity, counter := x.identify(n), x.addr(n.Counter)
	var stores []storeFunc
	var widths []int
	total := 0
	for i, a := range n.Args {
		t := n.Target.parameter(i)
		stores, widths = append(stores, x.store(t, a)), append(widths, t.Words())
		total += t.Words()
	}
	at := x.scratch
	x.scratch += total
	var result addrFunc
	if n.Dst != nil {
		result = x.addr(n.Dst)
	}
	return func(r *Runner) int {
		args := r.scratch[at : at+total]
		for i, to := 0, args; i < len(stores); i, to = i+1, to[widths[i]:] {
			stores[i](r, to[:widths[i]])
		}
		if r.fault != NoFault {
			return next
		}
		id := identity(r)
		if r.fault != NoFault {
			return next
		}
		count := counter(r)
		r.writes(count, 1)
		r.s[count]++
		r.wrote(count, 1)
		if result != nil {
			to := result(r)
			r.writes(to, 1)
			r.s[to] = int64(pool.First) + id
			r.wrote(to, 1)
		}
		c := &m.procs[members[id]]
		if pool.Fields == nil {
			r.writes(c.base, len(args))
			copy(r.s[c.base:], args)
		}
		for i, v := range pool.Fields {
			to := v.Offset + int(id)*widths[i]
			r.writes(to, widths[i])
			copy(r.s[to:to+widths[i]], args)
			r.wrote(to, widths[i])
			args = args[widths[i]:]
		}
		life := pool.word(id)
		r.writes(life, 1)
		r.s[life] = RunningLife
		r.wrote(life, 1)
		r.proceed(c, c.template.Start)
		r.fault = NoFault // a failure in the prelude is the new process's own
		return next
	}
}

// spawnAccess adds the start of a process to a footprint: which elements of Life and Fields it writes is found out by
// spawned.
func (m *Machine) spawnAccess(f *footCode, n *Node) {
	p := n.Target.Pool
	if p.Size == 0 {
		return
	}
	f.any.add(int(m.locations.of[p.word(0)]), int(m.locations.of[p.word(int64(p.Size-1))]), true)
	for _, v := range p.Fields {
		if w := v.Type.Words(); w > 0 {
			f.any.add(int(m.locations.of[v.Offset]), int(m.locations.of[v.Offset+w-1]), true)
		}
	}
	if !slices.Contains(f.spawns, p) {
		f.spawns = append(f.spawns, p)
	}
}

// spawned adds to a footprint what belongs to the processes that the next step of a process starts in a state. It is
// found by executing the step, and may depend on shared data: no other process touches what belongs to a process that
// does not exist yet, so this says nothing about steps that are possible now. It only makes what the new processes do
// happen after their start.
func (r *Runner) spawned(s State, proc int, pools []*Pool, f Footprint) {
	if !r.Enabled(s, proc) {
		return
	}
	choice := r.choice
	r.trial, r.choice = append(r.trial[:0], s...), 0
	r.Run(r.trial, proc)
	r.choice = choice
	locs := &r.m.locations
	for _, p := range pools {
		for id := range int64(p.Size) {
			word := p.word(id)
			if s[word] != notStarted || r.trial[word] == notStarted {
				continue
			}
			f.add(int(locs.of[word]), int(locs.of[word]), true)
			for _, v := range p.Fields {
				width := v.Type.Elem.Words()
				from := v.Offset + int(id)*width
				f.add(int(locs.of[from]), int(locs.of[from+width-1]), true)
			}
		}
	}
}

// entries are the steps that a process may begin with.
func (t *Template) entries() map[int]bool {
	found := map[int]bool{}
	if t.Start == End {
		return found
	}
	if t.Nodes[t.Start].Visible {
		found[t.Start] = true
		return found
	}
	for _, i := range t.region(t.Start) {
		for _, next := range t.Nodes[i].successors() {
			if next != End && t.Nodes[next].Visible {
				found[next] = true
			}
		}
	}
	return found
}

// HasPrelude reports whether a process executes something before its first step, as it is started.
func (t *Template) HasPrelude() bool { return t.Start != End && !t.Nodes[t.Start].Visible }

// Spawns lists the templates that a step may start processes of.
func (s *Step) Spawns() (targets []*Template) {
	for _, i := range s.Nodes {
		if n := s.Template.Nodes[i]; n.Kind == Spawn {
			targets = append(targets, n.Target)
		}
	}
	return
}

// begins reports whether a process of a pool may begin with the step.
func (s *Step) begins() bool { return s.Template.Pool != nil && s.Template.entries()[s.Entry] }

// Ends reports whether a process of a pool may come to its end with the step.
func (s *Step) Ends() bool {
	if s.Template.Pool == nil {
		return false
	}
	_, last := s.Successors()
	return last
}

// ReadsLife reports whether the step asks in its code how far processes are.
func (s *Step) ReadsLife() bool { return s.touchesLife(nil) }

// touchesLife reports whether the code reads the Life of a pool; nil stands for any pool.
func (s *Step) touchesLife(of *Pool) bool {
	found := false
	for _, i := range s.Nodes {
		s.Template.Nodes[i].EachRead(func(e *Expr) {
			found = found || e.Var.Shared && (of == nil && e.Var.Life || of != nil && e.Var == of.Life)
		})
	}
	return found
}

// LifeConflict reports whether one of two steps of different processes may start, begin or end a process that the other
// starts, begins, ends or asks for. Two that merely begin or end do not disturb each other: each touches its own
// process.
func LifeConflict(a, b *Step) bool { return lifeConflict(a, b) || lifeConflict(b, a) }

func lifeConflict(a, b *Step) bool {
	for _, t := range a.Spawns() {
		if t == b.Template && (b.begins() || b.Ends()) || b.touchesLife(t.Pool) {
			return true
		}
	}
	return a.Ends() && b.touchesLife(a.Template.Pool)
}
