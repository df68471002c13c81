package native

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/happens"
	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// A machine answers as the Machine, the Runner and the Guards of internal/happens do, for a program that is really run.
// A state is the id of a node of the tree.
type machine struct {
	*tree
	x    *happens.Execution
	foot step.Footprint // scratch
	wide step.Footprint // scratch
	was  native.World   // scratch
	// run executes the prefix of a node and an action.
	run func(n *node, action int32) *node
	// sequence is about to be taken from a state.
	from     int64
	sequence []int32
}

func (m *machine) at(s step.State) *node { return m.nodes[s[0]] }

// The Machine of internal/happens.

func (m *machine) NumProcs() int                                { return m.procs }
func (m *machine) Words() int                                   { return 1 }
func (m *machine) FootprintWords() int                          { return 2 * m.words() }
func (m *machine) NumLocations() int                            { return m.locations() }
func (m *machine) LocationWords(int) (first, words int)         { return 0, 0 }
func (m *machine) ProcOf(action int) int                        { return action / m.width }
func (m *machine) FirstAction(proc int) int                     { return proc * m.width }
func (m *machine) HasSelects() bool                             { return m.width > 1 }
func (m *machine) Info(id int) *step.Info                       { return &m.steps[id].Info }
func (m *machine) Unwritten(_, after step.State, proc int) bool { return m.at(after).same }
func (m *machine) Footprint(s step.State, p int, _ step.Footprint) step.Footprint {
	return m.nextOf(m.at(s), p).Widest
}

func (m *machine) LifeLocation(proc int) int {
	if proc < 2 {
		return -1
	}
	return 2 + slots + proc
}

// nextOf is the next step of a process, nil if it has none.
func (m *machine) nextOf(n *node, proc int) *nextStep {
	if proc == 0 {
		switch {
		case n.clock.MayFire():
			return m.early
		case n.moves:
			return m.clock
		}
		return nil
	}
	if crash := n.crashes[proc]; crash != nil {
		return crash
	}
	return n.next[proc]
}

func (m *machine) StepID(s step.State, proc int) int {
	if next := m.nextOf(m.at(s), proc); next != nil {
		return next.id
	}
	return -1
}

// The Runner.

func (m *machine) Enabled(s step.State, proc int) bool                 { return m.first(m.at(s), proc) >= 0 }
func (m *machine) EnabledAs(s step.State, proc int, _ step.State) bool { return m.Enabled(s, proc) }
func (m *machine) CanTake(s step.State, action int) bool               { return m.at(s).enabled.Has(action) }
func (m *machine) first(n *node, proc int) int                         { return m.EnabledOf(&n.enabled, proc) }

func (m *machine) Instead(s step.State, action int) int {
	if m.CanTake(s, action) {
		return action
	}
	if proc := m.ProcOf(action); m.nextOf(m.at(s), proc) != nil {
		return m.first(m.at(s), proc)
	}
	return -1
}

func (m *machine) Take(s step.State, action int) {
	n := m.at(s)
	child := n.child(int32(action))
	if child == nil {
		child = m.run(n, int32(action))
	}
	s[0] = child.id
}

// Widest is about the object as it is at the end of the stack: what has been sent and received by then counts.
func (m *machine) Widest(n *happens.Transition) step.Footprint {
	s := m.steps[n.ID]
	switch {
	case s.op.Chooses():
		return nil
	case !m.counted || !s.op.Counts():
		return s.Widest
	}
	m.wide = append(m.wide[:0], s.Widest...)
	s.op.Widest(m.at(m.x.Levels[m.x.Depth].State).world, func(p native.Place, write bool) {
		m.touch(m.wide, m.location(p), write)
	}, func(k int) { m.touch(m.wide, m.slot(s.op.Objects[0], k), true) })
	return m.wide
}

// Follows keeps the sequence, so that one execution shows all of it.
func (m *machine) Follows(s step.State, sequence []int32) { m.from, m.sequence = s[0], sequence }

// following is what of the sequence is taken behind an action from a node.
func (m *machine) following(n *node, action int32) []int32 {
	at := m.nodes[m.from]
	for k, a := range m.sequence {
		switch {
		case at == nil:
			return nil
		case at == n && a == action:
			return m.sequence[k+1:]
		}
		at = at.child(a)
	}
	return nil
}

// The Guards.

