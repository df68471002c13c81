package explore

import (
	"cmp"
	"slices"
	"strings"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/outcomes"
)

// Adding up what several workers have found.

// sums are the numbers of a Result that are sums over the parts of a search.
func (r *Result) sums() []*int64 {
	return []*int64{&r.Executions, &r.Ended, &r.Deadlocked, &r.Failed, &r.Dropped, &r.Blocked, &r.Cut, &r.Barred,
		&r.Virtual, &r.Nodes, &r.Events, &r.Races, &r.Sequences, &r.Compared, &r.Compensated, &r.Unplanned, &r.States,
		&r.Revisits, &r.Cycles}
}

// addCounts adds the numbers of another Result, and takes off what of them had been added before.
func (r *Result) addCounts(now, before *Result) {
	sums, nows, befores := r.sums(), now.sums(), before.sums()
	for i := range sums {
		*sums[i] += *nows[i] - *befores[i]
	}
	r.MaxDepth = max(r.MaxDepth, now.MaxDepth)
	if now.Stretch.Nodes > 0 {
		r.Stretch = now.Stretch
	}
	if len(now.Growing) > 0 {
		r.Growing = now.Growing
	}
}

// merge adds what another worker has found.
func (r *collector) merge(o *collector) {
	r.mergeChecks(o)
	for _, ends := range [][2]*outcomes.Set{{&r.Outcomes.set, &o.Outcomes.set}, {&r.Deadlocks.set, &o.Deadlocks.set},
		{&r.Histories.set, &o.Histories.set}} {
		if ends[0].Sorted() && ends[1].Sorted() {
			ends[0].Join(ends[1])
		} else {
			ends[0].Merge(ends[1], 0)
		}
	}
}

// mergeChecks is merge without outcomes and deadlocks.
func (r *collector) mergeChecks(o *collector) {
	r.addCounts(&o.Result, &Result{})
	r.Symmetry = o.Symmetry
	r.addCoverage(o.Covered)
	r.unnoted = r.unnoted || o.unnoted
	for _, v := range o.Violations {
		old := r.violations[v.key()]
		if old == nil {
			old = &Violation{}
			*old = *v
			r.violations[v.key()] = old
			r.Violations = append(r.Violations, old)
			continue
		}
		old.Count += v.Count
		old.Schedule = simpler(old.Schedule, v.Schedule)
	}
	for at, n := range o.unreleased {
		r.unreleased[at] += n
	}
	for i := range r.reachable {
		p, q := &r.reachable[i], &o.reachable[i]
		p.reached, p.dropped = p.reached || q.reached, p.dropped || q.dropped
	}
}

// simpler chooses one of two schedules that show the same, whichever worker found it: the shorter one.
func simpler(a, b []int32) []int32 {
	if cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) <= 0 {
		return a
	}
	return b
}

// arrange puts what several workers have found into an order that does not depend on who found it when.
func (r *collector) arrange() {
	r.Deadlocks.set.Sort()
	r.Histories.set.Sort()
	all := properties(r.m.Program)
	slices.SortFunc(r.Violations, func(a, b *Violation) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)),
			cmp.Compare(slices.Index(all, a.Property), slices.Index(all, b.Property)),
			cmp.Compare(a.Proc, b.Proc), cmp.Compare(r.number(a), r.number(b)),
			cmp.Compare(a.Fault, b.Fault), slices.Compare(a.Words, b.Words))
	})
}

// number is the position of the node of a violation in the program of its process, -1 if it has none.
func (r *collector) number(v *Violation) int {
	if v.Node == nil {
		return -1
	}
	return slices.Index(r.m.Program.Procs[v.Proc].Template.Nodes, v.Node)
}

// An overview is what all workers together had found when each of them last told, for Options.Progress.
type overview struct {
	total      Result
	seen       []Result          // of each worker
	ends       [3]outcomes.Tally // of outcomes, deadlocks, histories: total has their numbers only
	violations map[violationKey]bool
}

func newOverview(a *dpor.Algorithm, workers int) overview {
	return overview{total: Result{Algorithm: a.Name}, seen: make([]Result, workers),
		violations: map[violationKey]bool{}}
}

// see takes in what a worker has found so far. Lists only grow; the counts in them belong to the worker, so they are
// copied.
func (o *overview) see(worker int, r *Result) {
	old := &o.seen[worker]
	o.total.addCounts(r, old)
	o.total.Outcomes.counted = o.tally(0, &r.Outcomes, &old.Outcomes)
	o.total.Deadlocks.counted = o.tally(1, &r.Deadlocks, &old.Deadlocks)
	o.total.Histories.counted = o.tally(2, &r.Histories, &old.Histories)
	for _, v := range r.Violations[len(old.Violations):] {
		if !o.violations[v.key()] {
			o.violations[v.key()] = true
			c := *v
			o.total.Violations = append(o.total.Violations, &c)
		}
	}
	o.seen[worker] = *r
	o.estimate()
}

// tally is how many distinct ends of a kind there are, with what a worker has found since it told last.
func (o *overview) tally(kind int, now, before *OutcomeSet) int {
	t := &o.ends[kind]
	t.Add(&now.set, before.Len())
	return t.Len()
}

// idle takes in that a worker has nothing left to do.
func (o *overview) idle(worker int) { o.seen[worker].Share = 1 }

// estimate adds up what is done and what each worker expects.
func (o *overview) estimate() {
	expected := 0.0
	for _, r := range o.seen {
		if r.Share == 0 { // it does not know, or has not told anything
			o.total.Share = 0
			return
		}
		expected += float64(r.Nodes) / r.Share
	}
	o.total.Share = float64(o.total.Nodes) / expected
}
