package synth

import (
	"context"
	"fmt"
	"path/filepath"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/question"
	"cdpor/synth/internal/uniform"
)

// Options bound the work. The zero value is a good default.
type Options struct {
	// RLimit is how many resource units of Z3 a question about products of unknowns or quotients by them may take; 0: a
	// hundred thousand. A unit is a step of its reasoning: up to twenty microseconds there, one or two in linear
	// questions, which may always take two million.
	RLimit uint
	// Pairs, if not nil, chooses the pairs of steps that are worked on, in whatever order it gets the two steps. The
	// others are unknown, unless they have no common data. The uniform parts are those of a family in which these
	// others are false.
	Pairs func(a, b *step.Step) bool
	// MaxQueries and MaxWork bound the questions to Z3 and all other work, in the units of Cost; 0: no limit. Nothing
	// depends on a clock. Two thirds are for the pairs: each may take an equal share of what its predecessors have
	// left of that. The rest is for their uniform parts. Pairs that this is not enough for are unknown, or not uniform
	// in any state.
	MaxQueries int
	MaxWork    int64
	// Short leaves out questions of which a unit may take Z3 long: those about products of unknowns,
	// and about quotients and remainders that are not of a variable (or one with a number added) by a constant. They
	// count as undecided.
	Short bool
	// AnyState asks about the two steps in whatever state their threads may stand at them. Without it conditions are
	// about the reachable states of the program: they may be wrong where a variable is outside the range it is proved
	// to stay in.
	AnyState bool
	Progress func(Stage) // called after each pair, and now and then while one is worked on, if not nil
	// Dump is called with each question to Z3 in SMT-LIB and its answer (sat, unsat, unknown), if not nil.
	Dump func(number int, question, answer string)
	// Interrupted is called, if not nil, when an interrupt from the keyboard (SIGINT) ended a question to Z3, which
	// catches that signal while it works: nobody else has heard of it. The context of the call should end then.
	Interrupted func()
	// Cache, if not nil, is asked for what an earlier synthesis found, and told what this one finds. It is believed.
	// What comes from it is charged to the budget as if it had been found now, so the result is the same without. It
	// is left alone where Dump wants to see the questions.
	Cache Cache
	// Resume takes what the cache holds without charging it, so that what an earlier run left open can be finished.
	Resume bool
	// Workers is how many solvers work at once; 0 and 1: one. The result is the same. Dump sees the questions of one
	// only, so it works alone.
	Workers int
	// MaxCells is how many cells a pair may have to be treated exactly; 0: 256. See testdata/tables/synthesis.md.
	MaxCells int
}

// defaultMaxCells is the choice that testdata/tables/synthesis.md argues for.
const defaultMaxCells = 256

// defaultRLimit is what a question may take that is not linear.
const defaultRLimit = 100_000

func (opt *Options) rlimit() uint {
	if opt.RLimit > 0 {
		return opt.RLimit
	}
	return defaultRLimit
}

func (opt *Options) maxCells() int {
	if opt.MaxCells > 0 {
		return opt.MaxCells
	}
	return defaultMaxCells
}

// budget is what a synthesis may cost by the options.
func (opt *Options) budget() Cost {
	b := decide.Unlimited
	if opt.MaxQueries > 0 {
		b.Queries = opt.MaxQueries
	}
	if opt.MaxWork > 0 {
		b.Work = opt.MaxWork
	}
	return b
}

// A Report says what a synthesis did.
type Report struct {
	Pairs       int // all pairs of steps that two processes can stand at
	Independent int // of these: without common data, not even looked at
	Cached      int // of the others: taken from the cache
	Exact       int
	Partial     int
	Unknown     int
	Asked       []PairReport // the pairs that were worked on, in program order
	Open        int          // of these: those that the budget was not enough for
	Narrowed    int          // and those of which it was not enough for the uniform part
	Cost        Cost         // what counts against the budget: as if nothing had come from the cache
	Ordered     int          // never met by two processes, and not looked at
	Why         []Note       // why pairs are not exact
	Repairs     []Attempt    // the ways to make the family uniform, if there was a choice
	Invariants  []InvariantNote
	Queries     int // questions that reached the solver
	GivenUp     int // of these: not decided within Options.RLimit
}

