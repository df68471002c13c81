package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// The algorithms without race detection: whatever is enabled is tried from every node.

var InterleavingsAlgorithm = &Algorithm{
	Name:  "interleavings",
	Title: "every interleaving, no reduction",
	Help: "Explores all complete interleavings. Their number grows with the factorial of the number of steps, so it " +
		"is for tiny programs, for checking the others, and for bounds: with a preemption bound it explores exactly " +
		"the executions within.",
	When: "For tiny programs, and with --preemptions: it explores exactly the executions within the bound.\n" +
		"Not for anything else: the executions grow with the factorial of the steps.",
	Paper:      "none",
	Preserves:  "everything",
	EveryState: true,
	New:        func(Settings) Strategy { return &allEnabled{asleepToo: true} },
}

var SleepAlgorithm = &Algorithm{
	Name:  "sleep",
	Title: "sleep sets alone",
	Help: "Tries every enabled process from every node, but not one whose executions have been explored from an " +
		"earlier node. Explores one execution per Mazurkiewicz trace to its end, and all states on the way to it.",
	When: "To see what sleep sets alone give, or to visit every reachable state with fewer executions.\n" +
		"Not when time matters: it starts many executions in vain.",
	Paper: "Godefroid: Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996, " +
		"chapter 5",
	Preserves:  "terminal states, deadlocks, assertion failures, run-time errors, and every reachable state",
	Traces:     true,
	EveryState: true,
	New:        func(Settings) Strategy { return &allEnabled{} },
}

// allEnabled tries all enabled processes but those that sleep, or these, too.
type allEnabled struct{ asleepToo bool }

func (s *allEnabled) Enter(x *Search, n *Node) { n.Backtrack = n.Enabled }

func (s *allEnabled) Pick(x *Search, n *Node) int {
	free := n.Free()
	todo := n.Backtrack.And(&free)
	if todo.Empty() {
		return -1
	}
	a := x.Engine.Any(&todo)
	n.Backtrack.Remove(a)
	return a
}

func (s *allEnabled) AfterStep(x *Search, lv, child *Level, _ []happens.Race) bool {
	child.Node.Sleep, child.Node.StateSleep = actionset.Set{}, actionset.Set{}
	if !s.asleepToo {
		x.StillAsleep(&lv.Node.Sleep, &child.Node.Sleep)
	}
	return true
}

func (s *allEnabled) AfterSubtree(x *Search, n *Node, a int) {
	if !s.asleepToo {
		n.Sleep.Add(a)
	}
}
