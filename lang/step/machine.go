package step

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// A State is the whole state of a running program as one flat vector of words: the shared variables, then for each
// process its control word and its locals. Equal states have equal words; copying the slice copies the state.
type State []int64

// The control word of a process holds the index of its next step in Template.Steps or one of these; below dropped it
// encodes a failure.
const (
	finished = -1
	dropped  = -2
)

// Bytes is the memory of the state, usable as a map key within one run of the tool.
func (s State) Bytes() []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*8)
}

// DefaultStepBudget is how many nodes one step may take before it fails with EndlessLoop.
const DefaultStepBudget = 100_000

// A Machine is a program compiled for execution, safe for concurrent use. Its code is immutable; what is not is the
// table of the identities that started processes were given: executions add to it, and nothing in it ever changes.
// States and schedules mean the same to all who use one Machine. Fresh makes a Machine with the same code and an empty
// table, for a search whose identities, and so states and schedules, do not depend on what was executed before.
type Machine struct {
	Program    *Program
	StepBudget int

	words int
	procs
	locations
	steps
	actions
	numbering
	scratch int // words of scratch memory a Runner needs
	instr   bool
	funcs   map[*Func]*funcCode

	pools      map[*Template][]int // processes of a pool by identity
	identities *identities
	sites      map[*Template][]*Node // what is started in the name of a template

	touched map[*Step][]touch

	bounds *bounds // that were hit
}

// A Runner executes a machine for one goroutine.
type Runner struct {
	m       *Machine
	s       State
	fault   Fault
	scratch []int64
	saved   []int64
	choice  int64 // the alternative to take
	trace   *Trace
	logging bool    // what the step under way writes is to be known
	log     []int32 // these words
	trial   State   // see spawned
	covered Coverage
	failed  State // see FailedAt
	frames
	_ [apart]int64
}

// apart is how many words lie between what two runners write, so that two workers do not wait for each other's caches.
const apart = 8

// NewMachine compiles a program.
func NewMachine(p *Program) (*Machine, error) {
	return newMachine(p, false, false, newIdentities())
}

func newMachine(p *Program, instrumented, covering bool, given *identities) (*Machine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{Program: p, StepBudget: DefaultStepBudget, words: p.SharedWords, instr: instrumented,
		locations: newLocations(p), numbering: newNumbering(p, covering), bounds: &bounds{hit: map[*Node]bool{}}}
	m.pools, m.identities, m.sites = map[*Template][]int{}, given, p.sites()
	m.funcs = map[*Func]*funcCode{}
	m.procs = make([]procCode, len(p.Procs))
	for i, proc := range p.Procs {
		c := &m.procs[i]
		c.template = proc.Template
		c.control, c.base = m.words, m.words+1
		m.words += 1 + proc.Template.LocalWords
		c.life, c.crashed = -1, -1
		if v := proc.Template.Crashed; v != nil {
			c.crashed = v.Offset
			if v.Type.Kind == Array {
				c.crashed += int(proc.Self)
			}
		}
		if pool := proc.Template.Pool; pool != nil {
			c.life = pool.word(proc.Self)
			m.pools[proc.Template] = append(m.pools[proc.Template], i)
		}
		m.control = append(m.control, controlWord{int32(c.control), int32(m.steps.count)})
		m.steps.count += len(proc.Template.Steps)
	}
	for _, f := range p.Funcs {
		if err := m.compileFunc(f); err != nil {
			return nil, err
		}
	}
	for i := range p.Procs {
		if err := m.compileProc(i); err != nil {
			return nil, err
		}
	}
	m.touched = map[*Step][]touch{}
	for _, t := range p.Templates {
		for _, s := range t.Steps {
			m.touched[s] = s.touches()
		}
	}
	m.actions = newActions(m.procs)
	m.gather(m.FootprintWords())
	return m, nil
}

