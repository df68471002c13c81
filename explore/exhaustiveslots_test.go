package explore

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"cdpor/explore/distributed"
	"cdpor/explore/internal/slots"
	"cdpor/explore/internal/states"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

var divided = flag.Int("divided", 80, "random programs whose states are divided among workers that die")

// A division is a search by workers that own slots, over a log and a store in memory. Everything happens in one
// goroutine, in an order that is drawn: messages come late, twice, or not at all, workers and leaders are killed, there
// are two leaders, and an old stage is read.
type division struct {
	m      *step.Machine
	opt    Options
	rng    *rand.Rand
	faults bool
	rule   slotShortcut

	now     time.Time
	storing sync.Mutex
	objects map[string][]byte
	log     []*slots.Stage
	workers []*slots.Member
	leaders []*slots.Leader
	flight  []any // messages
	names   int
	origins [][]step.Origin

	killed, lost, late, back, stages, again, shown int
}

// A slotShortcut leaves out what soundness needs, so that the test can show that it would notice.
type slotShortcut int

const (
	noSlotShortcut    slotShortcut = iota
	sameName                       // a worker that has forgotten a stage enters it again
	lostAcknowledged               // what is lost on its way is acknowledged
	frozenAcknowledge              // who has stored the stage acknowledges what comes
)

// An answer is a Status on its way to a leader; a question is an Ask on its way to a worker.
type (
	answer struct {
		to int
		slots.Status
	}
	question struct {
		to string
		slots.Ask
	}
)

func (d *division) Put(name string, data []byte) error {
	d.storing.Lock()
	defer d.storing.Unlock()
	d.objects[name] = slices.Clone(data)
	return nil
}

func (d *division) Get(name string) ([]byte, error) {
	data, ok := d.objects[name]
	if !ok {
		return nil, fmt.Errorf("%s is not stored", name)
	}
	return data, nil
}

// machine is one of another process: what it has started is known to others by its origin.
func (d *division) machine() *step.Machine {
	m := d.m.Fresh()
	m.AgreeOrigins(func(list [][]step.Origin, template int) ([][]step.Origin, error) {
		own := list[template]
		last, all := own[len(own)-1], d.origins[template]
		if !slices.Contains(all, last) && len(all) < d.m.Program.Templates[template].Pool.Size {
			d.origins[template] = append(all, last)
		}
		return d.origins, nil
	})
	return m
}

func (d *division) worker(name string) (*slots.Member, error) {
	if name == "" {
		d.names++
		name = fmt.Sprint("worker ", d.names)
	}
	w, err := states.NewSlotWork(context.Background(), d.machine(), states.Algorithm, d.opt, d)
	if err != nil {
		return nil, err
	}
	if w.Deep = states.MostDeep; d.rng.Intn(2) == 0 { // few states are on the stack, others wait
		w.Deep = 1 + d.rng.Intn(8)
	}
	w.X.Crowd = int64(d.rng.Intn(3)) // the sooner it looks ahead
	m := slots.NewMember(name, w, d)
	if d.rng.Intn(2) == 0 { // it takes in sooner what it has received
		m.Hold = d.rng.Intn(100)
	}
	return m, nil
}

func (d *division) leader() *slots.Leader {
	return slots.NewLeader(slots.Pace{Barrier: 40 * time.Second, Newcomer: 4 * time.Second, Silence: 60 * time.Second,
		Gather: 2 * time.Second, Ask: 2 * time.Second}, d.stage(len(d.log)-1), d.now)
}

// stage is a stage of the log, nil if there is none.
func (d *division) stage(n int) *slots.Stage {
	if n < 0 {
		return nil
	}
	return d.log[n]
}

// append appends a stage to the log, as others will read it.
func (d *division) append(s *slots.Stage) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	read := &slots.Stage{}
	d.log = append(d.log, read)
	return json.Unmarshal(text, read)
}

// one reports whether something goes wrong that does once in so many times.
func (d *division) one(in int) bool { return d.faults && d.rng.Intn(in) == 0 }

