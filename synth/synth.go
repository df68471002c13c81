package synth

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
	"cdpor/synth/internal/wording"
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

// An InvariantNote tells whether a declared invariant was proved inductive, and so assumed.
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
	*family
	opt           Options
	givenUpBefore int // questions that the solver had given up before this program
	explain       *explainer
	pairs         map[[2]*step.Step]pairAhead // what helpers have found
	parts         writtenParts
}

// An entry is a pair on its way to its constraints.
type entry struct {
	pair
	found
	work
}

// A pair is two steps of which constraints are looked for.
type pair struct {
	a, b        *step.Step
	independent bool
	asked       bool // worked on
}

// What is found of a pair goes into the constraint set and the report.
type found struct {
	status   constraints.Status
	why      string
	commute  *step.Expr
	uniform  *step.Expr
	open     bool // the budget was not enough
	narrowed bool // nor for the uniform part
	refused  bool // some questions were not asked because of Options.Short
	cached   bool // comes from the cache
	cost     Cost
}

// The work on a pair is what its condition was found with, and what of its cells is left while the family is made
// uniform.
type work struct {
	bare       bool // its cells are missing until they are needed, see materialise
	t          *term.Table
	names      *term.Names
	implied    []term.Literal       // what ranges made the answer of, see decided
	nf         term.NormalForm      // commute
	words      *wording.Wording     // of the cells
	c          *partition.Cells     // nil: commute is all or nothing for uniform
	u          []bool               // the cells of uniform
	first      []bool               // those it begins with
	plainCells bool                 // the condition it begins with holds in them and nowhere else, whatever fails
	begin      *step.Expr           // the condition it begins with
	weight     []int                // how often the first states of the program lie in each cell
	reads      map[*step.Var]bool   // see support
	axisReads  []map[*step.Var]bool // of each axis
	version    int                  // changes with u
	alike      likeness             // see there; empty: not known yet
}

