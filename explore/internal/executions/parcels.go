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

// How a search of executions works on a parcel (cluster/README): it goes to where the parcel begins, explores a
// slice of it, and says in a record what came of that. What it adds to the nodes above the parcel, others take.

// parcelFrontier is the frontier of a search that works on a parcel.
type parcelFrontier struct {
	dpor.PlainFrontier
	above []aboveNode // the nodes above the parcel, by depth
}

// An aboveNode is a node above a parcel.
type aboveNode struct {
	begin int           // the action that the parcel begins with; -1: none, or it has been taken
	known actionset.Set // the backtrack set so far, as the log has it or will have it
}

func (f *parcelFrontier) Owns(depth int) bool { return depth >= len(f.above) }

// Take takes nothing from a node above the parcel but what the parcel begins with.
func (f *parcelFrontier) Take(n *dpor.Node) (a int) {
	if d := f.X.Depth; !f.Owns(d) {
		a, f.above[d].begin = f.above[d].begin, -1
		return a
	}
	return f.PlainFrontier.Take(n)
}

func (f *parcelFrontier) Done(n *dpor.Node, a int) {
	if f.Owns(f.X.Depth) {
		f.PlainFrontier.Done(n, a)
	}
}

// giveAway makes the first own node one above the parcel.
func (f *parcelFrontier) giveAway() {
	n := &f.X.Stack[len(f.above)].Node
	f.above = append(f.above, aboveNode{begin: -1, known: n.Backtrack})
}

// ErrParcels says why an algorithm cannot work on parcels.
func ErrParcels(a *dpor.Algorithm, opt engine.Options) error {
	switch {
	case a.Alone:
		return fmt.Errorf("%s explores with one worker; source explores the same traces with several", a.Name)
	case a.Chooses || a.Stateful:
		return fmt.Errorf("%s cannot be cut into parcels", a.Name)
	case opt.Observer != nil:
		return errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	return nil
}

// takeUp goes to where a parcel goes on. What the search has found before is forgotten.
func (w *ParcelWork) takeUp(p *joblog.Parcel) error {
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
		return fmt.Errorf("%d of %d nodes are above the parcel", p.Own, len(p.Levels))
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
			return fmt.Errorf("action %d, which the parcel begins with, is not possible", p.Begin)
		}
		w.frontier.above[x.Depth].begin = p.Begin
	}
	if x.Visits != nil {
		x.Visits.resumeAt()
	}
	return w.forgetFindings()
}

// forgetFindings begins to count anew.
func (w *ParcelWork) forgetFindings() error {
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

// splitDepth is the depth of the shallowest node of the parcel from which something waits to be taken, -1 if there is
// none below the present one.
func (w *ParcelWork) splitDepth() int {
	x := w.x
	for d := len(w.frontier.above); d < x.Depth; d++ {
		if lv := x.levels[d]; x.Waiting(&lv.Node, lv.Event.Action) > 0 {
			return d
		}
	}
	return -1
}

// record says what came of a slice of a parcel: it is over, or paused between two executions. Its own nodes down to the
// depth split are given away, none if that is -1. When nothing is left of it, the record says so.
func (w *ParcelWork) record(number, split int, over bool) (*joblog.Record, error) {
	x := w.x
	r := &joblog.Record{Parcel: w.parcel.ID, Number: number}
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

// remainder is the part of the parcel that is left.
func (w *ParcelWork) remainder() *joblog.Parcel {
	x := w.x
	p := &joblog.Parcel{ID: w.parcel.ID, Own: len(w.frontier.above), Begin: -1,
		State: slices.Clone(x.levels[x.Depth].State)}
	for _, lv := range x.levels[:x.Depth+1] {
		p.Levels = append(p.Levels, x.saveLevel(lv, nil))
	}
	p.Levels[x.Depth].Action = -1
	return p
}

// AddFound adds what a record has found to what all have. The search is one that has nothing to do but this.
func (w *ParcelWork) AddFound(all *engine.Findings, found []byte) error {
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
func (w *ParcelWork) NewFold() *joblog.Fold {
	var n dpor.Node
	w.x.Strategy.AfterSubtree(&w.x.Search, &n, 0)
	return joblog.NewFold(n.Sleep.Has(0))
}

// Save is what records have found, as one record would say it.
func (w *ParcelWork) Save(all engine.Findings) ([]byte, error) {
	x := w.x
	defer x.Replace(x.Findings())
	x.Replace(all)
	var found bytes.Buffer
	err := x.SaveCommon().Write(&found)
	return found.Bytes(), err
}

// A ParcelWork explores one parcel after the other, for package cluster. It is not for use by several goroutines.
type ParcelWork struct {
	x        *Search
	frontier *parcelFrontier // of x
	parcel   *joblog.Parcel
	left     float64         // the part of the parcel that was left at the last record, or less
	forks    []estimate.Fork // scratch
}

// NewParcelWork makes one for a search of a machine. The error says why the search cannot be cut into parcels.
func NewParcelWork(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (*ParcelWork, error) {
	if err := ErrParcels(a, opt); err != nil {
		return nil, err
	}
	x, err := New(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.Alone = false
	w := &ParcelWork{x: x, frontier: &parcelFrontier{PlainFrontier: dpor.PlainFrontier{X: &x.Search}}}
	x.Frontier = w.frontier
	return w, nil
}

// TakeUp goes to where a parcel goes on. The error says that it is none of this search.
func (w *ParcelWork) TakeUp(p *joblog.Parcel) error {
	w.parcel, w.left = p, 1
	err := w.takeUp(p)
	if err == nil && !p.Fresh() {
		w.left, _ = w.remains(p.Own)
		w.left = max(w.left, leastLeft)
	}
	return err
}

// Explore goes on for about as many nodes, to a point between two executions. It reports whether nothing is left of the
// parcel. The error is an internal one, or says why the search has been stopped.
func (w *ParcelWork) Explore(nodes int64) (over bool, err error) {
	over = w.x.Advance(w.x.Results.Nodes + nodes)
	if err := w.x.Failed(); err != nil {
		return over, err
	}
	if w.x.Stop != "" {
		return over, fmt.Errorf("the search has been stopped: %s", w.x.Stop)
	}
	return over, nil
}

// Nodes is how many nodes have been explored since the last record, or since the parcel was taken up.
func (w *ParcelWork) Nodes() int64 { return w.x.Results.Nodes }

// Divisible reports whether Record can give something away.
func (w *ParcelWork) Divisible() bool { return w.splitDepth() >= 0 }

// Violated reports whether something wrong has been found since the last record.
func (w *ParcelWork) Violated() bool { return w.x.Results.Violated }

// Record says what has come of the parcel since the last record, or since it was taken up. With split the shallowest of
// its nodes from which something waits to be taken is given away, with those above it. A record without Left says that
// nothing is left; else its Left is the parcel from now on.
func (w *ParcelWork) Record(number int, over, split bool) (*joblog.Record, error) {
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
	w.parcel = r.Left
	return r, nil
}

// How much of a parcel is done, as a rough estimate (cluster/README, "Workers that may die"). It follows from the
// stack alone, as whoever takes a parcel up has no other part of it: what a node has done and what it has left are
// divided among its children as the search knows their sizes to be.

// remains is the part that is left of the subtree of the node at a depth, and the part of that that lies below what is
// planned at the node. Above that depth, nothing is left.
func (w *ParcelWork) remains(depth int) (left, waits float64) {
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

// estimate says how far the parcel is, before a record gives away its nodes down to a depth; -1: none.
func (w *ParcelWork) estimate(depth int) *joblog.Estimate {
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
