package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
)

// WorkOptions say how the workers of a process work.
type WorkOptions struct {
	Job   string        // the only job that they work on; empty: all that this account sees
	Cores int           // how many workers; 0: one
	Slice time.Duration // about how long one explores from one record to the next; 0: DefaultSlice
	Once  bool          // with Job: return when its search is over, or the job is not there
	// Say, if there is one, is told in a line what happens. Several goroutines may call it, one at a time.
	Say func(line string)
}

const (
	// lookAround is how often a process looks for jobs, and says that it is there.
	lookAround = 2 * time.Second
	// withoutCoordinator is after which time without a word of a coordinator another one takes its place.
	withoutCoordinator = 10 * time.Second
	// askFor is how long a worker waits for a parcel until it looks around.
	askFor = time.Second
)

// A crew is the workers of a process.
type crew struct {
	nc   *nats.Conn
	opt  WorkOptions
	id   string
	host string
	say  sync.Mutex
	wake chan struct{} // a search is over

	mu      sync.Mutex
	jobs    map[string]*membership
	refused map[string]bool // jobs that this process cannot work on
}

// A membership is what a crew has to do with a job.
type membership struct {
	job     *Job
	ctx     context.Context // done when the search is over, or the job is gone
	leave   func()
	queue   jetstream.Consumer
	workers []*worker

	mu          sync.Mutex
	coordinator time.Time // when one was heard
	coordinates bool      // this process does
}

// Work works on jobs until the context is done. Nodes of a search that nobody coordinates are coordinated as well. The
// error says what is wrong with the server or, with Job, with that job; to be told to end is none.
func Work(ctx context.Context, nc *nats.Conn, opt WorkOptions) error {
	opt.Cores, opt.Slice = max(1, opt.Cores), cmp.Or(opt.Slice, DefaultSlice)
	host, _ := os.Hostname()
	c := &crew{nc: nc, opt: opt, id: nuid.Next(), host: host, jobs: map[string]*membership{},
		refused: map[string]bool{}, wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := c.look(ctx); err != nil {
		cancel(err)
	}
	var all sync.WaitGroup
	for core := range opt.Cores {
		all.Go(func() {
			if err := c.work(ctx, core); err != nil {
				cancel(err)
			}
		})
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-c.wake:
		case <-time.After(lookAround):
		}
		if err := c.look(ctx); err != nil {
			cancel(err)
		}
	}
	all.Wait()
	c.mu.Lock()
	for _, member := range c.jobs {
		member.leave()
	}
	c.mu.Unlock()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, errOnce) &&
		!errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// errOnce ends a crew whose only job is over.
var errOnce = errors.New("the search is over")

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell says a line.
func (c *crew) tell(format string, args ...any) {
	if c.opt.Say != nil {
		c.say.Lock()
		defer c.say.Unlock()
		c.opt.Say(fmt.Sprintf(format, args...))
	}
}

