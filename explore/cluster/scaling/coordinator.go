package scaling

import (
	"time"

	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/internal/joblog"
)

// A coordinator folds the log and hands out what waits, as that of package cluster does: one record after the other,
// and it waits for the server when it asks something of it. What records have found is added up beside that, by a
// joiner.
type coordinator struct {
	s       *simulation
	fold    *joblog.Fold
	inbox   []received
	joiner  joiner
	engaged bool          // it folds, or waits for the server or the joiner
	busy    time.Duration // folding
	blocked time.Duration // waiting for the server
	ahead   int           // parcels under way
	pending int           // that it has taken and not read yet
	told    time.Duration // when workers were told that parcels are missing
	due     bool          // the time has come to look whether they should be again
	waiting bool          // something waits
	takes   int64
	hints   int64
}

type received struct {
	record     *joblog.Record
	cost, join time.Duration
}

// receive gets a record of the log.
func (c *coordinator) receive(r *joblog.Record, cost RecordCost) {
	c.inbox = append(c.inbox, received{r, c.s.p.Receive + cost.Fold, cost.Join})
	c.proceed()
}

// A joiner adds up what records have found, one after the other. So many may wait at most; then the coordinator does.
type joiner struct {
	waiting int
	free    time.Duration // when it will have done with all
	busy    time.Duration
	full    func() // what the coordinator does when there is room
}

// join has what a record has found added, and goes on, at once or when there is room.
func (c *coordinator) join(cost time.Duration, then func()) {
	j := &c.joiner
	j.waiting++
	j.busy += cost
	j.free = max(j.free, c.s.now) + cost
	c.s.after(j.free-c.s.now, func() {
		j.waiting--
		if full := j.full; full != nil {
			j.full = nil
			full()
		}
	})
	if j.waiting <= pacing.MostUnjoined {
		then()
		return
	}
	begun := c.s.now
	j.full = func() {
		c.blocked += c.s.now - begun
		then()
	}
}

// proceed goes on with the next record.
func (c *coordinator) proceed() {
	if c.engaged || c.s.over {
		return
	}
	if c.due {
		c.due = false
		c.hint()
	}
	if len(c.inbox) == 0 {
		return
	}
	m := c.inbox[0]
	c.inbox = c.inbox[1:]
	c.engaged = true
	c.busy += m.cost
	c.s.after(m.cost, func() { c.read(m.record, m.join) })
}

// read folds a record, and does what follows.
func (c *coordinator) read(r *joblog.Record, join time.Duration) {
	c.s.account()
	if len(r.Split) > 0 {
		c.s.giving--
	}
	if r.Take != nil {
		c.pending--
	}
	counts, err := c.fold.Apply(r)
	if err != nil {
		c.s.fail(err)
		return
	}
	switch {
	case !counts:
	case r.Take != nil:
		c.taken()
		return
	case r.Left == nil:
		c.ahead--
	}
	if join > 0 && counts {
		c.join(join, c.handOut)
		return
	}
	c.handOut()
}

// taken queues what has been taken.
func (c *coordinator) taken() {
	if !c.s.p.OneByOne {
		c.enqueue(nil)
		c.handOut()
		return
	}
	begun := c.s.now
	c.enqueue(func() {
		c.blocked += c.s.now - begun
		c.handOut()
	})
}

// enqueue queues the parcel that was taken last.
func (c *coordinator) enqueue(then func()) {
	c.ahead++
	p, _ := c.fold.Parcel(c.fold.Begun()[0])
	c.s.server.call(c.s.p.Store, true, func() { c.s.server.offer(&delivery{parcel: p}) }, then)
}

// handOut takes what waits while workers may have nothing to do.
func (c *coordinator) handOut() {
	if c.s.over = c.fold.Done(); c.s.over {
		return
	}
	waits := func() bool {
		c.waiting = c.fold.Waiting() != nil
		return c.waiting
	}
	c.waiting = false
	missing := pacing.Missing(c.s.p.Workers, c.ahead)
	switch pacing.Next(c.pending > 0, missing, waits) {
	case pacing.Take:
		c.take(missing)
		return
	case pacing.Hint:
		c.hint()
	}
	c.engaged = false
	c.proceed()
}

// take hands out what waits, as much as is missing, and waits until all that is in the log.
func (c *coordinator) take(missing int) {
	if c.s.p.OneByOne {
		missing = 1
	}
	begun := c.s.now
	takes := c.fold.WaitingAll(min(missing, pacing.MostTakes))
	left := len(takes)
	c.takes += int64(left)
	c.pending += left
	for _, t := range takes {
		c.s.server.append(&joblog.Record{Take: &t}, c.s.p.taken(), func(bool) {
			if left--; left == 0 {
				c.blocked += c.s.now - begun
				c.engaged = false
				c.proceed()
			}
		})
	}
}

// hint tells the workers that parcels are missing, now and then.
func (c *coordinator) hint() {
	s := c.s
	missing := pacing.Missing(s.p.Workers, c.ahead)
	if !pacing.MayHint(s.p.Workers, missing, s.now-c.told, func() bool { return c.fold.Waiting() != nil }) {
		return
	}
	c.told = s.now
	c.hints++
	s.server.call(time.Duration(s.p.Workers)*s.p.Pass, false, nil, func() {
		for _, w := range s.workers {
			if pacing.Answers(missing, s.p.Workers, s.draws.IntN) {
				w.wanted = true
			}
		}
	})
}

// tick looks around every now and then.
func (c *coordinator) tick() {
	if c.s.over {
		return
	}
	c.due = true
	c.proceed()
	c.s.after(pacing.HintAgain, c.tick)
}
