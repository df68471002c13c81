package dpor

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// Context-sensitive DPOR: Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey, "Context-Sensitive Dynamic Partial
// Order Reduction", CAV'17, algorithm 1 with the optimisations of section 5.3. The comments name its lines; lines 3 to
// 10, 15, 17 and 18 are those of source; sleep(E) of line 2 is kept in the nodes. Cuts are compensated for
// (compensation.go), without which outcomes are lost.

var ContextAlgorithm = &Algorithm{
	Name:  "context",
	Title: "Source-DPOR with sleep sequences found by comparing states",
	Help: "When a race is found, runs the reversed order as well; if it leads to the same state, that order is put " +
		"to sleep. Needs no constraints. Its optimisations can be switched: guided selection, anticipated cuts.",
	When: "When steps often lead to the same state in both orders and there is no solver.\n" +
		"Not when they seldom do: each race runs the other order once.",
	Paper: "Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey: " +
		"Context-Sensitive Dynamic Partial Order Reduction, CAV 2017",
	Preserves: PreservesTerminal,
	Sequences: true,
	Visits:    true,
	Races:     true,
	New:       func(opt Settings) Strategy { return newContextual(opt) },
}

// contextual is the algorithm.
type contextual struct {
	Source
	anticipate, guide bool               // section 5.3
	Seek              func(*Counts) bool // whether to look for sleep sequences now; nil: always
	known             commutativity

	seq, dep, order []int32 // scratch: v.u, u, and the order on the stack
	last            int     // the place of the later event of a race in seq
}

// A commutativity says what is known of two steps of different processes without running them.
type commutativity interface {
	// never reports whether they do not commute in any state in which they are found dependent.
	never(x *Search, a, b *happens.Transition) bool
	// in says whether they commute at a depth where the first of them is enabled, if that is known.
	in(x *Search, a, b *happens.Transition, depth int) (known, commute bool)
}

// unknown knows nothing: states are compared.
type unknown struct{}

func (unknown) never(*Search, *happens.Transition, *happens.Transition) bool { return false }

func (unknown) in(*Search, *happens.Transition, *happens.Transition, int) (known, commute bool) {
	return false, false
}

func newContextual(opt Settings) *contextual {
	return &contextual{anticipate: !opt.NoAnticipate, guide: !opt.NoGuide, known: unknown{}}
}

// Enter is lines 3 and 4, unless the node is given up.
func (c *contextual) Enter(x *Search, n *Node) {
	x.blockedRaces()
	x.compensate(n)
	if c.anticipate && (x.Visited == nil || !x.Visited.Endless()) {
		if since, forGood := c.AsleepForGood(x, n); forGood {
			x.giveUpNode(n, since)
			return
		}
	}
	if a := n.undecided(); a >= 0 {
		n.Backtrack.Add(c.first(x, n, a))
	}
}

// first chooses where to begin, if nothing else decides with a given action.
func (c *contextual) first(x *Search, n *Node, a int) int {
	if c.guide {
		free := n.Free()
		if a := n.shortestSequence(&free); a >= 0 {
			return a
		}
	}
	return x.Engine.AnyFree(n, a)
}

// Pick is line 5.
func (c *contextual) Pick(x *Search, n *Node) int {
	if !n.EnabledLeft {
		return -1
	}
	if c.guide && len(n.Sequences) > 0 {
		free := n.Free()
		todo := n.Backtrack.And(&free)
		if a := n.shortestSequence(&todo); a >= 0 {
			return a
		}
	}
	return n.todo()
}

// AfterStep does the lines between 5 and 17. Their order does not matter: lines 6 to 14 change only nodes
// before E.
func (c *contextual) AfterStep(x *Search, lv, child *Level, races []happens.Race) bool {
	n := &child.Node
	n.Sequences, n.memory, n.sleepers = n.Sequences[:0], n.memory[:0], n.sleepers[:0]
	x.StillAsleep(&lv.Node.Sleep, &n.Sleep) // line 15
	x.StillAsleep(&lv.Node.StateSleep, &n.StateSleep)
	for a := n.StateSleep.Next(0); a >= 0; a = n.StateSleep.Next(a + 1) {
		n.sleepers = append(n.sleepers, lv.Node.stateSleeper(a))
	}
	if x.Visited == nil || x.Visited.Complete() {
		seek := c.Seek == nil || c.Seek(x.Count)
		if seek {
			c.KeepStateSleepers(x, lv, child)
		}
		c.InheritSequences(x, lv, child)
		if seek {
			c.FindSequences(x, races, &lv.Event.Transition)
		}
	}
	n.StateSleep = n.StateSleep.Minus(&n.Sleep)
	c.reverse(x, lv, races) // lines 6 to 10
	return x.worthVisiting(child)
}

