package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"cdpor/explore/distributed"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// WorkOptions say how the workers of a process work.
type WorkOptions struct {
	Job   string        // the only job that they work on; empty: all that this account sees
	Cores int           // how many workers; 0: one
	Slice time.Duration // about how long one explores from one record to the next; 0: DefaultSlice
	Once  bool          // with Job: return when its search is over, or the job is not there
	// Say, if there is one, is told in a line what happens. Several goroutines may call it, one at a time.
	Say func(line string)

	abrupt bool // for tests: who owns slots leaves without a word, as if killed
}

const (
	// withoutCoordinator is after which time without a word of a coordinator another one takes its place.
	withoutCoordinator = 10 * time.Second
	// askFor is the time for which a worker waits for a task until it looks around.
	askFor = time.Second
)

// A Process runs the workers of this process, on all jobs or one.
type Process struct {
	nc   *nats.Conn
	opt  WorkOptions
	id   string
	host string
	say  sync.Mutex
	wake chan struct{} // a search is over, or a job may be new

	mu      sync.Mutex
	jobs    map[string]*jobWorkers
	news    chan struct{}   // closed when a job is taken up
	refused map[string]bool // ids of jobs that this process cannot work on, or that are over
}

// jobWorkers are the workers of this process on one job.
type jobWorkers struct {
	job     *Job
	ctx     context.Context // done when the search is over, or the job is gone
	leave   func()
	queue   jetstream.Consumer
	workers []*worker

	mu          sync.Mutex
	coordinator time.Time // when one was heard
	coordinates bool      // this process does
}

// NewProcess makes a Process. Work starts its workers.
func NewProcess(nc *nats.Conn, opt WorkOptions) *Process {
	opt.Cores, opt.Slice = max(1, opt.Cores), cmp.Or(opt.Slice, DefaultSlice)
	host, _ := os.Hostname()
	return &Process{nc: nc, opt: opt, id: nuid.Next(), host: host, jobs: map[string]*jobWorkers{},
		refused: map[string]bool{}, wake: make(chan struct{}, 1), news: make(chan struct{})}
}

