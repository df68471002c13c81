package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/distributed"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// A cluster is a search by workers that die, over a log in memory. Everything happens in one goroutine, in an order
// that is drawn: records come late, twice, or not at all, workers are killed, tasks are delivered again while
// somebody still works on them, and the coordinator begins again from the log.
type cluster struct {
	m      *step.Machine
	a      *Algorithm
	opt    Options
	rng    *rand.Rand
	faults bool

	log   [][]byte
	heads map[joblog.ID]*joblog.Record // the last one stored of each task

	queue   [][]byte // tasks
	workers []*clusterWorker
	flight  []*flight

	fold     *joblog.Fold
	read     int // records of the log
	found    *distributed.Findings
	snapshot *clusterSnapshot // nil: none

	origins [][]step.Origin // of started processes, as all agree

	shortcut                        clusterShortcut
	tasks, refused, ignored, killed int
}

// A clusterSnapshot has the knowledge of a coordinator from the records before one, which are gone.
type clusterSnapshot struct {
	read        int
	fold, found []byte
}

// compact lets a snapshot take the place of what has been folded.
func (c *cluster) compact() error {
	fold, err := json.Marshal(c.fold.Save())
	if err != nil {
		return err
	}
	found, err := c.found.Save()
	c.snapshot = &clusterSnapshot{c.read, fold, found}
	clear(c.log[:c.read])
	return err
}

// load begins with a snapshot.
func (c *cluster) load(s *clusterSnapshot) (err error) {
	var saved joblog.Saved
	if err := json.Unmarshal(s.fold, &saved); err != nil {
		return err
	}
	if c.fold, err = saved.Restore(); err != nil {
		return err
	}
	c.read = s.read
	return c.found.Add(s.found)
}

// A clusterShortcut leaves out what soundness needs, so that the test can show that it would notice.
type clusterShortcut int

const (
	noShortcut       clusterShortcut = iota
	noInsertions                     // above the task
	noCompareAndSwap                 // whoever comes last goes on
	noSplitSleep                     // what is under way does not sleep where a node is split off
	keepTables                       // of visited states, after a refusal
)

// A clusterWorker is a worker: a search, and the task that it has, if any.
type clusterWorker struct {
	x       *executions.TaskWork
	task    *joblog.Task
	message []byte // of the queue, in case it has to be delivered again
	number  int
	waits   *flight // its record, which has to be stored before it goes on
}

// A flight is a record on its way.
type flight struct {
	text []byte
	from *clusterWorker
}

// stored tells a worker that its record has been stored.
func (w *clusterWorker) stored(r *joblog.Record) {
	w.waits, w.number, w.task = nil, w.number+1, r.Left
}

func newCluster(m *step.Machine, a *Algorithm, opt Options, rng *rand.Rand, workers int) (*cluster, error) {
	c := &cluster{m: m, a: a, opt: opt, rng: rng, heads: map[joblog.ID]*joblog.Record{},
		origins: make([][]step.Origin, len(m.Program.Templates))}
	for range workers {
		c.workers = append(c.workers, &clusterWorker{})
	}
	return c, c.coordinator()
}

// machine is one of another process: what it has started is known to others by its origin.
func (c *cluster) machine() *step.Machine {
	m := c.m.Fresh()
	m.AgreeOrigins(func(list [][]step.Origin, template int) ([][]step.Origin, error) {
		return c.agree(m, list, template)
	})
	return m
}

// agree adds the newest origin of a list to those that all agree upon.
func (c *cluster) agree(_ *step.Machine, list [][]step.Origin, template int) ([][]step.Origin, error) {
	own := list[template]
	last, all := own[len(own)-1], c.origins[template]
	if !slices.Contains(all, last) && len(all) < c.m.Program.Templates[template].Pool.Size {
		c.origins[template] = append(all, last)
	}
	return c.origins, nil
}

