package step

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// Reference is the value that refers to the process of an identity.
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
func (n *Node) count(words wordSet) {
	if v := n.Counter.Root(); v != nil && !v.Shared {
		words.put(v, true)
	}
}

// identify compiles the finding of the identity that a Spawn node will create; it raises TooManyProcesses and yields 0
// when there is none left.
func (x *compiler) identify(n *Node) intFunc {
	m, counter := x.m, x.scalar(n.Counter)
	maker := n.maker(m.Program.Procs[x.own].Template)
	of := origin{n.Target.Pool, Origin{Creator: x.own, Site: siteOf(m.sites[maker], n)}}
	var creator intFunc
	makers := m.pools[maker]
	if n.Maker != nil {
		creator = x.scalar(n.Maker)
	}
	return func(r *Runner) int64 {
		key := of
		key.Before = counter(r)
		if creator != nil {
			i := creator(r)
			if uint64(i) >= uint64(len(makers)) {
				r.raise(BadIndex)
				return 0
			}
			key.Creator = makers[i]
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
		for _, next := range t.Nodes[i].Successors() {
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

// Which member of a pool a started process becomes must not depend on the schedule: otherwise states that differ only
// in the order in which processes were created would look different, and nothing could be pruned. So an identity stands
// for an origin, (creator, place in the program, how many the creator made there before), and a table gives the same
// origin the same identity in all executions. A table belongs to a Machine value; Fresh makes a Machine with a table of
// its own.

// identities is the table of the identities given so far. It only grows, so what an identity means never changes. It is
// safe for concurrent use.
type identities struct {
	sync.Mutex
	ids   map[origin]int64
	given map[*Pool][]origin // by identity
	agree func(origin) error // gives origins identities that other machines give them too; nil: there are no others
}

func newIdentities() *identities {
	return &identities{ids: map[origin]int64{}, given: map[*Pool][]origin{}}
}

// Fresh is a Machine with the same code, which is shared, and an empty table of identities. What is executed with one
// of the two changes nothing for the other. States and schedules of one mean the same to the other only as long as no
// process is started, or after AdoptOrigins.
func (m *Machine) Fresh() *Machine {
	fresh := *m
	fresh.identities = newIdentities()
	return &fresh
}

// An origin says of which pool an identity is, and who has started it.
type origin struct {
	pool *Pool
	Origin
}

// of is the identity of an origin, -1 when the pool has no more.
func (t *identities) of(o origin) int64 {
	t.Lock()
	defer t.Unlock()
	if id, ok := t.ids[o]; ok {
		return id
	}
	if len(t.given[o.pool]) >= o.pool.Size {
		return -1
	}
	if t.agree == nil {
		return t.give(o)
	}
	if t.agree(o) != nil {
		return -1
	}
	if id, ok := t.ids[o]; ok {
		return id
	}
	return -1
}

// give gives an origin the next identity.
func (t *identities) give(o origin) int64 {
	id := int64(len(t.given[o.pool]))
	t.given[o.pool] = append(t.given[o.pool], o)
	t.ids[o] = id
	return id
}

// An Origin is in plain data who started a process, at which of its Spawn nodes (counted from 0), and how often it had
// passed that node before.
type Origin struct {
	Creator, Site int
	Before        int64
}

// Origins are the names given so far: per template of the program those of its pool, by identity.
func (m *Machine) Origins() [][]Origin {
	m.identities.Lock()
	defer m.identities.Unlock()
	return m.origins()
}

func (m *Machine) origins() [][]Origin {
	list := make([][]Origin, len(m.Program.Templates))
	for i, t := range m.Program.Templates {
		for _, n := range m.identities.given[t.Pool] {
			list[i] = append(list[i], n.Origin)
		}
	}
	return list
}

// AdoptOrigins gives the names the identities that they have in a list of Origins, so that states of another Machine of
// the same program mean the same in this one. It fails when the list is none of this program, or a name has another
// identity already.
func (m *Machine) AdoptOrigins(list [][]Origin) error {
	m.identities.Lock()
	defer m.identities.Unlock()
	return m.adoptOrigins(list)
}

func (m *Machine) adoptOrigins(list [][]Origin) error {
	if len(list) != len(m.Program.Templates) {
		return fmt.Errorf("origins for %d templates, the program has %d", len(list), len(m.Program.Templates))
	}
	for i, t := range m.Program.Templates {
		for id, o := range list[i] {
			if t.Pool == nil || o.Creator < 0 || o.Creator >= len(m.procs) || o.Site < 0 ||
				o.Site >= len(m.sites[m.Program.Procs[o.Creator].Template]) || id >= t.Pool.Size {
				return fmt.Errorf("process %d cannot have started %s[%d]", o.Creator, t.Name, id)
			}
			n := origin{t.Pool, o}
			got, known := m.identities.ids[n]
			if !known {
				got = m.identities.give(n)
			}
			if got != int64(id) {
				return fmt.Errorf("%s[%d] has been started already, by another process", t.Name, id)
			}
		}
	}
	return nil
}

// AgreeOrigins makes identities those that other Machines of the same program give, in other processes too. When an
// execution meets an origin that has none, agree is called with the Origins so far, to which the new one has been
// added. It returns those that everybody agrees upon, with the new one among them, or not if its pool has no identity
// left. Where it fails the step fails with TooManyProcesses: who has made agree must not use what is explored then.
func (m *Machine) AgreeOrigins(agree func(list [][]Origin, template int) ([][]Origin, error)) {
	m.identities.agree = func(n origin) error {
		template := slices.IndexFunc(m.Program.Templates, func(t *Template) bool { return t.Pool == n.pool })
		list := m.origins()
		list[template] = append(list[template], n.Origin)
		list, err := agree(list, template)
		if err != nil {
			return err
		}
		return m.adoptOrigins(list)
	}
}

// ProcName is a name for a process that means the same in every run of the program: its number, or for one that was
// started by another, creator/site.before, such as 0/1.0 for the first process that process 0 started at its second
// spawn.
func (m *Machine) ProcName(proc int) string {
	p := m.Program.Procs[proc]
	if p.Template.Pool == nil {
		return strconv.Itoa(proc)
	}
	m.identities.Lock()
	given := m.identities.given[p.Template.Pool]
	m.identities.Unlock()
	if p.Self >= int64(len(given)) {
		return strconv.Itoa(proc)
	}
	n := given[p.Self]
	return fmt.Sprintf("%s/%d.%d", m.ProcName(n.Creator), n.Site, n.Before)
}

// numbered lists the processes that have numbers, and says how others are named.
func (m *Machine) numbered() string {
	const shown = 4
	var list []string
	more, started := 0, false
	for i, p := range m.Program.Procs {
		switch {
		case p.Template.Pool != nil:
			started = true
		case len(list) == shown:
			more = i
		default:
			list = append(list, fmt.Sprintf("%d (%s)", i, p.Called()))
		}
	}
	text := "there is " + list[0]
	if n := len(list); more > 0 {
		text = fmt.Sprintf("there are %s, up to %d", strings.Join(list, ", "), more)
	} else if n > 1 {
		text = fmt.Sprintf("there are %s and %s", strings.Join(list[:n-1], ", "), list[n-1])
	}
	if started {
		text += "; those that 0 starts are 0/0.0, 0/0.1, 0/1.0: the place in its text, and how many it has started " +
			"there"
	}
	return text
}

// ProcNamed finds the process that a name of ProcName means.
func (m *Machine) ProcNamed(text string) (int, error) {
	first, rest, _ := strings.Cut(text, "/")
	proc, err := strconv.Atoi(first)
	if err != nil || proc < 0 || proc >= len(m.procs) || m.Program.Procs[proc].Template.Pool != nil {
		return 0, fmt.Errorf("%q is no process: %s", first, m.numbered())
	}
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		var site int
		var before int64
		if n, err := fmt.Sscanf(part, "%d.%d", &site, &before); n != 2 || err != nil {
			return 0, fmt.Errorf("%q in %s: expected the number of a spawn, a point and a count", part, text)
		}
		nodes := m.sites[m.Program.Procs[proc].Template]
		if site < 0 || site >= len(nodes) {
			return 0, fmt.Errorf("%s: process %d has no spawn %d", text, proc, site)
		}
		target := nodes[site].Target
		id := m.identities.of(origin{target.Pool, Origin{proc, site, before}})
		if id < 0 {
			return 0, fmt.Errorf("%s: too many processes", text)
		}
		proc = m.pools[target][id]
	}
	return proc, nil
}
