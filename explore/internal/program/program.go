package program

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/meter"
	"cdpor/explore/internal/reversal"
	"cdpor/lang/step"
)

// A program is the Program of a step machine: it answers by looking at the states on the stack, and by running steps on
// copies of them.
type Program struct {
	happens.Execution
	reversal.Builder
	m     *step.Machine // of the execution, as the following
	Run   *step.Runner
	procs int
	ahead *future.Analysis // nil until it is asked for

	Foot, other, third step.Footprint // scratch
	Probe, virtual     step.State
}

func (p *Program) Init(m *step.Machine, conditions happens.Conditions, meter *meter.Meter) {
	run := m.NewRunner()
	p.Execution = happens.New(m, run, conditions, meter)
	p.m, p.Run, p.procs = m, run, p.Procs
	p.Builder = reversal.NewBuilder(&p.Execution)
	p.Probe, p.virtual = memory.Scratch[int64](m.Words()), memory.Scratch[int64](m.Words())
	for _, foot := range []*step.Footprint{&p.Foot, &p.other, &p.third} {
		*foot = memory.Scratch[uint64](m.FootprintWords())
	}
}

// Work counts units of work.
func (p *Program) Work(units int) { p.Execution.Work(units) }

// StateAt is the state at a depth.
func (p *Program) StateAt(depth int) step.State { return p.Levels[depth].State }

// ProcOf is the process of an action.
func (p *Program) ProcOf(action int) int { return p.m.ProcOf(action) }

// Chooses reports whether some process has several actions, alternatives of a step.
func (p *Program) Chooses() bool { return p.m.NumActions() > p.procs }

// TakesAway is about no process: steps are done by their own.
func (p *Program) TakesAway(int) []int { return nil }

// GuardsChoices reports whether some step waits until one of its alternatives is possible.
func (p *Program) GuardsChoices() bool { return p.m.HasSelects() }

// EnabledOf is the first action of a process in a set, -1 if there is none; nextOf is the next one of the same
// process.
func (p *Program) EnabledOf(set *actionset.Set, proc int) int { return EnabledOf(p.m, set, proc) }

func (p *Program) NextOf(set *actionset.Set, action int) int { return nextOf(p.m, set, action) }

// StepAt is the id of the next step of a process at a depth, -1 if it has none.
func (p *Program) StepAt(depth, proc int) int { return p.m.StepID(p.StateAt(depth), proc) }

func (p *Program) Next(n *happens.Transition, depth, proc int) {
	p.Describe(n, p.StateAt(depth), p.m.FirstAction(proc), p.Foot)
}

// Disabled describes the next step of a process at the present depth, where some actions are enabled, and reports
// whether it is one that waits.
func (p *Program) Disabled(n *happens.Transition, enabled *actionset.Set, proc int) bool {
	s := p.StateAt(p.Depth)
	if p.EnabledOf(enabled, proc) >= 0 || !p.m.MayWait(s, proc) {
		return false
	}
	p.Describe(n, s, p.m.FirstAction(proc), p.Foot)
	return true
}

// Suppose makes the event of the present level that of an action that is not taken, and the state of the next level
// what it would lead to.
func (p *Program) Suppose(action int) *happens.Event {
	lv, next := p.Levels[p.Depth], p.Levels[p.Depth+1]
	e := &lv.Event
	p.Describe(&e.Transition, lv.State, action, e.FootBuf)
	p.Stamp(e)
	e.Index = lv.Counts[e.Proc] + 1
	copy(next.State, lv.State)
	p.Run.Take(next.State, action)
	return e
}

// StillAsleep sets kept to the members of a sleep set at the present depth that stay asleep behind the event there:
// they are of other processes and independent of it.
func (p *Program) StillAsleep(asleep, kept *actionset.Set) {
	*kept = actionset.Set{}
	lv := p.Levels[p.Depth]
	e := &lv.Event
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		proc := p.m.ProcOf(a)
		if proc == e.Proc {
			continue
		}
		id := p.m.StepID(lv.State, proc)
		if !step.Conflict(p.m.Info(id).Widest, e.Foot) {
			kept.Add(a)
			continue
		}
		if p.Conditions == nil && p.m.Info(id).Fixed && !p.m.Info(id).Refinable {
			continue
		}
		mv := p.RefinedMove(lv.State, a, p.Foot)
		if p.IndependentIn(&mv, &e.Transition, lv.State) {
			kept.Add(a)
		}
	}
}

