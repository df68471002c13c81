package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
)

// A Search is the state of a depth-first search on which an algorithm works: the execution on its stack, the
// happens-before relation of that, and the backtrack sets or wakeup trees of its nodes.
type Search struct {
	Program
	*happens.Execution
	*reversal.Builder
	Stack    []*Level // beside the levels of the execution
	Engine   Engine
	Visited  Visited // nil: the search does not stop at visited states
	Watch    Watcher // nil: nobody looks on
	Count    *Counts
	MaxDepth int // events of one execution

	Strategy Strategy
	Planner  Planner // the strategy; nil: it has backtrack sets
	chooses  bool    // the Program does
	Frontier Frontier

	seq                 []int32 // scratch, as the following
	initialsInBacktrack []int32
	reorderings         reorderings
	// Idle is a step that is compared with events, and not taken: that of a disabled process, or what a process would
	// do next. Each use fills it anew. IdlePast is what happens before it.
	Idle     happens.Transition
	IdlePast happens.Past

	spared  spared
	LeftOut LeftOut
}

// LeftOut leaves out what soundness needs of the compensation for sleep sequences, one thing each, so that tests can
// show that they would notice.
type LeftOut struct {
	Compensation bool // all that concerns what may follow a sleeper
	Cuts         bool // all where a node is given up
	Explored     bool // where the order begins that a swap leaves out, and what slept there
	Relation     bool // that an event before a sequence may have to do with it
}

// An Engine is the depth-first search that calls an algorithm.
type Engine interface {
	// Extend makes the stack long enough for a depth.
	Extend(depth int)
	// Enable finds out which actions are possible from a node.
	Enable(lv *Level)
	// Any chooses an action of a set where nothing else decides; AnyFree one of the free actions of a node, of which
	// one is the first.
	Any(set *actionset.Set) int
	AnyFree(n *Node, first int) int
}

// Visited is the memory of visited states (STATES, "Visited states"). Algorithms that cut executions tell it
// what they do not explore.
type Visited interface {
	// Begin begins with the node at a depth, HandUp ends with the child of the node there.
	Begin(depth int)
	HandUp(depth int)
	// Disabled tells of the steps that are disabled at the present node, Follows of a step that is asleep at a depth
	// because of its state, GivenUp of a present node that is given up.
	Disabled()
	Follows(depth int, n *happens.Transition)
	GivenUp()
	// PayForText tries whatever reverses races with what may still follow the present node.
	PayForText()
	// Complete reports whether all that is below the stack so far will have been explored by this search.
	Complete() bool
	// Endless reports whether executions may come back to a state.
	Endless() bool
}

// A Watcher is told what an algorithm does.
type Watcher interface {
	// Inserted tells that something may have been added to what is tried from the nodes on the stack; by is the depth
	// of the node whose step was the reason.
	Inserted(why Reason, by int)
	// Races tells of the races of a transition at the present depth.
	Races(n *happens.Transition, races []happens.Race)
	// Sequence tells of a sleep sequence found at a depth.
	Sequence(depth int, actions []int32)
	// Asleep tells that a child is not visited because all that is enabled there is asleep.
	Asleep(child *Node)
	// Hopeless tells that nothing more is taken from the present node, where something sleeps that nothing can wake.
	Hopeless()
}

// Counts count what a search of executions has done.
type Counts struct {
	Executions  int64 // complete ones: ended normally, deadlocked or failed
	Blocked     int64 // executions given up because everything enabled was asleep, or spun
	Spinning    int64 // of these, executions at whose end some process has spun and the others are done or wait
	Nodes       int64 // nodes of the exploration tree, root included
	MaxDepth    int   // events of the longest execution
	Virtual     int64 // children not visited because all that is enabled there is asleep
	Sequences   int64 // sleep sequences found
	Compared    int64 // states compared to find them
	Compensated int64 // backtrack sets extended to make up for cut executions
	// Wakeup tree branches that could not be planned exactly: the constraints are not uniform, there are too many
	// reorderings, or the program is really run.
	Unplanned int64
}

// Init makes a search of nothing yet, by an algorithm. It leaves Stack, Visited, Watch, Count and MaxDepth to be set.
func (x *Search) Init(p Program, e *happens.Execution, b *reversal.Builder, engine Engine, s Strategy) {
	*x = Search{Program: p, Execution: e, Builder: b, Engine: engine, Strategy: s}
	x.Planner, _ = s.(Planner)
	x.chooses = p.Chooses()
	x.Frontier = PlainFrontier{x}
	x.IdlePast.Clock = make([]int32, x.Procs)
}

// Work counts units of work.
func (x *Search) Work(units int) { x.Execution.Work(units) }

// FindRaces is HappensBefore, and tells the observer.
func (x *Search) FindRaces(n *happens.Transition, p *happens.Past) []happens.Race {
	races := x.HappensBefore(n, p)
	if x.Watch != nil {
		x.Watch.Races(n, races)
	}
	return races
}

// inserted is Watcher.Inserted, if somebody looks on.
func inserted(w Watcher, why Reason, by int) {
	if w != nil {
		w.Inserted(why, by)
	}
}

// independentOfOthers reports whether the next step of a process at the present depth is independent of every step that
// another process may still take.
func (x *Search) independentOfOthers(p int) bool {
	x.Next(&x.Idle, x.Depth, p)
	for q := range x.Procs {
		x.Work(1)
		if q != p {
			if f := x.Future(x.Depth, q); f != nil && f.MayRace(x.Idle.ID, x.Idle.Foot) {
				return false
			}
		}
	}
	return true
}

// A Reason says why something is going to be tried.
type Reason string

const (
	Begins       Reason = "to begin with" // where nothing else decides; without race detection, everything
	Continues    Reason = "planned"       // the rest of a sequence that was planned for an earlier node
	Reverses     Reason = "reverses a race"
	Places       Reason = "other place"       // where else a step that may be disabled could run
	Alternative  Reason = "other alternative" // of a step that chooses
	Compensation Reason = "compensation"      // for races that are not seen behind a sleeper
)
