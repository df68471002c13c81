package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// Source-DPOR with sleep sets: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL'14,
// algorithm 1; with disabled steps treated as THEORY, "Disabled steps" says.

var sourceAlgorithm = &Algorithm{
	Name:  "source",
	Title: "Source-DPOR with sleep sets",
	Help: "Explores one execution per Mazurkiewicz trace of the footprint dependence. Some executions may be started " +
		"in vain and end blocked by the sleep set.",
	When: "For a plain, predictable search without constraints: one execution per trace at little cost each.\n" +
		"Not when most races are between steps that commute.",
	Paper:     "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1",
	Preserves: preservesTerminal,
	Traces:    true,
	Visits:    true,
	races:     true,
	make:      func(Options) strategy { return newSource() },
}

// source is the strategy. The other algorithms with backtrack sets are variations of it.
type source struct {
	// classic makes every race add the later process itself where it can (classic.go).
	classic bool
	// The rest belongs to sleep sequences (sequences.go).
	sequences, anticipate, guide bool
	seek                         func(*Result) bool // whether to look for more of them now; nil: always
}

// A sourceRecord is what the algorithms with backtrack sets have of a node.
type sourceRecord struct {
	// Processes that are disabled, all reorderings of whose steps have been inserted (reorderings.go).
	reordered actionset.Set
}

func newSource() *source { return &source{} }

func (s *source) enter(x *search, n *node) {
	x.blockedRaces()
	if s.sequences {
		x.compensate(n)
		if s.anticipate && !x.hasCycles() && x.cannotWake(n) {
			x.watch.end(EndsHopeless)
			n.enabledLeft = false
			if x.visits != nil && !x.visits.shortcuts.unfollowed {
				x.visits.text(x.Depth, x.levels[x.Depth].State)
			}
			return
		}
	}
	if a := n.undecided(); a >= 0 {
		n.backtrack.Add(x.first(s, n, a))
	}
}

// first chooses where to begin, if nothing else decides with a given action.
func (x *search) first(s *source, n *node, a int) int {
	if !s.guide && x.rng == nil {
		return a
	}
	free := n.free()
	if s.guide {
		if a := n.shortestSequence(&free); a >= 0 {
			return a
		}
	}
	return x.any(&free)
}

func (s *source) pick(x *search, n *node) int {
	if !n.enabledLeft {
		return -1
	}
	if s.guide && len(n.sequences) > 0 {
		free := n.free()
		todo := n.backtrack.And(&free)
		if a := n.shortestSequence(&todo); a >= 0 {
			return a
		}
	}
	return n.todo()
}

func (s *source) afterStep(x *search, lv, child *level, races []happens.Race) bool {
	e, n := &lv.Event, &child.node
	n.sequences, n.memory = n.sequences[:0], n.memory[:0]
	n.stateSleep = actionset.Set{}
	x.stillAsleep(lv, &lv.node.sleep, &n.sleep)
	if s.sequences {
		x.stillAsleep(lv, &lv.node.stateSleep, &n.stateSleep)
		if x.visits == nil || x.visits.complete() {
			seek := s.seek == nil || s.seek(&x.results.Result)
			if seek {
				x.keepStateSleepers(lv, child)
			}
			x.inheritSequences(lv, child)
			if seek {
				x.findSequences(races, &e.Transition, child.State)
			}
		}
		n.stateSleep = n.stateSleep.Minus(&n.sleep)
	}
	for i := range races {
		switch r := &races[i]; {
		case r.Hidden:
			x.reverseGuardedRace(r, &e.Transition)
		case s.classic && enabledOf(x.m, &x.levels[r.At].node.enabled, e.Proc) >= 0:
			x.add(&x.levels[r.At].node, x.instead(&x.levels[r.At].node, e.Action))
			fallthrough
		default:
			x.reverseRace(r, &e.Transition)
		}
	}
	x.watch.inserted(x, Reverses, x.Depth)
	x.tryAlternatives(&lv.node, e.Action)
	if e.Guarded {
		x.reorderGuarded(&e.Transition)
	}
	return !s.sequences || x.worthVisiting(child)
}

func (s *source) afterSubtree(x *search, n *node, a int) {
	n.sleep.Add(a)
}

