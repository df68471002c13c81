package dpor

import "cdpor/explore/internal/happens"

// A Strategy is an algorithm: it decides which actions are tried from a node.
type Strategy interface {
	// Enter is called when the search arrives at a node, after its enabled set is known. At the end of an execution
	// that set is empty.
	Enter(x *Search, n *Node)
	// Pick returns the action to take next from the node, or -1 when there is no more to do; Frontier.Take asks for it.
	// A node from which nothing is ever taken although something is enabled counts as blocked.
	Pick(x *Search, n *Node) int
	// AfterStep is called when the step of lv.event has been run from lv, before the search goes on to child: it looks
	// at the races and says what is asleep in the child. The event is not on the stack yet. It returns false if the
	// child need not be visited.
	AfterStep(x *Search, lv, child *Level, races []happens.Race) bool
	// AfterSubtree is called when everything after an action from the node has been explored, or will be by whoever
	// took the action.
	AfterSubtree(x *Search, n *Node, a int)
}

// A Planner is a strategy that plans sequences of actions and not single ones, as wakeup trees do (POPL'14, section 6).
// Of all others the search knows the backtrack sets and sleep sets of the nodes.
type Planner interface {
	// CountPlanned is how many sequences are planned from a node that begin with another action than the present one,
	// which is -1 if none is under way.
	CountPlanned(n *Node, present int) int
	// Sequences calls f for all sequences that are planned from a node. What f is given is valid until it returns.
	Sequences(n *Node, f func(sequence []int32))
	// Remember keeps the races of the event at the present node, which has been executed to go to where a search was.
	Remember(x *Search, races []happens.Race)
	// ValidatePlans checks what must hold of the sequences planned from a node.
	ValidatePlans(n *Node) error
	SavePlans(n *Node) []int32
	// RestorePlans reads what SavePlans has written. All actions in it exist.
	RestorePlans(n *Node, saved []int32) error
	// UnderWay reports whether an action can be the one under way from a restored node.
	UnderWay(n *Node, action int) bool
}