func (s *Session) engine(ctx context.Context, prog *step.Program) *engine {
	s.o.Begin(ctx, s.opt.budget())
	p := newQuestions(ctx, prog, s.o)
	p.known.Assume = !s.opt.AnyState
	p.workers, p.newOracle = s.opt.Workers, s.opt.oracle
	if s.opt.Dump != nil { // questions are heard in their order
		p.workers = 0
	}
	e := &engine{opt: s.opt, givenUpBefore: s.o.GivenUp(), parts: newWrittenParts()}
	e.family = &family{finder: &finder{p, s.opt.maxCells()}, of: map[[2]*step.Step]*entry{}, key: e.alikeKey}
	e.family.watch = e.watchUniform
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
	set.Assumed = e.known.List()
	for _, n := range e.entries {
		set.Pairs = append(set.Pairs, n.result())
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
	if left > 0 && len(e.prog.Invariants) > 0 {
		e.o.Share(total.Part(4), total)
		report.Invariants = e.invariants()
	}
	most := total.Minus(total.Minus(e.o.Used).Part(3))
	asked := 0
	for _, n := range e.entries {
		if n.asked || e.opt.Pairs == nil {
			asked++
		}
	}
	done := 0
	e.pairsAhead()
	for i, n := range e.entries {
		if e.opt.Pairs != nil && !n.asked {
			continue
		}
		e.watch(&Stage{Phase: Commuting, Done: done, Total: asked, A: n.a, B: n.b})
		if n.asked {
			share := most.Minus(e.o.Used)
			if left > 1 {
				share = share.Part(left)
			}
			left--
			e.o.Share(share, most)
			e.remembered(n)
		}
		if err := e.ctx.Err(); err != nil {
			e.entries = e.entries[:i]
			e.withoutUniform()
			return fmt.Errorf("synthesis interrupted after %d of %d pairs: %w", done, asked, err)
		}
		if n.cached {
			report.Cached++
		}
		if done++; e.opt.Progress != nil {
			e.opt.Progress(Stage{Phase: Commuting, Done: done, Total: asked})
		}
	}
	e.o.Share(total.Minus(e.o.Used), total)
	e.uniformParts()
	if err := e.ctx.Err(); err != nil {
		e.withoutUniform()
		return fmt.Errorf("synthesis interrupted before the uniform parts were found: %w", err)
	}
	return nil
}

// begin makes the entries of all pairs, with what is known without any work, and says how many are to be worked on. If
// the context ends meanwhile, there are none.
func (e *engine) begin() (left int, err error) {
	for ab := range constraints.PairsOf(e.prog) {
		if err := e.ctx.Err(); err != nil {
			e.entries = nil
			return 0, err
		}
		a, b := ab[0], ab[1]
		n := unknownEntry(a, b)
		switch {
		case constraints.Independent(a, b):
			n.independent, n.status, n.commute, n.uniform = true, constraints.Exact, constraints.Truth(true),
				constraints.Truth(true)
		case e.opt.Pairs != nil && !e.opt.Pairs(a, b):
			n.why = whyNotAsked
		case !e.meet.Possible(a, b):
			n.status = constraints.Ordered
		default:
			n.asked = true
			left++
		}
		e.entries = append(e.entries, n)
		e.of[ab] = n
	}
	return left, nil
}

// unknownEntry is an entry of which nothing is known.
func unknownEntry(a, b *step.Step) *entry {
	return &entry{pair: pair{a: a, b: b},
		found: found{status: constraints.Unknown, commute: constraints.Truth(false), uniform: constraints.Truth(false)}}
}

// whyNotAsked is why nothing is known of a pair that Options.Pairs leaves out.
const whyNotAsked = "not asked for"

// withoutUniform takes back the uniform parts, which are good for nothing before all of them are known.
func (e *engine) withoutUniform() {
	for _, n := range e.entries {
		if !n.independent {
			n.uniform = constraints.Truth(false)
		}
	}
}

// count fills in the numbers of a report.
func (e *engine) count(report *Report) {
	for _, n := range e.entries {
		report.Pairs++
		switch {
		case n.independent:
			report.Independent++
			report.Exact++
		case n.status == constraints.Exact:
			report.Exact++
		case n.status == constraints.Partial:
			report.Partial++
		case n.status == constraints.Ordered:
			report.Ordered++
		default:
			report.Unknown++
		}
		if n.why != "" {
			report.Why = append(report.Why, Note{n.a, n.b, n.why})
		}
		if n.open {
			report.Open++
		}
		if n.narrowed && !n.open {
			report.Narrowed++
		}
		if n.asked {
			report.Asked = append(report.Asked, PairReport{A: n.a, B: n.b, Status: n.status, Why: n.why, Open: n.open,
				Narrowed: n.narrowed, Cached: n.cached, Cost: n.cost})
		}
	}
	report.Cost = e.o.Used
	report.Queries, report.GivenUp, report.Repairs = e.o.Queries, e.givenUp(), e.attempts
}

// givenUp is how many questions about this program were not decided within their units.
func (e *engine) givenUp() int { return e.o.GivenUp() - e.givenUpBefore }

// works tells whether there may be something in the constraints of a pair that takes proofs.
func (n *entry) works() bool { return n.asked && !n.open }

// result is the entry for a constraint set.
func (n *entry) result() *constraints.Pair {
	return &constraints.Pair{A: n.a, B: n.b, Commute: n.commute, Uniform: n.uniform, Status: n.status, Open: n.open &&
		n.status == constraints.Unknown}
}

// internal turns a panic, always a bug of this package, into an error.
func internal(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error of the synthesis: %v", p)
	}
}

// explore asks a question about states in which processes stand at the steps and the assumed invariants hold. It says
// why it could not be finished.
func (e *questions) explore(what string, question func(r *symbolic.Run), steps ...*step.Step) (failed string) {
	return e.exploreWithin(symbolic.MaxLeaves, what, question, steps...)
}

// exploreWithin does so for a question that may have so many leaves.
func (e *questions) exploreWithin(limit int, what string, question func(r *symbolic.Run), steps ...*step.Step) (failed string) {
	assume := e.related(steps...)
	return symbolic.Explore(e.table(steps...).Asking(what, steps...), e.o, limit, func(r *symbolic.Run) {
		r.AssumeInvariants(assume)
		question(r)
	})
}

// related are the assumed invariants about the variables that some of the steps touch.
func (e *questions) related(steps ...*step.Step) []*step.Property {
	var list []*step.Property
	for _, inv := range e.assumed {
		vars := expr.Shared(inv.Expr, nil)
		for _, s := range steps {
			if touches(s, vars) {
				list = append(list, inv)
				break
			}
		}
	}
	return list
}

