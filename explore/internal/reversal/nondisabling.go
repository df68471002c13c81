package reversal

import (
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
	"math/bits"
	"slices"
)

// The second of the sequences that reverse the race of a step n with a guard (explore/backtrack.go): all of notdep(e)
// that leaves n enabled.

// FindNonDisablingSuffix finds out which of notdep(e), for the event e at stack position i, can be run in order without
// the events of others that would disable n once it is enabled, and without what happens after those. It reports
// whether n is enabled then.
func (b *Builder) FindNonDisablingSuffix(i int, n *happens.Transition) bool {
	b.Disabling = b.Disabling[:0]
	if b.x.Guards != nil {
		return b.guardedNonDisablingSuffix(i, n)
	}
	if b.x.LocallyPredictable(n) && !n.Begins {
		return b.predictNonDisablingSuffix(i, n)
	}
	s, now := b.virtual, b.x.Levels[b.x.Depth].State
	copy(s, b.x.Levels[i].State)
	for j := i + 1; j < b.x.Depth; j++ {
		b.x.Work(1)
		f := &b.x.Levels[j].Event
		if !b.InNonDisablingSuffix(i, f) {
			continue
		}
		if b.x.Runner.CanTake(s, f.Action) {
			copy(b.probe, s)
			b.x.Runner.Take(b.probe, f.Action)
			if f.Proc == n.Proc || !b.x.Runner.EnabledAs(s, n.Proc, now) || b.x.Runner.EnabledAs(b.probe, n.Proc, now) {
				s, b.probe = b.probe, s
				continue
			}
		}
		b.Disabling = append(b.Disabling, int32(j))
	}
	b.virtual = s
	return b.x.Machine.StepID(s, n.Proc) == b.x.Machine.StepID(now, n.Proc) && b.x.Runner.Enabled(s, n.Proc)
}

// guardedNonDisablingSuffix is FindNonDisablingSuffix where the events tell what a guard finds.
func (b *Builder) guardedNonDisablingSuffix(i int, n *happens.Transition) bool {
	b.x.Accesses.Follow(b.x)
	touching := b.x.Touching(n, 0, b.writers[:0])
	b.writers = touching
	first, _ := slices.BinarySearch(touching, int32(i))
	kept := slices.Clone(touching[:first])
	enabled := b.x.Guards.EnabledAfter(n, kept, true)
	for _, j := range touching[first:] {
		f := &b.x.Levels[j].Event
		if int(j) == i || !b.InNonDisablingSuffix(i, f) {
			continue
		}
		kept = append(kept, j)
		if after := b.x.Guards.EnabledAfter(n, kept, false); f.Proc == n.Proc || !enabled || after {
			enabled = after
			continue
		}
		kept = kept[:len(kept)-1]
		b.Disabling = append(b.Disabling, j)
	}
	return enabled && b.ReachesStep(i, n)
}

// InNonDisablingSuffix reports whether an event above stack position i is one of notdep(e) and not left out by
// FindNonDisablingSuffix.
func (b *Builder) InNonDisablingSuffix(i int, f *happens.Event) bool {
	if !b.InNotdep(i, f) {
		return false
	}
	b.x.Work(len(b.Disabling))
	for _, k := range b.Disabling {
		if happens.Covers(f.Clock, &b.x.Levels[k].Event) {
			return false
		}
	}
	return true
}

// predictNonDisablingSuffix is FindNonDisablingSuffix for a locally predictable transition (counterfactual.go): only
// events that write what n touches are looked at.
func (b *Builder) predictNonDisablingSuffix(i int, n *happens.Transition) bool {
	now := b.x.Levels[b.x.Depth].State
	// n stands where it does now, and sees what the events that have been looked at have left; s without and t with the
	// next one.
	s, t := b.virtual, b.probe
	copy(s, now)
	b.copyTouched(s, b.x.Levels[i].State, n, nil)
	enabled, same := b.x.Runner.Enabled(s, n.Proc), false
	for _, j := range b.writersAfter(i, n) {
		f := &b.x.Levels[j].Event
		if !b.InNonDisablingSuffix(i, f) {
			continue
		}
		if !same {
			copy(t, s)
			same = true
		}
		b.copyTouched(t, b.x.Levels[j+1].State, n, f)
		after := b.x.Runner.Enabled(t, n.Proc)
		if f.Proc == n.Proc || !enabled || after {
			b.copyTouched(s, b.x.Levels[j+1].State, n, f)
			enabled = after
		} else {
			b.Disabling = append(b.Disabling, j)
			b.copyTouched(t, s, n, f)
		}
	}
	if !b.ReachesStep(i, n) {
		b.SelectEvents(i, func(_ int, f *happens.Event) bool { return b.InNonDisablingSuffix(i, f) })
		actions := b.SelectedActions(n)
		return b.Runs(i, actions[:len(actions)-1]) &&
			b.x.Machine.StepID(b.probe, n.Proc) == b.x.Machine.StepID(now, n.Proc) &&
			b.x.Runner.Enabled(b.probe, n.Proc)
	}
	return enabled
}

// ReachesStep reports whether the process of n has all its events above stack position i kept, so that it comes to n.
func (b *Builder) ReachesStep(i int, n *happens.Transition) bool {
	own := b.x.Accesses.Own[n.Proc]
	k := len(own) - 1
	return k < 0 || int(own[k]) <= i || b.InNonDisablingSuffix(i, &b.x.Levels[own[k]].Event)
}

// copyTouched copies the locations that n touches from one state to another; unless f is nil only those that it writes.
func (b *Builder) copyTouched(to, from step.State, n *happens.Transition, f *happens.Event) {
	for w, rest := range n.Foot[:len(n.Foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			if location := w<<6 + bits.TrailingZeros64(rest); f == nil || f.Foot.Writes(location) {
				first, words := b.x.Machine.LocationWords(location)
				copy(to[first:first+words], from[first:])
			}
		}
	}
}

// writersAfter lists the events above stack position i that write what n touches, the first one first.
func (b *Builder) writersAfter(i int, n *happens.Transition) []int32 {
	list := b.writers[:0]
	for w, rest := range n.Foot[:len(n.Foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			writes := b.x.Accesses.Writes[w<<6+bits.TrailingZeros64(rest)]
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
