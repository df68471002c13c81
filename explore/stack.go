package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/happens"
	"math/bits"
)

// A level is what the search keeps per depth. Levels are allocated once and used again.
type level struct {
	happens.Level // its event and what that begins with
	node          node

	ran         bool // an action has been taken from the node
	preemptions int  // of the events below, counted only under a preemption bound

	begun   int64 // Result.Nodes when the node was entered, for internal/estimate
	sibling int64 // nodes of the child of the node that was finished last
}

// A node is what the search remembers of the prefix that ends at its level. The records are what only some strategies
// have, and the engine leaves them to these.
type node struct {
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

	tried int // children that have been visited and are done

	sequenceRecord // contextual.go
	planRecord     // plans.go
	ledgerRecord   // ledger.go
	sharedRecord   // sharing.go
}

// asleep are the actions not to be taken from the node.
func (n *node) asleep() (s actionset.Set) {
	for w := range s {
		s[w] = n.sleep[w] | n.stateSleep[w]
	}
	return
}

// free are the enabled actions that are not asleep.
func (n *node) free() (s actionset.Set) {
	for w := range s {
		s[w] = n.enabled[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w])
	}
	return
}

// undecided is the first action that may be taken, or -1 if there is none or one of them is to be tried.
func (n *node) undecided() int {
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
func (n *node) todo() int {
	for w := range n.enabled {
		if rest := n.enabled[w] & n.backtrack[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w]); rest != 0 {
			return w<<6 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

// incomplete reports whether some enabled action is not in the backtrack set.
func (n *node) incomplete() bool {
	rest := n.enabled.Minus(&n.backtrack)
	return !rest.Empty()
}

// may reports whether an action is enabled and not asleep.
func (n *node) may(a int) bool {
	w := a >> 6
	return (n.enabled[w]&^(n.sleep[w]|n.stateSleep[w]|n.excluded[w]))>>(a&63)&1 != 0
}

// level returns the level of a depth, making it if the search was never that deep.
func (x *search) level(depth int) *level {
	for len(x.levels) <= depth {
		count := 1
		if len(x.levels) >= manyLevels {
			count = max(1, min(manyLevels, manyWords/max(1, x.m.Words())))
		}
		levels := make([]level, count)
		x.Execution.Extend(count, func(i int) *happens.Level {
			x.levels = append(x.levels, &levels[i])
			return &levels[i].Level
		})
	}
	return x.levels[depth]
}

// manyLevels is how many levels are made together when there are as many already, unless their states have more than
// manyWords.
const (
	manyLevels = 128
	manyWords  = 1 << 16
)

// setLevels makes the lowest levels others.
func (x *search) setLevels(levels []*level) {
	x.level(len(levels) - 1)
	for d, lv := range levels {
		x.levels[d], x.Execution.Levels[d] = lv, &lv.Level
	}
}

// estimate brings Result.Share up to date, unless the stack is long and that is more work than has been done since.
func (x *search) estimate() {
	const long = 1 << 13
	if now := x.results.Nodes; x.Depth < long || now-x.guessed >= int64(x.Depth) {
		x.results.Share, x.guessed = x.share(), now
	}
}

// share is the part of the nodes that has been visited, estimated: greater than 0, at most 1. Of several workers it is
// that of this one's.
func (x *search) share() float64 {
	x.outline = x.outline[:0]
	for d, lv := range x.levels[:x.Depth+1] {
		l := estimate.Level{Begun: lv.begun, Done: lv.node.tried, Stacks: float64(x.frontier.stacks(&lv.node))}
		if d < x.Depth {
			l.Planned = x.waiting(&lv.node, lv.Event.Action)
		}
		x.outline = append(x.outline, l)
	}
	return x.census.Share(x.results.Nodes, x.outline)
}

// schedule appends the actions on the stack to a list.
func (x *search) schedule(list []int32) []int32 {
	for _, lv := range x.Levels[:x.Depth] {
		list = append(list, int32(lv.Event.Action))
	}
	return list
}
