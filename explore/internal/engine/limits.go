package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"cdpor/constraints"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/meter"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// PausePeriod is the number of nodes that are visited from one look at the outside to the next.
const PausePeriod = 1024

// ErrMemory is the cause to end a context with when the memory that a search may take is used up.
var ErrMemory = errors.New("memory limit")

// A WorkItem is a part of a search that a worker gives away, for another worker of the same kind.
type WorkItem any

// A Pool is shared by the workers of a search.
type Pool interface {
	Paused(w *Limits)               // keeps what a worker has found so far
	AtSafePoint(w *Limits)          // lets a worker wait for the others, between two executions
	Interrupts() bool               // the workers are to come to a safe point
	Limited(more int64) (all int64) // executions that are limited
	GiveUp(reason string)           // a worker has given up an execution
	Starving() bool                 // a part of the search should be given away
	Submit(WorkItem)
}

// Limits connects a search of any kind with its caller: options, limits and results.
type Limits struct {
	Opt     Options
	ctx     context.Context
	Results *results.Collector
	Rng     *rand.Rand // nil: no random choices
	random  *rand.PCG  // its source
	Period  int64      // nodes from one pause to the next

	meter.Meter
	Left   int64  // nodes until the next pause
	Due    bool   // there has been a pause in the present execution
	Ending string // why the search is to stop when the present execution is over
	Stop   string // why the search has stopped early

	pauseAt int64 // nodes after which to pause between two executions, 0: never
	Paused  bool  // it does
	// PauseEvents is the same for events, if there is a pauseAt; 0: never.
	PauseEvents int64
	NodeWork    int64                 // for so many units of work a node more is counted for pauseAt; 0: none
	Running     bool                  // the search has begun
	Inside      bool                  // it stopped at a node from which nothing had been taken yet
	Decided     func() *saved.Decided // what auto has decided; nil: it is not a part of auto

	Alone   bool  // no other worker has a part of the search
	Pool    Pool  // nil: there is one worker
	Number  int   // of the worker
	Busy    bool  // it has a part of the search
	Cuts    bool  // executions that are cut count
	Counted int64 // executions that the pool knows of
}

