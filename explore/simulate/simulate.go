package simulate

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"cdpor/explore"
	"cdpor/lang/step"
)

// Options say which schedules to run.
type Options struct {
	Schedules int
	// Depths say how to choose schedules, in turn: 0 is a uniformly random walk, a larger one is PCT with that depth.
	// Empty: random walks.
	Depths []int
	// Length is k of PCT, the most events that an execution can have. 0: of the longest execution so far; as long as
	// there is none, random walks take the place of PCT.
	Length int
	// Seed makes the choices: equal seeds, equal schedules.
	Seed int64
	// MaxEvents is the number of events that an execution may have before it is cut; 0: explore.DefaultMaxDepth.
	MaxEvents int
	// Budget is the number of events that there may be; 0: any.
	Budget      int64
	StopAtFirst bool
	Found       func(*explore.Violation) (more bool) // as explore.Options.Found
	Progress    func(*explore.Result)                // called now and then with the result so far
}

// Name is the Result.Algorithm of a simulation.
const Name = "simulation"

// A Result has the findings of schedules. The counts of the search that do not belong to single executions are 0.
type Result struct {
	*explore.Result
	Schedules int // that were run, those included that were cut
	Seed      int64
	Depth     int // of PCT, if all schedules were to be of PCT with one depth; else 0
	// Threads and Length are n and k of PCT, and Bounded the schedules that were chosen with that k, if Depth > 0.
	Threads, Length, Bounded int
}

// Bound is the least probability with which a bug of the depth has been met, if there is one and no execution is longer
// than Length. 0 if nothing can be said: because an execution was cut, or no schedule is of PCT.
func (r *Result) Bound() float64 {
	if r.Depth == 0 || r.Cut > 0 {
		return 0
	}
	return Bound(r.Threads, r.Length, r.Depth, r.Bounded)
}

// Run runs schedules until there are as many as wanted, or the context or the budget ends. The error is an internal
// one.
func Run(ctx context.Context, m *step.Machine, opt Options) (*Result, error) {
	w, err := explore.NewWalk(m, Name, opt.Found)
	if err != nil {
		return nil, err
	}
	s := &simulation{Options: opt, ctx: ctx, m: m, walk: w, rng: rand.New(rand.NewPCG(uint64(opt.Seed), 0))}
	if s.MaxEvents <= 0 {
		s.MaxEvents = explore.DefaultMaxDepth
	}
	if len(s.Depths) == 0 {
		s.Depths = []int{0}
	}
	s.found = Result{Seed: opt.Seed, Threads: m.NumProcs(), Length: opt.Length}
	if len(s.Depths) == 1 {
		s.found.Depth = s.Depths[0]
	}
	stopped := s.all()
	s.found.Result = w.Finish(stopped)
	return &s.found, nil
}

type simulation struct {
	Options
	ctx   context.Context
	m     *step.Machine
	walk  *explore.Walk
	rng   *rand.Rand
	found Result
	spent int64 // of the budget
}

// all runs all schedules and says why there are no more.
func (s *simulation) all() (stopped string) {
	for i := 0; i < s.Schedules && !s.over(); i++ {
		s.one(s.Depths[i%len(s.Depths)])
	}
	switch {
	case s.StopAtFirst && s.walk.Violated():
		return explore.StoppedFirst
	case s.ctx.Err() == nil:
		return explore.StoppedSimulation
	case errors.Is(context.Cause(s.ctx), explore.ErrMemory):
		return explore.StoppedMemory
	case errors.Is(s.ctx.Err(), context.DeadlineExceeded):
		return explore.StoppedTime
	}
	return explore.StoppedContext
}

func (s *simulation) over() bool {
	return s.ctx.Err() != nil || s.StopAtFirst && s.walk.Violated() || s.Budget > 0 && s.spent >= s.Budget
}

// one runs one schedule.
func (s *simulation) one(depth int) {
	var by scheduler = randomWalk{s.rng}
	if depth > 0 && s.found.Length > 0 {
		by = newPCT(s.rng, s.m.NumProcs(), s.found.Length, depth)
		s.found.Bounded++
	}
	s.found.Schedules++
	w := s.walk
	for w.Begin(); ; {
		enabled := w.Enabled()
		if len(enabled) == 0 {
			w.End()
			break
		}
		if w.Events() >= s.MaxEvents || s.over() {
			w.Cut()
			break
		}
		p := by.choose(enabled, w.Events())
		alternatives := slices.Collect(w.Alternatives(p).All())
		choice := alternatives[0]
		if n := len(alternatives); n > 1 {
			choice = alternatives[s.rng.IntN(n)]
		}
		w.Take(s.m.FirstAction(p) + choice)
		s.spent++
	}
	if n := w.Events(); n > s.found.Length {
		s.found.Length, s.found.Bounded = n, 0
	}
	if s.Progress != nil {
		s.Progress(w.SoFar())
	}
}

// Cost is about how much longer an event takes than one of a small program: each looks at all processes and copies the
// state.
func Cost(m *step.Machine) int64 { return 1 + int64(m.NumProcs())/32 + int64(m.Words())/512 }

// A scheduler chooses the process of the next step among those that can take one, which are given in order. taken is
// how many events the execution has.
type scheduler interface {
	choose(enabled []int, taken int) int
}

// A randomWalk gives each enabled process the same chance at each step. It is simple and finds what many schedules
// show. What needs one of n processes to take m steps in a row is found with probability 1/n^m.
type randomWalk struct{ rng *rand.Rand }

func (w randomWalk) choose(enabled []int, _ int) int { return enabled[w.rng.IntN(len(enabled))] }
