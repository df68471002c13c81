package explore

import (
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// The second of the sequences that reverse the race of a step n with a guard (backtrack.go): all of notdep(e) that
// leaves n enabled.

// findNonDisablingSuffix finds out which of notdep(e), for the event e at stack position i, can be run in order without
// the events of others that would disable n once it is enabled, and without what happens after those. It reports
// whether n is enabled then.
func (x *execution) findNonDisablingSuffix(i int, n *transition) bool {
	x.disabling = x.disabling[:0]
	if x.locallyPredictable(n) && !n.begins {
		return x.predictNonDisablingSuffix(i, n)
	}
	s, now := x.virtual, x.levels[x.depth].state
	copy(s, x.levels[i].state)
	for j := i + 1; j < x.depth; j++ {
		x.work(1)
		f := &x.levels[j].event
		if !x.inNonDisablingSuffix(i, f) {
			continue
		}
		if x.run.CanTake(s, f.action) {
			copy(x.probe, s)
			x.run.Take(x.probe, f.action)
			if f.proc == n.proc || !x.run.EnabledAs(s, n.proc, now) || x.run.EnabledAs(x.probe, n.proc, now) {
				s, x.probe = x.probe, s
				continue
			}
		}
		x.disabling = append(x.disabling, int32(j))
	}
	x.virtual = s
	return x.m.StepID(s, n.proc) == x.m.StepID(now, n.proc) && x.run.Enabled(s, n.proc)
}

// inNonDisablingSuffix reports whether an event above stack position i is one of notdep(e) and not left out by
// findNonDisablingSuffix.
func (x *execution) inNonDisablingSuffix(i int, f *event) bool {
	if !x.inNotdep(i, f) {
		return false
	}
	x.work(len(x.disabling))
	for _, k := range x.disabling {
		if covers(f.clock, &x.levels[k].event) {
			return false
		}
	}
	return true
}

// predictNonDisablingSuffix is findNonDisablingSuffix for a locally predictable transition (counterfactual.go): only
// events that write what n touches are looked at.
func (x *execution) predictNonDisablingSuffix(i int, n *transition) bool {
	now := x.levels[x.depth].state
	// n stands where it does now, and sees what the events that have been looked at have left; s without and t with the
	// next one.
	s, t := x.virtual, x.probe
	copy(s, now)
	x.copyTouched(s, x.levels[i].state, n, nil)
	enabled, same := x.run.Enabled(s, n.proc), false
	for _, j := range x.writersAfter(i, n) {
		f := &x.levels[j].event
		if !x.inNonDisablingSuffix(i, f) {
			continue
		}
		if !same {
			copy(t, s)
			same = true
		}
		x.copyTouched(t, x.levels[j+1].state, n, f)
		after := x.run.Enabled(t, n.proc)
		if f.proc == n.proc || !enabled || after {
			x.copyTouched(s, x.levels[j+1].state, n, f)
			enabled = after
		} else {
			x.disabling = append(x.disabling, j)
			x.copyTouched(t, s, n, f)
		}
	}
	if !x.reachesStep(i, n) {
		x.selectEvents(i, func(_ int, f *event) bool { return x.inNonDisablingSuffix(i, f) })
		actions := x.selectedActions(n)
		return x.runs(x.levels[i].state, actions[:len(actions)-1]) &&
			x.m.StepID(x.probe, n.proc) == x.m.StepID(now, n.proc) && x.run.Enabled(x.probe, n.proc)
	}
	return enabled
}

// reachesStep reports whether the process of n has all its events above stack position i kept, so that it comes to n.
func (x *execution) reachesStep(i int, n *transition) bool {
	own := x.accesses.own[n.proc]
	k := len(own) - 1
	return k < 0 || int(own[k]) <= i || x.inNonDisablingSuffix(i, &x.levels[own[k]].event)
}

// copyTouched copies the locations that n touches from one state to another; unless f is nil only those that it writes.
func (x *execution) copyTouched(to, from step.State, n *transition, f *event) {
	for w, rest := range n.foot[:len(n.foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			if location := w<<6 + bits.TrailingZeros64(rest); f == nil || f.foot.Writes(location) {
				first, words := x.m.LocationWords(location)
				copy(to[first:first+words], from[first:])
			}
		}
	}
}

// writersAfter lists the events above stack position i that write what n touches, the first one first.
func (x *execution) writersAfter(i int, n *transition) []int32 {
	list := x.writers[:0]
	for w, rest := range n.foot[:len(n.foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			writes := x.accesses.writes[w<<6+bits.TrailingZeros64(rest)]
			for k := len(writes) - 1; k >= 0 && int(writes[k]) > i; k-- {
				x.work(1)
				list = append(list, writes[k])
			}
		}
	}
	slices.Sort(list)
	x.writers = slices.Compact(list)
	return x.writers
}