func touches(s *step.Step, vars map[*step.Var]bool) bool {
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		for _, x := range []*step.Expr{n.Cond, n.Src, n.Dst} {
			for v := range expr.Shared(x, nil) {
				if vars[v] {
					return true
				}
			}
		}
	}
	return false
}

// ordered reports whether two steps that have data in common are never next in one state. Their constraints would
// never be asked for, so none are looked for: they count as dependent, which is always right.
func (e *questions) ordered(a, b *step.Step) bool {
	return !constraints.Independent(a, b) && !e.meet.Possible(a, b)
}

// A finder finds the weakest condition in which two steps commute.
type finder struct {
	*questions
	maxCells int
}

// pair finds the weakest commute constraint of two steps, and takes it for the uniform one to begin with.
func (e *finder) pair(a, b *step.Step) (n *entry) {
	why := unsupported.Attempt(func() {
		if n = e.commuting(a, b); n.independent {
			return
		}
		n.uniform = n.commute
		if n.c != nil {
			e.refresh(n)
		} else if n.a == n.b && !e.symmetric(n) {
			n.uniform = constraints.Truth(false)
		}
		if symbolic.Starts(a, b) {
			n.uniform = constraints.Truth(false)
			clear(n.u)
		}
		n.first, n.axisReads = slices.Clone(n.u), n.axesRead()
		n.plainCells = n.c != nil && (!expr.MayFail(n.uniform) ||
			n.status == constraints.Exact && n.uniform == n.commute && slices.Equal(n.first, n.c.Value))
	})
	if why != "" || e.o.Spent {
		n = unknownEntry(a, b)
		n.why, n.open = decide.WhySpent, e.o.Spent
		if why != "" {
			n.why = why
		}
	}
	return n
}

// commuting finds the weakest commute constraint of two steps.
func (e *finder) commuting(a, b *step.Step) *entry {
	n := unknownEntry(a, b)
	if constraints.Independent(a, b) {
		n.independent, n.status, n.commute, n.uniform = true, constraints.Exact, constraints.Truth(true),
			constraints.Truth(true)
		return n
	}
	n.t = e.table(a, b).Asking("the weakest condition of", a, b)
	n.names = term.NewNames()
	assume := e.related(a, b)
	limit := symbolic.MaxLeaves
	if symbolic.Starts(a, b) {
		limit = symbolic.MaxStarts
	}
	var leaves []partition.Leaf
	failed := symbolic.Explore(n.t, e.o, limit, func(r *symbolic.Run) {
		r.Names = n.names
		r.AssumeInvariants(assume)
		value := r.Commute(a, b)
		leaves = append(leaves, partition.Leaf{Cube: r.Cube(), Value: value})
		n.implied = r.Decided(n.implied)
		for _, l := range r.Also {
			if !slices.Contains(n.implied, l) {
				n.implied = append(n.implied, l)
			}
		}
	})
	if failed != "" {
		n.why = failed
		return n
	}
	if why := e.express(n, leaves); why != "" {
		n.why, n.status, n.commute, n.c = why, constraints.Unknown, constraints.Truth(false), nil
	}
	if a == b && n.status == constraints.Partial {
		e.makeSymmetric(n)
	}
	return n
}

// makeSymmetric makes the condition of a step with itself mean the same when p and q are exchanged. Each way round is
// right, so either may hold; both are asked for where the evaluation of one can fail and hide the other.
func (e *finder) makeSymmetric(n *entry) {
	one := n.commute
	for _, op := range []step.Op{step.Or, step.And} {
		if e.symmetric(n) {
			return
		}
		parts := expr.Operands(op, one)
		for _, part := range parts {
			other := constraints.Exchanged(part)
			if !slices.ContainsFunc(parts, func(x *step.Expr) bool { return n.says(x, other) }) {
				parts = append(parts, other)
			}
		}
		n.commute = expr.Join(op, parts)
	}
}

// says reports whether two parts of a condition are written alike, but for the sides of an equation.
func (n *entry) says(x, y *step.Expr) bool {
	text := func(e *step.Expr) string { return lang.FormatExpr(e, n.a.Template, n.b.Template) }
	if text(x) == text(y) {
		return true
	}
	return x.Op == y.Op && (x.Op == step.Eq || x.Op == step.Ne) &&
		text(x.Args[0]) == text(y.Args[1]) && text(x.Args[1]) == text(y.Args[0])
}

