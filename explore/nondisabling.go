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
func (b *builder) findNonDisablingSuffix(i int, n *transition) bool {
	b.disabling = b.disabling[:0]
	if b.x.locallyPredictable(n) && !n.begins {
		return b.predictNonDisablingSuffix(i, n)
	}
	s, now := b.virtual, b.x.Levels[b.x.Depth].state
	copy(s, b.x.Levels[i].state)
	for j := i + 1; j < b.x.Depth; j++ {
		b.x.Work(1)
		f := &b.x.Levels[j].event
		if !b.inNonDisablingSuffix(i, f) {
			continue
		}
		if b.x.Runner.CanTake(s, f.action) {
			copy(b.probe, s)
			b.x.Runner.Take(b.probe, f.action)
			if f.proc == n.proc || !b.x.Runner.EnabledAs(s, n.proc, now) || b.x.Runner.EnabledAs(b.probe, n.proc, now) {
				s, b.probe = b.probe, s
				continue
			}
		}
		b.disabling = append(b.disabling, int32(j))
	}
	b.virtual = s
	return b.x.Machine.StepID(s, n.proc) == b.x.Machine.StepID(now, n.proc) && b.x.Runner.Enabled(s, n.proc)
}

// inNonDisablingSuffix reports whether an event above stack position i is one of notdep(e) and not left out by
// findNonDisablingSuffix.
func (b *builder) inNonDisablingSuffix(i int, f *event) bool {
	if !b.inNotdep(i, f) {
		return false
	}
	b.x.Work(len(b.disabling))
	for _, k := range b.disabling {
		if covers(f.clock, &b.x.Levels[k].event) {
			return false
		}
	}
	return true
}

// predictNonDisablingSuffix is findNonDisablingSuffix for a locally predictable transition (counterfactual.go): only
// events that write what n touches are looked at.
func (b *builder) predictNonDisablingSuffix(i int, n *transition) bool {
	now := b.x.Levels[b.x.Depth].state
	// n stands where it does now, and sees what the events that have been looked at have left; s without and t with the
	// next one.
	s, t := b.virtual, b.probe
	copy(s, now)
	b.copyTouched(s, b.x.Levels[i].state, n, nil)
	enabled, same := b.x.Runner.Enabled(s, n.proc), false
	for _, j := range b.writersAfter(i, n) {
		f := &b.x.Levels[j].event
		if !b.inNonDisablingSuffix(i, f) {
			continue
		}
		if !same {
			copy(t, s)
			same = true
		}
		b.copyTouched(t, b.x.Levels[j+1].state, n, f)
		after := b.x.Runner.Enabled(t, n.proc)
		if f.proc == n.proc || !enabled || after {
			b.copyTouched(s, b.x.Levels[j+1].state, n, f)
			enabled = after
		} else {
			b.disabling = append(b.disabling, j)
			b.copyTouched(t, s, n, f)
		}
	}
	if !b.reachesStep(i, n) {
		b.selectEvents(i, func(_ int, f *event) bool { return b.inNonDisablingSuffix(i, f) })
		actions := b.selectedActions(n)
		return b.runs(b.x.Levels[i].state, actions[:len(actions)-1]) &&
			b.x.Machine.StepID(b.probe, n.proc) == b.x.Machine.StepID(now, n.proc) && b.x.Runner.Enabled(b.probe, n.proc)
	}
	return enabled
}

// reachesStep reports whether the process of n has all its events above stack position i kept, so that it comes to n.
func (b *builder) reachesStep(i int, n *transition) bool {
	own := b.x.accesses.own[n.proc]
	k := len(own) - 1
	return k < 0 || int(own[k]) <= i || b.inNonDisablingSuffix(i, &b.x.Levels[own[k]].event)
}

// copyTouched copies the locations that n touches from one state to another; unless f is nil only those that it writes.
func (b *builder) copyTouched(to, from step.State, n *transition, f *event) {
	for w, rest := range n.foot[:len(n.foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			if location := w<<6 + bits.TrailingZeros64(rest); f == nil || f.foot.Writes(location) {
				first, words := b.x.Machine.LocationWords(location)
				copy(to[first:first+words], from[first:])
			}
		}
	}
}

// writersAfter lists the events above stack position i that write what n touches, the first one first.
func (b *builder) writersAfter(i int, n *transition) []int32 {
	list := b.writers[:0]
	for w, rest := range n.foot[:len(n.foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			writes := b.x.accesses.writes[w<<6+bits.TrailingZeros64(rest)]
			for k := len(writes) - 1; k >= 0 && int(writes[k]) > i; k-- {
				b.x.Work(1)
				list = append(list, writes[k])
			}
		}
	}
	slices.Sort(list)
	b.writers = slices.Compact(list)
	return b.writers
}
