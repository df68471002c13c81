package scaling

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"cdpor/explore/internal/joblog"
)

// Work is what is explored.
type Work struct {
	New  func() Explorer     // a worker that knows nothing
	Fold func() *joblog.Fold // of an empty log
}

// Work is the recorded tree.
func (r *Replay) Work() Work {
	return Work{r.NewWorker, func() *joblog.Fold { return joblog.NewFold(true) }}
}

// An Outcome is what a simulation has come to.
type Outcome struct {
	Time     time.Duration // until everything had been explored and added up, as the coordinator sees it
	Explored int64         // nodes
	Wasted   int64         // of those, explored since the last record by workers that died
	Parcels  int64         // taken up
	Splits   int64         // records that gave something away
	Takes    int64         // records that handed out
	Hints    int64
	Refused  int64
	Died     int64
	Records  int64 // in the log
	Bytes    float64
	Server   time.Duration // that the server was busy
	Late     time.Duration // the longest that a request waited there
	Folding  time.Duration // that the coordinator folded
	Joining  time.Duration // that it added up what was found
	Blocked  time.Duration // that it waited for the server, or for what is added up

	spent [activities]time.Duration // by all workers
	lack  [reasons]time.Duration    // of those starving
}

// Why a worker has nothing to do.
type reason int

const (
	handOut reason = iota // something waits to be handed out, or is on its way
	hints                 // a worker has something to give away
	chains                // nobody knows of anything to be explored that is not being explored
	tail                  // and that went on to the end
	reasons
)

// A simulation goes from one event to the next.
type simulation struct {
	events
	p           Parameters
	work        Work
	draws       *rand.Rand
	server      server
	coordinator coordinator
	workers     []*worker
	out         Outcome
	over        bool
	err         error

	accounted                   time.Duration // up to when starving workers have been counted
	starving, divisible, giving int           // workers, and records under way that give something away
	before                      time.Duration // of chains, when most workers had something to do last
	full                        bool          // there was such a time
}

// Simulate lets workers explore. Equal parameters give equal outcomes.
func Simulate(work Work, p Parameters) (*Outcome, error) {
	if p.Workers < 1 {
		return nil, errors.New("there are no workers")
	}
	s := &simulation{p: p, work: work, draws: rand.New(rand.NewPCG(p.Seed, 0))}
	s.server = server{s: s, heads: map[joblog.ID]*joblog.Record{}}
	s.coordinator = coordinator{s: s, fold: work.Fold(), told: -time.Hour}
	for range p.Workers {
		w := &worker{s: s, does: handing}
		s.workers = append(s.workers, w)
		w.begin()
	}
	c := &s.coordinator
	c.engaged = true
	c.enqueue(c.handOut)
	s.after(0, c.tick)
	for !s.over && s.err == nil {
		e, is := s.next()
		if !is {
			s.fail(errors.New("nothing happens any more"))
			break
		}
		s.now = e.at
		e.do()
	}
	if s.err != nil {
		return nil, fmt.Errorf("after %v: %w", s.now, s.err)
	}
	return s.conclude(), nil
}

// fail ends a simulation that is wrong.
func (s *simulation) fail(err error) { s.err = errors.Join(s.err, err) }

// account counts the time of starving workers since it was called last, by the reason.
func (s *simulation) account() {
	took := s.now - s.accounted
	if s.accounted = s.now; took == 0 {
		return
	}
	if 10*s.starving <= s.p.Workers {
		s.full, s.before = true, s.out.lack[chains]
	}
	c, why := &s.coordinator, chains
	switch {
	case c.waiting || c.pending > 0 || len(c.inbox) > 0 || len(s.server.queue) > 0:
		why = handOut
	case s.divisible > 0 || s.giving > 0:
		why = hints
	}
	s.out.lack[why] += took * time.Duration(s.starving)
}

// conclude sums up.
func (s *simulation) conclude() *Outcome {
	s.now = max(s.now, s.coordinator.joiner.free)
	s.account()
	for _, w := range s.workers {
		w.become(w.does)
	}
	o, v, c := &s.out, &s.server, &s.coordinator
	o.Time = s.now
	o.Records, o.Bytes, o.Server, o.Late = v.records, v.bytes, v.busy, v.late
	o.Folding, o.Joining, o.Blocked, o.Takes, o.Hints = c.busy, c.joiner.busy, c.blocked, c.takes, c.hints
	if s.full {
		o.lack[tail] = o.lack[chains] - s.before
		o.lack[chains] = s.before
	}
	return o
}
