package scaling

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/cluster"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A search is one that SCALING.md is about.
type search struct {
	program   string
	params    map[string]string
	algorithm string
	visited   bool

	m          *step.Machine
	a          *explore.Algorithm
	opt        explore.Options
	file       string // of constraints
	tree       *Tree
	executions int64
	node       time.Duration // measured, as the following
	replay     time.Duration
	records    []RecordCost
}

// searches are the six: those of the workers' table of PERFORMANCE.md that can be cut into parcels, one with
// constraints that decide races, one with locks, and one that stops at visited states.
func searches() []*search {
	return []*search{
		{program: "fib-observed", params: map[string]string{"N": "5"}, algorithm: "source"},
		{program: "indexer", params: map[string]string{"N": "16"}, algorithm: "source"},
		{program: "lastzero", params: map[string]string{"N": "13"}, algorithm: "context"},
		{program: "producer-consumer", params: map[string]string{"N": "16", "MAX": "18"}, algorithm: "constrained"},
		{program: "locked-buffer", params: map[string]string{"N": "9"}, algorithm: "source"},
		{program: "fib-observed", params: map[string]string{"N": "5"}, algorithm: "source", visited: true},
	}
}

func (s *search) String() string {
	var params []string
	for _, p := range slices.Sorted(maps.Keys(s.params)) {
		params = append(params, p+"="+s.params[p])
	}
	name := s.program + " " + strings.Join(params, " ") + ", " + s.algorithm
	if s.visited {
		name += " --visited"
	}
	return name
}

// prepare records the tree, and measures what the search costs.
func (s *search) prepare(t *testing.T) {
	t.Helper()
	s.m, s.a = load(t, s.program, s.params), algorithm(t, s.algorithm)
	s.opt.Visited = s.visited
	if s.a.Constraints {
		file, err := solve(s.m)
		if err != nil {
			t.Fatal(err)
		}
		set, err := constraints.Load(s.m.Program, s.program+".constraints.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		s.file, s.opt.Conditions = file, set.Compile(s.m)
	}
	for range 2 {
		begun := processorTime(t)
		res, err := explore.Run(t.Context(), s.m, s.a, s.opt)
		if err != nil {
			t.Fatal(err)
		}
		took := (processorTime(t) - begun) / time.Duration(res.Nodes)
		if s.node == 0 || took < s.node {
			s.node = took
		}
		s.executions = res.Executions
	}
	var err error
	if s.tree, err = Record(t.Context(), s.m, s.a, s.opt, 1<<24); err != nil {
		t.Fatal(err)
	}
	for nodes := int64(1 << 10); ; nodes *= 8 {
		cost, last := s.measure(t, nodes)
		if s.records = append(s.records, cost); last {
			break
		}
	}
	t.Logf("%v: %d nodes, %d leaves, %v a node, %v an event replayed; %+v", s, s.tree.Nodes(), s.tree.Leaves(), s.node,
		s.replay, s.records)
}

// measure finds out what a record costs after some nodes, on the average, and whether that is the whole search. It
// measures what it takes to replay an event as well.
func (s *search) measure(t *testing.T, nodes int64) (cost RecordCost, whole bool) {
	t.Helper()
	w, err := explore.NewParcelWork(t.Context(), s.m.Fresh(), s.a, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	all, err := explore.NewParcelFindings(t.Context(), s.m.Fresh(), s.a, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.TakeUp(&joblog.Parcel{ID: joblog.Root, Begin: -1}); err != nil {
		t.Fatal(err)
	}
	number, replaying, events := 0, time.Duration(0), 0
	for over := false; !over && number < 16; number++ {
		if over, err = w.Explore(nodes); err != nil {
			t.Fatal(err)
		}
		explored, begun := w.Nodes(), processorTime(t)
		r, err := w.Record(number, over, false)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		cost.Encode += processorTime(t) - begun
		begun = processorTime(t)
		var read joblog.Record
		if err := read.Unmarshal(text, false); err != nil {
			t.Fatal(err)
		}
		cost.Fold += processorTime(t) - begun
		begun = processorTime(t)
		if err := all.Add(read.Found); err != nil {
			t.Fatal(err)
		}
		cost.Join += processorTime(t) - begun
		cost.Bytes += float64(len(text))
		cost.Nodes += explored
		if whole = number == 0 && over; !over {
			begun = processorTime(t)
			if err := w.TakeUp(read.Left); err != nil {
				t.Fatal(err)
			}
			replaying += processorTime(t) - begun
			events += len(read.Left.Levels)
		}
	}
	cost.Bytes /= float64(number)
	cost.Nodes /= int64(number)
	cost.Encode /= time.Duration(number)
	cost.Fold /= time.Duration(number)
	cost.Join /= time.Duration(number)
	if events > 0 && nodes == 1<<10 {
		s.replay = replaying / time.Duration(events)
	}
	return cost, whole
}

// processorTime is what this process has had so far. Other processes of the machine do not count.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// parameters are what the search costs with some workers.
func (s *search) parameters(workers int, latency time.Duration) Parameters {
	p := Defaults(workers, latency)
	p.Node, p.Replay, p.Records = max(1, s.node), s.replay, s.records
	return p
}

// below is for how many nodes more a leaf stands if one worker takes some time, 0: as recorded.
func (s *search) below(alone time.Duration) int64 {
	leaves := int64(s.tree.Leaves() - s.tree.Visits())
	return max(0, (int64(alone/s.node)-int64(s.tree.Nodes()))/leaves)
}

// simulate explores the tree as if one worker took some time for it.
func (s *search) simulate(t *testing.T, alone time.Duration, p Parameters) run {
	t.Helper()
	r := NewReplay(s.tree, s.below(alone), p.Deaths > 0)
	o, err := Simulate(r.Work(), p)
	if err != nil {
		t.Fatal(err)
	}
	return run{p, r.Whole(), o}
}

// A run is a simulation that is over.
type run struct {
	p     Parameters
	whole int64
	o     *Outcome
}

func (r run) speedUp() float64 { return r.o.SpeedUp(r.p, r.whole) }
func (r run) limit() Limit     { return r.o.Limit(r.p, r.whole) }
func (r run) shares() Shares   { return r.o.Shares(r.p, r.whole) }

// overServer explores a search by workers in this process over a server in it, and returns how long it took.
func (s *search) overServer(t *testing.T, nc *nats.Conn, workers int) time.Duration {
	t.Helper()
	spec, err := cluster.NewSpec(s.m, s.a, s.opt, s.file)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("scaling-%d", time.Now().UnixNano())
	job, err := cluster.Create(t.Context(), nc, name, spec, cluster.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	done := make(chan error, 1)
	go func() { done <- cluster.NewCrew(nc, cluster.WorkOptions{Job: name, Cores: workers}).Work(ctx) }()
	time.Sleep(100 * time.Millisecond) // until they listen
	findings, err := explore.NewParcelFindings(ctx, s.m, s.a, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if _, err = cluster.Coordinate(ctx, job, findings, cluster.CoordinateOptions{Submitter: true,
		Workers: workers}); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	end()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := job.Remove(context.WithoutCancel(ctx)); err != nil {
		t.Fatal(err)
	}
	return took
}
