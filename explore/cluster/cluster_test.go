package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"

	"github.com/nats-io/nats.go"
)

var (
	seed     = flag.Int64("seed", 1, "of the first random program")
	programs = flag.Int("programs", 40, "random programs that go through the log of a server")
	atOnce   = flag.Int("at-once", 2, "how many of them at the same time")
)

// TestMain lets tests that wait for each other's silence wait together, and not as long as people would.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(16, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	queueAgain = time.Second
	if testing.Short() {
		*programs /= 5
	}
	os.Exit(m.Run())
}

// serve starts a server for a test.
func serve(t *testing.T, listen, store string) *Server {
	t.Helper()
	s, err := Serve(ServerOptions{Listen: listen, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serveUsers starts a server for a test whose configuration says who may do what.
func serveUsers(t *testing.T, users string) *Server {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "server.conf")
	text := "jetstream { store_dir: " + strconv.Quote(filepath.Join(dir, "store")) + " }\n" + users
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Serve(ServerOptions{Listen: "127.0.0.1:0", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func connect(t *testing.T, s *Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.URL(), NoBuffer, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// load makes a machine of a program; params are the names and values of its parameters.
func load(t *testing.T, path, text string, params ...string) *step.Machine {
	t.Helper()
	set := map[string]string{}
	for i := 0; i < len(params); i += 2 {
		set[params[i]] = params[i+1]
	}
	m, err := machine(path, text, set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func machine(path, text string, params map[string]string) (*step.Machine, error) {
	src, err := lang.Load(path, []byte(text), lang.Options{Params: params})
	if err != nil {
		return nil, err
	}
	return step.NewMachine(src.Program)
}

// said is what every search must say of a program.
func said(a *explore.Algorithm, visited bool, r *explore.Result) string {
	ends := func(list explore.OutcomeSet) (all []string) {
		for _, o := range list.All() {
			all = append(all, fmt.Sprint(o.Words))
		}
		slices.Sort(all)
		return all
	}
	var violations []string
	for _, v := range r.Violations {
		if v.Kind != explore.InvariantFalse { // looked at in the states that are visited
			violations = append(violations, fmt.Sprint(v.Kind))
		}
	}
	slices.Sort(violations)
	s := fmt.Sprintf("%s, outcomes %v, deadlocks %v, violations %v", r.Stopped, ends(r.Outcomes), ends(r.Deadlocks),
		slices.Compact(violations))
	if !a.Sequences && !visited {
		s += fmt.Sprintf(", %d executions", r.Executions)
		if a.Stateful {
			s += fmt.Sprintf(", %d states, %d events", r.States, r.Events)
		}
	}
	return s
}

// A trial is a search over a server, whose workers are killed now and then.
type trial struct {
	m       *step.Machine
	a       *explore.Algorithm
	opt     explore.Options
	file    string // of constraints
	workers int
	kills   bool
	rng     *rand.Rand
	told    func(*explore.Result, *Progress) // what coordinators say, if it is not nil
}

// run explores over a job of its own.
func (c *trial) run(ctx context.Context, nc *nats.Conn, name string) (res *explore.Result, killed int, err error) {
	spec, err := NewSpec(c.m, c.a, c.opt, c.file)
	if err != nil {
		return nil, 0, err
	}
	job, err := Create(ctx, nc, name, spec, CreateOptions{Wait: 300 * time.Millisecond})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = job.Remove(context.WithoutCancel(ctx)) }()
	ctx, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	failed := make(chan error, c.workers+1)
	var mu sync.Mutex
	for range c.workers {
		draws := rand.New(rand.NewSource(c.rng.Int63()))
		all.Go(func() {
			for ctx.Err() == nil {
				life, kill := context.WithCancel(ctx)
				own := nc
				switch draws.Intn(4) {
				case 0: // it is told to end
					if c.kills {
						time.AfterFunc(time.Duration(draws.Intn(20))*time.Millisecond, kill)
					}
				case 1: // it has no time to say anything
					if c.kills {
						var err error
						if own, err = nats.Connect(nc.ConnectedUrl()); err != nil {
							own = nc
							break
						}
						time.AfterFunc(time.Duration(draws.Intn(20))*time.Millisecond, func() {
							own.Close()
							kill()
						})
					}
				}
				err := NewProcess(own, WorkOptions{Job: name, Slice: 200 * time.Microsecond,
					abrupt: draws.Intn(2) == 0}).Work(life)
				dead := own.IsClosed()
				kill()
				if own != nc {
					own.Close()
				}
				if err != nil && !dead {
					failed <- err
					end()
					return
				}
				mu.Lock()
				killed++
				mu.Unlock()
			}
		})
	}
	for coordinators := 0; ; coordinators++ {
		life, kill := context.WithCancel(ctx)
		if c.kills && coordinators < 3 {
			time.AfterFunc(time.Duration(1+c.rng.Intn(30))*time.Millisecond, kill)
		}
		var findings *distributed.Findings
		if findings, err = distributed.NewFindings(ctx, c.m, c.a, c.opt); err != nil {
			kill()
			break
		}
		var stopped string
		stopped, err = Coordinate(life, job, findings, CoordinateOptions{Submitter: true, Workers: c.workers,
			Progress: c.told, SnapshotEvery: c.rng.Intn(2) * (1 + c.rng.Intn(20))})
		if err == nil {
			res = findings.Result(stopped)
		}
		again := err != nil && life.Err() != nil && ctx.Err() == nil
		kill()
		if !again {
			break
		}
	}
	end()
	all.Wait()
	select {
	case err = <-failed:
	default:
	}
	return res, killed, err
}

// TestCluster explores random programs over a server in this process, with workers and coordinators that are killed,
// and expects what a search alone finds.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	s := serve(t, "", t.TempDir())
	defer s.Close()
	solve, err := newSolver()
	if err != nil {
		t.Fatal(err)
	}
	var next atomic.Int64
	var sum tally
	var all sync.WaitGroup
	for range *atOnce {
		nc := connect(t, s)
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(*programs) && !t.Failed(); i = next.Add(1) - 1 {
				if err := sum.program(t.Context(), nc, *seed+i, solve); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d searches, %d with constraints, %d workers killed", sum.searches, sum.constrained, sum.killed)
	if sum.searches < *programs || sum.killed == 0 {
		t.Error("that says little")
	}
}

// A tally counts what has been compared.
type tally struct {
	mu                            sync.Mutex
	searches, constrained, killed int
}

// program compares the searches of a random program, which is that of a seed.
func (s *tally) program(ctx context.Context, nc *nats.Conn, seed int64,
	solve func(*step.Machine) (string, error)) error {
	rng := rand.New(rand.NewSource(seed))
	text := random.Program(rng, random.Draw(rng))
	m, err := machine("random.yaml", text, nil)
	if err != nil {
		return err
	}
	file := ""
	if seed%4 == 0 {
		s.mu.Lock() // of the solver, too
		file, err = solve(m)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	for _, a := range explore.Algorithms() {
		opt := explore.Options{MaxDepth: 300, Visited: a.Visits && rng.Intn(2) == 0}
		used := ""
		if a.Constraints && file != "" {
			used = file
			set, err := constraints.Load(m.Program, "random.constraints.yaml", []byte(file))
			if err != nil {
				return err
			}
			opt.Conditions = set.Compile(m)
		}
		if _, err := distributed.NewFindings(ctx, m, a, opt); err != nil {
			continue
		}
		alone, enough := context.WithCancel(ctx)
		opt.Progress = func(*explore.Result) { enough() } // after a thousand nodes
		one, err := explore.Run(alone, m, a, opt)
		enough()
		if err != nil {
			return err
		}
		if one.Stopped != explore.StoppedComplete {
			continue
		}
		opt.Progress = nil
		c := &trial{m, a, opt, used, 1 + rng.Intn(3), rng.Intn(2) == 0, rng, nil}
		ctx, cancel := context.WithCancel(ctx)
		many, n, err := c.run(ctx, nc, fmt.Sprintf("test-%d-%s", seed, a.Name))
		cancel()
		if err != nil {
			return fmt.Errorf("program %d, %s: %w\n%s", seed, a.Name, err, text)
		}
		if want, got := said(a, opt.Visited, one), said(a, opt.Visited, many); want != got {
			return fmt.Errorf("program %d, %s, %+v:\n%s, not\n%s\n%s", seed, a.Name, opt, got, want, text)
		}
		s.mu.Lock()
		s.searches, s.killed = s.searches+1, s.killed+n
		if used != "" {
			s.constrained++
		}
		s.mu.Unlock()
	}
	return nil
}

// TestServerKilled explores a program while the server ends and comes back on the same port, with the same store.
func TestServerKilled(t *testing.T) {
	store := t.TempDir()
	s := serve(t, "", store)
	nc := connect(t, s)
	at, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, path, string(text), "N", "13")
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	one, err := explore.Run(t.Context(), m, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		r   *explore.Result
		err error
	}
	done := make(chan answer, 1)
	share := 0.0
	c := &trial{m, a, explore.Options{}, "", 2, false, rand.New(rand.NewSource(1)),
		func(_ *explore.Result, p *Progress) {
			if p.Share < share-1e-9 || p.Share >= 1 || p.Records > 1 && p.Share == 0 {
				t.Errorf("%g of the search is done after %g, with %d records", p.Share, share, p.Records)
			}
			share = p.Share
		}}
	some := make(chan bool) // more records have come
	records := 0
	if _, err := nc.Subscribe("cdpor.server."+loggedKind+".>", func(*nats.Msg) {
		if records++; records%10 == 0 && records <= 30 {
			some <- true
		}
	}); err != nil {
		t.Fatal(err)
	}
	go func() {
		r, _, err := c.run(t.Context(), nc, "server")
		done <- answer{r, err}
	}()
	for kills := 0; ; {
		select {
		case got := <-done:
			if got.err != nil {
				t.Fatal(got.err)
			}
			if want, have := said(a, false, one), said(a, false, got.r); want != have {
				t.Errorf("%s, not %s", have, want)
			}
			if kills == 0 {
				t.Error("the search was over before the server was")
			}
			s.Close()
			return
		case <-some:
			kills++
			s.Close()
			s = serve(t, at.Host, store)
		}
	}
}

// TestTwoUsers lets two users with different credentials search at once on one server: neither sees the other's job, or
// gets to it by its name.
func TestTwoUsers(t *testing.T) {
	s := serveUsers(t, "accounts {\n"+
		"  ONE { jetstream: enabled, users: [ { user: one, password: first } ] }\n"+
		"  TWO { jetstream: enabled, users: [ { user: two, password: second } ] }\n}\n")
	defer s.Close()
	if _, err := nats.Connect(s.URL()); err == nil || !s.Guarded() {
		t.Errorf("a server with users takes anybody: %v", err)
	}
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, path, string(program), "N", "10")
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	type user struct {
		name, password string
		nc             *nats.Conn
	}
	users := []*user{{name: "one", password: "first"}, {name: "two", password: "second"}}
	for _, u := range users {
		if u.nc, err = nats.Connect(s.URL(), nats.UserInfo(u.name, u.password)); err != nil {
			t.Fatal(err)
		}
		defer u.nc.Close()
		spec, err := NewSpec(m, a, explore.Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Create(t.Context(), u.nc, "of-"+u.name, spec, CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, u := range users {
		names, err := Names(t.Context(), u.nc)
		if err != nil || !slices.Equal(names, []string{"of-" + u.name}) {
			t.Errorf("user %s sees %v, %v", u.name, names, err)
		}
		if _, err := Open(t.Context(), u.nc, "of-"+users[1-i].name); !errors.Is(err, ErrNoJob) {
			t.Errorf("user %s opens the job of another: %v", u.name, err)
		}
	}
	var all sync.WaitGroup
	for _, u := range users {
		all.Go(func() {
			c := &trial{m, a, explore.Options{}, "", 1, false, rand.New(rand.NewSource(1)), nil}
			r, _, err := c.run(t.Context(), u.nc, "both") // the same name for both
			if err != nil || r.Executions != 3328 {
				t.Errorf("user %s: %v, %v", u.name, r, err)
			}
		})
	}
	all.Wait()
}

// TestSameName: who still works on a job that was removed does not write into another one of its name.
func TestSameName(t *testing.T) {
	s := serve(t, "", t.TempDir())
	defer s.Close()
	nc := connect(t, s)
	make := func() *Job {
		j, err := Create(t.Context(), nc, "again", &Spec{}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	first := make()
	if _, err := Create(t.Context(), nc, "again", &Spec{}, CreateOptions{}); err == nil {
		t.Error("there are two jobs of one name")
	}
	if err := first.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := make()
	late, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := first.log.append(late, token(joblog.Root), 0, &joblog.Record{Task: joblog.Root}); err == nil {
		t.Error("a record of a job that was removed has been stored")
	}
	if h, err := second.log.headOf(t.Context(), token(joblog.Root)); err != nil || h.record != nil {
		t.Errorf("the second job has a record of the first: %+v, %v", h, err)
	}
}

// A late context does not know yet that its time is over.
type late struct{ context.Context }

func (late) Deadline() (at time.Time, ok bool) { return time.Now().Add(-time.Second), true }

// TestLate: a worker whose time is over before it has asked for a task asks again. That happens on a machine that has
// much else to do.
func TestLate(t *testing.T) {
	s := serve(t, "", t.TempDir())
	defer s.Close()
	job := lastZero(t, connect(t, s), "5", time.Second).job
	w, err := newWorker(job, DefaultSlice)
	if err != nil {
		t.Fatal(err)
	}
	defer w.end()
	queue, err := job.work.Consumer(t.Context(), consumer)
	if err != nil {
		t.Fatal(err)
	}
	if worked, err := w.next(late{t.Context()}, queue, time.Minute); worked || err != nil {
		t.Error(worked, err)
	}
}
