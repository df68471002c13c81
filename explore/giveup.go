package explore

import "cmp"

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

func (x *search) onlooker() *watcher     { return x.watch }
func (x *exhaustive) onlooker() *watcher { return x.watch }

// giveUp stops the search early, where one of the workers has given up an execution: it cannot be saved any more.
func (c *workerPool) giveUp(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
	c.halt(reason)
}