func NewLimits(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (c Limits, err error) {
	if err := checkSize(m); err != nil {
		return c, err
	}
	c = Limits{Opt: opt, ctx: ctx, Period: PausePeriod, Left: PausePeriod, Alone: true}
	if opt.Seed != 0 {
		c.random = rand.NewPCG(uint64(opt.Seed), 0)
		c.Rng = rand.New(c.random)
	}
	if c.Results, err = results.NewCollector(m, a, opt.Terminal); err == nil {
		c.Results.Found = opt.Found
		c.Results.EveryWay = everyWay(a, opt)
	}
	return c, err
}

// Join makes the search a worker of a pool.
func (c *Limits) Join(pool Pool, number int) {
	c.Pool, c.Number, c.Alone = pool, number, false
	if c.random != nil { // every worker makes choices of its own
		c.random.Seed(uint64(c.Opt.Seed), uint64(number))
	}
}

func (c *Limits) Common() *Limits { return c }

// CountNode counts a node and reports whether it is time for a pause.
func (c *Limits) CountNode() bool {
	c.Results.Nodes++
	c.Left--
	return c.Left <= 0
}

// Pause looks whether the search must stop and reports progress.
func (c *Limits) Pause() {
	c.rest()
	c.Due = true
	c.CheckGiveUp(0)
	c.Reserve(c.Results.Outcomes.Set.Growth(PausePeriod) + c.Results.Deadlocks.Set.Growth(PausePeriod) +
		c.Results.Histories.Set.Growth(PausePeriod))
	if c.Pool != nil {
		c.Pool.Paused(c)
		return
	}
	if c.Opt.Progress != nil {
		c.Opt.Progress(&c.Results.Result)
	}
}

// rest sets how many nodes there are until the next pause.
func (c *Limits) rest() {
	c.Left = c.Period
	if ahead := c.pauseAt - c.Results.Nodes; ahead > 0 { // else it waits for the end of the execution
		c.Left = min(c.Left, ahead)
	}
}

// Until makes the search pause after some nodes, 0: never.
func (c *Limits) Until(nodes int64) {
	c.pauseAt, c.Paused = nodes, false
	c.rest()
}

// Limited counts the executions that a limit counts: complete ones and, where
// executions are explored and not states, those that were cut, because a program without an end may have no others.
func (c *Limits) Limited() int64 {
	if c.Cuts {
		return c.Results.Executions + c.Results.Cut
	}
	return c.Results.Executions
}

// Limit sees to it that the search stops when there have been as many executions as it may have.
func (c *Limits) Limit() {
	if c.Opt.MaxExecutions == 0 {
		return
	}
	executions := c.Limited()
	if c.Pool != nil {
		executions, c.Counted = c.Pool.Limited(executions-c.Counted), executions
	}
	if executions >= c.Opt.MaxExecutions {
		c.Ending = cmp.Or(c.Ending, results.StoppedExecutions)
	}
}

// NeedsSafePoint reports whether there is something to do for AtSafePoint. It is asked between two executions.
func (c *Limits) NeedsSafePoint() bool {
	if c.Opt.StopAtFirst && c.Results.Violated {
		c.Ending = cmp.Or(c.Ending, results.StoppedFirst)
	}
	due := c.Due || (c.NodeWork > 0 || c.PauseEvents > 0) && c.pausing()
	return due || c.Ending != "" || c.Pool != nil && c.Pool.Interrupts()
}

// EndsInside reports whether the search is to stop inside an execution, where an action has led to a node from which
// none has been taken yet. Where others have parts of it, it waits for the end of the execution.
func (c *Limits) EndsInside() bool {
	return c.Ending != "" && c.Alone && Interrupted(c.ctx) != ""
}

// AtSafePoint is called when no action is under way from the present node: between two executions, and inside one when
// the search is to stop. There, and nowhere else, the search stops early of its own accord, and there it can be saved.
func (c *Limits) AtSafePoint(save func() *saved.Checkpoint) {
	c.Due = false
	if c.Pool != nil {
		c.Pool.AtSafePoint(c)
		return
	}
	if c.Opt.Checkpoint != nil {
		c.Opt.Checkpoint(c.Ending, save)
	}
	c.Stop = c.Ending
	c.Paused = c.Stop == "" && c.pausing()
}

// pausing reports whether the search has come to where it is to pause.
func (c *Limits) pausing() bool {
	return c.pauseAt > 0 && (c.Size() >= c.pauseAt || c.PauseEvents > 0 && c.Results.Events >= c.PauseEvents)
}

// Size is how large the search is so far: its nodes, and its work, if that counts.
func (c *Limits) Size() int64 {
	if c.NodeWork == 0 {
		return c.Results.Nodes
	}
	return c.Results.Nodes + c.Meter.Total()/c.NodeWork
}

// Any chooses an action of a set when nothing else decides: the first, or with a seed a random one. The set is not
// empty.
func (c *Limits) Any(s *actionset.Set) int {
	a := s.Next(0)
	if c.Rng != nil {
		for skip := c.Rng.IntN(s.Len()); skip > 0; skip-- {
			a = s.Next(a + 1)
		}
	}
	return a
}

// Interrupted is why a search under a context must stop, empty if it need not.
func Interrupted(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case ctx.Err() == nil:
		return ""
	case errors.Is(cause, ErrMemory):
		return results.StoppedMemory
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return results.StoppedTime
	}
	return results.StoppedContext
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
// panic that GiveUp catches; what the search has found so far stays. Nothing counts work while it changes what other
// workers see, unless a deferred call puts that right.

// Reserve ends the search, as soon as the execution under way is over, if so many bytes that will be taken at once
// before long are not to be had.
func (c *Limits) Reserve(bytes int64) {
	const little = 1 << 20
	if bytes >= little && c.Opt.GiveUp != nil && c.Opt.GiveUp(bytes) {
		c.Ending = cmp.Or(c.Ending, Interrupted(c.ctx), results.StoppedMemory)
	}
}

// gaveUp is the value that a search panics with when it is given up.
type gaveUp struct{}

// CheckGiveUp looks whether the search must stop, and ends it at once if the execution under way is to be given up, or
// if so many bytes more are not to be had.
func (c *Limits) CheckGiveUp(bytes int64) {
	c.Meter.Reset()
	if c.Ending == "" {
		c.Ending = Interrupted(c.ctx)
	}
	if c.Opt.GiveUp != nil && c.Opt.GiveUp(bytes) {
		panic(gaveUp{})
	}
}

// GiveUp is deferred by what explores. When the search has been given up, it ends there.
func (c *Limits) GiveUp(x interface{ Onlooker() *Watcher }) {
	p := recover()
	if p == nil {
		return
	}
	if p != any(gaveUp{}) {
		panic(p)
	}
	// The last if it has been refused although the context was not done.
	c.Ending = cmp.Or(c.Ending, Interrupted(c.ctx), results.StoppedMemory)
	c.Stop = c.Ending
	if c.Pool != nil {
		c.Pool.GiveUp(c.Stop)
	}
	x.Onlooker().leaveAll()
}

// Checkpoint is the part of a checkpoint that does not depend on the kind of the search.
func (c *Limits) Checkpoint(m *step.Machine) *saved.Checkpoint {
	cp := &saved.Checkpoint{Version: saved.Version, Program: constraints.Digest(m.Program),
		Algorithm: c.Results.Algorithm, MaxExecutions: c.Opt.MaxExecutions, MaxDepth: c.Opt.MaxDepth, Seed: c.Opt.Seed,
		NoAnticipate: c.Opt.NoAnticipate, NoGuide: c.Opt.NoGuide, Symmetry: c.Opt.Symmetry,
		Visited: c.Opt.Visited, VisitedMemory: c.Opt.VisitedMemory, Constrained: c.Opt.Conditions != nil,
		Origins: m.Origins(),
		Found:   c.Results.Save()}
	if c.Opt.Preempt {
		cp.Preemptions = &c.Opt.Preemptions
	}
	if c.Decided != nil {
		cp.Auto = c.Decided()
	}
	if c.random != nil {
		cp.Random, _ = c.random.MarshalBinary() // cannot fail
	}
	return cp
}

// Restore is the part of going to a checkpoint that does not depend on the kind of the search, when it stands in the
// state now.
func (c *Limits) Restore(cp *saved.Checkpoint, now step.State) error {
	if !slices.Equal(now, cp.State) {
		return saved.ErrOtherState
	}
	if c.random != nil {
		if err := c.random.UnmarshalBinary(cp.Random); err != nil {
			return err
		}
	}
	return c.RestoreFindings(cp)
}

// RestoreFindings takes up what had been found.
func (c *Limits) RestoreFindings(cp *saved.Checkpoint) error {
	if err := c.Results.Restore(&cp.Found); err != nil {
		return err
	}
	if c.Limit(); c.Ending != "" { // it has been reached already
		c.Stop = c.Ending
	}
	return nil
}
