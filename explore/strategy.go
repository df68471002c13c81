package explore

import "cdpor/explore/internal/happens"

// A strategy is an algorithm: it decides which actions are tried from a node.
type strategy interface {
	// enter is called when the search arrives at a node, after its enabled set is known. At the end of an execution
	// that set is empty.
	enter(x *Search, n *Node)
	// pick returns the action to take next from the node, or -1 when there is no more to do. A node from which nothing
	// is ever taken although something is enabled counts as blocked.
	pick(x *Search, n *Node) int
	// afterStep is called when the step of lv.event has been run from lv, before the search goes on to child: it looks
	// at the races and says what is asleep in the child. The event is not on the stack yet. It returns false if the
	// child need not be visited.
	afterStep(x *Search, lv, child *Level, races []happens.Race) bool
	// afterSubtree is called when everything after an action from the node has been explored, or will be by whoever
	// took the action.
	afterSubtree(x *Search, n *Node, a int)
}

// A planner is a strategy that plans sequences of actions and not single ones, as wakeup trees do (POPL'14, section 6).
// Of all others the search knows the backtrack sets and sleep sets of the nodes.
type planner interface {
	// countPlanned is how many sequences are planned from a node that begin with another action than the present one,
	// which is -1 if none is under way.
	countPlanned(n *Node, present int) int
	// sequences calls f for all sequences that are planned from a node. What f is given is valid until it returns.
	sequences(n *Node, f func(sequence []int32))
	// remember keeps the races of the event at the present node, which has been executed to go to where a search was.
	remember(x *Search, races []happens.Race)
	// validatePlans checks what must hold of the sequences planned from a node.
	validatePlans(n *Node) error
	savePlans(n *Node) []int32
	// restorePlans reads what savePlans has written. All actions in it exist.
	restorePlans(n *Node, saved []int32) error
	// underWay reports whether an action can be the one under way from a restored node.
	underWay(n *Node, action int) bool
}

// An Algorithm is an entry of the registry.
type Algorithm struct {
	Name      string
	Title     string // one line
	Help      string // what it does
	When      string // when to use it, and when not: at most two lines of at most 100 characters
	Paper     string
	Preserves string
	// Constraints tells that the algorithm uses independence constraints when it is given some.
	Constraints bool
	// Sequences tells that executions are cut by sleep sequences: there may be fewer of them than Mazurkiewicz traces.
	Sequences bool
	// Traces tells that without constraints the executions are the Mazurkiewicz traces, one each.
	Traces bool
	// Visits tells that the algorithm can also stop at visited states (Options.Visited). Executions are no longer
	// classes of anything then.
	Visits bool
	// Chooses tells that the algorithm decides on its way how to go on.
	Chooses bool
	// Alone tells that the algorithm explores on one machine only.
	Alone bool
	// Stateful tells that states and not executions are explored: Executions counts distinct terminal states.
	Stateful bool

	Races bool                    `json:"-"` // the strategy wants happens-before and races
	New   func(Settings) strategy `json:"-"`
}

// AlgorithmsHere are the algorithms of this package, the simplest first.
func AlgorithmsHere() []*Algorithm {
	return []*Algorithm{interleavingsAlgorithm, sleepAlgorithm, persistentAlgorithm, classicAlgorithm, sourceAlgorithm,
		optimalAlgorithm, contextAlgorithm, constrainedAlgorithm}
}

const preservesTerminal = "terminal states over the observed variables, deadlocks, assertion failures, run-time errors"

// Settings are what can be set of an algorithm.
type Settings struct {
	// The optimisations of CAV'17, section 5.3.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	Workers      int  // how many searches share the work; 0: 1
}
