package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/meter"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// pausePeriod is how many nodes are visited from one look at the outside to the next.
const pausePeriod = 1024

// ErrMemory is the cause to end a context with when the memory that a search may take is used up.
var ErrMemory = errors.New("memory limit")

// limits is what the outside has to do with a search, of whatever kind: its options, limits and results.
type limits struct {
	opt     Options
	ctx     context.Context
	results *results.Collector
	rng     *rand.Rand // nil: no random choices
	random  *rand.PCG  // its source
	period  int64      // nodes from one pause to the next

	meter.Meter
	left   int64  // nodes until the next pause
	due    bool   // there has been a pause in the present execution
	ending string // why the search is to stop when the present execution is over
	stop   string // why the search has stopped early

	pauseAt int64 // nodes after which to pause between two executions, 0: never
	paused  bool  // it does
	// pauseEvents is the same for events, if there is a pauseAt; 0: never.
	pauseEvents int64
	running     bool                  // the search has begun
	inside      bool                  // it stopped at a node from which nothing had been taken yet
	decided     func() *saved.Decided // what auto has decided; nil: it is not a part of auto

	alone   bool  // nobody else has a part of the search
	pool    pool  // nil: there is one worker
	number  int   // of the worker
	busy    bool  // it has a part of the search
	cuts    bool  // executions that are cut count
	counted int64 // executions that the pool knows of
}

func newLimits(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (c limits, err error) {
	if err := checkSize(m); err != nil {
		return c, err
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = DefaultMaxDepth
	}
	c = limits{opt: opt, ctx: ctx, period: pausePeriod, left: pausePeriod, alone: true}
	if opt.Seed != 0 {
		c.random = rand.NewPCG(uint64(opt.Seed), 0)
		c.rng = rand.New(c.random)
	}
	if c.results, err = results.NewCollector(m, a, opt.Terminal); err == nil {
		c.results.Found = opt.Found
		c.results.EveryWay = everyWay(a, opt)
	}
	return c, err
}

// join makes the search a worker of a pool.
func (c *limits) join(pool pool, number int) {
	c.pool, c.number, c.alone = pool, number, false
	if c.random != nil { // every worker makes choices of its own
		c.random.Seed(uint64(c.opt.Seed), uint64(number))
	}
}

func (c *limits) common() *limits { return c }

func (c *limits) abandon() {} // nobody waits for a worker outside of a lock

// countNode counts a node and reports whether it is time for a pause.
func (c *limits) countNode() bool {
	c.results.Nodes++
	c.left--
	return c.left <= 0
}

// pause looks whether the search must stop and reports progress.
func (c *limits) pause() {
	c.rest()
	c.due = true
	c.checkGiveUp(0)
	c.reserve(c.results.Outcomes.Set.Growth(pausePeriod) + c.results.Deadlocks.Set.Growth(pausePeriod) +
		c.results.Histories.Set.Growth(pausePeriod))
	if c.pool != nil {
		c.pool.paused(c)
		return
	}
	if c.opt.Progress != nil {
		c.opt.Progress(&c.results.Result)
	}
}

// rest sets how many nodes there are until the next pause.
func (c *limits) rest() {
	c.left = c.period
	if ahead := c.pauseAt - c.results.Nodes; ahead > 0 { // else it waits for the end of the execution
		c.left = min(c.left, ahead)
	}
}

// until makes the search pause after some nodes, 0: never.
func (c *limits) until(nodes int64) {
	c.pauseAt, c.paused = nodes, false
	c.rest()
}

// limited is how many executions there have been of those that are limited: complete ones and, where executions are
// explored and not states, those that were cut, because a program without an end may have no others.
func (c *limits) limited() int64 {
	if c.cuts {
		return c.results.Executions + c.results.Cut
	}
	return c.results.Executions
}

// limit sees to it that the search stops when there have been as many executions as it may have.
func (c *limits) limit() {
	if c.opt.MaxExecutions == 0 {
		return
	}
	executions := c.limited()
	if c.pool != nil {
		executions, c.counted = c.pool.limited(executions-c.counted), executions
	}
	if executions >= c.opt.MaxExecutions {
		c.ending = cmp.Or(c.ending, StoppedExecutions)
	}
}

// needsSafePoint reports whether there is something to do for atSafePoint. It is asked between two executions.
func (c *limits) needsSafePoint() bool {
	if c.opt.StopAtFirst && c.results.Violated {
		c.ending = cmp.Or(c.ending, StoppedFirst)
	}
	return c.due || c.ending != "" || c.pool != nil && c.pool.interrupts()
}

// endsInside reports whether the search is to stop inside an execution, where an action has led to a node from which
// none has been taken yet. Where others have parts of it, it waits for the end of the execution.
func (c *limits) endsInside() bool {
	return c.ending != "" && c.alone && interrupted(c.ctx) != ""
}

// atSafePoint is called when no action is under way from the present node: between two executions, and inside one when
// the search is to stop. There, and nowhere else, the search stops early of its own accord, and there it can be saved.
func (c *limits) atSafePoint(save func() *Checkpoint) {
	c.due = false
	if c.pool != nil {
		c.pool.atSafePoint(c)
		return
	}
	if c.opt.Checkpoint != nil {
		c.opt.Checkpoint(c.ending, save)
	}
	c.stop = c.ending
	c.paused = c.stop == "" && c.pauseAt > 0 &&
		(c.results.Nodes >= c.pauseAt || c.pauseEvents > 0 && c.results.Events >= c.pauseEvents)
}

// Any chooses an action of a set when nothing else decides: the first, or with a seed a random one. The set is not
// empty.
func (c *limits) Any(s *actionset.Set) int {
	a := s.Next(0)
	if c.rng != nil {
		for skip := c.rng.IntN(s.Len()); skip > 0; skip-- {
			a = s.Next(a + 1)
		}
	}
	return a
}

// interrupted is why a search under a context must stop, empty if it need not.
func interrupted(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case ctx.Err() == nil:
		return ""
	case errors.Is(cause, ErrMemory):
		return StoppedMemory
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return StoppedTime
	}
	return StoppedContext
}