func (m *Machine) compileProc(i int) error {
	c, t := &m.procs[i], m.procs[i].template
	x := &compiler{m: m, own: i, p: -1, q: -1}
	c.nodes = make([]nodeFunc, len(t.Nodes))
	c.stepOf = make([]int32, len(t.Nodes))
	for k, n := range t.Nodes {
		x.scratch = 0
		c.nodes[k] = x.node(n)
		if at, noted := m.node[n]; noted {
			c.nodes[k] = x.covering(n, c.nodes[k], at)
		}
		m.scratch = max(m.scratch, x.scratch)
		c.stepOf[k] = -1
	}
	if x.err != nil {
		return fmt.Errorf("step: thread %s: %w", t.Name, x.err)
	}
	assigned := t.noWords()
	for _, n := range t.Nodes {
		if v := n.Dst.Root(); v != nil && !v.Shared {
			assigned.put(v, true)
		}
		if n.Counter != nil {
			n.count(assigned)
		}
	}
	if c.life >= 0 { // its parameters are set when it is started
		for i := range assigned {
			assigned[i] = ^uint64(0)
		}
	}
	zero := func(live []bool) (words []int32) {
		for w := range live {
			if !live[w] && (assigned.has(w) || m.Program.Procs[i].Init[w] != 0) {
				words = append(words, int32(c.base+w))
			}
		}
		return
	}
	entries := t.entries()
	for _, s := range t.Steps {
		c.stepOf[s.Entry] = int32(s.Index)
		sc := stepCode{step: s, entry: int32(s.Entry), cover: int32(m.step[t] + s.Index),
			dead: zero(t.LiveIn(s.Entry))}
		if n := t.Nodes[s.Entry]; n.Kind == Await {
			x.scratch = 0
			sc.guard = x.scalar(n.Cond)
			m.scratch = max(m.scratch, x.scratch)
			sc.guardFoot = m.guardFootprint(i, s)
		}
		if n := t.Nodes[s.Entry]; n.Kind == Choose {
			x.scratch = 0
			sc.choices = x.scalar(n.Src)
			if n.Cond != nil {
				x.guards(&sc, n)
				m.selects = true
				sc.guardFoot = m.guardFootprint(i, s)
			}
			m.scratch = max(m.scratch, x.scratch)
			c.alternatives = max(c.alternatives, x.alternatives(n))
		}
		sc.foot = m.footprint(i, s)
		c.steps = append(c.steps, sc)
		starts := len(sc.foot.spawns) > 0
		m.info = append(m.info, Info{Guarded: sc.guard != nil, Selects: sc.guards != nil,
			Begins: c.life >= 0 && entries[s.Entry], Starts: starts,
			Refinable: sc.foot.single >= 0 && sc.guards == nil,
			Fixed:     !starts && slices.Equal(sc.foot.fixed, sc.foot.any) && len(sc.foot.dynamic) == 0,
			Idle:      t.Nodes[s.Entry].Idle, Widest: sc.foot.any, Adds: m.added(s)})
		if sc.guard != nil {
			m.info[len(m.info)-1].Awaits = m.awaited(t.Nodes[s.Entry].Cond)
		}
		m.idles = m.idles || t.Nodes[s.Entry].Idle
	}
	c.alternatives = max(c.alternatives, 1)
	c.atEnd = zero(t.LiveIn(End))
	c.all = zero(make([]bool, t.LocalWords))
	return x.err
}

// Root is the variable of a place; nil if the expression is no place.
func (e *Expr) Root() *Var {
	for e != nil && (e.Op == Index || e.Op == Part) {
		e = e.Args[0]
	}
	if e == nil || e.Op != VarRef {
		return nil
	}
	return e.Var
}

// Words is the length of a State.
func (m *Machine) Words() int { return m.words }

// NewRunner returns a runner for one goroutine.
func (m *Machine) NewRunner() *Runner {
	return &Runner{m: m, scratch: make([]int64, m.scratch, m.scratch+apart)}
}

