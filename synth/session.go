package synth

import (
	"context"
	"fmt"

	"cdpor/lang/step"
	"cdpor/synth/internal/cachekey"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/uniform"
)

// Version names the generator in constraint files.
func Version() string { return "cdpor synth 5, " + decide.SolverName() }

// cacheNumber changes with what is found for the same program, so that the cache forgets what was found before.
const cacheNumber = ", 4"

// A Session reuses one solver for many programs, which is much faster for small ones. It belongs to one goroutine.
type Session struct {
	opt Options
	o   *decide.Oracle
}

// NewSession prepares a session; the error says why there is no solver.
func NewSession(opt Options) (*Session, error) {
	o, err := opt.oracle()
	if err != nil {
		return nil, err
	}
	return &Session{opt, o}, nil
}

// oracle makes an oracle.
func (opt *Options) oracle() (*decide.Oracle, error) {
	return decide.New(opt.rlimit(), opt.Short, heard(opt.Dump), opt.Interrupted)
}

// Ask changes what the session is asked for: the pairs, and what they may cost (see Options).
func (s *Session) Ask(pairs func(a, b *step.Step) bool, maxQueries int, maxWork int64) {
	s.opt.Pairs, s.opt.MaxQueries, s.opt.MaxWork = pairs, maxQueries, maxWork
}

// An engine works on one program.
type engine struct {
	*uniform.Family
	opt           Options
	lemma         []*step.Property            // that make others inductive, see strengthen.go
	givenUpBefore int                         // questions that the solver had given up before this program
	pairs         map[[2]*step.Step]pairAhead // what helpers have found
	keys          *cachekey.Keys
}

// engine begins to work on a program. The error says that the context has ended.
func (s *Session) engine(ctx context.Context, prog *step.Program) (*engine, error) {
	s.o.Begin(ctx, s.opt.budget())
	p, err := question.New(ctx, prog, s.o)
	if err != nil {
		return nil, fmt.Errorf("interrupted at the start: %w", err)
	}
	p.Facts.Assume = !s.opt.AnyState
	p.Workers, p.NewOracle = s.opt.Workers, s.opt.oracle
	if s.opt.Dump != nil { // questions are heard in their order
		p.Workers = 0
	}
	e := &engine{opt: s.opt, givenUpBefore: s.o.GivenUp(), keys: cachekey.New(p, cachekey.Settings{
		Version: Version() + cacheNumber, RLimit: s.opt.rlimit(), MaxCells: s.opt.maxCells(), AnyState: s.opt.AnyState,
		Readable: s.opt.Readable})}
	e.Family = &uniform.Family{Finder: &commute.Finder{Program: p, MaxCells: s.opt.maxCells()},
		Of: map[[2]*step.Step]*commute.Entry{}, Key: e.keys.Alike}
	e.Family.Watch = e.watchUniform
	return e, nil
}

type pairAhead struct {
	n    *commute.Entry
	took *question.Ahead
}

// cache is where answers are kept; nil if they are not.
func (e *engine) cache() Cache {
	if e.opt.Dump != nil {
		return nil
	}
	return e.opt.Cache
}

// watch reports a stage, as it is then, now and then while work goes on.
func (e *engine) watch(stage *Stage) {
	if e.opt.Progress != nil {
		e.Oracle.Watch(func() { e.opt.Progress(*stage) })
	}
}

// watchUniform reports how far the fixpoint is.
func (e *engine) watchUniform(at *uniform.Position) {
	if e.opt.Progress == nil {
		return
	}
	e.Oracle.Watch(func() {
		stage := Stage{Phase: Uniform, Round: at.Round, Done: at.Done, Total: len(e.Entries)}
		if at.N != nil {
			stage.A, stage.B = at.N.A, at.N.B
		}
		e.opt.Progress(stage)
	})
}

// internal turns a panic, always a bug of this package, into an error.
func internal(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error of the synthesis: %v", p)
	}
}