// FindSequences is lines 11 to 14, for the races of the transition n of the present level: for a race with e, if
// v.u = notdep(e).n.dep(e) leads from before e to the same state, that order need not be explored. Of notdep(e) only
// what happens before n is taken, and of dep(e) only e: whatever else is on the stack may come after both. If that does
// not lead to the same state, the longer sequence may.
func (c *contextual) FindSequences(x *Search, races []happens.Race, n *happens.Transition) {
	clock := x.Stack[x.Depth].Event.Clock
	for i := range races {
		at := races[i].At
		e := &x.Stack[at].Event
		if !races[i].Hidden && c.known.never(x, &e.Transition, n) && x.nothingAfter(at) {
			continue // behind notdep(e), too
		}
		c.reversed(x, at, func(f *happens.Event) bool { return happens.Covers(clock, f) })
		if !c.findSequence(x, at, n, true) && !x.nothingAfter(at) {
			c.reversed(x, at, func(*happens.Event) bool { return true })
			c.findSequence(x, at, n, false)
		}
	}
}

// reversed sets c.order to the event at a depth and those chosen above it, that of the present level included, and
// c.seq to the same events with the race of the two reversed. c.last is where the later one is.
func (c *contextual) reversed(x *Search, at int, chosen func(*happens.Event) bool) {
	e := &x.Stack[at].Event
	c.order, c.seq, c.dep = c.order[:0], c.seq[:0], c.dep[:0]
	for j := at; j <= x.Depth; j++ {
		x.Work(1)
		f := &x.Stack[j].Event
		switch {
		case j > at && j < x.Depth && !chosen(f):
			continue
		case j < x.Depth && happens.Covers(f.Clock, e):
			c.dep = append(c.dep, int32(f.Action))
		default:
			c.seq = append(c.seq, int32(f.Action))
		}
		c.order = append(c.order, int32(f.Action))
	}
	c.last = len(c.seq) - 1
	c.seq = append(c.seq, c.dep...)
}

// findSequence puts c.seq to sleep at a depth if it leads to the state that c.order leads to. It reports whether it
// sleeps. short tells that in both the same steps are taken; of other ones nothing is known when they are left out.
func (c *contextual) findSequence(x *Search, at int, n *happens.Transition, short bool) bool {
	e, node := &x.Stack[at].Event, &x.Stack[at].Node
	asleep := node.asleep()
	if asleep.Has(int(c.seq[0])) || slices.ContainsFunc(node.Sequences, c.begins) { // line 12
		return true
	}
	known, commute := false, false
	if len(c.seq) == 2 {
		known, commute = c.known.in(x, &e.Transition, n, at)
	}
	switch {
	case commute:
		x.CountSequence(e.ID, n.ID)
	case known || !x.LeadsTo(at, c.seq, c.last, c.order, &x.Count.Compared): // line 13
		return false
	}
	start := len(node.memory)
	node.memory = append(node.memory, c.seq...)
	found := node.memory[start:len(node.memory):len(node.memory)]
	sequence := Sequence{Actions: found}
	if short {
		sequence.cover.order = x.orderFrom(at)
	}
	node.Sequences = append(node.Sequences, sequence)
	x.Count.Sequences++
	if x.Watch != nil {
		x.Watch.Sequence(at, c.seq)
	}
	return true
}

// nothingAfter reports whether no later event happens after the event at a stack position: dep(e) is e alone.
func (x *Search) nothingAfter(at int) bool {
	e := &x.Stack[at].Event
	for j := at + 1; j < x.Depth; j++ {
		x.Work(1)
		if happens.Covers(x.Stack[j].Event.Clock, e) {
			return false
		}
	}
	return true
}

