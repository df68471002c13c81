package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
)

// Insertion into backtrack sets.

// Add sees to it that an action is tried from a node.
func (x *Search) Add(n *Node, action int) {
	x.Frontier.Lock(n)
	x.addLocked(n, action)
	x.Frontier.Unlock(n)
}

// addLocked is Add for a node that is locked. An action that is asleep there is not taken, and so nobody would try the
// other alternatives of its step: they are added with it.
func (x *Search) addLocked(n *Node, action int) {
	n.Backtrack.Add(action)
	if !n.May(action) {
		x.Alternatives(n, action, func(b int) { n.Backtrack.Add(b) })
	}
}

// AddAll sees to it that everything is tried from a node, and reports whether that changes anything.
func (x *Search) AddAll(n *Node) (more bool) {
	x.Frontier.Lock(n)
	rest := n.Enabled.Minus(&n.Backtrack)
	n.Backtrack.Union(&rest)
	x.Frontier.Unlock(n)
	return !rest.Empty()
}

// Alternatives calls f for the other alternatives of a step that can be taken from a node: they are as much in need of
// being tried as the reversal of a race.
func (x *Search) Alternatives(n *Node, action int, f func(action int)) {
	if !x.chooses {
		return
	}
	for a := x.EnabledOf(&n.Enabled, x.ProcOf(action)); a >= 0; a = x.NextOf(&n.Enabled, a) {
		if a != action {
			f(a)
		}
	}
}

func (x *Search) tryAlternatives(n *Node, action int) {
	x.Alternatives(n, action, func(a int) { x.Add(n, a) })
	inserted(x.Watch, Alternative, x.Depth)
}

// takenAway are the enabled actions of other processes whose next step the present event does for them
// (Program.TakesAway): an event that sends to a select that waits takes away the other cases of that select. Each of
// these actions is in a race with the event. Where the event has taken place they are no events, so nothing else finds
// these races.
func (x *Search) takenAway() (actions []int) {
	if !x.chooses {
		return nil
	}
	n := &x.Stack[x.Depth].Node
	for _, proc := range x.TakesAway(x.Depth) {
		for a := x.EnabledOf(&n.Enabled, proc); a >= 0; a = x.NextOf(&n.Enabled, a) {
			actions = append(actions, a)
		}
	}
	return actions
}

// findInitialsInBacktrack sets x.initialsInBacktrack to the positions of those events above stack position i that are
// tried at i, or will be, and that nothing above i happens before: a sequence with one of them has it as an initial,
// so inserting it changes nothing. Wakeup trees want to know more.
func (x *Search) findInitialsInBacktrack(i int) {
	x.initialsInBacktrack = x.initialsInBacktrack[:0]
	if x.Planner != nil {
		return
	}
	backtrack, events := &x.Stack[i].Node.Backtrack, x.FirstEventsAfter(i)
	for a := backtrack.Next(0); a >= 0; a = backtrack.Next(a + 1) {
		if j := events.Of(x.ProcOf(a)); j >= 0 {
			if e := &x.Stack[j].Event; e.Action == a && reversal.IsInitial(i, e) {
				x.initialsInBacktrack = append(x.initialsInBacktrack, int32(j))
			}
		}
	}
}

// alreadyCovered reports whether one of x.initialsInBacktrack is chosen.
func (x *Search) alreadyCovered(chosen reversal.EventFilter) bool {
	for _, j := range x.initialsInBacktrack {
		if chosen(int(j), &x.Stack[j].Event) {
			return true
		}
	}
	return false
}

