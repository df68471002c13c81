package explore

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/explore/internal/executions"
	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

// What is closed is complete: when everything below a node has been explored that is to be explored from there, and
// no state on the stack below it can be come back to, all has been found that is reachable from its state. Otherwise
// it need not be: what sleeps at the node has been explored from a node below it on the stack, perhaps no further
// than to where that comes back to the stack.

// A reach says of each state of a program what is reachable from it.
type reach struct {
	m       *step.Machine
	numbers map[string]int
	states  [][]uint64 // per state, a bit set of states
	cycles  []uint64   // states that can be come back to
	goals   [][]uint64 // per state, a bit set of what is to be found
	number  map[string]int
	names   []string // of what is to be found
	found   []uint64
	wrong   error
	checked int
}

func hasBit(set []uint64, n int) bool { return n/64 < len(set) && set[n/64]>>(n%64)&1 != 0 }

func addBit(set []uint64, n int) []uint64 {
	for n/64 >= len(set) {
		set = append(set, 0)
	}
	set[n/64] |= 1 << (n % 64)
	return set
}

func addBits(to, more []uint64) (sum []uint64, changed bool) {
	for len(to) < len(more) {
		to = append(to, 0)
	}
	for w, bits := range more {
		if bits&^to[w] != 0 {
			to[w] |= bits
			changed = true
		}
	}
	return to, changed
}

func endGoal(s step.State) string { return "the terminal state " + fmt.Sprint(s) }

func failureGoal(proc int, fault step.Fault, node *step.Node) string {
	return fmt.Sprintf("the failure of process %d at %q (%v, %p)", proc, node.Text, fault, node)
}

func (r *reach) goal(name string) int {
	n, known := r.number[name]
	if !known {
		n = len(r.names)
		r.number[name] = n
		r.names = append(r.names, name)
	}
	return n
}

// newReach visits all states of a program, of which there are not too many.
func newReach(m *step.Machine, g *oracle.Graph) *reach {
	r := &reach{m: m, numbers: map[string]int{}, number: map[string]int{}}
	run := m.NewRunner()
	var states []step.State
	var next [][]int
	number := func(s step.State) int {
		key := string(s.Bytes())
		n, known := r.numbers[key]
		if !known {
			n = len(states)
			r.numbers[key] = n
			states = append(states, slices.Clone(s))
		}
		return n
	}
	number(m.Initial())
	for k := 0; k < len(states); k++ {
		s := states[k]
		next = append(next, nil)
		for a := range m.NumActions() {
			if run.CanTake(s, a) {
				t := slices.Clone(s)
				run.Take(t, a)
				next[k] = append(next[k], number(t))
			}
		}
		own, goals := addBit(nil, k), []uint64(nil)
		if _, ends := g.Terminals[string(s.Bytes())]; ends {
			goals = addBit(goals, r.goal(endGoal(s)))
		}
		for p := range m.NumProcs() {
			if fault, node, failed := m.Failure(s, p); failed && node.Property == nil {
				goals = addBit(goals, r.goal(failureGoal(p, fault, node)))
			}
		}
		r.states, r.goals = append(r.states, own), append(r.goals, goals)
	}
	for again := true; again; {
		again = false
		for k := len(states) - 1; k >= 0; k-- {
			for _, t := range next[k] {
				var a, b bool
				r.states[k], a = addBits(r.states[k], r.states[t])
				r.goals[k], b = addBits(r.goals[k], r.goals[t])
				again = again || a || b
			}
		}
	}
	for k := range states {
		if slices.ContainsFunc(next[k], func(t int) bool { return hasBit(r.states[t], k) }) {
			r.cycles = addBit(r.cycles, k)
		}
	}
	return r
}

// find takes note of what a search has found.
func (r *reach) find(goal string) {
	if n, known := r.number[goal]; known {
		r.found = addBit(r.found, n)
	}
}

// closed looks at a search that closes the node at a depth.
func (r *reach) closed(x *executions.Search, depth int) {
	if r.wrong != nil {
		return
	}
	for _, v := range x.Results.Violations {
		if v.Kind == FailedStep {
			r.find(failureGoal(v.Proc, v.Fault, v.Node))
		}
	}
	now := r.numbers[string(x.Stack[depth].State.Bytes())]
	for _, lv := range x.Stack[:depth] {
		if (x.Results.Cycles > 0 || x.Visits.Relies) && hasBit(r.cycles, r.numbers[string(lv.State.Bytes())]) {
			return
		}
	}
	r.checked++
	var missed []string
	for n, name := range r.names {
		if hasBit(r.goals[now], n) && !hasBit(r.found, n) {
			missed = append(missed, name)
		}
	}
	if len(missed) > 0 {
		r.wrong = fmt.Errorf("the node at depth %d of %v is closed before this has been found: %s",
			depth, x.Schedule(nil), strings.Join(missed, ", "))
	}
}
