package parallel

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// Several workers on one search (README, "Several workers"). Each is an engine with a stack, scratch memory and results
// of its own. One of them begins; an idle worker takes a work item, a part of the search that a busy worker has given
// away because it saw an idle one. When all are idle and there is no work item, everything has been explored.

// A Pool is the workers of a search. It is an engine itself.
type Pool struct {
	opt           engine.Options
	machine       *step.Machine
	algorithm     *dpor.Algorithm
	Workers       []engine.Worker
	BarrierPeriod int // pauses, of all workers together, from one barrier to the next
	Spare         int // work items to have in stock although no worker is idle

	missing    atomic.Int32 // work items that are missing
	attention  atomic.Bool  // workers are to call AtSafePoint as soon as an execution is over
	executions atomic.Int64 // complete ones, of all workers, when they are limited

	mu       sync.Mutex
	changed  *sync.Cond // what follows has
	items    []engine.WorkItem
	idle     int    // workers that wait for a work item
	pauses   int    // since the last barrier
	barrier  bool   // all workers are to wait between two executions
	arrived  int    // those that do, besides the idle ones
	barriers int    // barriers so far
	reason   string // why the search stops early
	lost     bool   // an execution has been given up, so there is nothing to be saved
	failure  error  // an internal one

	hook     sync.Mutex // for Options.Terminal
	progress results.Overview
}

// defaultBarrierPeriod is how many pauses of workers there are from one barrier, for a checkpoint, to the
// next.
const defaultBarrierPeriod = 64

// New makes the workers of a search, each by a function.
func New(
	m *step.Machine, a *dpor.Algorithm, opt engine.Options, newWorker func(opt engine.Options) (engine.Worker, error),
) (*Pool, error) {
	if opt.Observer != nil {
		return nil, errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	c := &Pool{opt: opt, machine: m, algorithm: a, BarrierPeriod: defaultBarrierPeriod}
	c.changed = sync.NewCond(&c.mu)
	if opt.Conditions != nil {
		opt.Conditions = &sharedConditions{of: opt.Conditions}
	}
	if hook := opt.Terminal; hook != nil {
		opt.Terminal = func(s step.State) {
			c.hook.Lock()
			defer c.hook.Unlock()
			hook(s)
		}
	}
	for i := range max(1, opt.Workers) {
		w, err := newWorker(opt)
		if err != nil {
			return nil, err
		}
		w.Join(c, i)
		c.Workers = append(c.Workers, w)
	}
	c.progress = results.NewOverview(a, len(c.Workers))
	return c, nil
}

// begin explores everything.
func (c *Pool) Begin() { c.run(engine.Worker.Begin) }

// proceed explores what the work items have.
func (c *Pool) Proceed() { c.run(func(engine.Worker) {}) }

// run lets all workers work until there is nothing left to do. The first of them begins with something.
func (c *Pool) run(first func(engine.Worker)) {
	c.count()
	stopped := c.reason != "" // before it has begun
	var wg sync.WaitGroup
	for i, w := range c.Workers {
		wg.Go(func() {
			defer c.catch()
			if i == 0 && !stopped {
				w.Common().Busy = true
				first(w)
			}
			for c.nextItem(w) {
				w.Proceed()
			}
		})
	}
	wg.Wait()
}

// catch turns a panic in a worker into an internal error.
func (c *Pool) catch() {
	if p := recover(); p != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failure = cmp.Or(c.failure, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		c.halt(results.StoppedContext)
		if c.idle++; c.barrier {
			c.waitAtBarrier()
		}
	}
}

// nextItem gives a worker that has nothing to do a work item; false when there will be none.
func (c *Pool) nextItem(w engine.Worker) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Common().Busy = false
	c.progress.Idle(w.Common().Number)
	c.idle++
	for {
		c.count()
		switch {
		case c.barrier:
			c.waitAtBarrier()
		case c.reason != "" || len(c.items) == 0 && c.idle == len(c.Workers):
			c.changed.Broadcast()
			return false
		case len(c.items) > 0:
			p := c.items[0]
			c.items = c.items[1:]
			c.idle--
			c.count()
			w.Common().Busy = true
			w.ResumeAt(p)
			return true
		default:
			c.changed.Wait()
		}
	}
}

