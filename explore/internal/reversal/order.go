package reversal

import (
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
	"slices"
)

// An Order is the happens-before relation among the events of a short sequence that was run from some node.
type Order struct {
	moves  []happens.Transition
	index  []int32 // of each event among those of its process, counted from 1
	bufs   []step.Footprint
	states []step.State // before each event
	procs  int
	past   []int32    // per event a clock: the events of the sequence that happen before it
	probe  step.State // scratch
	last   []int32    // scratch: per process, how many events it has
}

// begin makes room for a sequence that is to run from a state, and for the relation.
func (o *Order) begin(x *happens.Execution, from step.State, actions []int32) {
	length := len(actions)
	if x.Guards != nil {
		x.Guards.Follows(from, actions)
	}
	if more := length + 1 - len(o.states); more > 0 {
		x.Meter.Ask(int64(more) * int64(8*(x.Machine.Words()+x.Machine.FootprintWords())+4*x.Procs))
	}
	for len(o.states) <= length {
		o.states = append(o.states, make(step.State, x.Machine.Words()))
		o.bufs = append(o.bufs, make(step.Footprint, x.Machine.FootprintWords()))
	}
	o.procs = x.Procs
	o.last = slices.Grow(o.last[:0], o.procs)[:o.procs]
	clear(o.last)
	o.past = slices.Grow(o.past[:0], length*o.procs)[:length*o.procs]
	clear(o.past)
	o.moves, o.index = o.moves[:0], o.index[:0]
	copy(o.states[0], from)
}

// take appends an action, whose event comes to stand at the end, and reports whether it could run.
func (o *Order) take(x *happens.Execution, a int) (mv *happens.Transition, possible bool) {
	x.Work(1)
	k := len(o.moves)
	before, after := o.states[k], o.states[k+1]
	if !x.Runner.CanTake(before, a) {
		return nil, false
	}
	o.moves = append(o.moves, happens.Transition{})
	mv = &o.moves[k]
	x.Describe(mv, before, a, o.bufs[k])
	copy(after, before)
	x.Runner.Take(after, a)
	x.Refine(mv, before, after, o.bufs[k])
	o.last[mv.Proc]++
	o.index = append(o.index, o.last[mv.Proc])
	return mv, true
}

// Run executes the sequence of actions from a state and computes the relation; false if it cannot run.
func (o *Order) Run(x *happens.Execution, from step.State, actions []int32) bool {
	o.begin(x, from, actions)
	for k, a := range actions {
		mv, possible := o.take(x, int(a))
		if !possible {
			return false
		}
		for j := k - 1; j >= 0; j-- {
			x.Work(1)
			if o.Has(k, j) {
				continue
			}
			switch v, c := x.Judge(&o.moves[j], mv); {
			case o.moves[j].Proc == mv.Proc || v == happens.Dependent || mv.Joins(&o.moves[j], 1):
				o.add(k, j)
			case v == happens.Depends:
				if s := o.between(x, j, k); s == nil || !x.Holds(c, s) {
					o.add(k, j)
				}
			}
		}
	}
	return true
}

// between is the state in which events j and k of the sequence would stand next to each other: before j, then the
// events after j that happen before k.
func (o *Order) between(x *happens.Execution, j, k int) step.State {
	s := o.states[j]
	for i := j + 1; i < k; i++ {
		x.Work(1)
		if !o.Has(k, i) {
			continue
		}
		if &s[0] == &o.states[j][0] {
			o.probe = append(o.probe[:0], s...)
			s = o.probe
		}
		if !x.Runner.CanTake(s, o.moves[i].Action) {
			return nil
		}
		x.Runner.Take(s, o.moves[i].Action)
	}
	return s
}

func (o *Order) row(k int) []int32 { return o.past[k*o.procs : (k+1)*o.procs] }
func (o *Order) Has(k, j int) bool { return o.row(k)[o.moves[j].Proc] >= o.index[j] }
func (o *Order) add(k, j int) {
	row, p := o.row(k), o.moves[j].Proc
	happens.Join(row, o.row(j))
	row[p] = max(row[p], o.index[j])
}

// First reports whether no event of the sequence happens before event k.
func (o *Order) First(k int) bool {
	for _, w := range o.row(k) {
		if w != 0 {
			return false
		}
	}
	return true
}

// unaffected reports whether a sequence of actions can run from a state, and none of its events happens after the
// first one. While none does, it is enough to compare them with that one, unless the state has a say.
func (o *Order) unaffected(x *happens.Execution, from step.State, actions []int32) bool {
	o.begin(x, from, actions)
	for k, a := range actions {
		mv, possible := o.take(x, int(a))
		if !possible {
			return false
		}
		if k == 0 {
			continue
		}
		if mv.Joins(&o.moves[0], 1) {
			return false
		}
		switch v, _ := x.Judge(&o.moves[0], mv); v {
		case happens.Dependent:
			return false
		case happens.Depends:
			if !o.Run(x, from, actions) {
				return false
			}
			for k := 1; k < len(actions); k++ {
				if o.Has(k, 0) {
					return false
				}
			}
			return true
		}
	}
	return true
}
