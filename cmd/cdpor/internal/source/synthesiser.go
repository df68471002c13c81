package source

import (
	"context"
	"io"
	"time"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth"
)

// What a search that finds out on its way that it needs constraints asks the solver for. Nothing here depends on a
// clock: a search with the same input gets the same constraints, whatever the cache holds and however fast the machine
// is.
const (
	// questionLimit bounds a question that is not linear, in resource units of Z3: some twenty milliseconds.
	questionLimit = 10_000
	// workPerQuestion is how much work a question of the budget allows, its own included. A linear one takes 100 to 200
	// units.
	workPerQuestion = 200
	// perUnit is the number of questions that a search gets for each that it allows: it counts what takes as long as a
	// thousand units of work.
	perUnit = 5
	// fewQuestions are answered sooner than the cache.
	fewQuestions = 8
)

// A synthesiser finds constraints for some pairs of steps of one program, as often as it is asked; what it has found
// before it remembers. It is not safe for concurrent use.
type synthesiser struct {
	prog    *step.Program
	opt     synth.Options
	session *synth.Session
	memory  *synth.Memory
	store   synth.Cache // may be nil
	folder  *Folder     // the same
	host    *Host
	// Time is how long all calls of find have taken, for people to read.
	Time time.Duration
}

// newSynthesiser prepares for a program. An error says why there is no solver, or that the cache cannot be used;
// synth.Available tells the first one beforehand.
func newSynthesiser(prog *step.Program, h *Host, cache *CacheFlags) (*synthesiser, error) {
	if err := synth.Available(); err != nil {
		return nil, err
	}
	opt := h.Solver()
	opt.RLimit, opt.Short = questionLimit, true
	store, folder, err := cache.Open(h.Now)
	if err != nil {
		return nil, err
	}
	memory := &synth.Memory{}
	opt.Cache = memory
	session, err := synth.NewSession(opt)
	if err != nil {
		return nil, err
	}
	return &synthesiser{prog: prog, opt: opt, session: session, memory: memory, store: store, folder: folder,
		host: h}, nil
}

// A finding has the constraints of some pairs.
type finding struct {
	Set        *constraints.Set // of all pairs: those not asked for are unknown, unless they have no common data
	Conditions *constraints.Compiled
	// Of the pairs asked for, those without common data and those that never meet left out:
	Worked, Exact, Partial, Unknown int
	Open                            int   // of the unknown: those that the budget was not enough for
	Cached                          int   // found before, by this process or another one
	Useful                          int   // those whose uniform constraint is not false
	Questions                       int   // what counts against the budget, found before or not
	Work                            int64 // the same of other work, see synth.Cost
	Exhausted                       bool  // with a larger budget there may be more
	Report                          *synth.Report
}

// find works on pairs of steps, in whatever order the two of a pair are, under a budget of questions. The result is a
// function of the program, the pairs and the budget. If the context ends meanwhile, the error says so and there is no
// finding.
func (s *synthesiser) find(
	ctx context.Context, m *step.Machine, pairs [][2]*step.Step, questions int,
) (*finding, error) {
	wanted := map[[2]*step.Step]bool{}
	for _, ab := range pairs {
		wanted[ab], wanted[[2]*step.Step{ab[1], ab[0]}] = true, true
	}
	start := s.host.Now()
	if s.memory.Behind = nil; questions > fewQuestions {
		s.memory.Behind = s.store
	}
	questions = perUnit * max(questions, 1) // 0 would be no limit
	chosen := func(a, b *step.Step) bool { return wanted[[2]*step.Step{a, b}] }
	s.session.Ask(chosen, questions, workPerQuestion*int64(questions))
	set, report, err := s.session.Synthesize(ctx, s.prog)
	if err != nil {
		return nil, err
	}
	f := &finding{
		Set: set, Conditions: set.Compile(m), Report: report,
		Worked: len(report.Asked), Open: report.Open, Cached: report.Cached,
		Questions: report.Cost.Queries, Work: report.Cost.Work,
	}
	for _, p := range report.Asked {
		switch p.Status {
		case constraints.Exact:
			f.Exact++
		case constraints.Partial:
			f.Partial++
		default:
			f.Unknown++
		}
		f.Exhausted = f.Exhausted || p.Open || p.Narrowed
		if pair, _ := set.Find(p.A, p.B); !constraints.IsFalse(pair.Uniform) {
			f.Useful++
		}
	}
	s.Time += s.host.Now().Sub(start)
	return f, nil
}

// close ends the use of the cache.
func (s *synthesiser) close() { s.folder.Trimmed(s.host.Messages) }

// A Host lends the clock, the messages and the solver of a command to the search for constraints.
type Host struct {
	Now      func() time.Time
	Messages io.Writer            // tells people what they should know
	Solver   func() synth.Options // prepares for the use of the solver
	// Prove checks constraints before they are used and tells what cannot be proved: how much is wrong, and how much
	// undecided.
	Prove func(ctx context.Context, prog *step.Program, set *constraints.Set) (wrong, open int, err error)
}

// DefaultQuestions is the budget of a synthesis for which no flag sets one; other work is limited by workPerQuestion.
// No shipped program takes a tenth of it.
const DefaultQuestions = 100_000

// Within bounds a synthesis to a number of questions, and other work accordingly; 0: the default.
func Within(opt *synth.Options, questions int) {
	if questions == 0 {
		questions = DefaultQuestions
	}
	opt.MaxQueries, opt.MaxWork = questions, workPerQuestion*int64(questions)
}
