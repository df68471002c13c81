package executions

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// Processes that spin. A process spins if it has come back to where it stood, with the locals it had, by steps that
// changed nothing else and that may follow one another: nothing happens between them. Without these steps the execution
// is one that comes to the same states, so a search that compares no states lets the process take no more: what may
// change what it waits for is in a race with the steps by which it has looked, and is tried before them (THEORY,
// "Processes that spin").

// mostSteps is how many steps are looked at: a longer way round is gone.
const mostSteps = 256

// findSpun finds the processes that have spun, at the present node, and takes their actions out of what is enabled.
func (x *Search) findSpun(lv *level) {
	if lv.spun = (actionset.Set{}); x.Depth == 0 {
		return
	}
	below := x.levels[x.Depth-1]
	lv.spun = below.spun
	p := below.Event.Proc
	below.idle = x.m.Unchanged(below.Event.Foot, below.State, lv.State)
	if below.idle && hasSpun(x, p, lv) {
		lv.Node.Blockable.Remove(p)
		for a := x.m.FirstAction(p); a < x.m.NumActions() && x.m.ProcOf(a) == p; a++ {
			lv.spun.Add(a)
		}
	}
	lv.Node.Enabled = lv.Node.Enabled.Minus(&lv.spun)
}

// hasSpun reports whether the process of the last event has spun.
func hasSpun(x *Search, p int, lv *level) bool {
	last := &x.levels[x.Depth-1].Event
	for first := x.Depth - 1; first >= max(0, x.Depth-mostSteps); first-- {
		if e := &x.levels[first].Event; e.Proc != p {
			continue
		}
		switch {
		case !x.levels[first].idle:
			return false
		case x.m.SameOwn(x.levels[first].State, lv.State, p):
			return !betweenEvents(x, first, last)
		}
	}
	return false
}

// betweenEvents reports whether some event happens after the one at a stack position and before a later one of its
// process.
func betweenEvents(x *Search, first int, last *happens.Event) bool {
	for d := first + 1; d < x.Depth; d++ {
		e := &x.levels[d].Event
		if e.Proc != last.Proc && happens.Covers(e.Clock, &x.levels[first].Event) && happens.Covers(last.Clock, e) {
			return true
		}
	}
	return false
}
