package explore

import (
	"math/bits"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// A Level is what a search keeps per depth: the event there and the node that it begins at.
type Level struct {
	happens.Level
	node Node
}

// A Node is what the search remembers of the prefix that ends at its level. The records are what only some strategies
// have, and the engine leaves them to these.
type Node struct {
	enabled   actionset.Set // what is possible
	blockable actionset.Set // processes, not actions: those that events of others may enable or disable, or start
	// What is enabled and not to be taken: forbidden by the preemption bound, or taken at an earlier visit of the
	// state.
	excluded actionset.Set

	sourceRecord // source.go

	// The node is worth exploring: not every execution from here would be cut.
	enabledLeft bool

	looked     bool          // enabled, blockable and excluded have been found out before the visit
	backtrack  actionset.Set // what has been tried or will be
	sleep      actionset.Set // asleep: everything that begins with them has been explored from an earlier node
	stateSleep actionset.Set // asleep because another order led to the same state (contextual.go)

	sequenceRecord // contextual.go
	planRecord     // plans.go
	ledgerRecord   // ledger.go

	Frontier any // what the frontier keeps of the node
}

// asleep are the actions not to be taken from the node.
func (n *Node) asleep() (s actionset.Set) {
	for w := range s {
		s[w] = n.sleep[w] | n.stateSleep[w]
	}
	return
}

// free are the enabled actions that are not asleep.
func (n *Node) free() (s actionset.Set) {
	for w := range s {
		s[w] = n.enabled[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w])
	}
	return
}

// undecided is the first action that may be taken, or -1 if there is none or one of them is to be tried.
func (n *Node) undecided() int {
	first := -1
	for w := range n.enabled {
		free := n.enabled[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w])
		if free&n.backtrack[w] != 0 {
			return -1
		}
		if free != 0 && first < 0 {
			first = w<<6 + bits.TrailingZeros64(free)
		}
	}
	return first
}

// todo is the first enabled action that is to be tried and not asleep, -1 if there is none.
func (n *Node) todo() int {
	for w := range n.enabled {
		if rest := n.enabled[w] & n.backtrack[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w]); rest != 0 {
			return w<<6 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

// incomplete reports whether some enabled action is not in the backtrack set.
func (n *Node) incomplete() bool {
	rest := n.enabled.Minus(&n.backtrack)
	return !rest.Empty()
}

// may reports whether an action is enabled and not asleep.
func (n *Node) may(a int) bool {
	w := a >> 6
	return (n.enabled[w]&^(n.sleep[w]|n.stateSleep[w]|n.excluded[w]))>>(a&63)&1 != 0
}
