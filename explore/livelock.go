package explore

import (
	"context"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/stategraph"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// Termination, eventually and leads_to: judged on the whole state graph, beside a search and whatever it leaves out.

// GraphStates is the number of states that a graph may have if nothing else is said.
const GraphStates = 500_000

// StoppedGraph is why liveness is not decided if there are too many states.
const StoppedGraph = "graph limit"

// LivenessOptions bound what is done to decide it.
type LivenessOptions struct {
	MaxStates int                    // of the graph; 0: GraphStates
	GiveUp    func(bytes int64) bool // as Options.GiveUp
	// Searched are results of searches of the whole program. If one of them shows that all executions end, that is not
	// found out once more.
	Searched []*Result
}

// FairnessOf is the fairness that is assumed of the scheduler where executions as a whole are judged: that of
// check.fairness; without it weak fairness, and strong fairness with termination: fair.
func FairnessOf(c *step.Checks) liveness.Fairness {
	if c.Fairness == step.FairnessStrong || c.Fairness == step.FairnessUnsaid && c.Termination == step.TerminationFair {
		return liveness.Strong
	}
	return liveness.Weak
}

// JudgeLiveness finds out whether executions end, and whether what must happen happens in all of them, as far as the
// program asks. It returns nil if it asks nothing.
func JudgeLiveness(ctx context.Context, m *step.Machine, opt LivenessOptions) *Liveness {
	c := &m.Program.Checks
	if c.Termination == step.TerminationAllowed && !c.Live() || m.NumActions() > MaxActions {
		return nil
	}
	l := &Liveness{Fairness: FairnessOf(c), Counting: liveness.Counts(m.Program), Limit: opt.MaxStates}
	if l.Limit == 0 {
		l.Limit = GraphStates
	}
	if c.Live() {
		g, why := opt.graph(ctx, m, m.Initial(), l.Limit, false, liveConditions(m))
		if l.Open = why; g != nil {
			l.States, l.Edges, l.Bytes = g.States(), g.Edges(), g.Memory
			judgeGraph(l, g, c)
		}
		return l
	}
	if l.Counting {
		l.Termination = &liveness.Termination{}
		return l
	}
	ends := shownBefore(opt.Searched)
	if ends == nil {
		ends = opt.comeToEnd(ctx, m, firstEffort)
	}
	if why := ""; ends == nil {
		if ends, why = opt.goThrough(ctx, m, l.Limit); why == StoppedGraph {
			ends = opt.comeToEnd(ctx, m, lastEffort)
		}
		if ends == nil {
			l.Open = why
			return l
		}
	}
	l.Termination, l.Executions, l.Entered = ends.Termination, ends.Executions, ends.Entered
	l.States, l.Edges, l.Bytes = ends.States, ends.Edges, ends.Bytes
	if l.Termination.Class != liveness.AllEnd {
		opt.showEnds(ctx, m, l)
	}
	return l
}

// firstPart is how many states of a graph are looked at first for an execution that shows something.
const firstPart = 1 << 12

// showEnds looks for executions that show how executions end, as a search of the whole graph has found: the nearest
// ones, in a part of the graph that grows until there are some.
func (opt *LivenessOptions) showEnds(ctx context.Context, m *step.Machine, l *Liveness) {
	t := l.Termination
	most := l.Limit
	if t.NoWay != nil { // another lasso is found sooner than in the whole graph
		most = min(most, nearby)
	}
	if !opt.grow(ctx, m, m.Initial(), most, t) {
		t.NoWay = opt.roundFrom(ctx, m, t.NoWay, l.Limit)
	}
	showTermination(l, m.Program.Checks.Termination)
}

// nearby is how many states are looked at for the nearest way to where no end can be reached.
const nearby = 1 << 16

// roundFrom is a way to a state from which no end can be reached with how to go round there, which a fair scheduler can
// do; nil if there is none.
func (opt *LivenessOptions) roundFrom(ctx context.Context, m *step.Machine, way *liveness.Lasso, limit int,
) *liveness.Lasso {
	if way == nil {
		return nil
	}
	s, run := slices.Clone(m.Initial()), m.NewRunner()
	for _, a := range way.Stem {
		run.Take(s, int(a))
	}
	round := fairWalk(m, s)
	if round == nil {
		t := &liveness.Termination{Class: liveness.CannotEnd, NoWay: &liveness.Lasso{}}
		if !opt.grow(ctx, m, s, limit, t) {
			return nil
		}
		round = t.NoWay
	}
	round.Stem = slices.Concat(way.Stem, round.Stem)
	return round
}

// grow makes parts of the state graph from a state on, each larger than the one before, until one of them shows an
// answer. It reports whether one does.
func (opt *LivenessOptions) grow(ctx context.Context, m *step.Machine, start step.State, limit int,
	t *liveness.Termination) bool {
	trap := t.NoWay != nil && len(t.NoWay.Stem) == 0
	for states := min(firstPart, limit); ; states = min(states*4, limit) {
		g, _ := opt.graph(ctx, m, start, states, true, nil)
		switch {
		case g == nil:
			return false
		case g.Show(t, trap):
			return true
		case states == limit:
			return false
		}
	}
}

// graph makes the state graph of a program from a state on; nil, and why, if it is given up. If part is set, it is not
// given up because there are more states than limit: those are taken for ends.
func (opt *LivenessOptions) graph(ctx context.Context, m *step.Machine, start step.State, limit int, part bool,
	conditions []stategraph.Condition) (g *stategraph.Graph, why string) {
	stop := func() string {
		if why := engine.Interrupted(ctx); why != "" || opt.GiveUp == nil || !opt.GiveUp(0) {
			return why
		}
		return StoppedMemory
	}
	if g, why = stategraph.Explore(m, start, limit, part, stop, conditions); g == nil && why == "" {
		why = StoppedGraph
	}
	return g, why
}

// liveConditions are those that eventually and leads_to speak of, in the order in which judge takes them.
func liveConditions(m *step.Machine) (list []stategraph.Condition) {
	c := &m.Program.Checks
	for _, p := range c.Eventually {
		list = append(list, m.CompileCondition(p.Expr, -1, -1))
	}
	for _, p := range c.LeadsTo {
		list = append(list, m.CompileCondition(p.From, -1, -1), m.CompileCondition(p.To, -1, -1))
	}
	for _, p := range c.Stabilises {
		list = append(list, m.CompileCondition(p.Expr, -1, -1))
	}
	return list
}

// judgeGraph decides everything that is asked about executions as a whole, of those in a graph.
func judgeGraph(l *Liveness, g *stategraph.Graph, c *step.Checks) {
	l.Properties = len(c.Eventually) + len(c.LeadsTo) + len(c.Stabilises)
	judgeTermination(l, g, c.Termination)
	for i, p := range c.Eventually {
		lasso := g.Never(func(s uint32) bool { return s == 0 }, g.Fails(i), l.Fairness)
		showLasso(l, NeverHolds, p, lasso)
		if g.Holds(i).Has(0) {
			l.Idle = append(l.Idle, p)
		}
	}
	for i, p := range c.LeadsTo {
		from, to := g.Holds(len(c.Eventually)+2*i), g.Fails(len(c.Eventually)+2*i+1)
		showLasso(l, NeverFollows, p.Property, g.Never(from.Has, to, l.Fairness))
		if from.Empty() {
			l.Idle = append(l.Idle, p.Property)
		}
	}
	for i, p := range c.Stabilises {
		k := len(c.Eventually) + 2*len(c.LeadsTo) + i
		showLasso(l, NeverStays, p, g.Recurs(g.Fails(k), l.Fairness))
		if g.Everywhere(k) {
			l.Idle = append(l.Idle, p)
		}
	}
}

// An effort bounds a search of comeToEnd, in events and in events of one execution.
type effort struct {
	events int64
	depth  int
}

// The effort before there is a state graph, and after that has become too large.
var firstEffort, lastEffort = effort{20_000, 400}, effort{400_000, 10_000}

// comeToEnd looks whether a search without visited states, source without constraints, comes to its end with some
// effort. Then all executions end (STATES, "Endless executions").
func (opt *LivenessOptions) comeToEnd(ctx context.Context, m *step.Machine, most effort) *Liveness {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := Run(ctx, m, dpor.SourceAlgorithm, Options{
		MaxDepth: most.depth,
		Progress: func(r *Result) {
			if r.Events > most.events || r.Cut > 0 {
				cancel()
			}
		},
		GiveUp: func(bytes int64) bool { return ctx.Err() != nil || opt.GiveUp != nil && opt.GiveUp(bytes) },
	})
	if err != nil {
		return nil
	}
	return r.Ends
}

// goThrough searches the state graph, unless that has more states than limit, counted every few thousand.
func (opt *LivenessOptions) goThrough(ctx context.Context, m *step.Machine, limit int) (ends *Liveness, why string) {
	r, err := visitStates(ctx, m, int64(limit), opt.GiveUp)
	switch {
	case err != nil:
		return nil, ""
	case r.States > int64(limit):
		return nil, StoppedGraph
	case r.Ends != nil:
		return r.Ends, ""
	}
	return nil, r.Stopped
}

// shownBefore is what one of some searches has shown of how executions end, nil if none has shown anything.
func shownBefore(searched []*Result) *Liveness {
	for _, r := range searched {
		if r != nil && r.Ends != nil {
			return r.Ends
		}
	}
	return nil
}

func judgeTermination(l *Liveness, g *stategraph.Graph, wanted step.Termination) {
	if wanted == step.TerminationAllowed {
		return
	}
	l.Termination = g.Termination()
	showTermination(l, wanted)
}

func showTermination(l *Liveness, wanted step.Termination) {
	t := l.Termination
	showLasso(l, NoWayToEnd, nil, t.NoWay)
	if wanted == step.TerminationFair && t.Leavable != nil && t.Fair >= l.Fairness {
		showLasso(l, Endless, nil, t.Leavable)
	}
}

// showLasso adds a violation that a lasso shows, if there is one.
func showLasso(l *Liveness, kind ViolationKind, p *step.Property, lasso *liveness.Lasso) {
	if lasso != nil {
		l.Violations = append(l.Violations,
			&Violation{Kind: kind, Property: p, Schedule: lasso.Stem, Cycle: lasso.Cycle})
	}
}