// express turns the leaves of the question into an expression and proves it. Where cells do not lead to the weakest
// condition, cubes may.
func (e *finder) express(n *entry, leaves []partition.Leaf) string {
	byCubes := *n
	why := e.expressBy(n, leaves, true)
	if n.c == nil || why == "" && n.status == constraints.Exact {
		return why
	}
	if e.expressBy(&byCubes, leaves, false) == "" && (why != "" || byCubes.status == constraints.Exact) {
		*n, why = byCubes, ""
	}
	return why
}

// expressBy does so with cells if there are few enough and they are wanted, else with cubes.
func (e *finder) expressBy(n *entry, leaves []partition.Leaf, cells bool) string {
	return unsupported.Attempt(func() {
		r := e.worded(n, leaves, cells)
		e.prove(n, leaves, r)
		n.beginUniform(r)
	})
}

// worded finds an expression for the leaves.
func (e *finder) worded(n *entry, leaves []partition.Leaf, cells bool) (r wording.Result) {
	pr := &wording.Printer{Table: n.t, N: n.names}
	e.o.Spend(partition.CompareWork(leaves))
	small := partition.Relevant(leaves, func(dir int) bool {
		d := &n.t.Dirs[dir]
		return n.t.Opaque(d.Terms) || !pr.Names(d)
	})
	if cells {
		n.c = n.build(e.o, e.maxCells, small)
	}
	if cells && n.c == nil && len(n.implied) > 0 {
		n.implied = nil
		n.c = n.build(e.o, e.maxCells, small)
	}
	if cells && n.c == nil {
		n.c = n.build(e.o, e.maxCells, partition.Relevant(leaves, func(int) bool { return true }))
	}
	if n.c != nil {
		n.words = wording.New(n.c, n.names)
		r = n.words.Minimise(n.c.Value)
		n.commute, n.nf = r.Plain, r.Nf
	} else {
		n.commute, n.nf = e.coverByCubes(n, leaves)
	}
	return r
}

// prove proves that the expression holds only where the steps commute, and finds out whether it holds wherever they do.
func (e *finder) prove(n *entry, leaves []partition.Leaf, r wording.Result) {
	weakest := r.Opaque && r.Complete // else confirm proves it
	if !r.Opaque {
		var on, off [][]term.Literal
		for _, f := range leaves {
			if f.Value {
				on = append(on, f.Cube)
			} else {
				off = append(off, f.Cube)
			}
		}
		if e.o.Meet(n.t, off, n.nf, false) != decide.Unsat {
			panic(unsupported.Reason("the solver could not prove the condition that was found"))
		}
		weakest = e.o.Meet(n.t, on, n.nf, true) == decide.Unsat
	}
	n.status = constraints.Partial
	if r.Opaque || expr.MayFail(n.commute) {
		sound, all := e.confirm(n)
		if r.Guarded != nil && !(sound && all) {
			n.commute = r.Guarded
			sound, all = e.confirm(n)
		}
		if !sound {
			panic(unsupported.Reason("the condition that was found cannot be evaluated everywhere"))
		}
		weakest = weakest && all
	}
	if weakest {
		n.status = constraints.Exact
	} else {
		n.why = "the weakest condition is too large, or the language cannot say it"
	}
}

// beginUniform finds the cells in which the condition that was found holds; of a step with itself those that have a
// mirror image among them.
func (n *entry) beginUniform(r wording.Result) {
	if n.c == nil {
		return
	}
	n.u = make([]bool, len(n.c.Value))
	for i := range n.u {
		n.u[i] = n.c.Value[i] && (r.Opaque && r.Cells.Has(i) || !r.Opaque && n.c.InNormal(i, n.nf))
	}
	if n.a == n.b {
		was := slices.Clone(n.u)
		for i := range n.u {
			m := n.mirrored(i)
			n.u[i] = was[i] && m >= 0 && was[m]
		}
	}
}

