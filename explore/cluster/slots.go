package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/states"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// How the states of a search are divided among workers (cluster/README, "Divided state graphs"). The stages are a
// chain of the log, what is large is in the store of the job, and all else that workers and leaders say to each other
// is not stored.

const (
	// expandedAtOnce is the number of states that a worker expands until it looks around.
	expandedAtOnce = 500
	// mostInbox is how many bytes of what others have sent may wait. What comes then is dropped, and sent again.
	mostInbox = 32 << 20
	// mostPatience is how long a server has at most to store or to send something that is large.
	mostPatience = time.Minute
	// tellQuiet is how often at most a worker says unasked that it is quiet.
	tellQuiet = 20 * time.Millisecond
	// leaveWithin is the time for which a worker that is told to end waits for others to take what it has.
	leaveWithin = 10 * time.Second
)

// divided reports whether the states of the search are divided among the workers.
func (s *Spec) divided() bool { return s.Algorithm == "exhaustive" }

// stage is the last stage of the log, and what its record is. It is nil if there is none, or if its record has a nonce
// that is known.
func (l *recordLog) stage(ctx context.Context, known string) (s *slots.Stage, h head, err error) {
	h, err = l.headOf(ctx, stageChain)
	if err != nil || h.record == nil || known != "" && h.nonce == known {
		return nil, h, err
	}
	text, err := l.objects.foundBy(ctx, h.record)
	if err != nil {
		return nil, h, err
	}
	s = &slots.Stage{}
	if err := json.Unmarshal(text, s); err != nil || !s.Fits() {
		return nil, h, fmt.Errorf("a stage: %w", errDamaged)
	}
	return s, h, nil
}

// appendStage appends a stage behind another one.
func (l *recordLog) appendStage(ctx context.Context, last uint64, s *slots.Stage) (sequence uint64, err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return 0, err
	}
	return l.append(ctx, stageChain, last, &joblog.Record{Found: text})
}

// A jobStore is the store of a job. What is put there or read counts as a sign of life.
type jobStore struct {
	job   *Job
	ctx   context.Context
	moved *atomic.Int64
}

// Put leaves alone what is there: to put it again would take it away from who reads it.
func (s jobStore) Put(name string, data []byte) error {
	return s.patiently(func(ctx context.Context) error {
		_, err := s.job.objects.store.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = s.job.objects.store.PutBytes(ctx, name, data)
		}
		return err
	})
}

func (s jobStore) Get(name string) (data []byte, err error) {
	err = s.patiently(func(ctx context.Context) error {
		data, err = s.job.objects.read(ctx, name)
		return err
	})
	return data, err
}

// patiently asks a server until it answers, and gives it more time each time: what is asked for may be large.
func (s jobStore) patiently(f func(context.Context) error) error {
	within := callWithin
	return s.job.again(s.ctx, func(context.Context) error {
		s.moved.Add(1)
		ctx, cancel := context.WithTimeout(s.ctx, within)
		defer cancel()
		within = min(2*within, mostPatience)
		return f(ctx)
	})
}

// Headers of batches and acknowledgements.
const (
	stageHeader  = "Cdpor-Stage"
	fromHeader   = "Cdpor-From"
	numberHeader = "Cdpor-Number"
	ackHeader    = "Cdpor-Ack"
)

// send sends what one worker has for another.
func (j *Job) send(m slots.Message) {
	h := nats.Header{stageHeader: {m.Stage}, fromHeader: {m.From}, numberHeader: {strconv.FormatInt(m.Number, 10)}}
	if m.Ack {
		h[ackHeader] = []string{"1"}
	}
	_ = j.nc.PublishMsg(&nats.Msg{Subject: j.subject(batchKind, m.To), Header: h, Data: m.Batch})
}