// run explores everything.
func (d *division) run(workers int) (*Result, error) {
	for range workers {
		w, err := d.worker("")
		if err != nil {
			return nil, err
		}
		d.workers = append(d.workers, w)
	}
	d.leaders = []*slots.Leader{d.leader()}
	for steps := 0; ; steps++ {
		d.faults = d.faults && steps < 20_000
		d.now = d.now.Add(time.Duration(d.rng.Intn(400)) * time.Millisecond)
		last := d.stage(len(d.log) - 1)
		if last != nil && last.Over() {
			return d.result(last)
		}
		if steps > 200_000 {
			return nil, fmt.Errorf("the search does not come to its end: %+v", d.leaders[0])
		}
		if err := d.lead(); err != nil {
			return nil, fmt.Errorf("leader: %w", err)
		}
		if err := d.work(); err != nil {
			return nil, fmt.Errorf("worker: %w", err)
		}
		for n := d.rng.Intn(6 + len(d.flight)); n > 0 && len(d.flight) > 0; n-- {
			if err := d.deliver(); err != nil {
				return nil, err
			}
		}
	}
}

// result is what all stages have found.
func (d *division) result(last *slots.Stage) (*Result, error) {
	f, err := d.findings(last)
	if err != nil {
		return nil, err
	}
	if err := f.Trace(last, d); err != nil {
		return nil, err
	}
	return f.Result(""), nil
}

