package dpor

import (
	"math/bits"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// A Level is one depth of the stack: the event there, and the node from which it is taken.
type Level struct {
	happens.Level
	Node Node
}

// A Node is the end of a prefix of the execution on the stack. The records belong to strategies, those with backtrack
// sets or a single one; the engine does not touch them.
type Node struct {
	Enabled   actionset.Set // what is possible
	Blockable actionset.Set // processes, not actions: those that events of others may enable or disable, or start
	// What is enabled and not to be taken: forbidden by the preemption bound, or taken at an earlier visit of the
	// state.
	Excluded actionset.Set

	sourceRecord // source.go

	// The node is worth exploring: not every execution from here would be cut.
	EnabledLeft bool

	Looked     bool          // enabled, blockable and excluded have been found out before the visit
	Backtrack  actionset.Set // what has been tried or will be; without races, what is still to be tried
	Sleep      actionset.Set // asleep: everything that begins with them has been explored from an earlier node
	StateSleep actionset.Set // asleep because another order led to the same state (contextual.go)

	sequenceRecord // covers.go
	planRecord     // plans.go
	ledgerRecord   // ledger.go

	Frontier any // what the frontier keeps of the node
}

// asleep are the actions not to be taken from the node.
func (n *Node) asleep() (s actionset.Set) {
	for w := range s {
		s[w] = n.Sleep[w] | n.StateSleep[w]
	}
	return
}

// Free are the enabled actions that are not asleep.
func (n *Node) Free() (s actionset.Set) {
	for w := range s {
		s[w] = n.Enabled[w] &^ (n.Sleep[w] | n.StateSleep[w] | n.Excluded[w])
	}
	return
}

// undecided is the first action that may be taken from a node for which nothing is chosen: no action that may be taken
// is in its backtrack set. It is -1 if one is, or if no action may be taken.
func (n *Node) undecided() int {
	first := -1
	for w := range n.Enabled {
		if n.Enabled[w] == 0 {
			continue
		}
		free := n.Enabled[w] &^ (n.Sleep[w] | n.StateSleep[w] | n.Excluded[w])
		if free&n.Backtrack[w] != 0 {
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
	for w := range n.Enabled {
		if n.Enabled[w] == 0 {
			continue
		}
		if rest := n.Enabled[w] & n.Backtrack[w] &^ (n.Sleep[w] | n.StateSleep[w] | n.Excluded[w]); rest != 0 {
			return w<<6 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

// Incomplete reports whether some enabled action is not in the backtrack set.
func (n *Node) Incomplete() bool {
	rest := n.Enabled.Minus(&n.Backtrack)
	return !rest.Empty()
}

// May reports whether an action is enabled and not asleep.
func (n *Node) May(a int) bool {
	w := a >> 6
	return (n.Enabled[w]&^(n.Sleep[w]|n.StateSleep[w]|n.Excluded[w]))>>(a&63)&1 != 0
}