// coordinator begins with a fold of the whole log, and delivers again what is under way.
func (c *cluster) coordinator() error {
	found, err := distributed.NewFindings(context.Background(), c.machine(), c.a, c.opt)
	if err != nil {
		return err
	}
	c.found, c.fold, c.read = found, found.NewFold(), 0
	if c.snapshot != nil {
		if err := c.load(c.snapshot); err != nil {
			return err
		}
	}
	for c.read < len(c.log) {
		if err := c.readNext(); err != nil {
			return err
		}
	}
	c.queue = nil
	for _, id := range c.fold.UnderWay() {
		if err := c.deliver(id); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) deliver(id joblog.ID) error {
	p, _ := c.fold.Task(id)
	text, err := json.Marshal(p)
	c.queue = append(c.queue, text)
	return err
}

// readNext folds the next record.
func (c *cluster) readNext() error {
	var r joblog.Record
	if err := r.Unmarshal(c.log[c.read]); err != nil {
		return err
	}
	c.read++
	counts, err := c.fold.Apply(&r)
	switch {
	case err != nil:
		return err
	case !counts:
		c.ignored++
		return nil
	}
	for _, id := range c.fold.Begun() {
		c.tasks++
		if err := c.deliver(id); err != nil {
			return err
		}
	}
	if r.Take != nil {
		return nil
	}
	return c.found.Add(r.Found)
}

// coordinate reads some of the log, and hands out what waits.
func (c *cluster) coordinate() error {
	switch {
	case c.faults && c.rng.Intn(40) == 0:
		return c.coordinator()
	case c.faults && c.shortcut == noShortcut && c.rng.Intn(40) == 0:
		return c.compact()
	}
	for n := 1 + c.rng.Intn(4); n > 0 && c.read < len(c.log); n-- {
		if err := c.readNext(); err != nil {
			return err
		}
	}
	if c.read < len(c.log) || len(c.queue) >= 2*len(c.workers) {
		return nil
	}
	take := c.fold.Waiting()
	if take == nil {
		return nil
	}
	text, err := json.Marshal(&joblog.Record{Take: take})
	if err != nil {
		return err
	}
	c.log = append(c.log, text)
	if err := c.readNext(); err != nil {
		return err
	}
	if len(c.fold.Begun()) == 0 {
		return errors.New("nothing was taken")
	}
	return nil
}

// store puts a record into the log, unless another one has its place.
func (c *cluster) store(f *flight) error {
	var r joblog.Record
	if err := r.Unmarshal(f.text); err != nil {
		return err
	}
	head, want := c.heads[r.Task], 0
	if head != nil {
		want = head.Number + 1
	}
	if r.Number != want && c.shortcut != noCompareAndSwap {
		c.refused++
		if c.faults && c.rng.Intn(3) == 0 {
			c.log = append(c.log, f.text) // the server has forgotten what was there
		}
		if f.from.waits == f {
			c.refuse(f.from, head != nil && head.Left == nil)
		}
		return nil
	}
	c.log, c.heads[r.Task] = append(c.log, f.text), &r
	if f.from.waits == f {
		f.from.stored(&r)
	}
	return nil
}

// refuse lets a worker forget what it has done since its last record.
func (c *cluster) refuse(w *clusterWorker, ended bool) {
	if !ended {
		c.queue = append(c.queue, w.message)
	}
	w.task, w.waits = nil, nil
	if c.shortcut != keepTables {
		w.x = nil
	}
}

// work lets a worker do something.
func (c *cluster) work(w *clusterWorker) (err error) {
	switch {
	case w.task == nil && len(c.queue) > 0:
		return c.begin(w)
	case w.task == nil:
		return nil
	case c.faults && c.rng.Intn(12) == 0: // killed; a record of it may still be under way
		c.killed++
		c.queue = append(c.queue, w.message)
		*w = clusterWorker{}
		return nil
	case c.faults && c.rng.Intn(12) == 0: // thought dead
		c.queue = append(c.queue, w.message)
		return nil
	case w.waits != nil:
		return nil
	}
	over, err := w.x.Explore(int64(1 + c.rng.Intn(8)))
	if err != nil {
		return err
	}
	if !over && c.rng.Intn(4) == 0 { // so that more comes together until the next record
		return nil
	}
	r, err := w.x.Record(w.number, over, c.rng.Intn(2) == 0)
	if err != nil {
		return err
	}
	switch c.shortcut {
	case noInsertions:
		r.Insert = nil
	case noSplitSleep:
		for i := range r.Split {
			s := &r.Split[i]
			s.Sleep = slices.DeleteFunc(s.Sleep, func(a int32) bool { return a == s.Action })
		}
	}
	return c.send(w, r)
}

// send sends a record of a worker.
func (c *cluster) send(w *clusterWorker, r *joblog.Record) error {
	text, err := r.Marshal()
	w.waits = &flight{text, w}
	if c.faults && c.rng.Intn(10) == 0 { // it will arrive twice
		c.flight = append(c.flight, w.waits)
	}
	if !c.faults || c.rng.Intn(20) > 0 {
		c.flight = append(c.flight, w.waits)
	} else { // or the worker thinks that it has not arrived
		c.refuse(w, false)
	}
	return err
}

// begin gives an idle worker a task of the queue, where the log has left it.
func (c *cluster) begin(w *clusterWorker) error {
	i := c.rng.Intn(len(c.queue))
	w.message = c.queue[i]
	c.queue = slices.Delete(c.queue, i, i+1)
	var p joblog.Task
	if err := json.Unmarshal(w.message, &p); err != nil {
		return err
	}
	w.number = 0
	left := &p
	if head := c.heads[p.ID]; head != nil {
		if head.Left == nil {
			return nil
		}
		left, w.number = head.Left, head.Number+1
	}
	if w.x == nil {
		x, err := executions.NewTaskWork(context.Background(), c.machine(), c.a, c.opt)
		if err != nil {
			return err
		}
		w.x = x
	}
	w.task, w.waits = left, nil
	return w.x.TakeUp(left)
}

// run explores everything.
func (c *cluster) run() (*Result, error) {
	const most = 20_000
	for rounds := 0; !c.fold.Done() || c.read < len(c.log); rounds++ {
		if rounds == most {
			return nil, fmt.Errorf("no end in %d rounds", most)
		}
		if err := c.coordinate(); err != nil {
			return nil, fmt.Errorf("coordinator: %w", err)
		}
		for range len(c.workers) {
			if err := c.work(c.workers[c.rng.Intn(len(c.workers))]); err != nil {
				return nil, fmt.Errorf("worker: %w", err)
			}
			if len(c.flight) > 0 && c.rng.Intn(3) > 0 {
				i := c.rng.Intn(len(c.flight))
				f := c.flight[i]
				c.flight = slices.Delete(c.flight, i, i+1)
				if err := c.store(f); err != nil {
					return nil, err
				}
			}
		}
	}
	return c.found.Result(""), nil
}

// A clusterCount counts what has been compared.
type clusterCount struct {
	searches, faults int
}

// compareClusters explores a program over a log in some ways, and says what is found differently than by one worker.
func compareClusters(m *step.Machine, rng *rand.Rand, visited bool, most int64, s clusterShortcut,
	solve func(*step.Machine) (Conditions, error)) (n clusterCount, err error) {
	var solved Conditions
	if solve != nil {
		if solved, err = solve(m); err != nil {
			return n, err
		}
	}
	for _, a := range Algorithms() {
		if executions.ErrTasks(a, Options{}) != nil || visited && !a.Visits || *only != "" && a.Name != *only {
			continue
		}
		opt := Options{Visited: visited, Validate: rng.Intn(4) == 0, NoAnticipate: rng.Intn(2) == 0,
			NoGuide: rng.Intn(2) == 0, MaxDepth: 300}
		if a.Constraints {
			opt.Conditions = solved
		}
		if rng.Intn(2) == 0 {
			opt.Seed = 1 + rng.Int63n(1000)
		}
		ctx, cancel := context.WithCancel(context.Background())
		opt.Progress = func(r *Result) {
			if r.Nodes > most {
				cancel()
			}
		}
		one, err := Run(ctx, m, a, opt)
		cancel()
		if err != nil {
			return n, err
		}
		if one.Stopped != StoppedComplete || one.Nodes > most {
			continue
		}
		opt.Progress = nil
		c, err := newCluster(m, a, opt, rng, 1+rng.Intn(4))
		if err != nil {
			return n, err
		}
		c.faults, c.shortcut = rng.Intn(4) > 0, s
		many, err := c.run()
		if err == nil && len(slices.Concat(c.origins...)) > 0 { // who is which process is not as it was
			same := m.Fresh()
			if err = same.AdoptOrigins(c.origins); err == nil {
				one, err = Run(context.Background(), same, a, opt)
			}
		}
		if err == nil {
			err = sameFindings(a, visited, one, many)
		}
		if err != nil {
			return n, fmt.Errorf("%s, %d workers, faults %v, %+v: %w", a.Name, len(c.workers),
				c.faults, opt, err)
		}
		n.searches, n.faults = n.searches+1, n.faults+c.killed+c.refused+c.ignored
	}
	return n, nil
}

// TestTasks explores random programs and shipped ones over a log in memory, with faults, and expects what one worker
// finds.
func TestTasks(t *testing.T) { testTasks(t, false) }

// TestTasksVisited does so with searches that stop at visited states.
func TestTasksVisited(t *testing.T) { testTasks(t, true) }

func testTasks(t *testing.T, visited bool) {
	solve, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	files := endingPrograms(t)
	var all clusterCount
	for i := range *cuts + len(files) {
		text, rng := programText(t, i, files)
		if visited && i < *cuts {
			text = drawProgram(rng)
		}
		m, err := load(text)
		if err != nil {
			continue // constraint files are no programs
		}
		if m.NumActions() > MaxActions {
			continue
		}
		use := solve
		if i%4 != 0 {
			use = nil
		}
		n, err := compareClusters(m, rng, visited, 300, noShortcut, use)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *seed+int64(i), err, text)
		}
		all.searches, all.faults = all.searches+n.searches, all.faults+n.faults
	}
	t.Logf("%d searches over a log, %d faults", all.searches, all.faults)
	if all.searches < *cuts && *only == "" || all.faults < all.searches {
		t.Error("that says little")
	}
}

