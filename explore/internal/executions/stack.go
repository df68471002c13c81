package executions

import (
	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// A level is one depth of the stack, with the fields of the engine. Levels are allocated once and used again.
type level struct {
	dpor.Level

	ran         bool          // an action has been taken from the node
	idle        bool          // the event has changed nothing but what belongs to its process alone
	spun        actionset.Set // the actions of processes that have spun
	preemptions int           // of the events below, counted only under a preemption bound
	// slept is what was asleep and enabled when the node was entered, and slept at each later visit of its state on the
	// stack, too. Only searches that stop at visited states keep it.
	slept actionset.Set

	begun   int64 // Result.Nodes when the node was entered, for internal/estimate
	sibling int64 // nodes of the child of the node that was finished last
	tried   int   // children of the node that have been visited and are done
}

// A Search is one run of a strategy: the execution on its stack, and what is to be tried from each node of that.
type Search struct {
	engine.Limits
	dpor.Search
	prog      program.Program // its Program
	m         *step.Machine
	run       *step.Runner
	levels    []*level // beside those of the Search
	algorithm *dpor.Algorithm
	hb        bool // happens-before is computed
	watch     *engine.Watcher
	Visits    *visits // nil: it does not stop at visited states
	spins     bool    // processes that have spun take no more steps
	Met       racing  // nil: nobody wants to know (package auto)

	census  estimate.Census
	outline []estimate.Level // scratch
	guessed int64            // Result.Nodes when Share was estimated

	stretch stretch // how many states are new
	Invalid error   // what Validate found
}

// Extend makes the stack long enough for a depth.
func (x *Search) Extend(depth int) { x.level(depth) }

// level returns the level of a depth, making it if the search was never that deep.
func (x *Search) level(depth int) *level {
	for len(x.levels) <= depth {
		count := 1
		if len(x.levels) >= manyLevels {
			count = max(1, min(manyLevels, manyWords/max(1, x.m.Words())))
		}
		levels := make([]level, count)
		x.Execution.Extend(count, func(i int) *happens.Level {
			x.levels = append(x.levels, &levels[i])
			x.Stack = append(x.Stack, &levels[i].Level)
			return &levels[i].Level.Level
		})
	}
	return x.levels[depth]
}

// manyLevels is how many levels are made together when there are as many already, unless their states have more than
// manyWords.
const (
	manyLevels = 128
	manyWords  = 1 << 16
)

// estimate brings Result.Share up to date, unless the stack is long and that is more work than has been done since.
func (x *Search) estimate() {
	const long = 1 << 13
	if now := x.Results.Nodes; x.Depth < long || now-x.guessed >= int64(x.Depth) {
		x.Results.Share, x.guessed = x.Share(), now
	}
}

// Share is the part of the nodes that has been visited, estimated: greater than 0, at most 1. Of several workers it is
// that of this one's.
func (x *Search) Share() float64 {
	x.outline = x.outline[:0]
	for d, lv := range x.levels[:x.Depth+1] {
		l := estimate.Level{Begun: lv.begun, Done: lv.tried, Stacks: float64(x.Frontier.Stacks(&lv.Node))}
		if d < x.Depth {
			l.Planned = x.Waiting(&lv.Node, lv.Event.Action)
		}
		x.outline = append(x.outline, l)
	}
	return x.census.Share(x.Results.Nodes, x.outline)
}

// schedule appends the actions on the stack to a list.
func (x *Search) Schedule(list []int32) []int32 {
	for _, lv := range x.Levels[:x.Depth] {
		list = append(list, int32(lv.Event.Action))
	}
	return list
}
