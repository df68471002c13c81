package explore

import (
	"encoding/binary"
	"slices"

	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// What a process may still do, itself and through what it starts, from the program text and the present state (README
// section 5).

// foresight is what has been found out about the futures of the processes of a machine.
type foresight struct {
	machine     *step.Machine
	independent func(a, b int) bool // whether two steps, by id, are independent in every state, whatever the locals are
	parallel    *slice.Parallel
	steering    map[*step.Var]bool // what values of these are says where steps go to, see steers
	born        map[*step.Var]bool // arrays of what is said of a process when it is started and never changed
	futures     map[string]*future // by what they depend on
	rivals      map[int][]uint64   // step id -> steps, as a bit set of ids, that it may race with
	later       map[*step.Step][]uint64
	ways        map[*step.Step][]int            // steps that may be taken from a step on
	initial     map[*step.Var]value             // of locals that are followed
	poolOf      map[*step.Var]*step.Pool        // whose processes an array tells about
	pools       map[*step.Template][]*step.Pool // see poolsOf
	entire      map[*step.Template]whole
	key         []byte
}

// newForesight looks through the program of a machine.
func newForesight(m *step.Machine, independent func(a, b int) bool) *foresight {
	x := &foresight{machine: m, independent: independent}
	x.prepare()
	return x
}

// A whole is all that a process of a template may do: the nodes before its first step, and the steps.
type whole struct{ before, steps []int }

// maxFutures bounds how many futures are remembered.
const maxFutures = 1 << 14

// A future is a list of steps that may still be taken.
type future struct {
	steps  []futureStep
	foot   step.Footprint // of all of them
	rivals []uint64

	listed bool   // set has been found
	set    uint16 // of them (futuresets.go)
}

type futureStep struct {
	id     int  // step id
	pool   bool // of whatever process of a pool; id is that of the first one's
	foot   step.Footprint
	rivals []uint64 // bit set of step ids
}

// mayRace reports whether some step of the future may be found dependent of a transition with a step id and a
// footprint.
func (f *future) mayRace(id int, foot step.Footprint) bool {
	return f.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(f.foot, foot) && slices.ContainsFunc(f.steps, func(s futureStep) bool {
		return s.rivals[id/64]>>(id%64)&1 != 0 && step.Conflict(s.foot, foot)
	})
}

// future over-approximates what follows in a state from the next step of a process on, that step included.
func (x *foresight) future(now step.State, proc, id int) *future {
	key := x.futureKey(now, proc, id)
	if f := x.futures[string(key)]; f != nil {
		return f
	}
	if len(x.futures) >= maxFutures {
		clear(x.futures)
	}
	f := x.foresee(now, proc, id)
	x.futures[string(key)] = f
	return f
}

// prepare finds out about the program.
func (x *foresight) prepare() {
	p := x.machine.Program
	x.parallel, x.futures = slice.NewParallel(p), map[string]*future{}
	x.rivals, x.later, x.ways = map[int][]uint64{}, map[*step.Step][]uint64{}, map[*step.Step][]int{}
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
	x.steers()
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
			x.entire[t] = whole{prelude(t), reachable(t, t.Entries())}
		}
	}
}

// poolsOf are the pools that the future of a process of a template depends on: of what it may start, directly or not,
// and all with an array whose values are followed.
func (x *foresight) poolsOf(t *step.Template) (list []*step.Pool) {
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
	for _, u := range x.machine.Program.Templates {
		if u.Pool != nil && (slices.Contains(started, u) || slices.ContainsFunc(u.Pool.Fields, func(v *step.Var) bool { return x.steering[v] })) {
			list = append(list, u.Pool)
		}
	}
	return list
}