// A PairReport tells what was found for a pair that was worked on.
type PairReport struct {
	A, B   *step.Step
	Status constraints.Status
	Why    string // why it is not exact
	Open   bool   // the budget was not enough: with more of it, or as one of fewer pairs, there may be an answer
	Cached bool
	Cost   Cost // of commute
	// Narrowed tells that the budget was not enough to prove the uniform part uniform, so that it is false.
	Narrowed bool
}

// A Note explains an entry.
type Note struct {
	A, B *step.Step
	Text string
}

// An InvariantNote reports whether a declared invariant was proved inductive, and so assumed.
type InvariantNote struct {
	Text    string
	Used    bool
	Why     string   // what it fails on
	Refuted *Finding // a reachable state in which it is false, if a short search came to one; its Pos is in the program
}

// Version names the generator in constraint files.
func Version() string { return "cdpor synth 3, " + decide.SolverName() }

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
	return decide.New(opt.rlimit(), opt.Short, opt.heard(), opt.Interrupted)
}

// Ask changes what the session is asked for: the pairs, and what they may cost (see Options).
func (s *Session) Ask(pairs func(a, b *step.Step) bool, maxQueries int, maxWork int64) {
	s.opt.Pairs, s.opt.MaxQueries, s.opt.MaxWork = pairs, maxQueries, maxWork
}

// An engine works on one program.
type engine struct {
	*uniform.Family
	opt           Options
	givenUpBefore int // questions that the solver had given up before this program
	explain       *explainer
	pairs         map[[2]*step.Step]pairAhead // what helpers have found
	parts         writtenParts
}

func (s *Session) engine(ctx context.Context, prog *step.Program) *engine {
	s.o.Begin(ctx, s.opt.budget())
	p := question.New(ctx, prog, s.o)
	p.Facts.Assume = !s.opt.AnyState
	p.Workers, p.NewOracle = s.opt.Workers, s.opt.oracle
	if s.opt.Dump != nil { // questions are heard in their order
		p.Workers = 0
	}
	e := &engine{opt: s.opt, givenUpBefore: s.o.GivenUp(), parts: newWrittenParts()}
	e.Family = &uniform.Family{Finder: &commute.Finder{Program: p, MaxCells: s.opt.maxCells()},
		Of: map[[2]*step.Step]*commute.Entry{}, Key: e.alikeKey}
	e.Family.Watch = e.watchUniform
	return e
}

// Synthesize finds the constraints of all pairs of steps of a program. The result depends on the program only. If the
// context ends meanwhile, the error says so and the set holds what was finished: the pairs that are done, without
// uniform parts, which take all pairs.
func Synthesize(ctx context.Context, prog *step.Program, opt Options) (*constraints.Set, *Report, error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, nil, err
	}
	return s.Synthesize(ctx, prog)
}

// Synthesize is like the function, with the solver of the session.
func (s *Session) Synthesize(ctx context.Context, prog *step.Program) (
	set *constraints.Set, report *Report, err error) {
	defer internal(&err)
	e := s.engine(ctx, prog)
	report = &Report{}
	unfinished := e.all(report)
	set = &constraints.Set{Program: prog, Generator: Version(), ProgramName: prog.Name}
	if prog.Path != "" {
		set.ProgramName = filepath.Base(prog.Path)
	}
	set.Digest = constraints.Digest(prog)
	if unfinished == nil && e.opt.Pairs == nil {
		e.refuteInvariants(report.Invariants, fewReached)
	}
	for _, n := range report.Invariants {
		if n.Used {
			set.InvariantsUsed = append(set.InvariantsUsed, n.Text)
		}
	}
	set.Assumed = e.Facts.List()
	for _, n := range e.Entries {
		set.Pairs = append(set.Pairs, n.Result())
	}
	set.Define()
	set.SealAll()
	return set, report, unfinished
}

