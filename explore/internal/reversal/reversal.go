package reversal

import (
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
	"math/bits"
)

// A Reversal is v = notdep(e,E).n, which reverses the race of the event e with the event n (POPL'14, section 4), under
// a relation that does not depend on the state. It is as long as what comes after e and there is one for each race, so
// it is not written out unless it is planned: the order among its events is that of their clocks, and what has been
// taken of it is the beginning of what each process does in it.
type Reversal struct {
	E, N  int            // stack positions
	Taken []int32        // clock: what lies below e and what has been taken
	clock []int32        // memory for that
	Path  []int32        // actions taken, those that are not in v but independent of it included
	now   step.State     // what they lead to from before e
	foot  step.Footprint // scratch
	ran   int            // how many of them now has seen
	// strayed tells that some of them are not in v.
	strayed bool
	// through is how many processes, from the first on, are known to have nothing left in v.
	through int
	// certain tells that what weak has said last is so for every execution that is the same as the present one up to n.
	Certain bool
}

func (v *Reversal) Begin(x *happens.Execution, e, n int) {
	x.Accesses.Follow(x)
	v.E, v.N, v.ran, v.strayed, v.through = e, n, 0, false, 0
	v.Taken, v.Path = x.Levels[e].Counts, v.Path[:0]
}

// next is the position of the next event of a process in what is left of v, -1 if it has none.
func (v *Reversal) next(x *happens.Execution, proc int) int {
	if own, k := x.Accesses.Own[proc], int(v.Taken[proc]); k < len(own) && v.has(x, int(own[k])) {
		return int(own[k])
	}
	return -1
}

// has reports whether the event at a position above e is in what is left of v.
func (v *Reversal) has(x *happens.Execution, j int) bool {
	f := &x.Levels[j].Event
	return !happens.Covers(v.Taken, f) && (j == v.N || !happens.Covers(f.Clock, &x.Levels[v.E].Event))
}

// Weak tells whether an action is a weak initial of what is left of v, and at which position its event is if it is in
// v, else -1.
func (v *Reversal) Weak(x *happens.Execution, a int) (at int, yes bool) {
	at = v.next(x, x.Machine.ProcOf(a))
	if v.Certain = at >= 0 && at <= v.N; at < 0 {
		return at, v.indifferent(x, a)
	}
	return at, x.Levels[at].Event.Action == a && v.first(x, at)
}

// first reports whether nothing that is left of v happens before the next event of a process, which is at a position.
func (v *Reversal) first(x *happens.Execution, at int) bool {
	lv := x.Levels[at]
	if IsInitial(v.E, &lv.Event) {
		return true
	}
	if at == v.N || lv.Event.Guarded || lv.Event.Begins {
		return v.nothingBefore(x, &lv.Event)
	}
	x.Work(len(lv.Races))
	for _, j := range lv.Races {
		if !happens.Covers(v.Taken, &x.Levels[j].Event) {
			return false
		}
	}
	return true
}

// nothingBefore is first, told from the clock of the event.
func (v *Reversal) nothingBefore(x *happens.Execution, f *happens.Event) bool {
	e := &x.Levels[v.E].Event
	for p, c := range f.Clock {
		if c > v.Taken[p] && p != f.Proc && p != e.Proc { // what happens after e is not in v, and e is not either
			return false
		}
	}
	return true
}

// indifferent reports whether an action that is not in v has nothing to do with what is left of it.
func (v *Reversal) indifferent(x *happens.Execution, a int) bool {
	foot := v.footprint(x, a)
	if n := &x.Levels[v.N].Event; !happens.Covers(v.Taken, n) && step.Conflict(foot, n.Foot) {
		return false
	}
	half := len(foot) / 2
	for w, rest := range foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			location := w<<6 + bits.TrailingZeros64(rest)
			positions := x.Accesses.Against(foot, location)
			for k := len(positions) - 1; k >= 0 && int(positions[k]) > v.E; k-- {
				x.Work(1)
				if v.has(x, int(positions[k])) {
					return false
				}
			}
		}
	}
	return true
}

// footprint is that of an action that is not in v. While its process has taken nothing, that can often be told from
// where it stands before e.
func (v *Reversal) footprint(x *happens.Execution, a int) step.Footprint {
	if p, before := x.Machine.ProcOf(a), x.Levels[v.E]; !v.strayed && v.Taken[p] == before.Counts[p] {
		if id := x.Machine.StepID(before.State, p); id >= 0 {
			if known := x.Machine.Info(id); known.Fixed && !known.Refinable {
				return known.Widest
			}
		}
	}
	if v.foot == nil {
		v.foot = make(step.Footprint, x.Machine.FootprintWords())
	}
	mv := x.RefinedMove(v.State(x), a, v.foot)
	return mv.Foot
}

// State is the state before e after what has been taken.
func (v *Reversal) State(x *happens.Execution) step.State {
	before := x.Levels[v.E].State
	if len(v.Path) == 0 {
		return before
	}
	if v.ran == 0 {
		v.now = append(v.now[:0], before...)
	}
	for _, a := range v.Path[v.ran:] {
		x.Work(1)
		x.Runner.Take(v.now, int(a))
	}
	v.ran = len(v.Path)
	return v.now
}

// Follow takes an action, whose event is at a position or not in v, and reports whether anything of v is left.
func (v *Reversal) Follow(x *happens.Execution, a, at int) (more bool) {
	if len(v.Path) == 0 {
		v.clock = append(v.clock[:0], v.Taken...)
		v.Taken = v.clock
	}
	v.Path = append(v.Path, int32(a))
	if v.strayed = v.strayed || at < 0; at >= 0 {
		v.Taken[x.Levels[at].Event.Proc]++
	}
	if !happens.Covers(v.Taken, &x.Levels[v.N].Event) {
		return true
	}
	for ; v.through < len(v.Taken); v.through++ {
		if v.next(x, v.through) >= 0 {
			return true
		}
	}
	return false
}

// Rest appends the actions that are left of v to a list.
func (v *Reversal) Rest(x *happens.Execution, list []int32) []int32 {
	for j := v.E + 1; j < x.Depth; j++ {
		x.Work(1)
		if f := &x.Levels[j].Event; j != v.N && v.has(x, j) {
			list = append(list, int32(f.Action))
		}
	}
	if n := &x.Levels[v.N].Event; !happens.Covers(v.Taken, n) {
		list = append(list, int32(n.Action))
	}
	return list
}
