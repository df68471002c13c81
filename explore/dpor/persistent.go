package dpor

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// Persistent sets, from what the processes may still do: no races are looked for. Godefroid, "Partial-Order Methods for
// the Verification of Concurrent Systems", LNCS 1032, 1996: definition in chapter 4, with the sleep sets of chapter 5.

var PersistentAlgorithm = &Algorithm{
	Name:  "persistent",
	Title: "persistent sets from the program text, with sleep sets",
	Help: "Tries from every node the processes of one persistent set: whatever the others may still do is " +
		"independent of the next step of each of them. What a process may still do is over-approximated, from the " +
		"text and the present state.",
	When: "To see what can be had without looking at races, as in model checkers that reduce before they run.\n" +
		"Not when which element of an array or list is meant is known late only: use source or optimal.",
	Paper: "Godefroid: Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996, " +
		"chapters 4 and 5",
	Preserves: PreservesTerminal,
	Traces:    true,
	New:       func(Settings) Strategy { return &persistent{} },
}

// persistent tries a persistent set of the enabled processes, but for what sleeps.
type persistent struct {
	allEnabled
	processes []candidate // the processes that have a next step
	in        []bool      // by position there: whether the set under construction has it
	todo      []int       // positions in the set whose conflicts have not been looked for
}

// A candidate is a process with its next step, enabled or not.
type candidate struct {
	happens.Transition
	actions actionset.Set // those that are enabled
}

// Enter chooses, of the persistent sets that the processes with an action to take lead to, one with the fewest actions.
func (s *persistent) Enter(x *Search, n *Node) {
	n.Backtrack = actionset.Set{}
	s.find(x, n)
	free, fewest := n.Free(), 0
	for seed := range s.processes {
		if !s.processes[seed].actions.Meets(&free) {
			continue
		}
		if set := s.closure(x, seed); n.Backtrack.Empty() || set.Len() < fewest {
			n.Backtrack, fewest = set, set.Len()
		}
	}
}

// find lists the processes that have a next step.
func (s *persistent) find(x *Search, n *Node) {
	s.processes = s.processes[:0]
	for p := range x.Procs {
		if x.StepAt(x.Depth, p) < 0 {
			continue
		}
		var now candidate
		x.Next(&now.Transition, x.Depth, p)
		now.Foot = slices.Clone(now.Foot)
		for a := x.EnabledOf(&n.Enabled, p); a >= 0; a = x.NextOf(&n.Enabled, a) {
			now.actions.Add(a)
		}
		s.processes = append(s.processes, now)
	}
}

// closure adds to a process whoever may still do something that its next step depends on, the same for these, and so
// on. It returns the actions of all that are enabled. A process that waits stays disabled until one of the set takes a
// step: who could enable it is in the set. Processes to come belong to those that start them.
func (s *persistent) closure(x *Search, seed int) (set actionset.Set) {
	s.in, s.todo = append(s.in[:0], make([]bool, len(s.processes))...), append(s.todo[:0], seed)
	s.in[seed] = true
	for len(s.todo) > 0 {
		p := &s.processes[s.todo[len(s.todo)-1]]
		s.todo = s.todo[:len(s.todo)-1]
		set.Union(&p.actions)
		for i := range s.processes {
			x.Work(1)
			if r := &s.processes[i]; !s.in[i] && x.Future(x.Depth, r.Proc).MayRace(p.ID, p.Foot) {
				s.in[i] = true
				s.todo = append(s.todo, i)
			}
		}
	}
	return set
}
