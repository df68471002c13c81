package explore

import (
	"math/bits"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/wakeup"
	"cdpor/lang/step"
)

// A level is what the search keeps per depth. Levels are allocated once and used again.
type level struct {
	state  step.State // before the event of this level
	counts []int32    // per process: how many of its events lie below this level
	event  event      // valid while the level is on the stack
	node   node

	ran         bool // an action has been taken from the node
	preemptions int  // of the events below, counted only under a preemption bound

	begun   int64 // Result.Nodes when the node was entered (estimate.go)
	sibling int64 // nodes of the child of the node that was finished last
}

// A transition is a step that a process takes or may take: an event to be.
type transition struct {
	proc    int
	action  int            // of an event: the action taken
	id      int            // step id, see step.Machine.StepID
	guarded bool           // the step may be disabled
	begins  bool           // it may be the first one of a process that another starts
	foot    step.Footprint // footprint, without writes when it counts as a read
}

// An event is an executed step on the stack.
type event struct {
	transition
	past
	serial  uint64         // no two events that this search has had on its stack have the same
	index   int32          // 1 for the first event of its process
	footBuf step.Footprint // memory for foot
}

// A node is what the search remembers of the prefix that ends at its level.
type node struct {
	enabled    actionset.Set // what is possible
	blockable  actionset.Set // processes, not actions: those that events of others may enable or disable, or start
	excluded   actionset.Set // what is enabled and not to be taken: forbidden by the preemption bound, or taken at an earlier visit of the state
	reordered  actionset.Set // processes that are disabled, all reorderings of whose steps have been inserted (reorderings.go)
	looked     bool          // enabled, blockable and excluded have been found out before the visit
	backtrack  actionset.Set // what has been tried or will be
	sleep      actionset.Set // asleep: everything that begins with them has been explored from an earlier node
	stateSleep actionset.Set // asleep because another order led to the same state (sequences.go)
	// sequences are the sleep sequences that begin here. Those found here lie in memory, the others in that
	// of an ancestor.
	sequences []sequence
	memory    []int32

	enabledLeft bool // the node is worth exploring: not every execution from here would be cut
	reached     bool // the child explored last ended in an attached state, so it is only asleep because of its state

	tried int // children that have been visited and are done

	races     []int32       // optimal: positions of the races of the event of this level
	pending   int32         // optimal: how many of them, from the first on, have to be looked at yet
	unsettled int32         // optimal: the last level up to this one of which something has to be planned, -1 if there is none
	tree      wakeup.Branch // wakeup tree: first branch (plans.go)

	// shared, if not nil, is what other workers with the node on their stacks know and change. The backtrack set, the
	// sleep set and the wakeup tree are copies then, up to date while it is held (sharing.go).
	shared       *sharedNode
	inProgress   *takenAction  // optimal: what is under way from the shared node
	sharedChild  *sharedNode   // optimal: the shared child that an action has just been taken to
	plannedBelow wakeup.Branch // optimal: what is planned in the child of the shared node that is not shared
}

// asleep are the actions not to be taken from the node.
func (n *node) asleep() (s actionset.Set) {
	for w := range s {
		s[w] = n.sleep[w] | n.stateSleep[w]
	}
	return
}

// free are the enabled actions that are not asleep.
func (n *node) free() (s actionset.Set) {
	for w := range s {
		s[w] = n.enabled[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w])
	}
	return
}

// undecided is the first action that may be taken, or -1 if there is none or one of them is to be tried.
func (n *node) undecided() int {
	first := -1
	for w := range n.enabled {
		free := n.enabled[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w])
		if free&n.backtrack[w] != 0 {
			return -1
		}
		if free != 0 && first < 0 {
			first = w<<6 + bits.TrailingZeros64(free)
		}
	}
	return first
}

