package executions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// How a search of executions works on a task (cluster/README): it goes to where the task begins, explores a
// slice of it, and says in a record what came of that. What it adds to the nodes above the task, others take.

// taskFrontier is the frontier of a search that works on a task.
type taskFrontier struct {
	dpor.PlainFrontier
	above []aboveNode // the nodes above the task, by depth
}

// An aboveNode is a node above a task.
type aboveNode struct {
	begin int           // the action that the task begins with; -1: none, or it has been taken
	known actionset.Set // the backtrack set so far, as the log has it or will have it
}

func (f *taskFrontier) Owns(depth int) bool { return depth >= len(f.above) }

// Take takes nothing from a node above the task but what the task begins with.
func (f *taskFrontier) Take(n *dpor.Node) (a int) {
	if d := f.X.Depth; !f.Owns(d) {
		a, f.above[d].begin = f.above[d].begin, -1
		return a
	}
	return f.PlainFrontier.Take(n)
}

func (f *taskFrontier) Done(n *dpor.Node, a int) {
	if f.Owns(f.X.Depth) {
		f.PlainFrontier.Done(n, a)
	}
}

// giveAway makes the first own node one above the task.
func (f *taskFrontier) giveAway() {
	n := &f.X.Stack[len(f.above)].Node
	f.above = append(f.above, aboveNode{begin: -1, known: n.Backtrack})
}

