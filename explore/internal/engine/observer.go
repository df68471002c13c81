package engine

import (
	"cdpor/explore/dpor"
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
