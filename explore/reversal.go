package explore

import (
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
	"math/bits"
)

// A reversal is v = notdep(e,E).n, which reverses the race of the event e with the event n (POPL'14, section 4), under
// a relation that does not depend on the state. It is as long as what comes after e and there is one for each race, so
// it is not written out unless it is planned: the order among its events is that of their clocks, and what has been
// taken of it is the beginning of what each process does in it.
type reversal struct {
	e, n  int            // stack positions
	taken []int32        // clock: what lies below e and what has been taken
	clock []int32        // memory for that
	path  []int32        // actions taken, those that are not in v but independent of it included
	now   step.State     // what they lead to from before e
	foot  step.Footprint // scratch
	ran   int            // how many of them now has seen
	// strayed tells that some of them are not in v.
	strayed bool
	// through is how many processes, from the first on, are known to have nothing left in v.
	through int
	// certain tells that what weak has said last is so for every execution that is the same as the present one up to n.
	certain bool
}

func (v *reversal) begin(x *happens.Execution, e, n int) {
	x.Accesses.Follow(x)
	v.e, v.n, v.ran, v.strayed, v.through = e, n, 0, false, 0
	v.taken, v.path = x.Levels[e].Counts, v.path[:0]
}

// next is the position of the next event of a process in what is left of v, -1 if it has none.
func (v *reversal) next(x *happens.Execution, proc int) int {
	if own, k := x.Accesses.Own[proc], int(v.taken[proc]); k < len(own) && v.has(x, int(own[k])) {
		return int(own[k])
	}
	return -1
}

// has reports whether the event at a position above e is in what is left of v.
func (v *reversal) has(x *happens.Execution, j int) bool {
	f := &x.Levels[j].Event
	return !happens.Covers(v.taken, f) && (j == v.n || !happens.Covers(f.Clock, &x.Levels[v.e].Event))
}

// weak tells whether an action is a weak initial of what is left of v, and at which position its event is if it is in
// v, else -1.
func (v *reversal) weak(x *happens.Execution, a int) (at int, yes bool) {
	at = v.next(x, x.Machine.ProcOf(a))
	if v.certain = at >= 0 && at <= v.n; at < 0 {
		return at, v.indifferent(x, a)
	}
	return at, x.Levels[at].Event.Action == a && v.first(x, at)
}

// first reports whether nothing that is left of v happens before the next event of a process, which is at a position.
func (v *reversal) first(x *happens.Execution, at int) bool {
	lv := x.Levels[at]
	if isInitial(v.e, &lv.Event) {
		return true
	}
	if at == v.n || lv.Event.Guarded || lv.Event.Begins {
		return v.nothingBefore(x, &lv.Event)
	}
	x.Work(len(lv.Races))
	for _, j := range lv.Races {
		if !happens.Covers(v.taken, &x.Levels[j].Event) {
			return false
		}
	}
	return true
}

// nothingBefore is first, told from the clock of the event.
func (v *reversal) nothingBefore(x *happens.Execution, f *happens.Event) bool {
	e := &x.Levels[v.e].Event
	for p, c := range f.Clock {
		if c > v.taken[p] && p != f.Proc && p != e.Proc { // what happens after e is not in v, and e is not either
			return false
		}
	}
	return true
}

// indifferent reports whether an action that is not in v has nothing to do with what is left of it.
func (v *reversal) indifferent(x *happens.Execution, a int) bool {
	foot := v.footprint(x, a)
	if n := &x.Levels[v.n].Event; !happens.Covers(v.taken, n) && step.Conflict(foot, n.Foot) {
		return false
	}
	half := len(foot) / 2
	for w, rest := range foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			location := w<<6 + bits.TrailingZeros64(rest)
			positions := x.Accesses.Writes[location]
			if foot.Writes(location) {
				positions = x.Accesses.Touches[location]
			}
			for k := len(positions) - 1; k >= 0 && int(positions[k]) > v.e; k-- {
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
func (v *reversal) footprint(x *happens.Execution, a int) step.Footprint {
	if p, before := x.Machine.ProcOf(a), x.Levels[v.e]; !v.strayed && v.taken[p] == before.Counts[p] {
		if id := x.Machine.StepID(before.State, p); id >= 0 && x.Machine.Fixed(id) && !x.Machine.Refinable(id) {
			return x.Machine.FootprintAt(id)
		}
	}
	if v.foot == nil {
		v.foot = make(step.Footprint, x.Machine.FootprintWords())
	}
	mv := x.RefinedMove(v.state(x), a, v.foot)
	return mv.Foot
}

// state is the state before e after what has been taken.
func (v *reversal) state(x *happens.Execution) step.State {
	before := x.Levels[v.e].State
	if len(v.path) == 0 {
		return before
	}
	if v.ran == 0 {
		v.now = append(v.now[:0], before...)
	}
	for _, a := range v.path[v.ran:] {
		x.Work(1)
		x.Runner.Take(v.now, int(a))
	}
	v.ran = len(v.path)
	return v.now
}

// follow takes an action, whose event is at a position or not in v, and reports whether anything of v is left.
func (v *reversal) follow(x *happens.Execution, a, at int) (more bool) {
	if len(v.path) == 0 {
		v.clock = append(v.clock[:0], v.taken...)
		v.taken = v.clock
	}
	v.path = append(v.path, int32(a))
	if v.strayed = v.strayed || at < 0; at >= 0 {
		v.taken[x.Levels[at].Event.Proc]++
	}
	if !happens.Covers(v.taken, &x.Levels[v.n].Event) {
		return true
	}
	for ; v.through < len(v.taken); v.through++ {
		if v.next(x, v.through) >= 0 {
			return true
		}
	}
	return false
}

// rest appends the actions that are left of v to a list.
func (v *reversal) rest(x *happens.Execution, list []int32) []int32 {
	for j := v.e + 1; j < x.Depth; j++ {
		x.Work(1)
		if f := &x.Levels[j].Event; j != v.n && v.has(x, j) {
			list = append(list, int32(f.Action))
		}
	}
	if n := &x.Levels[v.n].Event; !happens.Covers(v.taken, n) {
		list = append(list, int32(n.Action))
	}
	return list
}