// look looks for jobs, leaves those that are over, and says that the process is there.
func (c *crew) look(ctx context.Context) error {
	names := []string{c.opt.Job}
	if c.opt.Job == "" {
		call, cancel := context.WithTimeout(ctx, callWithin)
		list, err := Names(call, c.nc)
		cancel()
		if err != nil {
			return nil // later
		}
		names = list
	}
	for _, name := range names {
		if err := c.meet(ctx, name); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, m := range c.jobs {
		if m.ctx.Err() != nil || !slices.Contains(names, name) {
			m.leave()
			delete(c.jobs, name)
			continue
		}
		p := Presence{ID: c.id, Host: c.host, Cores: c.opt.Cores}
		for _, w := range m.workers {
			p.Nodes += w.done.Load()
			if w.busy.Load() {
				p.Busy++
			}
		}
		m.job.tell(presenceKind, p)
		m.coordinate(c)
	}
	return nil
}

// meet takes a job up if it is new, or looks whether it is over.
func (c *crew) meet(ctx context.Context, name string) error {
	c.mu.Lock()
	m, refused := c.jobs[name], c.refused[name]
	c.mu.Unlock()
	if refused {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	if m != nil {
		why, err := m.job.Ended(call)
		if m.ctx.Err() != nil || why != "" || errors.Is(err, ErrNoJob) || errors.Is(err, jetstream.ErrStreamNotFound) {
			m.leave()
			c.refuse(name)
			if c.opt.Once {
				return errOnce
			}
		}
		return nil
	}
	m, err := c.join(call, ctx, name)
	switch {
	case err == nil && m != nil:
		c.mu.Lock()
		c.jobs[name] = m
		c.mu.Unlock()
		c.tell("job %s: %s, by %s", name, m.job.Spec.Title, m.job.Spec.Algorithm)
	case err == nil:
		c.refuse(name)
		if c.opt.Once {
			return errOnce
		}
	case errors.Is(err, ErrNoJob) && c.opt.Once || !errors.Is(err, ErrNoJob) && !passes(err) && c.opt.Job != "":
		return err
	case !errors.Is(err, ErrNoJob) && !passes(err):
		c.refuse(name)
		c.tell("job %s is not worked on here: %v", name, err)
	}
	return nil
}

// refuse lets a job be.
func (c *crew) refuse(name string) {
	c.mu.Lock()
	c.refused[name] = true
	c.mu.Unlock()
}

// join opens a job, nil if it is over.
func (c *crew) join(call, ctx context.Context, name string) (*membership, error) {
	job, err := Open(call, c.nc, name)
	if err != nil {
		return nil, err
	}
	if why, err := job.Ended(call); err != nil || why != "" {
		return nil, err
	}
	if _, err := job.Spec.Machine(); err != nil {
		return nil, err
	}
	job.Trouble = func(err error) { c.tell("job %s: %v; trying again", name, err) }
	m := &membership{job: job, coordinator: time.Now()}
	if m.queue, err = job.work.Consumer(call, consumer); err != nil {
		return nil, err
	}
	var ends []func()
	end, err := heed(job, progressKind, func(p *Progress) {
		m.mu.Lock()
		m.coordinator = time.Now()
		m.mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	ends = append(ends, end)
	for range c.opt.Cores {
		w, err := newWorker(job, c.opt.Slice)
		if err != nil {
			return nil, err
		}
		m.workers, ends = append(m.workers, w), append(ends, w.end)
	}
	var cancel func()
	m.ctx, cancel = context.WithCancel(ctx)
	m.leave = sync.OnceFunc(func() {
		cancel()
		for _, end := range ends {
			end()
		}
	})
	return m, nil
}

// work lets one worker work on all jobs in turn.
func (c *crew) work(ctx context.Context, core int) error {
	for ctx.Err() == nil {
		c.mu.Lock()
		var members []*membership
		for _, m := range c.jobs {
			if m.ctx.Err() == nil {
				members = append(members, m)
			}
		}
		c.mu.Unlock()
		if len(members) == 0 {
			pause(ctx, lookAround/10)
			continue
		}
		rand.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
		for _, m := range members {
			err := m.work(core, askFor/time.Duration(len(members)))
			if m.ctx.Err() != nil {
				select {
				case c.wake <- struct{}{}:
				default:
				}
			}
			if err != nil {
				if c.opt.Job != "" {
					return err
				}
				m.leave()
				c.refuse(m.job.Name)
				c.tell("job %s is not worked on any more: %v", m.job.Name, err)
			}
		}
	}
	return nil
}

// work lets one worker work on the next parcel of a job.
func (m *membership) work(core int, within time.Duration) error {
	w := m.workers[core]
	_, err := w.next(m.ctx, m.queue, within)
	if w.over.Load() {
		m.leave()
	}
	if m.ctx.Err() != nil || err != nil && passes(err) {
		return nil
	}
	return err
}

// coordinate takes the place of a coordinator if none was heard for long. Two do no harm.
func (m *membership) coordinate(c *crew) {
	m.mu.Lock()
	defer m.mu.Unlock()
	patience := withoutCoordinator + rand.N(withoutCoordinator/2)
	if m.coordinates || time.Since(m.coordinator) < patience {
		return
	}
	m.coordinates = true
	go func() {
		if err := m.coordinateNow(c); err != nil && m.ctx.Err() == nil {
			c.tell("job %s is not coordinated here: %v", m.job.Name, err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.coordinates, m.coordinator = false, time.Now()
	}()
}

func (m *membership) coordinateNow(c *crew) error {
	machine, err := m.job.Spec.Machine()
	if err != nil {
		return err
	}
	a, opt, err := m.job.Spec.search(machine)
	if err != nil {
		return err
	}
	findings, err := explore.NewParcelFindings(m.ctx, machine, a, opt)
	if err != nil {
		return err
	}
	c.tell("job %s has no coordinator; this is one now", m.job.Name)
	_, err = Coordinate(m.ctx, m.job, findings, CoordinateOptions{})
	return err
}
