package explore

import (
	"slices"

	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// Liveness by definition: the graph as maps, reachability by a depth-first search from each state, and a fair execution
// without an end as a set of states that it visits again and again, found by trying all sets.

// A liveArrow is a step from a state to another one.
type liveArrow struct {
	Proc, To int
}

// A liveGraph is the reachable part of the state graph; what has failed or was dropped does not go on.
type liveGraph struct {
	States []step.State
	Arrows [][]liveArrow
	Ended  []bool // nothing is enabled
	Void   []bool // something failed or was dropped
	procs  int
}

// searchLive makes the graph; limit bounds its states.
func searchLive(m *step.Machine, limit int) (*liveGraph, error) {
	g := &liveGraph{procs: m.NumProcs()}
	r := m.NewRunner()
	number := map[string]int{}
	add := func(s step.State) int {
		if n, ok := number[string(s.Bytes())]; ok {
			return n
		}
		number[string(s.Bytes())] = len(g.States)
		g.States = append(g.States, s)
		return len(g.States) - 1
	}
	add(m.Initial())
	for n := 0; n < len(g.States); n++ {
		if n > limit {
			return nil, oracle.ErrLimit
		}
		s := g.States[n]
		void := false
		for p := range m.NumProcs() {
			void = void || m.Failed(s, p) || m.Dropped(s, p)
		}
		var list []liveArrow
		for a := range m.NumActions() {
			if void || !r.CanTake(s, a) {
				continue
			}
			next := slices.Clone(s)
			r.Take(next, a)
			list = append(list, liveArrow{m.ProcOf(a), add(next)})
		}
		g.Arrows = append(g.Arrows, list)
		g.Void = append(g.Void, void)
		g.Ended = append(g.Ended, !void && len(list) == 0)
	}
	return g, nil
}

// from are the states that can be reached from one in which inside holds, through such states, itself among them.
func (g *liveGraph) from(s int, inside func(int) bool) []bool {
	seen := make([]bool, len(g.States))
	var visit func(int)
	visit = func(s int) {
		if seen[s] || !inside(s) {
			return
		}
		seen[s] = true
		for _, a := range g.Arrows[s] {
			visit(a.To)
		}
	}
	visit(s)
	return seen
}

func everywhere(int) bool { return true }

// CanEnd reports whether some state in which execution is over can be reached from a state.
func (g *liveGraph) CanEnd(s int) bool {
	for n, reached := range g.from(s, everywhere) {
		if reached && (g.Ended[n] || g.Void[n]) {
			return true
		}
	}
	return false
}

// Lost counts the states from which none can be reached.
func (g *liveGraph) Lost() (n int) {
	for s := range g.States {
		if !g.CanEnd(s) {
			n++
		}
	}
	return n
}

// GoesOn reports whether some execution from a state stays among the states in which inside holds for ever, fairly:
// weakly if weak is set, and strongly if strong is set. It fails if more than most states would have to be combined.
func (g *liveGraph) GoesOn(start int, inside func(int) bool, weak, strong bool, most int) (bool, error) {
	return g.goesThrough(start, inside, everywhere, weak, strong, most)
}

// goesThrough is GoesOn of executions that come again and again to states in which through holds.
func (g *liveGraph) goesThrough(
	start int, inside, through func(int) bool, weak, strong bool, most int,
) (bool, error) {
	reached := g.from(start, inside)
	for first := range reached {
		if !reached[first] {
			continue
		}
		var together []int // those that first can reach and that can reach first
		for s, there := range g.from(first, inside) {
			if there && g.from(s, inside)[first] {
				together = append(together, s)
			}
		}
		if len(together) > most {
			return false, oracle.ErrLimit
		}
		for set := 1; set < 1<<len(together); set++ {
			again, comes := make([]bool, len(g.States)), false
			for i, s := range together {
				if set>>i&1 != 0 {
					again[s], comes = true, comes || through(s)
				}
			}
			if comes && g.fair(again, weak, strong) {
				return true, nil
			}
		}
		for _, s := range together {
			reached[s] = false
		}
	}
	return false, nil
}

// fair reports whether an execution can visit exactly these states again and again, fairly. If so, one can that takes
// all steps between them.
func (g *liveGraph) fair(set []bool, weak, strong bool) bool {
	steps := 0
	for p := range g.procs {
		always, sometimes, runs := true, false, false
		for s, in := range set {
			if !in {
				continue
			}
			enabled := false
			for _, a := range g.Arrows[s] {
				if a.Proc == p {
					enabled = true
					runs = runs || set[a.To]
					if set[a.To] {
						steps++
					}
				}
			}
			always, sometimes = always && enabled, sometimes || enabled
		}
		if weak && always && !runs || strong && sometimes && !runs {
			return false
		}
	}
	for s, in := range set {
		if in && !slices.Equal(g.from(s, func(n int) bool { return set[n] }), set) {
			return false
		}
	}
	return steps > 0
}

// Never reports whether, from a state on, some execution is only in states in which inside holds: one that ends in a
// state in which nothing is enabled, or a fair one without an end.
func (g *liveGraph) Never(start int, inside func(int) bool, weak, strong bool, most int) (bool, error) {
	for s, reached := range g.from(start, inside) {
		if reached && g.Ended[s] {
			return true, nil
		}
	}
	return g.GoesOn(start, inside, weak, strong, most)
}

// Recurs reports whether some execution ends in a state in which bad holds, or is fair, has no end, and comes to such
// states again and again.
func (g *liveGraph) Recurs(bad func(int) bool, weak, strong bool, most int) (bool, error) {
	for s, ended := range g.Ended {
		if ended && bad(s) {
			return true, nil
		}
	}
	return g.goesThrough(0, everywhere, bad, weak, strong, most)
}