// steers finds the variables whose values are followed: those that may say which part of an array a step touches, and
// those whose values may get into such.
func (x *foresight) steers() {
	x.steering = map[*step.Var]bool{}
	more := true
	var mark func(e *step.Expr)
	mark = func(e *step.Expr) {
		if v := e.Var; e.Op == step.VarRef && (!v.Shared || x.born[v]) && !x.steering[v] {
			x.steering[v], more = true, true
		}
		for _, a := range e.Args {
			mark(a)
		}
	}
	for more {
		more = false
		for _, t := range x.machine.Program.Templates {
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

// futureKey is what a future depends on.
func (x *foresight) futureKey(now step.State, proc, id int) []byte {
	p := x.machine.Program
	key := binary.LittleEndian.AppendUint32(x.key[:0], uint32(id))
	word := func(i int) { key = binary.LittleEndian.AppendUint64(key, uint64(now[i])) }
	base := x.machine.LocalBase(proc)
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

// foresee makes a future.
func (x *foresight) foresee(now step.State, proc, id int) *future {
	c, first := x.forecastOf(now, proc, id), x.machine.FirstStepID(proc)
	f := &future{foot: make(step.Footprint, x.machine.FootprintWords()), rivals: make([]uint64, (x.machine.NumSteps()+63)/64)}
	for _, r := range c.roles {
		for _, k := range r.steps {
			s := futureStep{foot: make(step.Footprint, x.machine.FootprintWords())}
			x.machine.FootprintOver(r.template.Steps[k], r, s.foot)
			if r.proc >= 0 {
				s.id, s.rivals = first+k, x.rivalsOf(first+k)
			} else {
				s.id, s.pool, s.rivals = x.firstOfPool(r.template)+k, true, x.rivalsOfAny(r.template.Steps[k])
			}
			f.foot.Union(s.foot)
			for i, w := range s.rivals {
				f.rivals[i] |= w
			}
			f.steps = append(f.steps, s)
		}
	}
	return f
}

// rivalsOf are the steps that a step may race with: that other processes may be at when one is at it, and that are not
// unconditionally independent of it.
func (x *foresight) rivalsOf(id int) []uint64 {
	if set := x.rivals[id]; set != nil {
		return set
	}
	set := make([]uint64, (x.machine.NumSteps()+63)/64)
	proc, s := x.machine.StepAt(id)
	for other := range x.machine.NumSteps() {
		if q, t := x.machine.StepAt(other); q != proc && x.parallel.PossibleFor(proc, s, q, t) && !x.independent(id, other) {
			set[other/64] |= 1 << (other % 64)
		}
	}
	x.rivals[id] = set
	return set
}

// firstOfPool is the first step id of the first process of a template.
func (x *foresight) firstOfPool(t *step.Template) int {
	for _, p := range x.machine.Program.Procs {
		if p.Template == t {
			return x.machine.FirstStepID(p.Index)
		}
	}
	return 0
}

// rivalsOfAny is rivalsOf for whichever process of a pool.
func (x *foresight) rivalsOfAny(s *step.Step) []uint64 {
	if set := x.later[s]; set != nil {
		return set
	}
	set := make([]uint64, (x.machine.NumSteps()+63)/64)
	for _, p := range x.machine.Program.Procs {
		if p.Template == s.Template {
			for i, w := range x.rivalsOf(x.machine.FirstStepID(p.Index) + s.Index) {
				set[i] |= w
			}
		}
	}
	x.later[s] = set
	return set
}

// onward lists the steps that may be taken from a step on, that one included.
func (x *foresight) onward(s *step.Step) []int {
	if x.ways[s] == nil {
		x.ways[s] = reachable(s.Template, []int{s.Index})
	}
	return x.ways[s]
}

// reachable lists the steps of a template that may be taken from some steps on, these included.
func reachable(t *step.Template, from []int) []int {
	found := slices.Clone(from)
	for i := 0; i < len(found); i++ {
		next, _ := t.Steps[found[i]].Successors()
		for _, k := range next {
			if !slices.Contains(found, k) {
				found = append(found, k)
			}
		}
	}
	return found
}