// Work works on jobs until the context is done. A search without a coordinator is coordinated as well. The error says
// what is wrong with the server or, with WorkOptions.Job, with that job; to be told to end is none.
func (c *Process) Work(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.opt.Job == "" {
		news, err := c.nc.Subscribe(newSubject("*"), func(*nats.Msg) { c.stir() })
		if err != nil {
			return err
		}
		defer func() { _ = news.Unsubscribe() }()
	}
	if err := c.look(ctx); err != nil {
		cancel(err)
	}
	var all sync.WaitGroup
	for core := range c.opt.Cores {
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
	defer c.mu.Unlock()
	for _, member := range c.jobs {
		member.leave()
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, errOnce) &&
		!errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// numbers tells how many workers have a task, and how many nodes they have explored.
func (m *jobWorkers) numbers() (busy int, nodes int64) {
	for _, w := range m.workers {
		nodes += w.done.Load()
		if w.busy.Load() {
			busy++
		}
	}
	return busy, nodes
}

// stir lets the process look around at once.
func (c *Process) stir() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// errOnce ends a process whose only job is over.
var errOnce = errors.New("the search is over")

// tell says a line.
func (c *Process) tell(format string, args ...any) {
	if c.opt.Say != nil {
		c.say.Lock()
		defer c.say.Unlock()
		c.opt.Say(fmt.Sprintf(format, args...))
	}
}

// look looks for jobs, leaves those that are over, and says that the process is there.
func (c *Process) look(ctx context.Context) error {
	there, err := c.there(ctx)
	_, been := c.jobs[c.opt.Job]
	_, is := there[c.opt.Job]
	switch {
	case (err == nil || errors.Is(err, ErrNoJob)) && c.opt.Once && been && !is:
		return errOnce
	case errors.Is(err, ErrNoJob) && c.opt.Once:
		return err
	case err != nil && !errors.Is(err, ErrNoJob):
		return nil // later
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if err := c.meet(ctx, name, there[name]); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, m := range c.jobs {
		if m.ctx.Err() != nil || there[name] != m.job.id {
			m.leave()
			delete(c.jobs, name)
			continue
		}
		busy, nodes := m.numbers()
		m.job.tell(presenceKind, Presence{ID: c.id, Host: c.host, Cores: c.opt.Cores, Busy: busy, Nodes: nodes,
			Hung: c.hung(m)})
		m.coordinate(c)
	}
	return nil
}

// hung is how many workers of a job seem to hang. Those that it has not been told of are told of.
func (c *Process) hung(m *jobWorkers) (count int) {
	for _, w := range m.workers {
		yes, news := w.watchdog.hangs(time.Duration(w.patience.Load()))
		if yes {
			count++
		}
		if news != "" {
			c.tell("job %s: %s", m.job.Name, news)
		}
	}
	return count
}

// there are the ids of the jobs that there are for this process, by their names.
func (c *Process) there(ctx context.Context) (map[string]string, error) {
	call, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	if c.opt.Job == "" {
		return identities(call, c.nc)
	}
	there := map[string]string{}
	id, err := identityOf(call, c.nc, c.opt.Job)
	if err == nil {
		there[c.opt.Job] = id
	} else if !errors.Is(err, ErrNoJob) {
		return nil, err
	}
	return there, err
}

// meet takes a job up if it is new, or looks whether it is over.
func (c *Process) meet(ctx context.Context, name, id string) error {
	c.mu.Lock()
	m, refused := c.jobs[name], c.refused[id]
	c.mu.Unlock()
	if refused {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	over := false
	if m != nil && m.job.id == id {
		if over = m.ctx.Err() != nil; !over { // else its log may be gone, and a server is asked again and again for it
			why, err := m.job.Ended(call)
			if over = m.ctx.Err() != nil || why != ""; !over || err != nil {
				return nil
			}
		}
		m.leave()
	} else {
		next, err := c.join(call, ctx, name)
		switch {
		case err != nil && (errors.Is(err, ErrNoJob) || passes(err)): // not yet, or not any more
			return nil
		case err != nil && c.opt.Job == name:
			return err
		case err != nil:
			c.tell("job %s is not worked on here: %v", name, err)
			c.refuse(id)
			return nil
		}
		if over = next == nil; !over {
			c.take(m, next)
			return nil
		}
	}
	c.refuse(id)
	if c.opt.Once && c.opt.Job == name {
		return errOnce
	}
	return nil
}

// take takes a job up, in place of an earlier one of the same name if there was one.
func (c *Process) take(earlier, next *jobWorkers) {
	if earlier != nil {
		earlier.leave()
	}
	c.mu.Lock()
	c.jobs[next.job.Name] = next
	close(c.news)
	c.news = make(chan struct{})
	c.mu.Unlock()
	c.tell("job %s: %s, by %s", next.job.Name, next.job.Spec.Title, next.job.Spec.Algorithm)
}

// refuse lets a job be.
func (c *Process) refuse(id string) {
	c.mu.Lock()
	c.refused[id] = true
	c.mu.Unlock()
}

// join opens a job, nil if it is over.
func (c *Process) join(call, ctx context.Context, name string) (*jobWorkers, error) {
	job, err := Open(call, c.nc, name)
	if err != nil {
		return nil, err
	}
	if why, err := job.Ended(call); err != nil || why != "" || job.Spec.Algorithm == "" { // Checkup's have none
		return nil, err
	}
	if _, err := job.Spec.Machine(); err != nil {
		return nil, err
	}
	m := &jobWorkers{job: job, coordinator: time.Now()}
	job.Trouble = func(err error) {
		c.tell("job %s: %v; trying again", name, err)
	}
	if m.queue, err = job.work.Consumer(call, consumer); err != nil {
		return nil, err
	}
	var ends []func()
	end, err := heed(job, progressKind, func(*Progress) {
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
		if w.slots != nil {
			w.slots.abrupt = c.opt.abrupt
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
func (c *Process) work(ctx context.Context, core int) error {
	for ctx.Err() == nil {
		c.mu.Lock()
		var members []*jobWorkers
		news := c.news
		for _, m := range c.jobs {
			if m.ctx.Err() == nil {
				members = append(members, m)
			}
		}
		c.mu.Unlock()
		if len(members) == 0 {
			select {
			case <-ctx.Done():
			case <-news:
			}
			continue
		}
		rand.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
		for _, m := range members {
			err := m.work(core, askFor/time.Duration(len(members)))
			if m.ctx.Err() != nil {
				c.stir()
			}
			if err != nil {
				if c.opt.Job == m.job.Name {
					return err
				}
				m.leave()
				c.refuse(m.job.id)
				c.tell("job %s is not worked on any more: %v", m.job.Name, err)
			}
		}
	}
	return nil
}

// work lets one worker work on the next task of a job.
func (m *jobWorkers) work(core int, within time.Duration) error {
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
func (m *jobWorkers) coordinate(c *Process) {
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

func (m *jobWorkers) coordinateNow(c *Process) error {
	machine, err := m.job.Spec.Machine()
	if err != nil {
		return err
	}
	a, opt, err := m.job.Spec.Search(machine)
	if err != nil {
		return err
	}
	findings, err := distributed.NewFindings(m.ctx, machine, a, opt)
	if err != nil {
		return err
	}
	c.tell("job %s has no coordinator; this is one now", m.job.Name)
	_, err = Coordinate(m.ctx, m.job, findings, CoordinateOptions{})
	return err
}