// Initial returns the initial state: shared variables and thread parameters set, preludes executed.
func (m *Machine) Initial() State { return m.start(m.NewRunner()) }

func (m *Machine) start(r *Runner) State {
	s := make(State, m.words)
	copy(s, m.Program.Init)
	for i, proc := range m.Program.Procs {
		c := &m.procs[i]
		copy(s[c.base:], proc.Init)
		if c.life >= 0 {
			s[c.control] = asleep
			continue
		}
		r.begin(s)
		r.proceed(c, proc.Template.Start)
	}
	return s
}

// StepID numbers the next step of a process among all steps of all processes (0 <= id < NumSteps), -1 if it has none.
func (m *Machine) StepID(s State, proc int) int {
	at := &m.control[proc]
	if pc := s[at.word]; pc >= 0 {
		return int(at.first) + int(pc)
	}
	return -1
}

// StepAt is the process and step of a step id.
func (m *Machine) StepAt(id int) (proc int, s *Step) {
	proc, found := slices.BinarySearchFunc(m.control, id, func(c controlWord, id int) int { return int(c.first) - id })
	if !found {
		proc--
	}
	for m.FirstStepID(proc)+len(m.procs[proc].steps) <= id { // processes without steps share their base
		proc++
	}
	return proc, m.procs[proc].steps[id-m.FirstStepID(proc)].step
}

// Ending classifies a state in which no process is enabled.
type Ending uint8

const (
	Ended      Ending = iota // all processes finished, but for those that may wait (Machine.MayWaitForever)
	Deadlocked               // some process is blocked for ever
	Failed                   // some process failed
	Cut                      // an assumption failed and nothing else did
)

// EndingOf classifies a state in which no process is enabled. A failure beats a dropped process, which beats a
// deadlock. Where the program ends with its entry, no process waits for ever behind that end. A process that a bound
// has dropped could go on: then only those wait for good whom it cannot wake.
func (m *Machine) EndingOf(s State) Ending {
	end := Ended
	entry := m.Program.Entry
	for i := range m.procs {
		switch pc := s[m.procs[i].control]; {
		case pc >= 0 && entry != nil && entry.Ends && s[m.procs[entry.Proc].control] == finished:
		case pc == finished || pc == asleep:
		case pc >= 0 && m.MayWaitForever(s, i):
		case pc == dropped:
			end = Cut
		case pc < dropped:
			return Failed
		case end == Ended:
			end = Deadlocked
		}
	}
	if end == Cut && m.Program.Bounded && m.waitForGood(s) {
		return Deadlocked
	}
	return end
}

// Enabled reports whether the process can take its next step. An error while evaluating the guard counts as enabled:
// the step then fails with it.
func (r *Runner) Enabled(s State, proc int) bool {
	c := &r.m.procs[proc]
	pc := s[c.control]
	if pc < 0 {
		return false
	}
	guard := c.steps[pc].guard
	if guard == nil {
		return true
	}
	r.begin(s)
	return guard(r) != 0 || r.fault != NoFault
}

// EnabledAs reports whether the process would be enabled in s if its control word and locals were those it has in from;
// a process that has not been started in s is not.
func (r *Runner) EnabledAs(s State, proc int, from State) bool {
	c := &r.m.procs[proc]
	if s[c.control] == asleep {
		return false
	}
	lo, hi := c.control, c.base+c.template.LocalWords
	r.saved = append(r.saved[:0], s[lo:hi]...)
	copy(s[lo:hi], from[lo:hi])
	enabled := r.Enabled(s, proc)
	copy(s[lo:hi], r.saved)
	return enabled
}

// Run executes the next step of the process in place; it must be enabled.
func (r *Runner) Run(s State, proc int) {
	c := &r.m.procs[proc]
	r.begin(s)
	code := &c.steps[s[c.control]]
	if r.covered != nil {
		r.covered[code.cover] |= WayTrue
	}
	r.execute(c, int(code.entry))
}