// A slotWorker is a worker that owns slots.
type slotWorker struct {
	job    *Job
	of     *worker
	abrupt bool // it leaves without a word, as one that is killed

	name    string        // of the member, or of the next one
	member  *slots.Member // nil: it has to begin anew
	work    *states.SlotWork
	done    int64 // states expanded by earlier ones
	unnamed error // why a process that was started has no name
	looked  time.Time
	told    time.Time // that it is quiet
	nonce   string    // of the record of the stage that the member is in
	state   atomic.Pointer[slots.Status]
	moved   atomic.Int64
	last    func() // ends what the member has under way
	end     func()

	mu    sync.Mutex
	sub   *nats.Subscription // of the member
	asked *slots.Ask
	inbox []slots.Message
	bytes int
	came  chan struct{}
}

// newSlotWorker makes a worker that listens.
func newSlotWorker(of *worker) (*slotWorker, error) {
	w := &slotWorker{job: of.job, of: of, came: make(chan struct{}, 1)}
	w.rename()
	asks, err := heed(w.job, askKind, w.answer)
	w.end = func() { // the search is over, or this process has left it
		w.of.over.Store(true)
		asks()
		w.hear(nil)
	}
	w.job.tell(statusKind, w.state.Load()) // a leader may have asked before
	return w, err
}

// rename gives the next member a new name. Until it exists leaders hear that it is coming.
func (w *slotWorker) rename() {
	w.name = nuid.Next()
	w.state.Store(&slots.Status{Worker: w.name, Coming: true})
}

// hear listens to one subscription in place of another.
func (w *slotWorker) hear(sub *nats.Subscription) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sub != nil {
		_ = w.sub.Unsubscribe()
	}
	w.sub, w.inbox, w.bytes = sub, nil, 0
}

// answer answers a leader at once, with what the worker was like when it looked up last, and remembers what to do.
func (w *slotWorker) answer(a *slots.Ask) {
	w.mu.Lock()
	w.asked = a
	w.mu.Unlock()
	w.stir()
	s := *w.state.Load()
	s.Round, s.Moved = a.Round, s.Moved+w.moved.Load()
	w.job.tell(statusKind, s)
}

func (w *slotWorker) stir() {
	select {
	case w.came <- struct{}{}:
	default:
	}
}

// receive keeps what another worker has sent.
func (w *slotWorker) receive(m *nats.Msg) {
	number, err := strconv.ParseInt(m.Header.Get(numberHeader), 10, 64)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || w.bytes > mostInbox {
		return
	}
	w.bytes += len(m.Data)
	w.inbox = append(w.inbox, slots.Message{Stage: m.Header.Get(stageHeader), From: m.Header.Get(fromHeader),
		Number: number, Ack: m.Header.Get(ackHeader) != "", Batch: m.Data})
	w.stir()
}

