package auto

import (
	"fmt"

	"cdpor/explore/internal/results"
)

// The policy of auto as a table: when it looks at its search, and what it does then. cdpor explain auto prints it.

// The rules refer to the algorithm, so it cannot refer to them where it is declared.
func init() { Algorithm.Policy = policy() }

// A look is the view of auto on its present search.
type look struct {
	x     *Auto
	r     *results.Result
	size  int64 // of the search, see Looks
	share int64 // percent of what is enabled at nodes that have been left, that was taken
	edges int64 // of the state graph that cost as much as the search so far
	dear  bool  // a node costs as much as many edges
}

func (x *Auto) see() *look {
	r, v, size := &x.Main.Results.Result, x.Main.Visits, x.Main.Size()
	edges := size * edgesForNode * someWords / int64(32+x.m.Words())
	return &look{x: x, r: r, size: size, share: 100 * v.Tried / max(1, v.Enabled), edges: edges,
		dear: edges > dear*v.Enabled}
}

// met reports whether at least one state in so many was met again.
func (l *look) met(oneIn int64) bool { return l.r.Revisits*oneIn >= l.r.States }

// graphLike reports whether the state graph has seldom many more states than the search.
func (l *look) graphLike() bool { return l.share >= 50 && l.r.Revisits < l.r.States && l.met(10) }

// A rule says when something is done.
type rule struct {
	when  string
	holds func(*look) bool
	then  string
	do    func(*look)
}

// Constraints are asked for once: early where states are met again mostly, or after all other rules.
var (
	askEarly = rule{"states are met again twice as often as new ones",
		func(l *look) bool { return !l.x.Asked && l.r.Revisits >= crowded*l.r.States },
		"constraints of the pairs of steps that have met in a race; the search begins anew if they help", ask}
	askLate = rule{fmt.Sprintf("the size is %d, and they have not been asked for", defaultLooks.Long),
		func(l *look) bool { return !l.x.Asked && l.size >= l.x.Looks.Long },
		"these constraints", ask}
)

func ask(l *look) {
	l.x.Asked = true
	l.x.synthesise(l.size)
}

// sequencesRule is followed if it holds. Sequences may show late, so it goes on where there are none.
var sequencesRule = rule{
	"no state of the stack was met", func(l *look) bool { return l.r.Cycles == 0 },
	fmt.Sprintf("executions with sleep sequences and constraints, without visited states, a quarter as much as the "+
		"search has cost (from %d on an eighth), or to the end if there were some and that is in sight",
		defaultLooks.Long),
	func(l *look) { l.x.tryExecutions(BySequences) },
}

// trying are the rules about other searches, from a size on. The first one that holds is followed. How large such a
// search would be is not known. Where nearly all that is enabled is taken, nothing is left out. Where at least half is
// taken, and states are met again, though not mostly, the whole graph has seldom many more states; where hardly
// any state is met again, a search without a table explores hardly more. An event costs those less than one costs here.
// The longer the search gets, the more is tried.
var trying = []rule{
	{fmt.Sprintf("a node costs as much as %d edges of the state graph for each that leaves it", dear),
		func(l *look) bool { return l.dear },
		"the state graph, twice as much as the search has cost", tryGraph(2, 1)},
	{"less than one state in 256 was met again, none on the stack",
		func(l *look) bool { return !l.met(256) && l.r.Cycles == 0 },
		"executions without visited states, half as much as the search has cost, or to the end if that is in sight",
		bySource},
	{"nine in ten of the actions that are enabled are taken", func(l *look) bool { return l.share >= 90 },
		"the state graph, 32 times as much", tryGraph(32, 1)},
	{"half of them are taken, one state in 10 was met again, but less than once each, and the estimate is that less " +
		"than one node in 100 has been visited",
		func(l *look) bool { return l.graphLike() && l.x.Main.Share() < 0.01 },
		"the state graph, 32 times as much", tryGraph(32, 1)},
	{"the same without the estimate", (*look).graphLike, "the state graph, eight times as much", tryGraph(8, 1)},
	{"less than three quarters are taken, and less than one state in 32 was met again, none on the stack",
		func(l *look) bool { return l.share < 75 && !l.met(32) && l.r.Cycles == 0 },
		"these executions", bySource},
	{fmt.Sprintf("the size is %d, and less than one state in 10 was met again, none on the stack",
		defaultLooks.Rarer),
		func(l *look) bool { return l.size >= l.x.Looks.Rarer && !l.met(10) && l.r.Cycles == 0 },
		"these executions", bySource},
	{fmt.Sprintf("the size is %d and half is taken, or it is %d", defaultLooks.Rarer, defaultLooks.Long),
		func(l *look) bool { return l.size >= l.x.Looks.Rarer && l.share >= 50 || l.size >= l.x.Looks.Long },
		"the state graph, a quarter as much as the search has cost", tryGraph(1, 4)},
}

func tryGraph(times, part int64) func(*look) {
	return func(l *look) { l.x.tryStates(times * l.edges / part) }
}

func bySource(l *look) { l.x.tryExecutions(BySource) }

// follow follows the first rule that holds.
func (l *look) follow(rules ...rule) {
	for i := range rules {
		if rules[i].holds(l) {
			rules[i].do(l)
			return
		}
	}
}

// policy is the table in words.
func policy() (table [][2]string) {
	say := func(then, when string, numbers ...any) {
		table = append(table, [2]string{fmt.Sprintf(when, numbers...), then})
	}
	add := func(rules ...rule) {
		for i := range rules {
			say(rules[i].then, "%s", rules[i].when)
		}
	}
	n := &defaultLooks
	say("constraints of all pairs that may race, under a small budget; kept if they remove one",
		"the first execution has a race, and there are at most %d steps", n.Steps)
	say("a look, by the rules that follow; what comes to its end first gives the result",
		"the size is %d, then twice that, and so on up to %d", n.First, n.Last)
	add(askEarly, sequencesRule)
	say("the first of these that holds:", "the size is %d", n.Other)
	add(trying...)
	add(askLate)
	say("they go on, and nothing more is decided", "the size is %d, and there are to be several workers", n.Share)
	return table
}