// execute runs nodes from a given one until the next visible node.
func (r *Runner) execute(c *procCode, node int) {
	for budget := r.m.StepBudget; ; budget-- {
		next := c.nodes[node](r)
		if r.fault == NoFault && budget <= 0 {
			r.fault = EndlessLoop
		}
		if r.fault != NoFault {
			copy(r.failed, r.s)
			r.writes(c.control, 1)
			r.s[c.control] = failure(r.fault, node)
			r.zero(c.all)
			return
		}
		if next == cutShort {
			r.m.bounds.note(c.template.Nodes[node])
			r.writes(c.control, 1)
			r.s[c.control] = dropped
			r.zero(c.all)
			return
		}
		if next == End || c.stepOf[next] >= 0 {
			r.proceed(c, next)
			return
		}
		node = next
	}
}

// FailedAt lets the next step that fails copy the state as it was then, with the locals, to s; nil: no more.
func (r *Runner) FailedAt(s State) { r.failed = s }

// proceed lets the process continue with a node: runs it if it is invisible (the prelude), else stops before it.
func (r *Runner) proceed(c *procCode, node int) {
	switch {
	case node == End:
		r.writes(c.control, 1)
		r.s[c.control] = finished
		if c.life >= 0 {
			r.writes(c.life, 1)
			r.s[c.life] = EndedLife
			r.wrote(c.life, 1)
		}
		r.zero(c.atEnd)
	case c.stepOf[node] >= 0:
		k := c.stepOf[node]
		r.writes(c.control, 1)
		r.s[c.control] = int64(k)
		r.zero(c.steps[k].dead)
	default:
		r.execute(c, node)
	}
}

func (r *Runner) zero(words []int32) {
	for _, w := range words {
		if r.s[w] != 0 {
			r.writes(int(w), 1)
			r.s[w] = 0
		}
	}
}

// CompileCondition compiles a Bool expression for repeated evaluation; p and q are the processes that P and Q mean (-1
// if the expression uses neither). ok is false when the evaluation failed (index, overflow, null...).
func (m *Machine) CompileCondition(e *Expr, p, q int) func(r *Runner, s State) (holds, ok bool) {
	x := &compiler{m: m, own: Own, p: p, q: q}
	f := x.scalar(e)
	if x.err != nil {
		return func(*Runner, State) (bool, bool) { return false, false }
	}
	scratch := x.scratch
	return func(r *Runner, s State) (bool, bool) {
		r.prepare(s, scratch)
		v := f(r)
		return v != 0, r.fault == NoFault
	}
}

// CompileValue compiles a property expression (no Own, P or Q) for repeated evaluation. The words are valid until the
// runner is used again; fault is NoFault unless the evaluation failed.
func (m *Machine) CompileValue(e *Expr) (func(r *Runner, s State) (words []int64, fault Fault), error) {
	return m.CompileOperand(e, -1, -1)
}

// CompileOperand is like CompileValue for a part of a condition between two processes.
func (m *Machine) CompileOperand(e *Expr, p, q int) (func(r *Runner, s State) (words []int64, fault Fault), error) {
	x := &compiler{m: m, own: Own, p: p, q: q}
	f := x.span(e)
	if x.err != nil {
		return nil, x.err
	}
	scratch := x.scratch
	return func(r *Runner, s State) ([]int64, Fault) {
		r.prepare(s, scratch)
		words := f(r)
		return words, r.fault
	}, nil
}

func (r *Runner) prepare(s State, scratch int) {
	if len(r.scratch) < scratch {
		r.scratch = make([]int64, scratch)
	}
	r.begin(s)
}

// MayWait reports whether a process stands at a step that may be disabled.
func (m *Machine) MayWait(s State, proc int) bool {
	id := m.StepID(s, proc)
	return id >= 0 && m.info[id].Guarded
}

