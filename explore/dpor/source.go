package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// Source-DPOR with sleep sets: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL'14,
// algorithm 1. The comments name its lines. Steps that may be disabled are treated as THEORY, "Disabled steps" says.

var SourceAlgorithm = &Algorithm{
	Name:  "source",
	Title: "Source-DPOR with sleep sets",
	Help: "Explores one execution per Mazurkiewicz trace of the footprint dependence. Some executions may be started " +
		"in vain and end blocked by the sleep set.",
	When: "For a plain, predictable search without constraints: one execution per trace at little cost each.\n" +
		"Not when most races are between steps that commute.",
	Paper:     "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1",
	Preserves: PreservesTerminal,
	Traces:    true,
	Visits:    true,
	Races:     true,
	New:       func(Settings) Strategy { return &Source{} },
}

// Source is the algorithm. The node at depth d of the stack stands for the prefix E of d events; the engine calls
// Explore(E.p, Sleep'), line 11, for each action p that Pick returns.
//
// What is elsewhere: the engine takes an action (../internal/executions/search.go, step) and finds its races by
// HappensBefore (../internal/happens); StillAsleep compares sleepers with the event (../internal/program); ReverseRaces
// finds initials (backtrack.go), read off the clocks (../internal/reversal/selection.go, IsInitial).
type Source struct{}

// A sourceRecord is the part of a node that algorithms with backtrack sets have.
type sourceRecord struct {
	// Processes that are disabled, all reorderings of whose steps have been inserted (reorderings.go).
	Reordered actionset.Set
}

// Enter begins the backtrack set: lines 2 and 3.
func (s *Source) Enter(x *Search, n *Node) {
	x.blockedRaces()
	if a := n.undecided(); a >= 0 {
		n.Backtrack.Add(x.Engine.AnyFree(n, a))
	}
}

// Pick is line 4.
func (s *Source) Pick(_ *Search, n *Node) int { return n.todo() }

// AfterStep does the lines between 4 and 11. Line 10 may come first: lines 5 to 9 change only nodes before E.
func (s *Source) AfterStep(x *Search, lv, child *Level, races []happens.Race) bool {
	child.Node.StateSleep = actionset.Set{}
	x.StillAsleep(&lv.Node.Sleep, &child.Node.Sleep) // line 10
	s.reverse(x, lv, races)
	return true
}

// reverse is lines 5 to 9, for the races of the event of a level, and what has to be tried besides because the step
// has other alternatives or may be disabled.
func (s *Source) reverse(x *Search, lv *Level, races []happens.Race) {
	x.ReverseRaces(races, &lv.Event.Transition)
	inserted(x.Watch, Reverses, x.Depth)
	x.tryAlternatives(&lv.Node, lv.Event.Action)
	for _, a := range x.takenAway() {
		x.Add(&lv.Node, a)
	}
	if lv.Event.Guarded {
		x.ReorderGuarded(&lv.Event.Transition)
	}
}

// AfterSubtree is line 12.
func (s *Source) AfterSubtree(_ *Search, n *Node, a int) { n.Sleep.Add(a) }