// all finds the entries of all pairs, and counts them.
func (e *engine) all(report *Report) error {
	defer e.count(report)
	left, err := e.begin()
	if err != nil {
		return fmt.Errorf("synthesis interrupted at the start: %w", err)
	}
	total := e.opt.budget()
	if left > 0 && len(e.Prog.Invariants) > 0 {
		e.Oracle.Share(total.Part(4), total)
		report.Invariants = e.invariants()
	}
	most := total.Minus(total.Minus(e.Oracle.Used).Part(3))
	asked := 0
	for _, n := range e.Entries {
		if n.Asked || e.opt.Pairs == nil {
			asked++
		}
	}
	done := 0
	e.pairsAhead()
	for i, n := range e.Entries {
		if e.opt.Pairs != nil && !n.Asked {
			continue
		}
		e.watch(&Stage{Phase: Commuting, Done: done, Total: asked, A: n.A, B: n.B})
		if n.Asked {
			share := most.Minus(e.Oracle.Used)
			if left > 1 {
				share = share.Part(left)
			}
			left--
			e.Oracle.Share(share, most)
			e.remembered(n)
		}
		if err := e.Ctx.Err(); err != nil {
			e.Entries = e.Entries[:i]
			e.withoutUniform()
			return fmt.Errorf("synthesis interrupted after %d of %d pairs: %w", done, asked, err)
		}
		if n.Cached {
			report.Cached++
		}
		if done++; e.opt.Progress != nil {
			e.opt.Progress(Stage{Phase: Commuting, Done: done, Total: asked})
		}
	}
	e.Oracle.Share(total.Minus(e.Oracle.Used), total)
	e.uniformParts()
	if err := e.Ctx.Err(); err != nil {
		e.withoutUniform()
		return fmt.Errorf("synthesis interrupted before the uniform parts were found: %w", err)
	}
	return nil
}

// begin makes the entries of all pairs, with what is known without any work, and says how many are to be worked on. If
// the context ends meanwhile, there are none.
func (e *engine) begin() (left int, err error) {
	for ab := range constraints.PairsOf(e.Prog) {
		if err := e.Ctx.Err(); err != nil {
			e.Entries = nil
			return 0, err
		}
		a, b := ab[0], ab[1]
		n := commute.UnknownEntry(a, b)
		switch {
		case constraints.Independent(a, b):
			n.Independent, n.Status, n.Commute, n.Uniform = true, constraints.Exact, constraints.Truth(true),
				constraints.Truth(true)
		case e.opt.Pairs != nil && !e.opt.Pairs(a, b):
			n.Why = whyNotAsked
		case !e.Meet.Possible(a, b):
			n.Status = constraints.Ordered
		default:
			n.Asked = true
			left++
		}
		e.Entries = append(e.Entries, n)
		e.Of[ab] = n
	}
	return left, nil
}

// whyNotAsked is why nothing is known of a pair that Options.Pairs leaves out.
const whyNotAsked = "not asked for"

// withoutUniform takes back the uniform parts, which are good for nothing before all of them are known.
func (e *engine) withoutUniform() {
	for _, n := range e.Entries {
		if !n.Independent {
			n.Uniform = constraints.Truth(false)
		}
	}
}

// count fills in the numbers of a report.
func (e *engine) count(report *Report) {
	for _, n := range e.Entries {
		report.Pairs++
		switch {
		case n.Independent:
			report.Independent++
			report.Exact++
		case n.Status == constraints.Exact:
			report.Exact++
		case n.Status == constraints.Partial:
			report.Partial++
		case n.Status == constraints.Ordered:
			report.Ordered++
		default:
			report.Unknown++
		}
		if n.Why != "" {
			report.Why = append(report.Why, Note{n.A, n.B, n.Why})
		}
		if n.Open {
			report.Open++
		}
		if n.Narrowed && !n.Open {
			report.Narrowed++
		}
		if n.Asked {
			report.Asked = append(report.Asked, PairReport{A: n.A, B: n.B, Status: n.Status, Why: n.Why, Open: n.Open,
				Narrowed: n.Narrowed, Cached: n.Cached, Cost: n.Cost})
		}
	}
	report.Cost = e.Oracle.Used
	report.Queries, report.GivenUp, report.Repairs = e.Oracle.Queries, e.givenUp(), e.Attempts
}

// givenUp is how many questions about this program were not decided within their units.
func (e *engine) givenUp() int { return e.Oracle.GivenUp() - e.givenUpBefore }

// internal turns a panic, always a bug of this package, into an error.
func internal(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error of the synthesis: %v", p)
	}
}

// A Cost is what work takes, counted and not timed, so that the same work costs the same on every machine: questions to
// the solver, and units of other work, which take roughly a microsecond.
type Cost = decide.Cost

// An Attempt is one way to repair backward violations, and how often the conditions that remain hold in the first
// states of the program.
type Attempt = uniform.Attempt

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error { return decide.Available() }

// SolverMemory is what the solver holds for all its contexts, in bytes, as it counts itself. It may be asked at any
// time.
func SolverMemory() int64 { return decide.SolverMemory() }
