package engine

import (
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// A Watcher passes on to an Observer what happens. All methods may be called on nil, and do nothing then.
type Watcher struct {
	to     Observer
	X      *dpor.Search // of executions; nil: of states
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

// planned records what the observer has been told about a node.
type planned struct {
	backtrack actionset.Set
	sequences [][]int32 // of the wakeup tree
}

func NewWatcher(to Observer) *Watcher {
	if to == nil {
		return nil
	}
	return &Watcher{to: to, depth: -1, nodes: map[string]int{}}
}

func (w *Watcher) idle() bool { return w == nil || w.enough }

func (w *Watcher) Step(action int) {
	if !w.idle() {
		w.steps++
		w.enough = !w.to.Step(action)
	}
}

// Races tells of the races of a transition that HappensBefore has found at the present depth.
func (w *Watcher) Races(n *happens.Transition, races []happens.Race) {
	if w.idle() {
		return
	}
	for i := range races {
		kind := OrdinaryRace
		if races[i].Hidden {
			kind = HiddenRace
		}
		w.to.Race(Race{With: races[i].At, Depth: w.X.Depth, Action: n.Action, Kind: kind})
	}
}

func (w *Watcher) Removed(at int, n *happens.Transition) {
	if !w.idle() {
		w.to.Race(Race{With: at, Depth: w.X.Depth, Action: n.Action, Kind: RemovedRace})
	}
}

func (w *Watcher) Sequence(depth int, actions []int32) {
	if !w.idle() {
		w.to.Sequence(depth, actions)
	}
}

// Entered tells that the present node of a search was entered.
func (w *Watcher) Entered() {
	if w.idle() {
		return
	}
	n := &w.X.Stack[w.X.Depth].Node
	asleep := w.sleepers(n)
	w.Enter(w.X.Depth, asleep, actionset.Members[int](&n.Excluded, nil))
	w.Inserted(dpor.Continues, w.X.Depth)
}

func (w *Watcher) Enter(depth int, asleep Sleepers, barred []int) {
	if w.idle() {
		return
	}
	w.depth = depth
	w.known = append(w.known[:depth], planned{})
	w.to.Enter(asleep, barred)
}

func (w *Watcher) sleepers(n *dpor.Node) Sleepers {
	w.list, w.more = actionset.Members(&n.Sleep, w.list[:0]), actionset.Members(&n.StateSleep, w.more[:0])
	return Sleepers{w.list, w.more}
}

func (w *Watcher) Asleep(n *dpor.Node) {
	if !w.idle() {
		w.to.Skip(SkippedAsleep, w.sleepers(n))
	}
}

func (w *Watcher) Hopeless() { w.End(EndsHopeless) }

func (w *Watcher) Seen() {
	if !w.idle() {
		w.to.Skip(SkippedSeen, Sleepers{})
	}
}

func (w *Watcher) End(why LeafKind) {
	if !w.idle() {
		w.to.End(why)
	}
}

// Explores takes note of the state of the node that has just been entered: it is going to be explored from there.
func (w *Watcher) Explores(s step.State) {
	if !w.idle() {
		w.nodes[string(s.Bytes())] = w.steps
	}
}

// Visited tells that nothing is taken from the node that has just been entered, because of its state.
func (w *Watcher) Visited(s step.State) {
	if !w.idle() {
		w.to.Known(w.nodes[string(s.Bytes())])
		w.to.End(EndsVisited)
	}
}

// Terminal tells that nothing is enabled in a state.
func (w *Watcher) Terminal(m *step.Machine, s step.State) {
	if !w.idle() {
		w.to.End(map[step.Ending]LeafKind{step.Ended: EndsNormally, step.Deadlocked: EndsDeadlock,
			step.Failed: EndsFailed, step.Cut: EndsDropped}[m.EndingOf(s)])
	}
}

func (w *Watcher) Left(done bool) {
	if !w.idle() {
		w.to.Leave(done)
		w.depth--
	}
}

// leaveAll tells that the search has ended where it was.
func (w *Watcher) leaveAll() {
	for !w.idle() && w.depth >= 0 {
		w.Left(false)
	}
}

// Inserted tells what has been added, since it was called last, to what is going to be tried from the nodes on the
// stack. by is the depth of the node whose step was the reason.
func (w *Watcher) Inserted(why Reason, by int) {
	if !w.idle() {
		w.compare(why, by)
	}
}

func (w *Watcher) compare(why Reason, by int) {
	for d := range w.depth + 1 {
		n, known := &w.X.Stack[d].Node, &w.known[d]
		if w.X.Planner != nil {
			w.X.Planner.Sequences(n, func(sequence []int32) {
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