// begin makes a new member.
func (w *slotWorker) begin(ctx context.Context) error {
	m, err := w.job.Spec.Machine()
	if err != nil {
		return err
	}
	a, opt, err := w.job.Spec.Search(m)
	if err != nil {
		return err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it has some time to store what it has
	stop := context.AfterFunc(ctx, func() {
		if w.abrupt {
			cancel()
		} else {
			time.AfterFunc(leaveWithin, cancel)
		}
	})
	w.last = func() {
		stop()
		cancel()
	}
	w.job.name(own, m, &w.unnamed)
	store := jobStore{w.job, own, &w.moved}
	if w.work, err = states.NewSlotWork(context.Background(), m, a, opt, store); err != nil {
		return err
	}
	w.member = slots.NewMember(w.name, w.work, store)
	sub, err := w.job.nc.Subscribe(w.job.subject(batchKind, w.member.Name), w.receive)
	if err != nil {
		return err
	}
	if err := sub.SetPendingLimits(-1, 2*mostInbox); err != nil {
		return err
	}
	w.hear(sub)
	w.looked, w.nonce = time.Time{}, ""
	return nil
}

// forget ends a member. Others learn that it does not answer any more.
func (w *slotWorker) forget() {
	if w.member == nil {
		return
	}
	w.done += w.work.Expanded()
	w.rename()
	if !w.abrupt {
		w.job.tell(statusKind, slots.Status{Worker: w.member.Name, Gone: true})
	}
	w.last()
	w.member, w.work = nil, nil
	w.hear(nil)
}

// next works for a while. It reports whether there was something to do.
func (w *slotWorker) next(ctx context.Context, within time.Duration) (worked bool, err error) {
	for end := time.Now().Add(within); time.Now().Before(end) && ctx.Err() == nil && !w.of.over.Load(); {
		busy, err := w.turn(ctx, time.Until(end))
		worked = worked || busy
		if err != nil {
			w.forget()
			return worked, err
		}
	}
	if ctx.Err() == nil && !w.of.over.Load() {
		return worked, nil
	}
	if !w.abrupt {
		w.leave(context.WithoutCancel(ctx))
	}
	w.forget()
	return worked, nil
}

// leave waits until others have taken what the worker has, if they do so soon.
func (w *slotWorker) leave(ctx context.Context) {
	if w.member == nil {
		return
	}
	w.member.Leaving = true
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	for ctx.Err() == nil && !w.of.over.Load() && w.member.Owns() {
		if _, err := w.turn(ctx, lookAround/100); err != nil || w.member == nil {
			return
		}
	}
}

// turn looks at what has come, and expands some states.
func (w *slotWorker) turn(ctx context.Context, within time.Duration) (busy bool, err error) {
	if w.member == nil {
		if err := w.begin(ctx); err != nil {
			return false, err
		}
	}
	err = guarded(func() (err error) {
		busy, err = w.act(ctx)
		return err
	})
	if w.unnamed != nil || err != nil {
		w.forget()
		if err == nil || passes(err) || errors.Is(err, slots.ErrBack) || ctx.Err() != nil {
			pause(ctx, lookAround/100)
			return false, nil
		}
		w.job.trouble(err) // of what others have sent or stored
		pause(ctx, mendWithin)
		return false, nil
	}
	w.of.busy.Store(w.member.Owns())
	w.of.done.Store(w.done + w.work.Expanded())
	if !busy {
		select {
		case <-ctx.Done():
		case <-w.came:
		case <-time.After(min(within, 50*time.Millisecond)):
		}
	}
	return busy, nil
}

// act does what there is to do.
func (w *slotWorker) act(ctx context.Context) (busy bool, err error) {
	m := w.member
	if m.Unknown || time.Since(w.looked) > lookAround {
		if err := w.look(ctx); err != nil {
			return false, err
		}
	}
	w.mu.Lock()
	ask, inbox := w.asked, w.inbox
	w.asked, w.inbox, w.bytes = nil, nil, 0
	w.mu.Unlock()
	if ask != nil {
		m.Hear(*ask)
	}
	now := time.Now()
	for _, msg := range inbox {
		if err := m.Receive(msg, now); err != nil {
			return false, err
		}
	}
	if busy, err = m.Do(expandedAtOnce, now); err != nil || w.unnamed != nil {
		return false, err
	}
	for _, msg := range m.Sending() {
		w.job.send(msg)
	}
	s := m.Status()
	if was := w.state.Swap(&s); s.Quiet && !was.Quiet && now.Sub(w.told) >= tellQuiet { // a leader need not ask
		w.told = now
		w.job.tell(statusKind, s)
	}
	return busy || len(inbox) > 0, nil
}

// look looks which stage is under way.
func (w *slotWorker) look(ctx context.Context) error {
	s, h, err := w.job.log.stage(ctx, w.nonce)
	w.looked, w.member.Unknown = time.Now(), false
	if err != nil || s == nil {
		return err
	}
	if in := w.member.In(); in == nil || in.ID != s.ID {
		loading := *w.state.Load() // while it reads what is stored it has nothing to say about the stage
		loading.Stage = ""
		w.state.Store(&loading)
	}
	w.nonce = h.nonce
	return w.member.Enter(s, h.sequence)
}