// build turns leaves into cells; for a step with itself the cells have mirror images.
func (n *entry) build(o *decide.Oracle, maxCells int, leaves []partition.Leaf) *partition.Cells {
	more := slices.Clone(n.implied)
	if n.a == n.b {
		for _, l := range n.implied {
			more = append(more, n.t.Mirror(l))
		}
		for _, f := range leaves {
			for _, l := range f.Cube {
				more = append(more, n.t.Mirror(l))
			}
		}
	}
	return partition.Build(n.t, o, maxCells, leaves, more)
}

// confirm asks the question again together with the evaluation of the condition, failures included.
func (e *finder) confirm(n *entry) (sound, weakest bool) {
	sound, weakest = true, true
	failed := e.explore("the condition is right and the weakest, failures included, of", func(r *symbolic.Run) {
		start := r.Store
		commute := r.Commute(n.a, n.b)
		r.Store, r.Fault = start, step.NoFault
		r.Branches(func() { // the steps are not run again for each part of the condition
			holds := r.Holds(n.commute, 0, 1)
			weakest, sound = weakest && (holds || !commute), sound && (commute || !holds)
		})
	}, n.a, n.b)
	return sound && failed == "", weakest && failed == ""
}

// coverByCubes is for functions of too many cells: leaves in which the steps commute, with the literals left out that
// are not needed to stay clear of the leaves in which they do not.
func (e *finder) coverByCubes(n *entry, leaves []partition.Leaf) (*step.Expr, term.NormalForm) {
	pr := &wording.Printer{Table: n.t, N: n.names}
	var nf term.NormalForm
	queries := 0
next:
	for _, f := range leaves {
		if !f.Value || len(nf.Terms) == partition.MaxTerms {
			continue
		}
		for _, t := range nf.Terms { // already covered?
			if term.Subset(t, f.Cube) {
				continue next
			}
		}
		lits := append([]term.Literal(nil), f.Cube...)
		for i := len(lits) - 1; i >= 0 && queries < 4000; i-- {
			rest := append(append([]term.Literal(nil), lits[:i]...), lits[i+1:]...)
			clear := true
			for _, g := range leaves {
				if g.Value {
					continue
				}
				queries++
				e.o.Spend(1 + len(rest)*len(g.Cube)/64)
				if !term.Clashes(rest, g.Cube) && e.o.Check(n.t,
					append(append([]term.Literal(nil), rest...), g.Cube...)) != decide.Unsat {
					clear = false
					break
				}
			}
			if clear {
				lits = rest
			}
		}
		for _, l := range lits {
			if pr.Literal(l) == nil {
				continue next
			}
		}
		if len(lits) == 0 {
			return constraints.Truth(true), term.NormalForm{Clauses: true}
		}
		nf.Terms = append(nf.Terms, lits)
	}
	if len(nf.Terms) == 0 {
		return constraints.Truth(false), nf
	}
	return wording.Factored(n.t, n.names, nf), nf
}

// mirrored is the cell with the two processes exchanged, -1 if there is none.
func (n *entry) mirrored(cell int) int {
	c := n.c
	var image []term.Literal
	for i := range c.Axes {
		a := &c.Axes[i]
		for _, l := range a.Literals(a.Regions[c.Coord[cell][i]]) {
			image = append(image, n.t.Mirror(l))
		}
	}
	c.Oracle.Spend(len(image) * (1 + len(c.Coord)/32))
	for other := range c.Coord {
		if !slices.ContainsFunc(image, func(l term.Literal) bool { return !c.Holds(other, l) }) {
			return other
		}
	}
	return -1
}

// at is an actor that stands at a step.
func (e *questions) at(s *step.Step) *term.Actor {
	a := *e.actors[s.Template]
	a.At = s
	return &a
}

// table makes a table for a question about processes that stand at the steps, in the order of the slots.
func (e *questions) table(steps ...*step.Step) *term.Table {
	var actors []*term.Actor
	for _, s := range steps {
		actors = append(actors, e.at(s))
	}
	t := term.NewTable(actors...)
	e.known.Apply(t)
	t.Enough, t.Lives = e.enough, e.lives
	return t
}

// A Cost is what work takes, counted and not timed, so that the same work costs the same on every machine: questions to
// the solver, and units of other work, which take roughly a microsecond.
type Cost = decide.Cost

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error { return decide.Available() }

// SolverMemory is what the solver holds for all its contexts, in bytes, as it counts itself. It may be asked at any
// time.
func SolverMemory() int64 { return decide.SolverMemory() }
