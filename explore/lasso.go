package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cdpor/explore/internal/stategraph"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// A NotRound is an error: a cycle leads elsewhere than to where it begins.
type NotRound struct{ Stem int } // its steps

func (e *NotRound) Error() string {
	return fmt.Sprintf("what goes round for ever does not lead back to the state after step %d", e.Stem)
}

// JudgeLasso judges one execution as JudgeLiveness judges all of a program: by the same questions, asked of the graph
// that this execution alone makes. Schedule and Cycle of the violations are the given ones; it returns nil if nothing
// is asked. Of a lasso without a cycle that does not come to an end nothing is said. With a cycle, the states that
// can be reached from there are explored to see whether there is a way to an end; where these are too many,
// NoWayToEnd is not found. The error is a *NotRound, or says that the program does not follow.
func JudgeLasso(
	ctx context.Context, m *step.Machine, lasso *liveness.Lasso, opt LivenessOptions,
) (*Liveness, error) {
	c := &m.Program.Checks
	if len(lasso.Cycle) == 0 && !c.Live() {
		return nil, nil
	}
	g, last, err := lassoGraph(m, lasso)
	if err != nil || g == nil {
		return nil, err
	}
	l := &Liveness{Fairness: FairnessOf(c)}
	judgeGraph(l, g, c)
	if l.Termination != nil && l.Termination.Leavable != nil && !canEnd(ctx, m, last, opt) {
		l.Violations = slices.DeleteFunc(l.Violations, func(v *Violation) bool { return v.Kind == Endless })
		l.Violations = slices.Insert(l.Violations, 0, &Violation{Kind: NoWayToEnd})
	}
	for _, v := range l.Violations {
		v.Schedule, v.Cycle = lasso.Stem, lasso.Cycle
	}
	return l, nil
}

// lassoGraph is the graph of the states that one execution goes through, each as often as it comes there. Everything
// else that could be done leads to one more state, of which nothing is known: it is void. last is the state that the
// execution leads to. The graph is nil if there are more actions than it has room for.
func lassoGraph(m *step.Machine, l *liveness.Lasso) (g *stategraph.Graph, last step.State, err error) {
	s := m.Initial()
	actions, back := l.Actions(), step.State(nil)
	if m.NumActions() <= liveness.MaxActions {
		g = stategraph.New(m, liveConditions(m))
	}
	run := m.NewRunner()
	elsewhere := len(actions)
	if len(l.Cycle) == 0 {
		elsewhere++
	}
	visit := func(taken, next int) {
		if g == nil {
			return
		}
		g.AddState(s)
		g.Leave(s, func(action int) (uint32, bool) {
			if action == taken {
				return uint32(next), true
			}
			return uint32(elsewhere), true
		})
	}
	for i, a := range actions {
		if !run.CanTake(s, int(a)) {
			return nil, nil, fmt.Errorf("the program does not follow the schedule: step %d is not possible", i+1)
		}
		next := i + 1
		if i == len(l.Stem) {
			back = slices.Clone(s)
		}
		if next == len(actions) && len(l.Cycle) > 0 {
			next = len(l.Stem)
		}
		visit(int(a), next)
		run.Take(s, int(a))
	}
	if len(l.Cycle) == 0 {
		visit(-1, 0)
	} else if !slices.Equal(s, back) {
		return nil, nil, &NotRound{len(l.Stem)}
	}
	if g != nil {
		g.AddKind(liveness.Void)
		g.Leave(nil, nil)
	}
	return g, s, nil
}

// canEnd reports whether an end can be reached from a state, as far as that can be found out.
func canEnd(ctx context.Context, m *step.Machine, from step.State, opt LivenessOptions) bool {
	if m.NumActions() > MaxActions {
		return true
	}
	g, _ := opt.graph(ctx, m, from, cmp.Or(opt.MaxStates, GraphStates), false, nil)
	return g == nil || g.CanEnd(0)
}

// walkSteps is the number of steps that a fairWalk takes at most.
const walkSteps = 1 << 14

// fairWalk lets the process that has waited longest take a step, again and again, from a state from which no end can be
// reached: so it is fair to who can go on now and then only, too. It returns the first part of that which goes round
// and is fair in the same way; nil if there is none soon.
func fairWalk(m *step.Machine, start step.State) *liveness.Lasso {
	var actions []int32
	var enabled [][]int // the processes before each of them
	s, run, before := slices.Clone(start), m.NewRunner(), map[string]int{}
	last := make([]int, m.NumProcs()) // when each process took a step
	for len(actions) < walkSteps {
		key := fmt.Sprint(s)
		if i, is := before[key]; is && fairRound(m, actions[i:], enabled[i:]) {
			return &liveness.Lasso{Stem: actions[:i:i], Cycle: actions[i:]}
		}
		before[key] = len(actions)
		var may []int
		for p := range m.NumProcs() {
			if run.Enabled(s, p) {
				may = append(may, p)
			}
		}
		p := slices.MinFunc(may, func(a, b int) int { return cmp.Compare(last[a], last[b]) })
		a := run.Instead(s, m.FirstAction(p))
		actions, enabled = append(actions, int32(a)), append(enabled, may)
		last[p] = len(actions)
		run.Take(s, a)
	}
	return nil
}

// fairRound reports whether of the processes that are enabled before some actions each takes one of these.
func fairRound(m *step.Machine, actions []int32, enabled [][]int) bool {
	takes := make([]bool, m.NumProcs())
	for _, a := range actions {
		takes[m.ProcOf(int(a))] = true
	}
	return !slices.ContainsFunc(enabled,
		func(list []int) bool { return slices.ContainsFunc(list, func(p int) bool { return !takes[p] }) })
}
