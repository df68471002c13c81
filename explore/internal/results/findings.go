package results

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/outcomes"
)

// Adding up what several workers have found.

// Sums are the numbers of a Result that are sums over the parts of a search.
func (r *Result) Sums() []*int64 {
	return []*int64{&r.Executions, &r.Ended, &r.Deadlocked, &r.Failed, &r.Dropped, &r.Blocked, &r.Spinning, &r.Cut,
		&r.Barred, &r.Virtual, &r.Nodes, &r.Events, &r.Races, &r.Sequences, &r.Compared, &r.Compensated, &r.Unplanned,
		&r.States, &r.Revisits, &r.Cycles}
}

// AddCounts adds the numbers of another Result, and takes off what of them had been added before.
func (r *Result) AddCounts(now, before *Result) {
	sums, nows, befores := r.Sums(), now.Sums(), before.Sums()
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

// Merge adds what another worker has found.
func (r *Collector) Merge(o *Collector) {
	r.MergeChecks(o)
	for _, ends := range [][2]*outcomes.Set{{&r.Outcomes.Set, &o.Outcomes.Set}, {&r.Deadlocks.Set, &o.Deadlocks.Set},
		{&r.Histories.Set, &o.Histories.Set}} {
		if ends[0].Sorted() && ends[1].Sorted() {
			ends[0].Join(ends[1])
		} else {
			ends[0].Merge(ends[1], 0)
		}
	}
}

// MergeChecks is merge without outcomes and deadlocks.
func (r *Collector) MergeChecks(o *Collector) {
	r.AddCounts(&o.Result, &Result{})
	r.Symmetry = o.Symmetry
	r.addCoverage(o.Covered)
	r.unnoted = r.unnoted || o.unnoted
	for _, v := range o.Violations {
		old := r.violations[v.Key()]
		if old == nil {
			old = &Violation{}
			*old = *v
			r.violations[v.Key()] = old
			r.Violations = append(r.Violations, old)
			continue
		}
		old.Count += v.Count
		old.Schedule = simpler(old.Schedule, v.Schedule)
	}
	for at, n := range o.unreleased {
		r.unreleased[at] += n
	}
	for i := range r.Reachable {
		p, q := &r.Reachable[i], &o.Reachable[i]
		p.reached, p.Dropped = p.reached || q.reached, p.Dropped || q.Dropped
	}
}

// simpler chooses one of two schedules that show the same, whichever worker found it: the shorter one.
func simpler(a, b []int32) []int32 {
	if cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) <= 0 {
		return a
	}
	return b
}

// Arrange puts what several workers have found into an order that does not depend on who found it when.
func (r *Collector) Arrange() {
	r.Deadlocks.Set.Sort()
	r.Histories.Set.Sort()
	all := properties(r.M.Program)
	slices.SortFunc(r.Violations, func(a, b *Violation) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)),
			cmp.Compare(slices.Index(all, a.Property), slices.Index(all, b.Property)),
			cmp.Compare(a.Proc, b.Proc), cmp.Compare(r.number(a), r.number(b)),
			cmp.Compare(a.Fault, b.Fault), slices.Compare(a.Words, b.Words))
	})
}

// number is the position of the node of a violation in the program of its process, -1 if it has none.
func (r *Collector) number(v *Violation) int {
	if v.Node == nil {
		return -1
	}
	return slices.Index(r.M.Program.Procs[v.Proc].Template.Nodes, v.Node)
}

// An Overview adds up the last reports of all workers, for Options.Progress.
type Overview struct {
	Total      Result
	seen       []Result          // of each worker
	ends       [3]outcomes.Tally // of outcomes, deadlocks, histories: total has their numbers only
	violations map[violationKey]bool
}

func NewOverview(a *dpor.Algorithm, workers int) Overview {
	return Overview{Total: Result{Algorithm: a.Name}, seen: make([]Result, workers),
		violations: map[violationKey]bool{}}
}

// See takes in what a worker has found so far. Lists only grow; the counts in them belong to the worker, so they are
// copied.
func (o *Overview) See(worker int, r *Result) {
	old := &o.seen[worker]
	o.Total.AddCounts(r, old)
	o.Total.Outcomes.counted = o.tally(0, &r.Outcomes, &old.Outcomes)
	o.Total.Deadlocks.counted = o.tally(1, &r.Deadlocks, &old.Deadlocks)
	o.Total.Histories.counted = o.tally(2, &r.Histories, &old.Histories)
	for _, v := range r.Violations[len(old.Violations):] {
		if !o.violations[v.Key()] {
			o.violations[v.Key()] = true
			c := *v
			o.Total.Violations = append(o.Total.Violations, &c)
		}
	}
	o.seen[worker] = *r
	o.estimate()
}

// tally is how many distinct ends of a kind there are, with what a worker has found since it told last.
func (o *Overview) tally(kind int, now, before *OutcomeSet) int {
	t := &o.ends[kind]
	t.Add(&now.Set, before.Len())
	return t.Len()
}

// Idle takes in that a worker has nothing left to do.
func (o *Overview) Idle(worker int) { o.seen[worker].Share = 1 }

// estimate adds up what is done and what each worker expects.
func (o *Overview) estimate() {
	expected := 0.0
	for _, r := range o.seen {
		if r.Share == 0 { // it does not know, or has not told anything
			o.Total.Share = 0
			return
		}
		expected += float64(r.Nodes) / r.Share
	}
	o.Total.Share = float64(o.Total.Nodes) / expected
}

// Telling of violations when they are found (Options.Found), and stopping at the first one.

// announce tells of a violation that a worker has just found.
func (r *Collector) announce(v *Violation) {
	r.Violated = true
	if r.Found != nil {
		r.Found(v)
	}
}

// Once turns Options.Found into a function that several workers, and several searches of auto, may call with all that
// they find: it passes each distinct violation on once, as a copy, until it is told that that is enough.
func Once(found func(*Violation) bool) func(*Violation) bool {
	if found == nil {
		return nil
	}
	var mu sync.Mutex
	known, more := map[violationKey]bool{}, true
	return func(v *Violation) bool {
		mu.Lock()
		defer mu.Unlock()
		if key := v.Key(); more && !known[key] {
			known[key] = true
			c := *v // its count is the worker's
			more = found(&c)
		}
		return more
	}
}