// ErrTasks says why an algorithm cannot work on tasks.
func ErrTasks(a *dpor.Algorithm, opt engine.Options) error {
	switch {
	case a.Alone:
		return fmt.Errorf("%s explores with one worker; source explores the same traces with several", a.Name)
	case a.Chooses || a.Stateful:
		return fmt.Errorf("%s cannot be cut into tasks", a.Name)
	case opt.Observer != nil:
		return errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	return nil
}

// takeUp goes to where a task goes on. What the search has found before is forgotten.
func (w *TaskWork) takeUp(p *joblog.Task) error {
	x := w.x
	x.Accesses.Forget()
	x.Depth, x.Stop, x.Ending = 0, "", ""
	x.levels[0].Node = dpor.Node{}
	w.frontier.above = w.frontier.above[:0]
	x.Running = len(p.Levels) > 0
	if !x.Running { // the whole search
		return w.forgetFindings()
	}
	if p.Own > len(p.Levels) || p.Own < 1 && p.Fresh() {
		return fmt.Errorf("%d of %d nodes are above the task", p.Own, len(p.Levels))
	}
	if err := x.restoreLevels(p.Levels, nil); err != nil {
		return err
	}
	last := x.levels[x.Depth]
	if p.State != nil && !slices.Equal(last.State, p.State) {
		return saved.ErrOtherState
	}
	for _, lv := range x.levels[:x.Depth+1] {
		lv.ran = true
	}
	for range p.Own {
		w.frontier.giveAway()
	}
	if p.Fresh() {
		if !last.Node.Enabled.Has(p.Begin) {
			return fmt.Errorf("action %d, which the task begins with, is not possible", p.Begin)
		}
		w.frontier.above[x.Depth].begin = p.Begin
	}
	if x.Visits != nil {
		x.Visits.resumeAt()
	}
	return w.forgetFindings()
}

// forgetFindings begins to count anew.
func (w *TaskWork) forgetFindings() error {
	x := w.x
	r, err := results.NewCollector(x.m, x.algorithm, x.Opt.Terminal)
	if err != nil {
		return err
	}
	r.Found, r.EveryWay = x.Opt.Found, x.Results.EveryWay
	x.Replace(engine.Findings{Results: r, Pairs: x.Pairs})
	x.ForgetPairs()
	for _, lv := range x.levels[:x.Depth+1] {
		lv.begun = 0
	}
	return nil
}

// splitDepth is the depth of the shallowest node of the task from which something waits to be taken, -1 if there is
// none below the present one.
func (w *TaskWork) splitDepth() int {
	x := w.x
	for d := len(w.frontier.above); d < x.Depth; d++ {
		if lv := x.levels[d]; x.Waiting(&lv.Node, lv.Event.Action) > 0 {
			return d
		}
	}
	return -1
}

// record says what came of a slice of a task: it is over, or paused between two executions. Its own nodes down to the
// depth split are given away, none if that is -1. When nothing is left of it, the record says so.
func (w *TaskWork) record(number, split int, over bool) (*joblog.Record, error) {
	x := w.x
	r := &joblog.Record{Task: w.task.ID, Number: number}
	var found bytes.Buffer
	if err := x.SaveCommon().Write(&found); err != nil {
		return nil, err
	}
	r.Found = found.Bytes()
	for d := range w.frontier.above {
		n, u := &x.levels[d].Node, &w.frontier.above[d]
		if more := n.Backtrack.Minus(&u.known); !more.Empty() {
			r.Insert = append(r.Insert, joblog.Insertion{Depth: d, Actions: actionset.Members[int32](&more, nil)})
			u.known = n.Backtrack
		}
	}
	if over || !w.frontier.Owns(x.Depth) { // in the latter case there is nothing more to do than to go down
		return r, nil
	}
	for d := len(w.frontier.above); d <= split; d++ {
		lv := x.levels[d]
		n := &lv.Node
		x.Strategy.AfterSubtree(&x.Search, n, lv.Event.Action) // for others it has been taken
		r.Split = append(r.Split, joblog.Upper{Level: x.saveLevel(lv, nil),
			Enabled: actionset.Members[int32](&n.Enabled, nil), Excluded: actionset.Members[int32](&n.Excluded, nil)})
		w.frontier.giveAway()
	}
	if x.Visits != nil && split >= 0 {
		x.Visits.share(split)
	}
	r.Left = w.remainder()
	return r, w.forgetFindings()
}

// remainder is the part of the task that is left.
func (w *TaskWork) remainder() *joblog.Task {
	x := w.x
	p := &joblog.Task{ID: w.task.ID, Own: len(w.frontier.above), Begin: -1,
		State: slices.Clone(x.levels[x.Depth].State)}
	for _, lv := range x.levels[:x.Depth+1] {
		p.Levels = append(p.Levels, x.saveLevel(lv, nil))
	}
	p.Levels[x.Depth].Action = -1
	return p
}

// AddFound adds what a record has found to what all have. The search is one that has nothing to do but this.
func (w *TaskWork) AddFound(all *engine.Findings, found []byte) error {
	x := w.x
	cp, err := saved.Read(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if err := w.forgetFindings(); err != nil {
		return err
	}
	if err := cmp.Or(x.m.AdoptOrigins(cp.Origins), x.RestoreCommon(cp)); err != nil {
		return err
	}
	all.Add(x.Findings())
	return nil
}

// NewFold is the fold of the empty log of a search.
func (w *TaskWork) NewFold() *joblog.Fold {
	var n dpor.Node
	w.x.Strategy.AfterSubtree(&w.x.Search, &n, 0)
	return joblog.NewFold(n.Sleep.Has(0))
}

// Save has the findings of records in the form of one record.
func (w *TaskWork) Save(all engine.Findings) ([]byte, error) {
	x := w.x
	defer x.Replace(x.Findings())
	x.Replace(all)
	var found bytes.Buffer
	err := x.SaveCommon().Write(&found)
	return found.Bytes(), err
}

// A TaskWork explores one task after the other, for package cluster. It is not for use by several goroutines.
type TaskWork struct {
	x        *Search
	frontier *taskFrontier // of x
	task     *joblog.Task
	left     float64         // the part of the task that was left at the last record, or less
	forks    []estimate.Fork // scratch
}

// NewTaskWork makes one for a search of a machine. The error says why the search cannot be cut into tasks.
func NewTaskWork(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (*TaskWork, error) {
	if err := ErrTasks(a, opt); err != nil {
		return nil, err
	}
	x, err := New(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.Alone = false
	w := &TaskWork{x: x, frontier: &taskFrontier{PlainFrontier: dpor.PlainFrontier{X: &x.Search}}}
	x.Frontier = w.frontier
	return w, nil
}

// TakeUp goes to where a task goes on. The error says that it is none of this search.
func (w *TaskWork) TakeUp(p *joblog.Task) error {
	w.task, w.left = p, 1
	err := w.takeUp(p)
	if err == nil && !p.Fresh() {
		w.left, _ = w.remains(p.Own)
		w.left = max(w.left, leastLeft)
	}
	return err
}

// Explore goes on for about as many nodes, to a point between two executions. It reports whether nothing is left of the
// task. The error is an internal one, or says why the search has been stopped.
func (w *TaskWork) Explore(nodes int64) (over bool, err error) {
	over = w.x.Advance(w.x.Results.Nodes + nodes)
	if err := w.x.Failed(); err != nil {
		return over, err
	}
	if w.x.Stop != "" {
		return over, fmt.Errorf("the search has been stopped: %s", w.x.Stop)
	}
	return over, nil
}

// Nodes is how many nodes have been explored since the last record, or since the task was taken up.
func (w *TaskWork) Nodes() int64 { return w.x.Results.Nodes }

// Divisible reports whether Record can give something away.
func (w *TaskWork) Divisible() bool { return w.splitDepth() >= 0 }

// Violated reports whether something wrong has been found since the last record.
func (w *TaskWork) Violated() bool { return w.x.Results.Violated }

// Record says what has come of the task since the last record, or since it was taken up. With split the shallowest of
// its nodes from which something waits to be taken is given away, with those above it. A record without Left says that
// nothing is left; else its Left is the task from now on.
func (w *TaskWork) Record(number int, over, split bool) (*joblog.Record, error) {
	depth := -1
	if split && !over {
		depth = w.splitDepth()
	}
	estimate := w.estimate(depth)
	r, err := w.record(number, depth, over)
	if err != nil {
		return nil, err
	}
	if r.Left != nil {
		r.Estimate = estimate
	}
	w.task = r.Left
	return r, nil
}

// How much of a task is done, as a rough estimate (cluster/README, "Workers that may die"). It follows from the
// stack alone, as whoever takes a task up has no other part of it: what a node has done and what it has left are
// divided among its children as the search knows their sizes to be.

// remains is the part that is left of the subtree of the node at a depth, and the part of that that lies below what is
// planned at the node. Above that depth, nothing is left.
func (w *TaskWork) remains(depth int) (left, waits float64) {
	x := w.x
	if x.Depth < depth {
		return 0, 0
	}
	w.forks = w.forks[:0]
	for _, lv := range x.levels[depth : x.Depth+1] {
		w.forks = append(w.forks,
			estimate.Fork{Done: lv.tried, Planned: x.Waiting(&lv.Node, max(0, lv.Event.Action))})
	}
	return x.census.Left(w.forks)
}

// leastLeft is what is left at least after a record: how much a part of a search has planned says little about what it
// is still going to plan.
const leastLeft = 1.0 / 64

// estimate says how far the task is, before a record gives away its nodes down to a depth; -1: none.
func (w *TaskWork) estimate(depth int) *joblog.Estimate {
	e := &joblog.Estimate{Left: 1}
	left, _ := w.remains(len(w.frontier.above))
	if left = max(left, leastLeft*w.left); left < w.left {
		e.Left = left / w.left
	}
	w.left = min(w.left, left)
	if depth >= 0 {
		_, e.Given = w.remains(depth)
		e.Shrink = w.x.census.Shrink()
		w.left, _ = w.remains(depth + 1)
		w.left = max(w.left, leastLeft)
	}
	return e
}
