// Package oracle is the referee of the exploration algorithms: a plain search of the whole state graph, and a counter of
// Mazurkiewicz traces. It is written against the machine alone and shares no code with the searches it judges; it is meant
// for small programs and trades speed for being plain to see through.
package oracle

import (
	"errors"
	"maps"
	"slices"

	"cdpor/lang/step"
)

// ErrLimit is returned when a program has more states or trace prefixes than allowed.
var ErrLimit = errors.New("oracle: the program is larger than the given limit")

// A Graph is the reachable part of the state graph.
type Graph struct {
	States    int                   // distinct reachable states
	Terminals map[string]step.State // states in which nothing is enabled, by State.Bytes, dropped ones left out
	Dropped   int                   // terminal states in which an assumption failed and nothing else did
}

// Search visits every reachable state; limit bounds their number.
func Search(m *step.Machine, limit int) (*Graph, error) {
	g := &Graph{Terminals: map[string]step.State{}}
	r := m.NewRunner()
	start := m.Initial()
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		stuck := true
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			stuck = false
			next := slices.Clone(s)
			r.Take(next, a)
			if key := string(next.Bytes()); !seen[key] {
				if len(seen) == limit {
					return nil, ErrLimit
				}
				seen[key] = true
				todo = append(todo, next)
			}
		}
		switch {
		case !stuck:
		case m.EndingOf(s) == step.Cut:
			g.Dropped++
		default:
			g.Terminals[string(s.Bytes())] = s
		}
	}
	g.States = len(seen)
	return g, nil
}

// Keys are the terminal states in a fixed order.
func (g *Graph) Keys() []string { return slices.Sorted(maps.Keys(g.Terminals)) }