// procs is the code of the processes, and what a state says of each.
type procs []procCode

// procCode is the compiled code of one process.
type procCode struct {
	template *Template
	control  int // word of the control word
	base     int // first local word
	nodes    []nodeFunc
	stepOf   []int32 // node -> step that begins there, or -1
	steps    []stepCode
	atEnd    []int32 // local words to zero when the process ends
	all      []int32 // all local words, to zero when it fails or is dropped

	alternatives int // the most that a step has
	life         int // word of the process in Pool.Life, -1 if it runs from the start
	crashed      int // word of the flag of Template.Crashed, -1 if it cannot crash
}

// stepCode is one compiled step of one process.
type stepCode struct {
	step    *Step
	entry   int32
	cover   int32   // its place in a Coverage
	guard   intFunc // nil: always enabled
	choices intFunc // number of alternatives; nil: one
	// guards are the guards of the alternatives, if the step begins with a guarded choice; nil is that of what it does
	// otherwise.
	guards []intFunc
	dead   []int32 // local words that are dead when the step is about to run
	foot   footCode

	guardFoot footCode // of the guard alone, if there is one
}

// SameOwn reports whether what belongs to a process alone is the same in two states.
func (ps procs) SameOwn(a, b State, proc int) bool {
	c := &ps[proc]
	last := c.base + c.template.LocalWords
	return a[c.control] == b[c.control] && slices.Equal(a[c.base:last], b[c.base:last])
}

// NumProcs is the number of processes.
func (ps procs) NumProcs() int { return len(ps) }

// LocalBase is the word where the locals of a process begin; Var.Offset is added to it.
func (ps procs) LocalBase(proc int) int { return ps[proc].base }

// StepOf is the next step of a process, nil when it is finished, failed or dropped.
func (ps procs) StepOf(s State, proc int) *Step {
	c := &ps[proc]
	if pc := s[c.control]; pc >= 0 {
		return c.steps[pc].step
	}
	return nil
}

// Finished reports whether the process came to its end.
func (ps procs) Finished(s State, proc int) bool { return s[ps[proc].control] == finished }

// Asleep reports whether the process has not been started.
func (ps procs) Asleep(s State, proc int) bool { return s[ps[proc].control] == asleep }

// Dropped reports whether an assumption of the process failed.
func (ps procs) Dropped(s State, proc int) bool { return s[ps[proc].control] == dropped }

// Void reports whether some process has failed or was dropped, so that executions are not judged from the state on.
func (ps procs) Void(s State) bool {
	for p := range ps {
		if ps.Failed(s, p) || ps.Dropped(s, p) {
			return true
		}
	}
	return false
}

// Failed reports whether the process failed.
func (ps procs) Failed(s State, proc int) bool {
	code := s[ps[proc].control]
	return code < dropped && code != asleep
}

// Failure tells what a failed process failed with, and where.
func (ps procs) Failure(s State, proc int) (fault Fault, node *Node, failed bool) {
	c := &ps[proc]
	code := dropped - 1 - s[c.control]
	if code < 0 || s[c.control] == asleep {
		return NoFault, nil, false
	}
	return Fault(code % int64(EndOfFaultSet)), c.template.Nodes[code/int64(EndOfFaultSet)], true
}

// SameProcess reports whether a process stands at the same place with the same locals in two states. Once it has been
// started, only its own steps change that.
func (ps procs) SameProcess(a, b State, proc int) bool {
	c := &ps[proc]
	lo, hi := c.control, c.base+c.template.LocalWords
	return slices.Equal(a[lo:hi], b[lo:hi])
}

// MayWaitForever reports whether it is no deadlock that a process waits for ever: it is a daemon, or has crashed.
func (ps procs) MayWaitForever(s State, proc int) bool {
	return ps[proc].template.Daemon || ps.Crashed(s, proc)
}

