// Package oracle is the referee of the exploration algorithms: a plain search of the whole state graph. It is written
// against the machine alone and shares no code with the searches it judges; it is meant for small programs and trades
// speed for being plain to see through.
package oracle

import (
	"errors"
	"slices"

	"cdpor/lang/step"
)

// ErrLimit is returned when a program has more states than allowed.
var ErrLimit = errors.New("oracle: the program is larger than the given limit")

// A Graph is the reachable part of the state graph.
type Graph struct {
	States    int                   // distinct reachable states
	Terminals map[string]step.State // states in which nothing is enabled, by State.Bytes, dropped ones left out
	Dropped   int                   // terminal states in which an assumption failed and nothing else did
	Cyclic    bool                  // some execution comes back to a state
	Failures  map[Failure]bool      // of all reachable states, in executions that end and in others
	Covered   step.Coverage         // what executions go through, if the machine notes it
	Broken    map[Breach]bool       // who can be the first to break what must always hold, or a transition
}

// A Failure is a process that fails at a node of its thread.
type Failure struct {
	Proc  int
	Fault step.Fault
	Node  *step.Node // of the thread's own code, not a check of an always or transition
}

// A Breach is a process that breaks a property when nobody else has done so before.
type Breach struct {
	Property *step.Property
	Proc     int
}

// A frame is a state on the depth-first stack.
type frame struct {
	state step.State
	key   string
	next  int  // the action to look at next
	stuck bool // no action was possible so far
}

// Search visits every reachable state; limit bounds their number.
func Search(m *step.Machine, limit int) (*Graph, error) {
	g := &Graph{Terminals: map[string]step.State{}, Failures: map[Failure]bool{}, Broken: map[Breach]bool{},
		Covered: m.NewCoverage()}
	r := m.NewRunner()
	r.Cover(g.Covered)
	onStack := map[string]bool{} // of every state seen
	var stack []*frame
	push := func(s step.State, key string) {
		onStack[key] = true
		stack = append(stack, &frame{state: s, key: key, stuck: true})
	}
	start := m.Initial()
	g.look(m, start)
	for push(start, string(start.Bytes())); len(stack) > 0; {
		f := stack[len(stack)-1]
		if a := f.next; a < m.NumActions() {
			if f.next++; !r.CanTake(f.state, a) {
				continue
			}
			f.stuck = false
			next := slices.Clone(f.state)
			r.Take(next, a)
			key := string(next.Bytes())
			if under, seen := onStack[key]; seen {
				g.Cyclic = g.Cyclic || under
				continue
			}
			if len(onStack) == limit {
				return nil, ErrLimit
			}
			g.look(m, next)
			push(next, key)
			continue
		}
		switch {
		case !f.stuck:
		case m.EndingOf(f.state) == step.Cut:
			g.Dropped++
		default:
			g.Terminals[f.key] = f.state
		}
		onStack[f.key] = false
		stack = stack[:len(stack)-1]
	}
	g.States = len(onStack)
	return g, nil
}

// look notes what has failed in a state. Where a single process has broken a property, it was the first to do so, and
// after whoever is the first there is such a state.
func (g *Graph) look(m *step.Machine, s step.State) {
	broken := map[*step.Property][]int{}
	for p := range m.NumProcs() {
		fault, node, failed := m.Failure(s, p)
		switch {
		case !failed:
		case node.Property != nil:
			broken[node.Property] = append(broken[node.Property], p)
		default:
			g.Failures[Failure{p, fault, node}] = true
		}
	}
	for property, procs := range broken {
		if len(procs) == 1 {
			g.Broken[Breach{property, procs[0]}] = true
		}
	}
}