// findings are what was found before a stage, without schedules.
func (d *division) findings(s *slots.Stage) (*distributed.Findings, error) {
	f, err := distributed.NewFindings(context.Background(), d.machine(), states.Algorithm, d.opt)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Found {
		found, err := d.Get(name)
		if err != nil {
			return nil, err
		}
		if err := f.Add(found); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// lead lets a leader do something.
func (d *division) lead() error {
	switch {
	case d.one(300):
		if d.leaders = append(d.leaders, d.leader()); len(d.leaders) > 2 {
			d.leaders = d.leaders[1:]
		}
		return nil
	case d.one(300):
		d.leaders = []*slots.Leader{d.leader()}
		return nil
	}
	i := d.rng.Intn(len(d.leaders))
	l := d.leaders[i]
	ask, p := l.Decide(d.now)
	if ask != nil {
		for _, w := range d.workers {
			d.flight = append(d.flight, question{w.Name, *ask})
		}
	}
	if p == nil {
		return nil
	}
	at := len(d.log) - 1
	next, id := l.Stage(), fmt.Sprint("stage ", d.stages)
	d.stages++
	var err error
	switch {
	case next == nil:
		next = slots.First(id, p.Workers)
	case p.Parts == nil:
		next = next.Again(id, p.Workers)
		d.again++
	default:
		if next, err = next.Next(id, d, p.Parts, p.Workers); err != nil {
			return err
		}
	}
	head := d.stage(at)
	if was := l.Stage(); (was == nil) != (head == nil) || was != nil && was.ID != head.ID { // another one was quicker
		l.Adopt(head, d.now)
		return nil
	}
	if err = d.append(next); err == nil {
		l.Adopt(d.stage(len(d.log)-1), d.now)
		err = d.show(d.stage(len(d.log) - 1))
	}
	return err
}

// show finds the schedules of what is wrong that was found before a stage.
func (d *division) show(s *slots.Stage) error {
	f, err := d.findings(s)
	if err != nil {
		return err
	}
	list := f.Violations(0, 3)
	if list = append(list, f.Violations(len(list), 1<<20)...); len(list) == 0 {
		return nil
	}
	if len(list) != len(f.Sofar().Violations) {
		return fmt.Errorf("%d violations of %d", len(list), len(f.Sofar().Violations))
	}
	m := d.m.Fresh()
	if err := errors.Join(m.AdoptOrigins(d.origins), f.TraceViolations(list, s, d)); err != nil {
		return err
	}
	d.shown += len(list)
	return replays(m, &Result{Violations: list})
}

// work lets a worker do something, or kills it.
func (d *division) work() (err error) {
	i := d.rng.Intn(len(d.workers))
	w := d.workers[i]
	switch {
	case d.one(400):
		d.killed++
		name := ""
		if d.rule == sameName {
			name = w.Name
		}
		d.workers[i], err = d.worker(name)
		return err
	case d.one(1000) && len(d.workers) < 6:
		more, err := d.worker("")
		d.workers = append(d.workers, more)
		return err
	case d.one(1000) && len(d.workers) > 1: // it goes, and says so
		w.Leaving = true
	case w.Leaving && !w.Owns() && d.rng.Intn(20) == 0:
		d.workers[i], err = d.worker("")
		for n := range d.leaders {
			d.flight = append(d.flight, answer{n, slots.Status{Worker: w.Name, Gone: true}})
		}
		return err
	}
	if at := len(d.log) - 1; at >= 0 && (w.Unknown || d.rng.Intn(30) == 0) {
		if d.one(30) {
			at = max(0, at-1)
		}
		err := w.Enter(d.stage(at), uint64(at+1))
		if errors.Is(err, slots.ErrBack) {
			d.back++
			d.workers[i], err = d.worker("")
		}
		return err
	}
	if _, err := w.Do(1+d.rng.Intn(8), d.now); err != nil {
		return err
	}
	for _, m := range w.Sending() {
		d.flight = append(d.flight, m)
	}
	return nil
}

// deliver lets a message arrive, or not.
func (d *division) deliver() error {
	i := d.rng.Intn(len(d.flight))
	if !d.faults {
		i = 0
	}
	message := d.flight[i]
	m, batch := message.(slots.Message)
	batch = batch && !m.Ack
	acknowledge := func() {
		d.flight = append(d.flight,
			slots.Message{Stage: m.Stage, From: m.To, To: m.From, Number: m.Number + 1, Ack: true})
	}
	if d.one(20) { // it will arrive twice
		d.late++
	} else {
		d.flight = slices.Delete(d.flight, i, i+1)
	}
	if d.one(20) {
		if d.lost++; batch && d.rule == lostAcknowledged {
			acknowledge()
		}
		return nil
	}
	switch message := message.(type) {
	case answer:
		if message.to < len(d.leaders) {
			d.leaders[message.to].Hear(message.Status, d.now)
		}
	case question:
		for _, w := range d.workers {
			if w.Name == message.to {
				if d.one(200) { // whoever says so
					message.Mode = slots.Storing
				}
				w.Hear(message.Ask)
				for n := range d.leaders {
					d.flight = append(d.flight, answer{n, w.Status()})
				}
			}
		}
	case slots.Message:
		for _, w := range d.workers {
			if w.Name != message.To {
				continue
			}
			if batch && d.rule == frozenAcknowledge && w.Status().Part != "" {
				acknowledge()
			}
			return w.Receive(message, d.now)
		}
	}
	return nil
}

// compareDivided explores a program by workers that own slots, and says what is found differently than by one worker,
// or by the oracle.
func compareDivided(m *step.Machine, rng *rand.Rand, faults bool, rule slotShortcut) (*division, error) {
	opt := Options{MaxDepth: 1 << 20}
	if opt.Preempt = rng.Intn(4) == 0; opt.Preempt {
		opt.Preemptions = rng.Intn(3)
	}
	d := &division{m: m, opt: opt, rng: rng, faults: faults, rule: rule, objects: map[string][]byte{},
		origins: make([][]step.Origin, len(m.Program.Templates)), now: time.Unix(0, 0)}
	many, err := d.run(1 + rng.Intn(4))
	if err != nil {
		return d, err
	}
	same := m.Fresh() // who is which process
	if err := same.AdoptOrigins(d.origins); err != nil {
		return d, err
	}
	one, err := Run(context.Background(), same, states.Algorithm, opt)
	if err != nil {
		return d, err
	}
	if err := errors.Join(sameFindings(states.Algorithm, false, one, many), replays(same, many)); err != nil {
		return d, err
	}
	if one.Verdict != many.Verdict || opt.Preempt {
		if one.Verdict != many.Verdict {
			err = fmt.Errorf("the verdict is %s, not %s", many.Verdict, one.Verdict)
		}
		return d, err
	}
	g, err := oracle.Search(same, maxStates)
	if err != nil {
		return d, err
	}
	v := variant{algorithm: states.Algorithm, opt: opt}
	f := &finding{variant: v, m: same, res: many}
	return d, errors.Join(f.compareCounts(g), compareFailures(same, v, many, g), compareUnchecked(same, many, g),
		compareCoverage(same, many, g))
}

// replays checks that the schedules of a result are ways to what they are said to show.
func replays(m *step.Machine, res *Result) error {
	run := m.NewRunner()
	to := func(schedule []int32) (s step.State, err error) {
		s = m.Initial()
		for i, a := range schedule {
			if p := m.ProcOf(int(a)); m.StepID(s, p) < 0 || !run.Enabled(s, p) {
				return nil, fmt.Errorf("step %d of %v is not possible", i, schedule)
			}
			run.Take(s, int(a))
		}
		return s, nil
	}
	value, err := NewValuation(m)
	if err != nil {
		return err
	}
	for _, o := range res.Outcomes.All() {
		s, err := to(o.Schedule)
		if err != nil {
			return err
		}
		if got := value.Words(nil, s); !slices.Equal(got, o.Words) {
			return fmt.Errorf("%v leads to %v, not %v", o.Schedule, got, o.Words)
		}
	}
	for _, o := range res.Deadlocks.All() {
		s, err := to(o.Schedule)
		if err == nil && m.Program.Spec == nil && !slices.Equal([]int64(s), o.Words) {
			err = fmt.Errorf("%v does not lead to the deadlock %v", o.Schedule, o.Words)
		}
		if err != nil {
			return err
		}
	}
	for _, v := range res.Violations {
		s, err := to(v.Schedule)
		if err != nil {
			return err
		}
		if v.Node == nil {
			continue
		}
		if fault, node, failed := m.Failure(s, v.Proc); !failed || fault != v.Fault || node != v.Node {
			return fmt.Errorf("after %v process %d has not failed so", v.Schedule, v.Proc)
		}
		if n := len(v.Schedule); n > 0 {
			if s, err = to(v.Schedule[:n-1]); err == nil && m.Failed(s, v.Proc) {
				err = fmt.Errorf("process %d has failed before the end of %v", v.Proc, v.Schedule)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dividedProgram draws a program whose states are not too many.
func dividedProgram(rng *rand.Rand, i int) (m *step.Machine, text string, err error) {
	for {
		if text = random.Program(rng, random.Draw(rng)); i%3 == 0 {
			text = drawProgram(rng)
		} else if i%5 == 0 {
			text = random.Program(rng, random.DrawCyclic(rng))
		}
		if m, err = loadCovering(text); err != nil {
			return nil, text, err
		}
		if _, err := oracle.Search(m.Fresh(), maxStates); err == nil && m.NumActions() <= MaxActions {
			return m, text, nil
		}
	}
}

// TestDivided explores random programs by workers that own slots, with faults, and expects what one worker and the
// oracle find: go test ./explore -run 'TestDivided$' -args -divided=10000 -seed=1
func TestDivided(t *testing.T) {
	sum := &division{}
	every := func() bool { return sum.killed*sum.lost*sum.late*sum.back*sum.again*sum.shown > 0 }
	for i := 0; i < *divided || !every() && i < 4**divided; i++ {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		m, text, err := dividedProgram(rng, i)
		if err != nil {
			t.Fatal(err)
		}
		d, err := compareDivided(m, rng, rng.Intn(4) > 0, noSlotShortcut)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *seed+int64(i), err, text)
		}
		sum.killed, sum.lost, sum.late = sum.killed+d.killed, sum.lost+d.lost, sum.late+d.late
		sum.back, sum.stages, sum.again = sum.back+d.back, sum.stages+d.stages, sum.again+d.again
		sum.shown += d.shown
	}
	t.Logf("%d workers killed, %d messages lost, %d late or doubled, %d old stages read; %d stages, %d of them lost; "+
		"%d violations shown", sum.killed, sum.lost, sum.late, sum.back, sum.stages, sum.again, sum.shown)
	if !every() {
		t.Error("that says little")
	}
}

// TestDividedShortcuts leaves out one rule at a time and expects that programs are found that need it.
func TestDividedShortcuts(t *testing.T) {
	if testing.Short() {
		t.Skip("draws programs until one needs the rule")
	}
	for _, tt := range []struct {
		name string
		rule slotShortcut
	}{
		{"a worker that has forgotten something has another name", sameName},
		{"what is lost is sent again", lostAcknowledged},
		{"who has stored a stage acknowledges nothing", frozenAcknowledge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i := range 1000 {
				rng := rand.New(rand.NewSource(int64(i)))
				m, _, err := dividedProgram(rng, 1)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := compareDivided(m, rng, true, tt.rule); err != nil {
					t.Logf("program %d: %v", i, err)
					return
				}
			}
			t.Error("no program needs it")
		})
	}
}