// ReverseGuardedRace inserts the three sequences that reverse a race of a transition n which is disabled now, or which
// was found behind an event that enabled n: the events that made n enabled next to the earlier event, and n; notdep(e)
// as far as it leaves n enabled, and n; all of notdep(e), and n. Those that cannot run are left out; that the first
// one can is known.
func (x *Search) ReverseGuardedRace(r *happens.Race, n *happens.Transition) {
	x.Accesses.Follow(x.Execution)
	i := r.At
	x.findInitialsInBacktrack(i)
	x.insertUnlessCovered(i, n, func(j int, _ *happens.Event) bool {
		return x.InSelection(i, j, r.Via, r.Apart, n.Proc)
	})
	known := x.LocallyPredictable(n)
	if known && x.alreadyCovered(func(_ int, f *happens.Event) bool {
		return x.InNotdep(i, f) && (f.Proc == n.Proc || !f.Conflicts(n))
	}) {
		return // that begins both of the others: what nothing is before is not left out unless it may disable n
	}
	if x.FindNonDisablingSuffix(i, n) {
		x.insertUnlessCovered(i, n, func(_ int, f *happens.Event) bool { return x.InNonDisablingSuffix(i, f) })
	}
	apart := func(_ int, f *happens.Event) bool { return x.InNotdep(i, f) }
	if known && !n.Begins && len(x.Disabling) == 0 && x.ReachesStep(i, n) || x.alreadyCovered(apart) {
		return // the same as before, or nothing to be gained
	}
	if known {
		if !x.EnabledAfterPrefix(n, x.Depth, func(j int, f *happens.Event) bool { return j < i || x.InNotdep(i, f) }) {
			return
		}
	} else if x.SelectEvents(i, apart); !x.Runs(i, x.SelectedActions(n)) {
		return
	}
	x.insert(i, n, apart)
}

// ReverseRaces reverses the races of a transition that is enabled now.
func (x *Search) ReverseRaces(races []happens.Race, n *happens.Transition) {
	for i := range races {
		if r := &races[i]; r.Hidden {
			x.ReverseGuardedRace(r, n)
		} else {
			x.ReverseRace(r, n)
		}
	}
}

// ReverseRace inserts an initial of v = notdep(e).n (POPL'14, definition of initials and algorithm 1). The events
// of notdep(e) keep their happens-before relation in v, so their initials are read off the clocks. Whether n is an
// initial of v is certain only when nothing in v happens before it; where the relation between n and an event of v
// depends on the state, it may differ from the one on the stack, where dep(e) ran as well, so then v is run if it
// matters.
func (x *Search) ReverseRace(r *happens.Race, n *happens.Transition) {
	i := r.At
	e, node := &x.Stack[i].Event, &x.Stack[i].Node
	var initials actionset.Set
	mayBegin, uncertain := true, false // n may be an initial; it takes a run to tell
	x.Accesses.Follow(x.Execution)
	for _, j := range x.mayBeInitials(i, n.Proc) {
		f := &x.Stack[j].Event
		if happens.Covers(f.Clock, e) { // and so are all later ones of the process
			continue
		}
		if f.Proc == n.Proc {
			mayBegin = false
		}
		if reversal.IsInitial(i, f) {
			if node.Backtrack.Has(f.Action) {
				return
			}
			initials.Add(f.Action)
		}
	}
	if x.Conditions != nil && mayBegin {
		for j := i + 1; j < x.Depth && !uncertain; j++ {
			x.Work(1)
			f := &x.Stack[j].Event
			uncertain = !happens.Covers(f.Clock, e) && x.Stateful(&f.Transition, n)
		}
	}
	preferred := x.Instead(node, n.Action)
	if len(node.Sequences) > 0 {
		preferred = x.onTheWay(i, n, &initials, preferred)
	}
	switch {
	case !mayBegin: // n decides nothing
	case uncertain:
		x.insert(i, n, func(_ int, f *happens.Event) bool { return x.InNotdep(i, f) })
		return
	case r.First:
		initials.Add(preferred)
	}
	x.InsertInitial(node, &initials, preferred)
}

// onTheWay is an initial at stack position i that happens before a transition n, so that what follows it comes to n,
// and a sleep sequence to its end, soonest; otherwise if there is none.
func (x *Search) onTheWay(i int, n *happens.Transition, initials *actionset.Set, otherwise int) int {
	present := &x.Stack[x.Depth].Event
	if n != &present.Transition {
		return otherwise
	}
	events := x.FirstEventsAfter(i)
	for a := initials.Next(0); a >= 0; a = initials.Next(a + 1) {
		if j := events.Of(x.ProcOf(a)); happens.Covers(present.Clock, &x.Stack[j].Event) {
			return a
		}
	}
	return otherwise
}