// alternatives calls f for the other alternatives of a step that can be taken from a node: they are as much in need of
// being tried as the reversal of a race.
func (x *search) alternatives(n *node, action int, f func(action int)) {
	if x.m.NumActions() == x.procs {
		return
	}
	for a := enabledOf(x.m, &n.enabled, x.m.ProcOf(action)); a >= 0; a = nextOf(x.m, &n.enabled, a) {
		if a != action {
			f(a)
		}
	}
}

func (x *search) tryAlternatives(n *node, action int) {
	x.alternatives(n, action, func(a int) { x.add(n, a) })
	x.watch.inserted(x, Alternative, x.Depth)
}

// add sees to it that an action is tried from a node.
func (x *search) add(n *node, action int) {
	x.frontier.lock(n)
	x.addLocked(n, action)
	x.frontier.unlock(n)
}

// addLocked is add for a node that is locked. An action that is asleep there is not taken, and so nobody would try the
// other alternatives of its step: they are added with it.
func (x *search) addLocked(n *node, action int) {
	n.backtrack.Add(action)
	if !n.may(action) {
		x.alternatives(n, action, func(b int) { n.backtrack.Add(b) })
	}
}

// addAll sees to it that everything is tried from a node, and reports whether that changes anything.
func (x *search) addAll(n *node) (more bool) {
	x.frontier.lock(n)
	rest := n.enabled.Minus(&n.backtrack)
	n.backtrack.Union(&rest)
	x.frontier.unlock(n)
	return !rest.Empty()
}

// blockedRaces reverses the races of the steps that are disabled in the present node: a step that never runs has races
// too. Where the last event is independent of such a step, whatever it is about, all that has been done in the node
// below, where the step was disabled as well: what would be inserted now differs by that event, which takes no initial
// from a sequence.
func (x *search) blockedRaces() {
	lv := x.levels[x.Depth]
	lv.node.reordered = actionset.Set{}
	for p := lv.node.blockable.Next(0); p >= 0; p = lv.node.blockable.Next(p + 1) {
		if enabledOf(x.m, &lv.node.enabled, p) >= 0 || !x.m.MayWait(lv.State, p) {
			continue
		}
		mv := &x.idle
		x.Describe(mv, lv.State, x.m.FirstAction(p), x.foot)
		lv.node.reordered.Add(p)
		if x.Depth > 0 && x.indifferent(&x.levels[x.Depth-1].Event, mv) {
			continue
		}
		races := x.findRaces(mv, &x.idlePast)
		for i := range races {
			x.reverseGuardedRace(&races[i], mv)
		}
		x.watch.inserted(x, Reverses, x.Depth)
		x.reorderGuarded(mv)
	}
}

// indifferent reports whether an event and a transition of another process have nothing to do with each other, even
// where the event would write what it only read on the stack.
func (x *search) indifferent(e *happens.Event, n *happens.Transition) bool {
	return e.Proc != n.Proc && !step.Conflict(x.Unrefined(&e.Transition), n.Foot)
}

// reorderGuarded inserts all reorderings of a step that is about to be taken or is disabled.
func (x *search) reorderGuarded(n *happens.Transition) {
	for _, j := range x.insertReorderings(n, x.Depth, nil) {
		x.addAll(&x.levels[j].node)
	}
	x.watch.inserted(x, Places, x.Depth)
}

// stillAsleep sets kept to the members of a sleep set that stay in it when the event of the level has run: those
// independent of it.
func (x *search) stillAsleep(lv *level, asleep, kept *actionset.Set) {
	*kept = actionset.Set{}
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		p := x.m.ProcOf(a)
		if p == lv.Event.Proc {
			continue
		}
		id := x.m.StepID(lv.State, p)
		if !step.Conflict(x.m.FootprintAt(id), lv.Event.Foot) {
			kept.Add(a)
			continue
		}
		if x.Conditions == nil && x.m.Fixed(id) && !x.m.Refinable(id) {
			continue
		}
		mv := x.RefinedMove(lv.State, a, x.foot)
		if x.IndependentIn(&mv, &lv.Event.Transition, lv.State) {
			kept.Add(a)
		}
	}
}
