package reversal

import (
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/memory"
	"cdpor/lang/step"
	"math/bits"
	"slices"
)

// Sequences that reverse races are made of events of the stack, chosen from those above some position i and closed
// under happens-before there, and then a transition n. The events keep their happens-before relation, so which of them
// are initials (POPL'14) is read off the clocks.

// A Builder puts such sequences together.
type Builder struct {
	x              *happens.Execution
	Selection, seq []int32
	Disabling      []int32 // what FindNonDisablingSuffix leaves out
	writers        []int32
	probe, virtual step.State
	Order          Order
}

func NewBuilder(x *happens.Execution) Builder {
	words := x.Machine.Words()
	return Builder{x: x, probe: memory.Scratch[int64](words), virtual: memory.Scratch[int64](words)}
}

// An EventFilter says which of the events above a stack position such a sequence begins with.
type EventFilter = func(j int, e *happens.Event) bool

// SelectEvents sets b.Selection to the positions of the chosen events above stack position i.
func (b *Builder) SelectEvents(i int, chosen EventFilter) {
	b.Selection = b.Selection[:0]
	for j := i + 1; j < b.x.Depth; j++ {
		b.x.Work(1)
		if chosen(j, &b.x.Levels[j].Event) {
			b.Selection = append(b.Selection, int32(j))
		}
	}
}

// IsInitial reports whether no event above stack position i happens before an event e there. That e is in a sequence
// which begins at i the caller knows.
func IsInitial(i int, e *happens.Event) bool { return int(e.Last) <= i }

// SelectedActions are the actions of the chosen events, and then that of n.
func (b *Builder) SelectedActions(n *happens.Transition) []int32 {
	b.seq = b.seq[:0]
	for _, j := range b.Selection {
		b.seq = append(b.seq, int32(b.x.Levels[j].Event.Action))
	}
	b.seq = append(b.seq, int32(n.Action))
	return b.seq
}

// InNotdep reports whether an event above stack position i does not happen after the event e there: it is one of
// notdep(e).
func (b *Builder) InNotdep(i int, f *happens.Event) bool {
	return !happens.Covers(f.Clock, &b.x.Levels[i].Event)
}

// AnyConflict reports whether one of the chosen events above stack position i conflicts with n.
func (b *Builder) AnyConflict(i int, n *happens.Transition, chosen EventFilter) bool {
	foot := n.Unrefined()
	half := len(foot) / 2
	for w, rest := range foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			location := w<<6 + bits.TrailingZeros64(rest)
			positions := b.x.Accesses.Against(foot, location)
			k, _ := slices.BinarySearch(positions, int32(i+1))
			for _, j := range positions[k:] {
				b.x.Work(1)
				e := &b.x.Levels[j].Event
				if chosen(int(j), e) {
					return true
				}
				if b.x.Conditions == nil && e.Foot.Writes(location) { // it happens before all that follow
					break
				}
			}
		}
	}
	return false
}

// Runs executes actions from a stack position and reports whether it could; b.probe is the state then. A race is
// reversed by process: where the alternative of the last action is not possible but others are, one of them takes its
// place. The rest are tried from where that is taken.
func (b *Builder) Runs(from int, actions []int32) bool {
	copy(b.probe, b.x.Levels[from].State)
	for i, a := range actions {
		b.x.Work(1)
		if i == len(actions)-1 {
			a = int32(b.x.Runner.Instead(b.probe, int(a)))
		} else if !b.x.Runner.CanTake(b.probe, int(a)) {
			return false
		}
		if a < 0 {
			return false
		}
		b.x.Runner.Take(b.probe, int(a))
		actions[i] = a
	}
	return true
}

// Adapt replaces the alternative of the last of some actions that is not possible when they are run from a stack
// position, see Runs.
func (b *Builder) Adapt(from int, actions []int32) {
	if b.x.Machine.HasSelects() {
		b.Runs(from, actions)
	}
}

// Arrange runs actions from a stack position, and reports whether they can run. b.Order is what happens before what
// among them then.
func (b *Builder) Arrange(from int, actions []int32) bool {
	return b.Order.Run(b.x, b.x.Levels[from].State, actions)
}

// Unaffected reports whether actions can run from a stack position, and none of their events happens after the first.
func (b *Builder) Unaffected(from int, actions []int32) bool {
	return b.Order.unaffected(b.x, b.x.Levels[from].State, actions)
}
