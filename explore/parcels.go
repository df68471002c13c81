package explore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// How a search of executions works on a parcel (cluster/README, "Workers that may die"): it goes to where the parcel
// begins, explores a slice of it, and says in a record what came of that. Nodes above the parcel are shared nodes of
// which it takes nothing.

// An aboveNode is what a shared node has that lies above a parcel.
type aboveNode struct {
	begin int           // the action that the parcel begins with; -1: none, or it has been taken
	known actionset.Set // the backtrack set so far, as the log has it or will have it
}

// errParcels says why an algorithm cannot work on parcels.
func errParcels(a *Algorithm, opt Options) error {
	switch {
	case a.Alone:
		return fmt.Errorf("%s explores on one machine only; source explores the same traces on several", a.Name)
	case a.Chooses || a.Stateful:
		return fmt.Errorf("%s cannot be cut into parcels", a.Name)
	case opt.Observer != nil:
		return errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	return nil
}

// takeUp goes to where a parcel goes on. What the search has found before is forgotten.
func (x *search) takeUp(p *joblog.Parcel) error {
	x.Accesses.Forget()
	x.Depth, x.stop, x.ending = 0, "", ""
	x.levels[0].node = node{}
	x.running = len(p.Levels) > 0
	if !x.running { // the whole search
		return x.forgetFindings()
	}
	if p.Own > len(p.Levels) || p.Own < 1 && p.Fresh() {
		return fmt.Errorf("%d of %d nodes are above the parcel", p.Own, len(p.Levels))
	}
	if err := x.restoreLevels(p.Levels, nil); err != nil {
		return err
	}
	last := x.levels[x.Depth]
	if p.State != nil && !slices.Equal(last.State, p.State) {
		return errOtherState
	}
	for d, lv := range x.levels[:x.Depth+1] {
		lv.ran = true
		if d < p.Own {
			x.putAbove(&lv.node, int(p.Levels[d].Action))
		}
	}
	if p.Fresh() {
		if !last.node.enabled.Has(p.Begin) {
			return fmt.Errorf("action %d, which the parcel begins with, is not possible", p.Begin)
		}
		last.node.shared.above.begin = p.Begin
	}
	if x.visits != nil {
		x.visits.resumeAt()
	}
	return x.forgetFindings()
}

// putAbove makes a node one above the parcel, which goes on with an action from there.
func (x *search) putAbove(n *node, action int) {
	x.publish(n, -1)
	n.shared.above = &aboveNode{begin: -1, known: n.backtrack}
	n.shared.refs.Store(1)
	n.shared.before.Add(action) // what that covers is explored below it
}

// takeFromAbove is what is to be taken from a node above the parcel.
func (u *aboveNode) takeFromAbove() (action int) {
	action, u.begin = u.begin, -1
	return action
}

// forgetFindings begins to count anew.
func (x *search) forgetFindings() error {
	a, err := Find(x.results.Algorithm)
	if err != nil {
		return err
	}
	r, err := newResults(x.m, a, x.opt.Terminal)
	if err != nil {
		return err
	}
	r.found, r.everyWay = x.opt.Found, x.results.everyWay
	x.results = r
	x.ForgetPairs()
	for _, lv := range x.levels[:x.Depth+1] {
		lv.begun = 0
	}
	return nil
}

// splitDepth is the depth of the shallowest node of the parcel from which something waits to be taken, -1 if there is
// none below the present one.
func (x *search) splitDepth(own int) int {
	for d := own; d < x.Depth; d++ {
		if lv := x.levels[d]; x.planned(&lv.node, lv.Event.Action) > 0 {
			return d
		}
	}
	return -1
}

// record says what came of a slice of a parcel: it is over, or paused between two executions. Its own nodes down to
// the depth split are given away, none if that is -1. When nothing is left of it, the record says so.
func (x *search) record(p *joblog.Parcel, number, split int, over bool) (*joblog.Record, error) {
	r := &joblog.Record{Parcel: p.ID, Number: number}
	var found bytes.Buffer
	if err := x.saveCommon().Write(&found); err != nil {
		return nil, err
	}
	r.Found = found.Bytes()
	above := p.Own
	if len(p.Levels) == 0 {
		above = 0
	}
	for d, lv := range x.levels[:above] {
		u := lv.node.shared
		if more := u.backtrack.Minus(&u.above.known); !more.Empty() {
			r.Insert = append(r.Insert, joblog.Insertion{Depth: d, Actions: actionset.Members[int32](&more, nil)})
			u.above.known = u.backtrack
		}
	}
	if over || x.Depth < above { // in the latter case there is nothing more to do than to go down
		return r, nil
	}
	for d := above; d <= split; d++ {
		lv := x.levels[d]
		n := &lv.node
		x.strategy.afterSubtree(x, n, lv.Event.Action) // for others it has been taken
		r.Split = append(r.Split, joblog.Upper{Level: x.saveLevel(lv, nil),
			Enabled: actionset.Members[int32](&n.enabled, nil), Excluded: actionset.Members[int32](&n.excluded, nil)})
		x.putAbove(n, lv.Event.Action)
	}
	if x.visits != nil && split >= 0 {
		x.visits.share(split)
	}
	r.Left = x.remainder(p.ID, max(above, split+1))
	return r, x.forgetFindings()
}

// remainder is the part of a parcel that is left, of which some nodes are above it.
func (x *search) remainder(id joblog.ID, above int) *joblog.Parcel {
	p := &joblog.Parcel{ID: id, Own: above, Begin: -1, State: slices.Clone(x.levels[x.Depth].State)}
	for _, lv := range x.levels[:x.Depth+1] {
		p.Levels = append(p.Levels, x.saveAlone(lv))
	}
	p.Levels[x.Depth].Action = -1
	return p
}

// saveAlone is saveLevel with what is known of a shared node.
func (x *search) saveAlone(lv *level) checkpoint.Level {
	n := &lv.node
	x.hold(n)
	shared := n.shared
	n.shared = nil
	s := x.saveLevel(lv, nil)
	if n.shared = shared; shared != nil {
		x.unlock(n)
	}
	return s
}

// addFound adds what a record has found to what all have. The search is one that has nothing to do but this.
func (x *search) addFound(all *findings, found []byte) error {
	cp, err := ReadCheckpoint(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if err := x.forgetFindings(); err != nil {
		return err
	}
	if err := cmp.Or(x.m.AdoptOrigins(cp.Origins), x.restoreCommon(cp)); err != nil {
		return err
	}
	all.add([]worker{x})
	return nil
}

// A ParcelWork explores one parcel after the other, for package cluster. It is not for use by several goroutines.
type ParcelWork struct {
	x      *search
	parcel *joblog.Parcel
	left   float64 // the part of the parcel that was left at the last record, or less (parcelestimate.go)
}

// NewParcelWork makes one for a search of a machine. The error says why the search cannot be cut into parcels.
func NewParcelWork(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*ParcelWork, error) {
	if err := errParcels(a, opt); err != nil {
		return nil, err
	}
	x, err := newSearch(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.inParcels = true
	return &ParcelWork{x: x}, nil
}

// TakeUp goes to where a parcel goes on. The error says that it is none of this search.
func (w *ParcelWork) TakeUp(p *joblog.Parcel) error {
	w.parcel, w.left = p, 1
	err := w.x.takeUp(p)
	if err == nil && !p.Fresh() {
		w.left, _ = w.x.remains(p.Own)
		w.left = max(w.left, leastLeft)
	}
	return err
}

// Explore goes on for about as many nodes, to a point between two executions. It reports whether nothing is left of
// the parcel. The error is an internal one, or says why the search has been stopped.
func (w *ParcelWork) Explore(nodes int64) (over bool, err error) {
	over = w.x.advance(w.x.results.Nodes + nodes)
	if err := w.x.failed(); err != nil {
		return over, err
	}
	if w.x.stop != "" {
		return over, fmt.Errorf("the search has been stopped: %s", w.x.stop)
	}
	return over, nil
}

// Nodes is how many nodes have been explored since the last record, or since the parcel was taken up.
func (w *ParcelWork) Nodes() int64 { return w.x.results.Nodes }

// Divisible reports whether Record can give something away.
func (w *ParcelWork) Divisible() bool { return w.x.splitDepth(w.parcel.Own) >= 0 }

// Violated reports whether something wrong has been found since the last record.
func (w *ParcelWork) Violated() bool { return w.x.results.violated }

// Record says what has come of the parcel since the last record, or since it was taken up. With split the shallowest
// of its nodes from which something waits to be taken is given away, with those above it. A record without Left says
// that nothing is left; else its Left is the parcel from now on.
func (w *ParcelWork) Record(number int, over, split bool) (*joblog.Record, error) {
	depth := -1
	if split && !over {
		depth = w.x.splitDepth(w.parcel.Own)
	}
	estimate := w.estimate(depth)
	r, err := w.x.record(w.parcel, number, depth, over)
	if err != nil {
		return nil, err
	}
	if r.Left != nil {
		r.Estimate = estimate
	}
	w.parcel = r.Left
	return r, nil
}

// ParcelFindings is what the records of a search have found together.
type ParcelFindings struct {
	x   reader
	opt Options
	m   *step.Machine
	all findings
}

// A reader adds what a record has found to what all have found.
type reader interface {
	addFound(all *findings, found []byte) error
}

// NewParcelFindings makes one without records, of the same search as NewParcelWork.
func NewParcelFindings(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*ParcelFindings, error) {
	x, err := newReader(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	r, err := newResults(m, a, nil)
	if err != nil {
		return nil, err
	}
	return &ParcelFindings{x: x, opt: opt, m: m, all: findings{r, map[[2]*step.Step]*PairStats{}}}, nil
}

func newReader(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (reader, error) {
	if a == exhaustiveAlgorithm {
		w, err := NewSlotWork(ctx, m, a, opt, nil)
		if err != nil {
			return nil, err
		}
		return w.x, nil
	}
	w, err := NewParcelWork(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	return w.x, nil
}

// NewFold is the fold of an empty log of the search, which is one that is cut into parcels.
func (f *ParcelFindings) NewFold() *joblog.Fold {
	n, x := node{}, f.x.(*search)
	x.strategy.afterSubtree(x, &n, 0)
	return joblog.NewFold(n.sleep.Has(0))
}

// Add adds what a record that counts has found. The error says that it is none of this search.
func (f *ParcelFindings) Add(found []byte) error { return f.x.addFound(&f.all, found) }

// Save is all that has been found, as one record would say it: Add takes it. The search is one that is cut into
// parcels.
func (f *ParcelFindings) Save() ([]byte, error) {
	x := f.x.(*search)
	scratch, pairs := x.results, x.Pairs
	defer func() { x.results, x.Pairs = scratch, pairs }()
	x.results, x.Pairs = f.all.results, f.all.pairs
	var found bytes.Buffer
	err := x.saveCommon().Write(&found)
	return found.Bytes(), err
}

// Reset forgets what has been found.
func (f *ParcelFindings) Reset() error {
	a, err := Find(f.all.results.Algorithm)
	if err != nil {
		return err
	}
	r, err := newResults(f.m, a, nil)
	f.all = findings{r, map[[2]*step.Step]*PairStats{}}
	return err
}

// Sofar is what has been found so far. It changes with the next Add.
func (f *ParcelFindings) Sofar() *Result { return &f.all.results.Result }

// Unread says how many records could not be read, or have found what could not be.
func (f *ParcelFindings) Unread(records int) { f.all.results.Unread = records }

// Violated reports whether something wrong has been found.
func (f *ParcelFindings) Violated() bool { return len(f.all.results.Violations) > 0 }

// Result is the result of the search. stopped says why it has ended before everything was explored, empty if
// everything was. Nothing can be added afterwards.
func (f *ParcelFindings) Result(stopped string) *Result {
	if x, ok := f.x.(*exhaustive); ok && x.opt.Preempt { // as in exhaustive.conclude
		f.all.results.States = 0
	}
	f.all.results.arrange()
	r := f.all.results.finish(stopped, f.all.pairs)
	r.AllEnd = r.Stopped == StoppedComplete && showsEnds(r.Algorithm, &f.opt)
	return r
}