func checkSize(m *step.Machine) error {
	if m.NumActions() > MaxActions {
		return fmt.Errorf("the program has %d processes with %d alternatives; at most %d can be explored",
			m.NumProcs(), m.NumActions(), MaxActions)
	}
	return nil
}

// Giving up inside an execution.
//
// A search ends early between two executions, because only there it can be saved. But an execution may have millions
// of events, and looking for the races of a single one may take long. So Options.GiveUp is asked everywhere: all
// loops that may be long count units of work (internal/meter), and after so many of them it is asked. If it says yes,
// the search ends where it stands. What it was about to find out is of no interest then, so it is left as it is, by a
// panic that giveUp catches; what the search has found so far stays. Nothing counts work while it changes what other
// workers see, unless a deferred call puts that right.

// reserve ends the search, as soon as the execution under way is over, if so many bytes that will be taken at once
// before long are not to be had.
func (c *limits) reserve(bytes int64) {
	const little = 1 << 20
	if bytes >= little && c.opt.GiveUp != nil && c.opt.GiveUp(bytes) {
		c.ending = cmp.Or(c.ending, interrupted(c.ctx), StoppedMemory)
	}
}

// gaveUp is what a search that is given up panics with.
type gaveUp struct{}

// checkGiveUp looks whether the search must stop, and ends it at once if the execution under way is to be given up, or
// if so many bytes more are not to be had.
func (c *limits) checkGiveUp(bytes int64) {
	c.Meter.Reset()
	if c.ending == "" {
		c.ending = interrupted(c.ctx)
	}
	if c.opt.GiveUp != nil && c.opt.GiveUp(bytes) {
		panic(gaveUp{})
	}
}

// giveUp is deferred by what explores. When the search has been given up, it ends there.
func (c *limits) giveUp(x interface {
	abandon()
	onlooker() *watcher
}) {
	p := recover()
	if p == nil {
		return
	}
	if p != any(gaveUp{}) {
		panic(p)
	}
	x.abandon()
	// The last if it has been refused although the context was not done.
	c.ending = cmp.Or(c.ending, interrupted(c.ctx), StoppedMemory)
	c.stop = c.ending
	if c.pool != nil {
		c.pool.giveUp(c.stop)
	}
	x.onlooker().leaveAll()
}