// todo is the first enabled action that is to be tried and not asleep, -1 if there is none.
func (n *node) todo() int {
	for w := range n.enabled {
		if rest := n.enabled[w] & n.backtrack[w] &^ (n.sleep[w] | n.stateSleep[w] | n.excluded[w]); rest != 0 {
			return w<<6 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

// incomplete reports whether some enabled action is not in the backtrack set.
func (n *node) incomplete() bool {
	rest := n.enabled.Minus(&n.backtrack)
	return !rest.Empty()
}

// may reports whether an action is enabled and not asleep.
func (n *node) may(a int) bool {
	w := a >> 6
	return (n.enabled[w]&^(n.sleep[w]|n.stateSleep[w]|n.excluded[w]))>>(a&63)&1 != 0
}

// level returns the level of a depth, making it if the search was never that deep.
func (x *execution) level(depth int) *level {
	for len(x.levels) <= depth {
		if len(x.levels) >= manyLevels {
			x.addLevels(manyLevels)
			continue
		}
		x.levels = append(x.levels, &level{
			state:  scratch[int64](x.m.Words()),
			counts: scratch[int32](x.procs),
			event:  event{past: past{clock: scratch[int32](x.procs)}, footBuf: scratch[uint64](x.m.FootprintWords())},
		})
	}
	return x.levels[depth]
}

// manyLevels is how many levels are made together when there are as many already.
const manyLevels = 128

// addLevels makes levels whose memory lies side by side: that of a long execution has millions of them.
func (x *execution) addLevels(count int) {
	words, foot := x.m.Words(), x.m.FootprintWords()
	levels, states, feet, clocks := make([]level, count), make([]int64, count*words), make([]uint64, count*foot), make([]int32, 2*count*x.procs)
	for i := range levels {
		lv := &levels[i]
		lv.state, states = states[:words:words], states[words:]
		lv.event.footBuf, feet = feet[:foot:foot], feet[foot:]
		lv.counts, clocks = clocks[:x.procs:x.procs], clocks[x.procs:]
		lv.event.clock, clocks = clocks[:x.procs:x.procs], clocks[x.procs:]
		x.levels = append(x.levels, lv)
	}
}

// describe describes the next step of a process in a state, which it must have, as an action. buf is memory for the
// footprint.
func (x *execution) describe(mv *transition, s step.State, action int, buf step.Footprint) {
	mv.proc, mv.action = x.m.ProcOf(action), action
	mv.id = x.m.StepID(s, mv.proc)
	mv.guarded, mv.begins = x.m.Guarded(mv.id), x.m.Begins(mv.id)
	mv.foot = x.run.Footprint(s, mv.proc, buf)
}

// schedule appends the actions on the stack to a list.
func (x *execution) schedule(list []int32) []int32 {
	for _, lv := range x.levels[:x.depth] {
		list = append(list, int32(lv.event.action))
	}
	return list
}

// refine makes a transition count as a read when running it from before to after left its only location unchanged.
// Constraints speak about the unrefined relation, so with constraints nothing is refined.
func (x *execution) refine(mv *transition, before, after step.State, buf step.Footprint) {
	if x.conditions == nil && x.m.Refinable(mv.id) && x.m.Unwritten(before, after, mv.proc) {
		mv.foot = mv.foot.ReadOnly(buf)
	}
}

// unrefined is the footprint of a transition with all that it may do: elsewhere it may write what it only reads here.
func (x *execution) unrefined(mv *transition) step.Footprint {
	if x.m.Refinable(mv.id) { // it touches one location, whatever the locals are
		return x.m.FootprintAt(mv.id)
	}
	return mv.foot
}

// refinedMove describes a possible action, with refinement: where necessary the step is run on scratch memory.
func (x *execution) refinedMove(s step.State, a int, buf step.Footprint) (mv transition) {
	x.describe(&mv, s, a, buf)
	if x.conditions == nil && x.m.Refinable(mv.id) {
		copy(x.probe, s)
		x.run.Take(x.probe, a)
		x.refine(&mv, s, x.probe, buf)
	}
	return
}
