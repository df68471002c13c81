package explore

import (
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// Looking on while a search grows its tree. The algorithms do not know whether anybody does: they say in one line what
// has just happened, and what was added to backtrack sets and wakeup trees is found by comparing them with what they
// were before.

// An Observer is told how the exploration tree grows, in the order of the search. Step announces a child of the present
// node; what belongs to that step follows, and then either Enter, which makes the child the present node until Leave,
// or Skip. The root is entered without a step. A position is the number of a step on the way to the present node,
// counted from 0: step i leads from the node at depth i to the one at depth i+1. Slices are valid until the method
// returns.
type Observer interface {
	// Step tells that an action is being taken from the present node. When it returns false, nothing more is told, and
	// what has been entered is not left.
	Step(action int) (more bool)
	Race(Race)
	Insert(Insertion)
	// Sequence tells of a sleep sequence: actions that need not be taken one after the other from the node at a depth.
	Sequence(depth int, actions []int32)
	// Enter tells what is asleep in the child and what a bound forbids there.
	Enter(asleep Sleepers, barred []int)
	Skip(why Skipped, asleep Sleepers)
	// Known tells, before End with EndsVisited, at which node the state of the present one has been, or is being,
	// explored. A node has the number of the step that announced it, counted from 1; the root is 0.
	Known(node int)
	// End tells that nothing, or with Hopeless nothing more, is taken from the present node.
	End(LeafKind)
	// Leave tells that the present node is done, or that the search stopped there.
	Leave(done bool)
}

// Sleepers are the actions that are asleep in a node: because all that begins with them has been explored from an
// earlier node, and because another order has led to the same state.
type Sleepers struct{ Explored, SameState []int }

// A Race is one of a step with an earlier one. The step has just been announced, or it is the next step of a process at
// the node announced or present which is disabled or asleep there.
type Race struct {
	With   int // position of the earlier step
	Depth  int // of the node in which the later step is, or would be, taken
	Action int
	Kind   RaceKind
}

// A RaceKind says how a race was found.
type RaceKind string

const (
	OrdinaryRace RaceKind = "race"
	HiddenRace   RaceKind = "hidden race"  // behind an event that enabled the step
	RemovedRace  RaceKind = "removed race" // none after all: a constraint holds where the two stand side by side
)

// An Insertion is something that is going to be tried because of what the search has just found.
type Insertion struct {
	Depth   int     // of the node to try it from
	Actions []int32 // one action or, with wakeup trees, the sequence that is planned
	Why     Reason
	By      int // depth of the node whose step is the reason
}

// A Reason says why something is going to be tried.
type Reason = dpor.Reason

const (
	Begins       = dpor.Begins
	Continues    = dpor.Continues
	Reverses     = dpor.Reverses
	Places       = dpor.Places
	Alternative  = dpor.Alternative
	Compensation = dpor.Compensation
)

// A LeafKind says why nothing is taken from a node.
type LeafKind string

const (
	EndsNormally LeafKind = "ended"
	EndsDeadlock LeafKind = "deadlock"
	EndsFailed   LeafKind = "failed"
	EndsDropped  LeafKind = "dropped"
	EndsCut      LeafKind = "cut"     // by the depth limit
	EndsBlocked  LeafKind = "blocked" // all that may be taken is asleep
	EndsVisited  LeafKind = "visited" // its state is on the stack or has been explored
	// Something is asleep that no other process can wake, so the node is given up (and blocked).
	EndsHopeless LeafKind = "hopeless"
)

// Skipped says why a child is not visited.
type Skipped string

const (
	SkippedAsleep Skipped = "asleep"      // all that is enabled there is asleep
	SkippedSeen   Skipped = "state known" // by a search of the state graph
)

// A watcher passes on to an Observer what happens. All methods may be called on nil, and do nothing then.
type watcher struct {
	to     Observer
	x      *dpor.Search // of executions; nil: of states
	enough bool
	depth  int       // of the node that was entered last and not left
	known  []planned // per depth up to there: what is going to be tried
	list   []int     // scratch
	more   []int
	one    [1]int32

	steps int // announced
	// Per state, the node from which it was explored last; of a search that stops at visited states.
	nodes map[string]int
}

// planned is what the observer has been told about a node.
type planned struct {
	backtrack actionset.Set
	sequences [][]int32 // of the wakeup tree
}

func newWatcher(to Observer) *watcher {
	if to == nil {
		return nil
	}
	return &watcher{to: to, depth: -1, nodes: map[string]int{}}
}

func (w *watcher) idle() bool { return w == nil || w.enough }

func (w *watcher) step(action int) {
	if !w.idle() {
		w.steps++
		w.enough = !w.to.Step(action)
	}
}

// Races tells of the races of a transition that HappensBefore has found at the present depth.
func (w *watcher) Races(n *happens.Transition, races []happens.Race) {
	if w.idle() {
		return
	}
	for i := range races {
		kind := OrdinaryRace
		if races[i].Hidden {
			kind = HiddenRace
		}
		w.to.Race(Race{With: races[i].At, Depth: w.x.Depth, Action: n.Action, Kind: kind})
	}
}

func (w *watcher) removed(at int, n *happens.Transition) {
	if !w.idle() {
		w.to.Race(Race{With: at, Depth: w.x.Depth, Action: n.Action, Kind: RemovedRace})
	}
}

func (w *watcher) Sequence(depth int, actions []int32) {
	if !w.idle() {
		w.to.Sequence(depth, actions)
	}
}

// entered tells that the present node of a search was entered.
func (w *watcher) entered() {
	if w.idle() {
		return
	}
	n := &w.x.Stack[w.x.Depth].Node
	asleep := w.sleepers(n)
	w.enter(w.x.Depth, asleep, actionset.Members[int](&n.Excluded, nil))
	w.Inserted(Continues, w.x.Depth)
}

func (w *watcher) enter(depth int, asleep Sleepers, barred []int) {
	if w.idle() {
		return
	}
	w.depth = depth
	w.known = append(w.known[:depth], planned{})
	w.to.Enter(asleep, barred)
}

func (w *watcher) sleepers(n *dpor.Node) Sleepers {
	w.list, w.more = actionset.Members(&n.Sleep, w.list[:0]), actionset.Members(&n.StateSleep, w.more[:0])
	return Sleepers{w.list, w.more}
}

func (w *watcher) Asleep(n *dpor.Node) {
	if !w.idle() {
		w.to.Skip(SkippedAsleep, w.sleepers(n))
	}
}

func (w *watcher) Hopeless() { w.end(EndsHopeless) }

func (w *watcher) seen() {
	if !w.idle() {
		w.to.Skip(SkippedSeen, Sleepers{})
	}
}

func (w *watcher) end(why LeafKind) {
	if !w.idle() {
		w.to.End(why)
	}
}

// explores takes note of the state of the node that has just been entered: it is going to be explored from there.
func (w *watcher) explores(s step.State) {
	if !w.idle() {
		w.nodes[string(s.Bytes())] = w.steps
	}
}

// visited tells that nothing is taken from the node that has just been entered, because of its state.
func (w *watcher) visited(s step.State) {
	if !w.idle() {
		w.to.Known(w.nodes[string(s.Bytes())])
		w.to.End(EndsVisited)
	}
}

// terminal tells that nothing is enabled in a state.
func (w *watcher) terminal(m *step.Machine, s step.State) {
	if !w.idle() {
		w.to.End(map[step.Ending]LeafKind{step.Ended: EndsNormally, step.Deadlocked: EndsDeadlock,
			step.Failed: EndsFailed, step.Cut: EndsDropped}[m.EndingOf(s)])
	}
}

func (w *watcher) left(done bool) {
	if !w.idle() {
		w.to.Leave(done)
		w.depth--
	}
}

// leaveAll tells that the search has ended where it was.
func (w *watcher) leaveAll() {
	for !w.idle() && w.depth >= 0 {
		w.left(false)
	}
}

// Inserted tells what has been added, since it was called last, to what is going to be tried from the nodes on the
// stack. by is the depth of the node whose step was the reason.
func (w *watcher) Inserted(why Reason, by int) {
	if !w.idle() {
		w.compare(why, by)
	}
}

func (w *watcher) compare(why Reason, by int) {
	for d := range w.depth + 1 {
		n, known := &w.x.Stack[d].Node, &w.known[d]
		if w.x.Planner != nil {
			w.x.Planner.Sequences(n, func(sequence []int32) {
				begins := func(s []int32) bool {
					return len(s) >= len(sequence) && slices.Equal(s[:len(sequence)], sequence)
				}
				if slices.ContainsFunc(known.sequences, begins) {
					return // what is under way has been handed to the child but for its first action
				}
				known.sequences = append(known.sequences, slices.Clone(sequence))
				w.to.Insert(Insertion{Depth: d, Actions: sequence, Why: why, By: by})
			})
			continue
		}
		added := n.Backtrack.Minus(&known.backtrack)
		known.backtrack.Union(&added)
		for a := added.Next(0); a >= 0; a = added.Next(a + 1) {
			w.one[0] = int32(a)
			w.to.Insert(Insertion{Depth: d, Actions: w.one[:], Why: why, By: by})
		}
	}
}