// Indifferent reports whether an event and a transition of another process have nothing to do with each other, even
// where the event would write what it only read on the stack.
func (p *Program) Indifferent(e *happens.Event, n *happens.Transition) bool {
	return e.Proc != n.Proc && !step.Conflict(e.Unrefined(), n.Foot)
}

// Future is the future of a process from a depth on, nil if it has ended.
func (p *Program) Future(depth, proc int) *future.Future {
	if id := p.StepAt(depth, proc); id >= 0 {
		return p.Futures().Of(p.StateAt(depth), proc, id)
	}
	return nil
}

// Futures is the analysis of futures.
func (p *Program) Futures() *future.Analysis {
	if p.ahead == nil {
		p.ahead = future.New(p.m, p.Unconditional)
	}
	return p.ahead
}

// LeadsTo reports whether actions can be taken one after the other from a depth and lead to the same state as in
// another order: that of the level after the present one, or if these are not all on the stack, what they lead to. The
// process of the action at a place of the sequence takes no step after it, so what it is like then it will be like in
// the end, which often settles the question; compared counts how often that is asked.
func (p *Program) LeadsTo(depth int, actions []int32, last int, order []int32, compared *int64) bool {
	to := p.StateAt(p.Depth + 1)
	if len(order) <= p.Depth-depth {
		to = p.virtual
		copy(to, p.StateAt(depth))
		for _, a := range order {
			p.Work(1)
			if !p.Run.CanTake(to, int(a)) {
				return false
			}
			p.Run.Take(to, int(a))
		}
	}
	copy(p.Probe, p.StateAt(depth))
	for i, a := range actions {
		p.Work(1)
		if !p.Run.CanTake(p.Probe, int(a)) {
			return false
		}
		p.Run.Take(p.Probe, int(a))
		if i == last {
			*compared++
			if !p.m.SameProcess(p.Probe, to, p.m.ProcOf(int(a))) {
				return false
			}
		}
	}
	return slices.Equal(p.Probe, to)
}

// Swaps reports whether an action that is possible at the present depth and the event there, which leads to the state
// of the next level, give the same state in both orders, and if so, whether both together touch the same in both.
func (p *Program) Swaps(action int) (swaps, alike bool) {
	lv, next := p.Levels[p.Depth], p.Levels[p.Depth+1]
	e, proc := &lv.Event, p.m.ProcOf(action)
	copy(p.Probe, lv.State)
	p.Run.Take(p.Probe, action)
	if !p.Run.CanTake(p.Probe, e.Action) || !p.Run.CanTake(next.State, action) {
		return false, false
	}
	copy(p.virtual, p.Probe)
	p.Run.Take(p.Probe, e.Action)
	if !p.m.SameProcess(p.Probe, next.State, e.Proc) {
		return false, false
	}
	alike = slices.Equal(p.footOfBoth(lv.State, proc, p.virtual, e.Proc, p.Foot),
		p.footOfBoth(lv.State, e.Proc, next.State, proc, p.other))
	copy(p.virtual, next.State)
	p.Run.Take(p.virtual, action)
	return slices.Equal(p.Probe, p.virtual), alike
}

// footOfBoth is the footprint of the next step of a process in a state and of that of another process behind it.
func (p *Program) footOfBoth(s step.State, proc int, behind step.State, second int, buf step.Footprint) step.Footprint {
	f := append(buf[:0], p.Run.Footprint(s, proc, p.third)...)
	f.Union(p.Run.Footprint(behind, second, p.third))
	return f
}

// Commute says what the commute constraint of two transitions tells at a depth: happens.Execution.CommuteIn.
func (p *Program) Commute(a, b *happens.Transition, depth int) (known, commute bool) {
	return p.CommuteIn(a, b, p.StateAt(depth))
}

// Preempts reports whether an action of a process after one of another, last, is a preemption: last could go on.
func Preempts(m *step.Machine, enabled *actionset.Set, last, proc int) bool {
	return proc != last && EnabledOf(m, enabled, last) >= 0
}

// BeyondBound are those of some possible actions, after so many preemptions and an action of a process, last, that the
// preemption bound forbids: all of other processes, if there may be no more preemptions and last can go on.
func BeyondBound(m *step.Machine, enabled *actionset.Set, last, preemptions, most int) (forbidden actionset.Set) {
	if preemptions < most || EnabledOf(m, enabled, last) < 0 {
		return forbidden
	}
	for a := enabled.Next(0); a >= 0; a = enabled.Next(a + 1) {
		if m.ProcOf(a) != last {
			forbidden.Add(a)
		}
	}
	return forbidden
}