// EnabledAfter does the operations of the events at the positions to objects that are as they were in the beginning. If
// these are the first ones, an object is as it was behind the last of them.
func (m *machine) EnabledAfter(n *happens.Transition, positions []int32, first bool) bool {
	op := m.steps[n.ID].op
	if n.Proc == 0 {
		return m.ticksAfter(positions)
	}
	if last := len(positions) - 1; first && last >= 0 && !op.Chooses() {
		if w := m.at(m.x.Levels[positions[last]+1].State).world; op.Within(w) {
			return op.Enabled(w, n.Proc)
		}
	}
	initial := m.at(m.x.Levels[m.x.Depth].State).initial
	if op.AwaitsZero() {
		count := initial.At(op.Objects[0]).Count()
		for _, j := range positions {
			if a := m.x.Levels[j].Event.Action; a != 0 {
				_, added, _ := m.at(m.x.Levels[j].State).next[m.ProcOf(a)].op.Adds()
				count += added
			}
		}
		return count == 0
	}
	w := &m.was
	w.Copy(initial)
	for _, j := range positions {
		lv := m.x.Levels[j]
		before, a := m.at(lv.State), lv.Event.Action
		if a != 0 {
			before.next[m.ProcOf(a)].op.Apply(w, m.ProcOf(a), a%m.width)
		}
		if after := before.child(int32(a)); after != nil {
			for _, l := range after.lengths {
				w.SetLength(l.Object, l.Length)
			}
		}
	}
	return op.Enabled(w, n.Proc)
}

// NeedsAll is about the Dones of a WaitGroup that Wait waits for: without any of them its counter is above zero.
func (m *machine) NeedsAll(n *happens.Transition, positions []int32) bool {
	if !m.steps[n.ID].op.AwaitsZero() {
		return false
	}
	for _, j := range positions {
		lv := m.x.Levels[j]
		if lv.Event.Proc == 0 {
			return false
		}
		if _, added, adds := m.at(lv.State).next[lv.Event.Proc].op.Adds(); !adds || added >= 0 {
			return false
		}
	}
	return true
}

// ticksAfter reports whether the clock could go on behind the events at the positions.
func (m *machine) ticksAfter(positions []int32) bool {
	var clock native.Clock
	for _, j := range positions {
		lv := m.x.Levels[j]
		if a := lv.Event.Action; a == 0 {
			clock.Fire()
		} else {
			clock.Do(m.at(lv.State).next[m.ProcOf(a)].op)
		}
	}
	return clock.MayFire()
}

func (m *machine) Joined(s step.State, proc int) (with, index int32) {
	if proc == 0 && m.at(s).clock.MayFire() {
		return 0, 0
	} else if proc == 0 {
		return 0, happens.Everything
	}
	j := m.at(s).joins[proc]
	return j.with, j.index
}

// A program answers as the Program of package dpor does.
type program struct{ *machine }

func (m program) Chooses() bool       { return m.width > 1 }
func (m program) GuardsChoices() bool { return m.width > 1 }

func (m program) NextOf(set *actionset.Set, action int) int {
	if a := set.Next(action + 1); a >= 0 && a/m.width == action/m.width {
		return a
	}
	return -1
}

func (m program) StepAt(depth, proc int) int { return m.StepID(m.x.Levels[depth].State, proc) }

func (m program) Next(n *happens.Transition, depth, proc int) {
	m.x.Describe(n, m.x.Levels[depth].State, m.FirstAction(proc), nil)
}

// Disabled is about all processes that have a next step where the program has come to its end early.
func (m program) Disabled(n *happens.Transition, enabled *actionset.Set, proc int) bool {
	s := m.x.Levels[m.x.Depth].State
	if m.EnabledOf(enabled, proc) >= 0 || m.StepID(s, proc) < 0 {
		return false
	}
	m.x.Describe(n, s, m.FirstAction(proc), nil)
	return true
}

// TakesAway is about selects that wait where the event sends or receives.
func (m program) TakesAway(depth int) (list []int) {
	lv := m.x.Levels[depth]
	before := m.at(lv.State)
	after := before.child(int32(lv.Event.Action))
	for proc, next := range before.next {
		if after != nil && next != nil && proc != lv.Event.Proc && next.op.Selects() && after.next[proc] != next {
			list = append(list, proc)
		}
	}
	return list
}

func (m program) Future(int, int) *future.Future {
	panic("the future of a program that is run is not known")
}

func (m program) Indifferent(e *happens.Event, n *happens.Transition) bool {
	return e.Proc != n.Proc && !step.Conflict(e.Unrefined(), n.Foot)
}

func (m program) Commute(_, _ *happens.Transition, _ int) (known, commute bool) { return false, false }

func (m program) StillAsleep(asleep, kept *actionset.Set) {
	*kept = actionset.Set{}
	lv := m.x.Levels[m.x.Depth]
	e, now := &lv.Event, m.at(lv.State)
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		proc := m.ProcOf(a)
		next := m.nextOf(now, proc)
		if proc == e.Proc || next == nil || e.JoinIndex == happens.Everything {
			continue
		}
		foot := next.Widest
		if next.Refinable && next.op.Unchanged(now.world) {
			foot = foot.ReadOnly(m.foot)
		}
		if !step.Conflict(foot, e.Foot) {
			kept.Add(a)
		}
	}
}

func (m program) Suppose(int) *happens.Event                      { panic("of context only") }
func (m program) LeadsTo(int, []int32, int, []int32, *int64) bool { return false }
func (m program) Swaps(int) (swaps, alike bool)                   { return false, false }