// mayBeInitials are the positions of the events above stack position i that nothing above it happens before, and of
// those of a process, or at least the first of these. The fewer are looked at: the events there, or the first ones of
// all processes. The accesses follow the stack.
func (x *Search) mayBeInitials(i, proc int) []int32 {
	x.seq = x.seq[:0]
	if x.Without.Lookup || x.Depth-i <= 2*x.Procs { // what is looked at lies side by side
		for j := i + 1; j < x.Depth; j++ {
			if f := &x.Stack[j].Event; f.Proc == proc || reversal.IsInitial(i, f) {
				x.seq = append(x.seq, int32(j))
			}
		}
		return x.seq
	}
	events := x.FirstEventsAfter(i)
	for p := range x.Procs {
		if j := events.Of(p); j >= 0 && (p == proc || reversal.IsInitial(i, &x.Stack[j].Event)) {
			x.seq = append(x.seq, int32(j))
		}
	}
	return x.seq
}

// Instead is an action itself if it is possible in a node, or where it is not but other alternatives of a guarded
// choice are, one of those. The rest are tried once that has been taken.
func (x *Search) Instead(n *Node, a int) int {
	if x.GuardsChoices() && !n.Enabled.Has(a) {
		if b := x.EnabledOf(&n.Enabled, x.ProcOf(a)); b >= 0 {
			return b
		}
	}
	return a
}

// InsertInitial adds one of the initials of a sequence to the backtrack set of a node unless that has one already;
// preferred if possible.
func (x *Search) InsertInitial(n *Node, initials *actionset.Set, preferred int) {
	x.Frontier.Lock(n)
	if !initials.Meets(&n.Backtrack) {
		if initials.Has(preferred) {
			x.addLocked(n, preferred)
		} else if a := initials.Next(0); a >= 0 {
			x.addLocked(n, a)
		}
	}
	x.Frontier.Unlock(n)
}

// joined is the stack position of the event that lets a transition go on without a race, -1 if there is none.
func (x *Search) joined(n *happens.Transition) int {
	if n.JoinIndex > 0 {
		if own := x.Accesses.Own[n.Join]; len(own) >= int(n.JoinIndex) {
			return int(own[n.JoinIndex-1])
		}
	}
	return -1
}

// insertUnlessCovered is insert unless that changes nothing.
func (x *Search) insertUnlessCovered(i int, n *happens.Transition, chosen reversal.EventFilter) {
	if !x.alreadyCovered(chosen) {
		x.insert(i, n, chosen)
	}
}

// insert adds an initial of the chosen events above stack position i and then n, run from the node at i, to its
// backtrack set. Should it turn out that they cannot run, everything enabled is added, which is always enough.
func (x *Search) insert(i int, n *happens.Transition, chosen reversal.EventFilter) {
	node := &x.Stack[i].Node
	own := x.FirstEventAfter(i, n.Proc)
	first := own < 0 || !chosen(own, &x.Stack[own].Event) // n may be an initial
	if at := x.joined(n); at > i && chosen(at, &x.Stack[at].Event) {
		first = false
	}
	if first && x.AnyConflict(i, n, chosen) {
		if first = x.Conditions != nil || n.Refinable; first { // it takes a run to tell
			x.SelectEvents(i, chosen)
			actions := x.SelectedActions(n)
			x.Adapt(i, actions)
			if !x.Arrange(i, actions) {
				x.AddAll(node)
				return
			}
			first = x.Order.First(len(x.Selection))
		}
	}
	var initials actionset.Set
	preferred := x.Instead(node, n.Action)
	if first {
		initials.Add(preferred)
	} else {
		events := x.FirstEventsAfter(i)
		for p := range x.Procs {
			if j := events.Of(p); j >= 0 {
				if e := &x.Stack[j].Event; chosen(j, e) && reversal.IsInitial(i, e) {
					initials.Add(e.Action)
				}
			}
		}
	}
	x.InsertInitial(node, &initials, preferred)
	if !first || own >= 0 { // what has been added may be above i
		x.findInitialsInBacktrack(i)
	}
}