// begins reports whether c.seq begins with a sequence.
func (c *contextual) begins(s Sequence) bool {
	return len(s.Actions) <= len(c.seq) && slices.Equal(s.Actions, c.seq[:len(s.Actions)])
}

// InheritSequences is lines 15 and 16: the child of a level gets the sleep sequences that go on after the event of the
// level.
func (c *contextual) InheritSequences(x *Search, lv, child *Level) {
	a := int32(lv.Event.Action)
	n := &child.Node
	for _, seq := range lv.Node.Sequences {
		x.Work(1 + len(seq.Actions)/16) // the first of them are compared
		switch rest := seq.Actions[1:]; {
		case seq.Actions[0] == a && len(rest) == 1:
			n.sleep(int(rest[0]), x.Depth+1, seq.cover.behind(x.Depth))
		case seq.Actions[0] == a:
			n.Sequences = append(n.Sequences, Sequence{rest, seq.cover.behind(x.Depth)})
		case c.unaffected(x, lv, seq.Actions):
			n.Sequences = append(n.Sequences, seq)
		}
	}
}

// unaffected reports whether no event of the sequence would happen after the event of the level, were it run behind
// it.
func (c *contextual) unaffected(x *Search, lv *Level, seq []int32) bool {
	if slices.ContainsFunc(seq, func(a int32) bool { return x.ProcOf(int(a)) == lv.Event.Proc }) {
		return false
	}
	c.seq = append(append(c.seq[:0], int32(lv.Event.Action)), seq...)
	return x.Unaffected(x.Depth, c.seq)
}

// KeepStateSleepers keeps those processes asleep that the event of the level would wake up, but that lead to the same
// state before and after it: what follows from there has been explored, so they go on sleeping, from now on because of
// their state. This is what CAV'17 gets from filtering sleep sets with context-sensitive independence, which loses
// outcomes without the compensation.
func (c *contextual) KeepStateSleepers(x *Search, lv, child *Level) {
	n := &child.Node
	asleep := lv.Node.asleep()
	asleep = asleep.Minus(&n.Sleep)
	asleep = asleep.Minus(&n.StateSleep)
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		if x.ProcOf(a) == lv.Event.Proc {
			continue
		}
		if swaps, alike := c.Swaps(x, lv, a); swaps {
			n.sleep(a, x.Depth+1, x.coverOfSwap(&lv.Node, a, alike))
		}
	}
}

// Swaps is Program.Swaps for an action that is dependent of the event of the present level, unless a constraint tells
// that the two do not commute.
func (c *contextual) Swaps(x *Search, lv *Level, a int) (swaps, alike bool) {
	n, e, p := &x.Idle, &lv.Event.Transition, x.ProcOf(a)
	*n = happens.Transition{Proc: p, ID: x.StepAt(x.Depth, p)} // constraints need no more
	if c.known.never(x, n, e) {
		return false, false
	}
	if known, commute := c.known.in(x, n, e, x.Depth); known && !commute {
		return false, false
	}
	x.Count.Compared++
	return x.Program.Swaps(a)
}

// shortestSequence is the action of a set that begins the shortest sleep sequence of the node, -1 if none does (CAV'17,
// section 5.3, "guiding with sleep sequences").
func (n *Node) shortestSequence(of *actionset.Set) int {
	best, length := -1, 0
	for _, s := range n.Sequences {
		if a := int(s.Actions[0]); of.Has(a) && (best < 0 || len(s.Actions) < length) {
			best, length = a, len(s.Actions)
		}
	}
	return best
}

// AsleepForGood reports whether every execution from the node would end blocked: some process is asleep because of its
// state, and no step that any other process may still take can wake it up (CAV'17, section 5.3, "anticipating cuts").
// since is the depth where such a process fell asleep, the last one.
func (c *contextual) AsleepForGood(x *Search, n *Node) (since int, forGood bool) {
	sleepers := n.asleep()
	since = -1
	for a := n.StateSleep.Next(0); a >= 0; a = n.StateSleep.Next(a + 1) {
		awake := false
		if x.Alternatives(n, a, func(b int) { awake = awake || !sleepers.Has(b) }); awake {
			continue
		}
		if s := n.stateSleeper(a).since; (!forGood || s > since) && x.independentOfOthers(x.ProcOf(a)) {
			since, forGood = s, true
		}
	}
	return since, forGood
}
