package future

import (
	"encoding/binary"
	"slices"

	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// Analysis has the futures of the processes of a machine, as far as they have been computed.
type Analysis struct {
	m *step.Machine
	// Whether two steps, by id, are independent in every state, whatever the locals are.
	independent  func(a, b int) bool
	parallel     *slice.Parallel
	steering     map[*step.Var]bool // what values of these are says where steps go to, see findSteering
	born         map[*step.Var]bool // arrays of what is said of a process when it is started and never changed
	futures      map[string]*Future // by what they depend on
	alike        [][]int            // ids of steps of one process that may touch the same
	nobody       []uint64           // no step
	rivals       map[int][]uint64   // step id -> steps, as a bit set of ids, that it may race with
	rivalsOfStep map[*step.Step][]uint64
	onwards      map[*step.Step][]int            // steps that may be taken from a step on
	initial      map[*step.Var]value             // of locals that are followed
	poolOf       map[*step.Var]*step.Pool        // whose processes an array tells about
	pools        map[*step.Template][]*step.Pool // see poolsOf
	entire       map[*step.Template]whole
	key          []byte
}

// New looks through the program of a machine.
func New(m *step.Machine, independent func(a, b int) bool) *Analysis {
	x := &Analysis{m: m, independent: independent}
	x.analyse()
	return x
}

// alike groups the steps, by id, by their process and what they may touch.
func alike(m *step.Machine) (groups [][]int) {
	known := map[string]int{}
	var key []byte
	for id := range m.NumSteps() {
		proc, _ := m.StepAt(id)
		key = binary.LittleEndian.AppendUint32(key[:0], uint32(proc))
		for _, w := range m.Info(id).Widest {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		k, ok := known[string(key)]
		if !ok {
			k = len(groups)
			known[string(key)], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], id)
	}
	return groups
}

// A whole is all that a process of a template may do: the nodes before its first step, and the steps.
type whole struct{ before, steps []int }

// maxFutures bounds how many futures are remembered.
const maxFutures = 1 << 14

// A Future is a list of steps that may still be taken.
type Future struct {
	Steps  []Step
	Foot   step.Footprint // of all of them
	rivals []uint64

	Noted bool   // the caller has set Note
	Note  uint16 // what it remembers with this future
}

// A Step is one that may be taken.
type Step struct {
	ID     int  // step id
	Pool   bool // of whatever process of a pool; id is that of the first one's
	Foot   step.Footprint
	Rivals []uint64 // bit set of step ids
	// How processes that have not been started begin and end. It is no reason for a race: two processes never start the
	// same one, and only properties ask what has been started, which the step that starts it checks as well.
	unborn step.Footprint
}

// MayRace reports whether some step of the future may be found dependent of a transition with a step id and a
// footprint.
func (f *Future) MayRace(id int, foot step.Footprint) bool {
	return f.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(f.Foot, foot) &&
		slices.ContainsFunc(f.Steps, func(s Step) bool {
			return s.Rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(s.Foot, foot)
		})
}

// Of over-approximates what follows in a state from the next step of a process on, that step included.
func (x *Analysis) Of(now step.State, proc, id int) *Future {
	key := x.futureKey(now, proc, id)
	if f := x.futures[string(key)]; f != nil {
		return f
	}
	if len(x.futures) >= maxFutures {
		clear(x.futures)
	}
	f := x.summarize(now, proc, id)
	x.futures[string(key)] = f
	return f
}

// analyse finds out about the program.
func (x *Analysis) analyse() {
	p := x.m.Program
	x.parallel, x.futures = slice.NewParallel(p), map[string]*Future{}
	x.alike, x.nobody = alike(x.m), make([]uint64, x.m.NumSteps()/64+1)
	x.rivals, x.rivalsOfStep, x.onwards = map[int][]uint64{}, map[*step.Step][]uint64{}, map[*step.Step][]int{}
	x.born, x.poolOf = map[*step.Var]bool{}, map[*step.Var]*step.Pool{}
	for _, t := range p.Templates {
		if t.Pool == nil {
			continue
		}
		for _, v := range t.Pool.Fields {
			_, several := x.poolOf[v]
			x.born[v], x.poolOf[v] = !several, t.Pool
		}
	}
	for _, t := range p.Templates {
		for _, n := range t.Nodes {
			delete(x.born, n.Dst.Root())
			delete(x.born, n.Counter.Root())
		}
	}
	x.findSteering()
	x.initial = map[*step.Var]value{}
	for _, proc := range p.Procs {
		for _, v := range proc.Template.Locals {
			if x.steering[v] {
				all := x.initial[v]
				all.join(knownValue(proc.Init[v.Offset : v.Offset+v.Type.Words()]))
				x.initial[v] = all
			}
		}
	}
	x.pools, x.entire = map[*step.Template][]*step.Pool{}, map[*step.Template]whole{}
	for _, t := range p.Templates {
		x.pools[t] = x.poolsOf(t)
		if t.Pool != nil {
			x.entire[t] = whole{prelude(t), Reachable(t, t.Entries())}
		}
	}
}

// poolsOf are the pools that the future of a process of a template depends on: of what it may start, directly or not,
// and all with an array whose values are followed.
func (x *Analysis) poolsOf(t *step.Template) (list []*step.Pool) {
	var started []*step.Template
	from := func(t *step.Template) {
		for _, n := range t.Nodes {
			if n.Kind == step.Spawn && !slices.Contains(started, n.Target) {
				started = append(started, n.Target)
			}
		}
	}
	from(t)
	for i := 0; i < len(started); i++ {
		from(started[i])
	}
	for _, u := range x.m.Program.Templates {
		steers := func(v *step.Var) bool { return x.steering[v] }
		if u.Pool != nil && (slices.Contains(started, u) || slices.ContainsFunc(u.Pool.Fields, steers)) {
			list = append(list, u.Pool)
		}
	}
	return list
}

// findSteering finds the variables whose values are followed: those that may say which part of an array a step touches,
// and those whose values may get into such.
func (x *Analysis) findSteering() {
	x.steering = map[*step.Var]bool{}
	more := true
	mark := func(e *step.Expr) {
		e.EachVar(func(e *step.Expr) {
			if v := e.Var; (!v.Shared || x.born[v]) && !x.steering[v] {
				x.steering[v], more = true, true
			}
		})
	}
	for more {
		more = false
		for _, t := range x.m.Program.Templates {
			for _, n := range t.Nodes {
				n.EachIndex(mark)
				if n.Src != nil && x.steering[n.Dst.Root()] {
					mark(n.Src)
				}
				for i, a := range n.Args {
					if x.steering[n.Target.Parameter(i)] {
						mark(a)
					}
				}
			}
		}
	}
}

// futureKey encodes everything that a future depends on.
func (x *Analysis) futureKey(now step.State, proc, id int) []byte {
	p := x.m.Program
	key := binary.LittleEndian.AppendUint32(x.key[:0], uint32(id))
	word := func(i int) { key = binary.LittleEndian.AppendUint64(key, uint64(now[i])) }
	base := x.m.LocalBase(proc)
	for _, v := range p.Procs[proc].Template.Locals {
		if x.steering[v] {
			for w := range v.Type.Words() {
				word(base + v.Offset + w)
			}
		}
	}
	for _, pool := range x.pools[p.Procs[proc].Template] {
		for id := range int64(pool.Size) {
			if pool.NotStarted(now, id) {
				key = append(key, 0)
			} else {
				key = append(key, 1)
			}
		}
		for _, v := range pool.Fields {
			if x.steering[v] {
				for w := range v.Type.Words() {
					word(v.Offset + w)
				}
			}
		}
	}
	x.key = key
	return key
}

// summarize makes a future.
func (x *Analysis) summarize(now step.State, proc, id int) *Future {
	c, first := x.interpret(now, proc, id), x.m.FirstStepID(proc)
	f := &Future{Foot: make(step.Footprint, x.m.FootprintWords()), rivals: slices.Clone(x.nobody)}
	for _, r := range c.roles {
		for _, k := range r.steps {
			words := x.m.FootprintWords()
			s := Step{Foot: make(step.Footprint, words), unborn: make(step.Footprint, words)}
			x.m.FootprintOver(r.template.Steps[k], r, s.Foot, s.unborn)
			if r.proc >= 0 {
				s.ID, s.Rivals = first+k, x.RivalsOf(first+k)
			} else {
				s.ID, s.Pool, s.Rivals = x.firstOfPool(r.template)+k, true, x.RivalsOfAny(r.template.Steps[k])
			}
			f.Foot.Union(s.Foot)
			for i, w := range s.Rivals {
				f.rivals[i] |= w
			}
			f.Steps = append(f.Steps, s)
		}
	}
	return f
}

// RivalsOf are the steps that a step may race with: that other processes may be at when one is at it, and that are not
// unconditionally independent of it.
func (x *Analysis) RivalsOf(id int) []uint64 {
	if set := x.rivals[id]; set != nil {
		return set
	}
	set := x.nobody
	proc, s := x.m.StepAt(id)
	for _, alike := range x.alike {
		q, _ := x.m.StepAt(alike[0])
		if q == proc || !step.Conflict(x.m.Info(id).Widest, x.m.Info(alike[0]).Widest) {
			continue
		}
		for _, other := range alike {
			if _, t := x.m.StepAt(other); x.parallel.PossibleFor(proc, s, q, t) && !x.independent(id, other) {
				if &set[0] == &x.nobody[0] {
					set = slices.Clone(x.nobody)
				}
				set[other/64] |= 1 << (other % 64)
			}
		}
	}
	x.rivals[id] = set
	return set
}

// firstOfPool is the first step id of the first process of a template.
func (x *Analysis) firstOfPool(t *step.Template) int {
	for _, p := range x.m.Program.Procs {
		if p.Template == t {
			return x.m.FirstStepID(p.Index)
		}
	}
	return 0
}

// RivalsOfAny is RivalsOf for whichever process of a pool.
func (x *Analysis) RivalsOfAny(s *step.Step) []uint64 {
	if set := x.rivalsOfStep[s]; set != nil {
		return set
	}
	set := slices.Clone(x.nobody)
	for _, p := range x.m.Program.Procs {
		if p.Template == s.Template {
			for i, w := range x.RivalsOf(x.m.FirstStepID(p.Index) + s.Index) {
				set[i] |= w
			}
		}
	}
	x.rivalsOfStep[s] = set
	return set
}

// onward lists the steps that may be taken from a step on, that one included.
func (x *Analysis) onward(s *step.Step) []int {
	if x.onwards[s] == nil {
		x.onwards[s] = Reachable(s.Template, []int{s.Index})
	}
	return x.onwards[s]
}

// Reachable lists the steps of a template that may be taken from some steps on, these included.
func Reachable(t *step.Template, from []int) []int {
	return step.Reach(func(k int) []int {
		next, _ := t.Steps[k].Successors()
		return next
	}, from...)
}

// Whole is all that the step may touch.
func (s *Step) Whole() step.Footprint {
	f := s.Foot.Clone()
	f.Union(s.unborn)
	return f
}

// Ahead tells what processes may still do in states of a machine, by abstract execution of the program text (THEORY,
// "Sleep sequences"). It is for one goroutine.
type Ahead struct{ x *Analysis }

// NewAhead looks through the program of a machine.
func NewAhead(m *step.Machine) *Ahead {
	return &Ahead{New(m, func(int, int) bool { return false })}
}

// An AheadStep is a step that may still be taken, with at least the locations that it may touch then.
type AheadStep struct {
	Step      *step.Step
	Footprint step.Footprint
	// Started says that it is a step not of the process itself, but of one that it starts, directly or not.
	Started bool
}

// Of lists at least the steps that a process may still take in a state, the one it stands at included, and those of
// what it may start. A process without a next step has none.
func (f *Ahead) Of(s step.State, proc int) (list []AheadStep) {
	id := f.x.m.StepID(s, proc)
	if id < 0 {
		return nil
	}
	for _, r := range f.x.interpret(s, proc, id).roles {
		for _, k := range r.steps {
			a := AheadStep{r.template.Steps[k], make(step.Footprint, f.x.m.FootprintWords()), r.proc < 0}
			f.x.m.FootprintOver(a.Step, r, a.Footprint, a.Footprint)
			list = append(list, a)
		}
	}
	return list
}