// count finds out how many work items are missing. The lock is held.
func (c *Pool) count() { c.missing.Store(int32(c.idle + c.Spare - len(c.items))) }

// starving reports whether a part of the search should be given away.
func (c *Pool) Starving() bool { return c.missing.Load() > 0 }

// interrupts reports whether the workers are to come to a safe point.
func (c *Pool) Interrupts() bool { return c.attention.Load() }

// limited adds to the executions of all workers that are limited, and says how many there are.
func (c *Pool) Limited(more int64) int64 { return c.executions.Add(more) }

// submit puts a work item where others find it.
func (c *Pool) Submit(p engine.WorkItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items = append(c.items, p)
	c.count()
	c.changed.Broadcast()
}

// GiveUp stops the search early, where one of the workers has given up an execution: it cannot be saved any more.
func (c *Pool) GiveUp(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
	c.halt(reason)
}

// halt stops the search early. The lock is held.
func (c *Pool) halt(reason string) {
	c.reason = cmp.Or(c.reason, reason)
	c.attention.Store(true)
	c.changed.Broadcast()
}

// AtSafePoint is called by a worker between two executions.
func (c *Pool) AtSafePoint(w *engine.Limits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.reason != "" || c.barrier:
	case w.Ending != "" && c.opt.Checkpoint == nil:
		c.halt(w.Ending)
	case w.Ending != "" || c.opt.Checkpoint != nil && c.pauses >= c.BarrierPeriod:
		c.reason, c.barrier, c.arrived, c.pauses = w.Ending, true, 0, 0
		c.attention.Store(true)
		c.changed.Broadcast()
	}
	for c.barrier { // another one may begin before this worker has noticed that the first is over
		c.arrived++
		c.waitAtBarrier()
	}
	w.Stop = c.reason
}

// waitAtBarrier waits until no worker is in the middle of an execution, and for the checkpoint that the last one to
// come makes then. The lock is held.
func (c *Pool) waitAtBarrier() {
	if now := c.barriers; c.arrived+c.idle < len(c.Workers) {
		for c.barriers == now {
			c.changed.Wait()
		}
		return
	}
	if c.failure == nil && !c.lost {
		c.opt.Checkpoint(c.reason, c.save)
	}
	c.barrier = false
	c.barriers++
	c.attention.Store(c.reason != "")
	c.changed.Broadcast()
}

// paused keeps what a worker has found so far, and reports progress.
func (c *Pool) Paused(w *engine.Limits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauses++
	if c.opt.Progress != nil {
		c.progress.See(w.Number, &w.Results.Result)
		c.opt.Progress(&c.progress.Total)
	}
}

// conclude sums up what all workers have found.
func (c *Pool) Conclude() (*results.Result, error) {
	first := c.Workers[0]
	for _, w := range c.Workers {
		c.failure = cmp.Or(c.failure, w.Failed())
		c.reason = cmp.Or(c.reason, w.Common().Ending)
	}
	if c.failure != nil {
		return nil, c.failure
	}
	var sorting sync.WaitGroup
	for _, w := range c.Workers {
		sorting.Go(func() {
			r := w.Findings().Results
			r.Outcomes.Set.Sort()
			r.Deadlocks.Set.Sort()
			r.Histories.Set.Sort()
		})
	}
	sorting.Wait()
	all := first.Findings()
	for _, w := range c.Workers[1:] {
		all.Add(w.Findings())
	}
	all.Results.Arrange()
	first.Common().Stop = c.reason
	res, err := first.Conclude()
	if err == nil {
		res.Workers = len(c.Workers)
	}
	return res, err
}

// sum adds up the findings of all workers so far, without outcomes and deadlocks.
func (c *Pool) sum() (engine.Findings, error) {
	r, err := results.NewCollector(c.machine, c.algorithm, nil)
	all := engine.NewFindings(r)
	if err == nil {
		for _, w := range c.Workers {
			more := w.Findings()
			r.MergeChecks(more.Results)
			all.AddPairs(more)
		}
	}
	return all, err
}

// sharedConditions let several workers ask for constraints.
type sharedConditions struct {
	mu sync.Mutex
	of happens.Conditions
}

func (s *sharedConditions) Uniform(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of.Uniform(procA, a, procB, b)
}

func (s *sharedConditions) Commute(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of.Commute(procA, a, procB, b)
}