// Crashed reports whether a process has crashed.
func (ps procs) Crashed(s State, proc int) bool {
	c := &ps[proc]
	return c.crashed >= 0 && s[c.crashed] != 0
}

// CrashFlag reports whether a word of a state says that some process has crashed.
func (ps procs) CrashFlag(word int) bool {
	return slices.ContainsFunc(ps, func(c procCode) bool { return c.crashed == word })
}

// AnyFootprint is the union of the footprints of a step over all local states of a process.
func (ps procs) AnyFootprint(proc, step int) Footprint { return ps[proc].steps[step].foot.any }

// MadeDependent reports whether two steps of different processes are dependent, in some states at least, because of a
// property that one of them checks at its end. False if they would be in every state anyway.
func (ps procs) MadeDependent(proc, step, otherProc, otherStep int) bool {
	a, b := &ps[proc].steps[step].foot, &ps[otherProc].steps[otherStep].foot
	if Conflict(a.code, b.code) {
		return false
	}
	return a.checks != nil && Conflict(a.checks, b.any) || b.checks != nil && Conflict(a.any, b.checks)
}

func failure(fault Fault, node int) int64 {
	return dropped - 1 - (int64(node)*int64(EndOfFaultSet) + int64(fault))
}

// bounds is the set of the nodes that have dropped a process for a bound. It only grows, and is safe for concurrent
// use.
type bounds struct {
	sync.Mutex
	hit map[*Node]bool
}

func (b *bounds) note(n *Node) {
	if n.Kind != Assume || n.Msg == "" {
		return
	}
	b.Lock()
	defer b.Unlock()
	b.hit[n] = true
}

// BoundsHit are the Assume nodes with a Msg that have dropped a process in some execution of the machine, or one that
// shares its code, in the order of their places.
func (m *Machine) BoundsHit() (list []*Node) {
	m.bounds.Lock()
	defer m.bounds.Unlock()
	for n := range m.bounds.hit {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}

// waitForGood reports whether a process waits in a state in which nothing is enabled, and could not go on either if
// those that a bound has dropped did. Whoever waits could, if what it waits for reads a variable that such a process,
// or one that it could wake or start, writes anywhere in its code.
func (m *Machine) waitForGood(s State) bool {
	writes := map[*Var]bool{}
	var waiting []int
	for p := range m.procs {
		switch pc := s[m.procs[p].control]; {
		case pc >= 0:
			waiting = append(waiting, p)
		case pc == dropped:
			m.addWrites(writes, m.procs[p].template)
		}
	}
	for woken := true; woken; {
		woken = false
		waiting = slices.DeleteFunc(waiting, func(p int) bool {
			n := m.procs[p].template.Nodes[m.StepOf(s, p).Entry]
			could := n.Cond.Has(func(e *Expr) bool { return e.Op == VarRef && writes[e.Var] })
			if could {
				woken = true
				m.addWrites(writes, m.procs[p].template)
			}
			return could
		})
	}
	if e := m.Program.Entry; e != nil && e.Ends { // who waits does not matter if the entry could go on to its end
		return slices.Contains(waiting, e.Proc)
	}
	return slices.ContainsFunc(waiting, func(p int) bool { return !m.MayWaitForever(s, p) })
}

// addWrites adds the shared variables that a template, or one that it starts, may write.
func (m *Machine) addWrites(to map[*Var]bool, t *Template) {
	seen := map[*Template]bool{}
	var visit func(t *Template)
	visit = func(t *Template) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Pool != nil { // it writes how far it is
			to[t.Pool.Life] = true
		}
		for _, n := range t.Nodes {
			for _, place := range []*Expr{n.Dst, n.Counter} {
				for e := place; e != nil; e = e.Args[0] {
					if e.Op == VarRef {
						to[e.Var] = true
						break
					}
				}
			}
			if n.Kind == Spawn {
				visit(n.Target)
			}
		}
	}
	visit(t)
}