// TestTaskShortcuts leaves out one rule at a time and expects that programs are found that need it.
func TestTaskShortcuts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for _, tt := range []struct {
		name    string
		s       clusterShortcut
		visited bool
	}{
		{"insertions above the task", noInsertions, false},
		{"compare and swap", noCompareAndSwap, false},
		{"what is under way sleeps at a split", noSplitSleep, false},
		{"tables are dropped after a refusal", keepTables, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i := range int64(20_000) {
				rng := rand.New(rand.NewSource(i))
				var text string
				if tt.visited {
					text = drawProgram(rng)
				} else {
					text = random.Program(rng, random.Draw(rng))
				}
				m, err := load(text)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := compareClusters(m, rng, tt.visited, 500, tt.s, nil); err != nil {
					t.Logf("program %d: %v", i, err)
					return
				}
			}
			t.Error("no program needs it")
		})
	}
}

// TestTaskPauses: between two records, a worker gets on by as many nodes as it is told to explore each time, so that
// it looks around as often as it means to.
func TestTaskPauses(t *testing.T) {
	m := shipped(t, "lastzero", map[string]string{"N": "8"})
	w, err := executions.NewTaskWork(t.Context(), m, dpor.SourceAlgorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.TakeUp(&joblog.Task{ID: joblog.Root, Begin: -1}); err != nil {
		t.Fatal(err)
	}
	pauses := 0
	for last := int64(0); ; last = w.Nodes() {
		over, err := w.Explore(100)
		if err != nil {
			t.Fatal(err)
		}
		if over {
			break
		}
		if pauses++; w.Nodes() < last+100 || w.Nodes() > last+200 {
			t.Fatalf("from %d to %d nodes, not about a hundred more", last, w.Nodes())
		}
	}
	if pauses < 10 {
		t.Errorf("%d pauses", pauses)
	}
}
