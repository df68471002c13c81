package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
	"math"
	"slices"
)

// maxLeaves bounds the leaves of one exploration, maxTable those of a triple's table, and maxStarts those of a pair
// that starts processes, of which no part is uniform.
const (
	maxLeaves = 3000
	maxTable  = 2000
	maxStarts = 120
)

// A path is one run of a question: the atoms decided so far and what follows from them.
type path struct {
	t       *term.Table
	o       *decide.Oracle
	stack   []decision
	at      int            // decisions taken by the present run
	lits    []term.Literal // the decisions of the present run
	known   []term.Interval
	touched []int // directions whose interval differs from the initial one
	fixed   map[term.SymID]int64
	vague   bool        // some cube of the present run may be empty
	settled []term.Form // that the present run has found to be numbers
	also    []term.Literal
	enough  bool        // what is still to be explored does not matter
	names   *term.Names // to be filled in, if not nil
	leaves  int         // that have been looked at
	limit   int         // how many there may be
}

type decision struct {
	lit    term.Literal // as taken
	forced bool         // the other answer is impossible
	second bool         // the other answer has been explored
	vague  bool
}

// infeasible ends a run whose cube turned out to be empty, or that an assumption excludes.
type infeasible struct{}

// explore runs a question for every combination of answers to the atoms it asks about, so many at most. It says why it
// could not be finished; empty if it was.
func explore(t *term.Table, o *decide.Oracle, limit int, question func(r *run)) (failed string) {
	x := &path{t: t, o: o, fixed: map[term.SymID]int64{}, limit: limit}
	return unsupported.Attempt(func() {
		for more := true; more && !x.enough; more = x.backtrack(0) {
			x.count()
			x.at, x.lits, x.vague = 0, x.lits[:0], false
			x.feasible(func() {
				x.o.Spend(1 + len(x.stack)/8)
				x.forget()
				question(newRun(x))
			})
		}
	})
}

// count counts a leaf that is about to be looked at, unless there cannot be one more.
func (x *path) count() {
	switch {
	case x.leaves >= x.limit:
		panic(unsupported.Reason("too many cases"))
	case x.o.Ctx.Err() != nil:
		panic(unsupported.Reason("interrupted"))
	}
	x.leaves++
}

// branches runs the rest of a question for every combination of answers, without running again what came before: what
// that has found must not change. The leaves are those of the rest; nothing may be decided after it.
func (x *path) branches(rest func()) {
	from, lits := x.at, len(x.lits)
	for first := true; ; first = false {
		if !first {
			x.count()
			x.o.Spend(1 + len(x.stack)/8)
			x.at, x.lits = from, x.lits[:lits]
			x.forget()
			for _, l := range x.lits {
				x.learn(l)
			}
		}
		x.feasible(rest)
		if x.enough || !x.backtrack(from) {
			break
		}
	}
	x.at, x.lits = from, x.lits[:lits]
	x.stack = x.stack[:from]
}

// feasible runs the rest of a question unless its cube turns out to be empty.
func (x *path) feasible(rest func()) {
	defer func() {
		if p := recover(); p != nil && p != any(infeasible{}) {
			panic(p)
		}
	}()
	rest()
}

// forget leaves nothing known that has been decided.
func (x *path) forget() {
	for _, d := range x.touched {
		x.known[d] = term.Interval{Lo: x.t.Dirs[d].Lo, Hi: x.t.Dirs[d].Hi}
	}
	x.touched = x.touched[:0]
	clear(x.fixed)
	x.settled = x.settled[:0]
}

// backtrack turns to the next combination of answers behind the first ones.
func (x *path) backtrack(from int) bool {
	x.stack = x.stack[:x.at]
	for len(x.stack) > from {
		last := &x.stack[len(x.stack)-1]
		if !last.forced && !last.second {
			last.lit, last.second = last.lit.Not(), true
			return true
		}
		x.stack = x.stack[:len(x.stack)-1]
	}
	return false
}

// cube is the conjunction of the free decisions of the present run.
func (x *path) cube() []term.Literal {
	var free []term.Literal
	for _, d := range x.stack[:x.at] {
		if !d.forced {
			free = append(free, d.lit)
		}
	}
	return free
}

// decided adds to a list the decisions of the present run about a variable whose range is known: without the range the
// answer might have been free, and a condition may be shorter with it than with what it follows from.
func (x *path) decided(list []term.Literal) []term.Literal {
	for _, d := range x.stack[:x.at] {
		l := d.lit
		l.Neg = false
		if terms := x.t.Dirs[l.Dir].Terms; d.forced && len(terms) == 1 && x.t.Syms[terms[0].S].Wide &&
			!slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

func (x *path) interval(dir int) *term.Interval {
	for len(x.known) <= dir {
		d := x.t.Dirs[len(x.known)]
		x.known = append(x.known, term.Interval{Lo: d.Lo, Hi: d.Hi})
	}
	return &x.known[dir]
}

func (x *path) learn(l term.Literal) {
	v := x.interval(l.Dir)
	v.Add(l)
	x.touched = append(x.touched, l.Dir)
	if d := &x.t.Dirs[l.Dir]; v.Lo == v.Hi && len(d.Terms) == 1 {
		x.fixed[d.Terms[0].S] = v.Lo
	}
}

// reduce replaces symbols whose value is decided.
func (x *path) reduce(f term.Form) term.Form {
	if len(x.fixed) == 0 {
		return f
	}
	for i, y := range f.Terms {
		if _, ok := x.fixed[y.S]; ok {
			r := term.Form{Terms: append([]term.Term(nil), f.Terms[:i]...), K: f.K}
			for _, z := range f.Terms[i:] {
				if v, ok := x.fixed[z.S]; ok {
					r.K = term.AddSafe(r.K, term.MulSafe(z.C, v))
				} else {
					r.Terms = append(r.Terms, z)
				}
			}
			return r
		}
	}
	return f
}

func (x *path) zero(f term.Form) bool        { return x.decide(f, term.EqRel) }
func (x *path) equal(f, g term.Form) bool    { return x.decide(f.Minus(g), term.EqRel) }
func (x *path) atMost(f, g term.Form) bool   { return x.decide(f.Minus(g), term.LeRel) }
func (x *path) lessThan(f, g term.Form) bool { return !x.decide(g.Minus(f), term.LeRel) }

// decide tells whether f == 0 or f <= 0 on this path.
func (x *path) decide(f term.Form, rel term.Relation) bool {
	if rel == term.EqRel {
		f = x.t.Modular(f)
	}
	if f.Constant() {
		return rel == term.EqRel && f.K == 0 || rel == term.LeRel && f.K <= 0
	}
	if rel == term.EqRel && f.NoZero() {
		return false
	}
	if rel == term.EqRel && x.t.Fresh(f) {
		return false
	}
	l := x.t.Atom(f, rel)
	if truth, known := x.interval(l.Dir).Decides(l); known {
		x.t.Use(f)
		return truth
	}
	if r := x.reduce(f); len(r.Terms) != len(f.Terms) {
		if r.Constant() {
			return rel == term.EqRel && r.K == 0 || rel == term.LeRel && r.K <= 0
		}
		if rel == term.EqRel && r.NoZero() {
			return false
		}
		m := x.t.Atom(r, rel)
		if truth, known := x.interval(m.Dir).Decides(m); known {
			x.t.Use(r)
			return truth
		}
	}
	if rel == term.EqRel && l.K == 0 && len(x.t.Dirs[l.Dir].Terms) == 1 && x.t.Dirs[l.Dir].Typed == span.Either {
		l.K, l.Neg = 1, true // of a Boolean ask always the same atom
	}
	return x.ask(l) == !l.Neg
}

// ask decides an atom (l without its sign) that nothing simple determines, and reports its truth.
func (x *path) ask(l term.Literal) bool {
	l.Neg = false
	if x.at == len(x.stack) {
		x.stack = append(x.stack, x.choose(l))
	}
	d := x.stack[x.at]
	x.at++
	if d.forced && x.t.Known != nil {
		x.t.Known.UseAround(x.lits, l.Dir)
	} else if terms := x.t.Dirs[l.Dir].Terms; len(terms) > 1 {
		x.t.Use(term.Form{Terms: terms})
	}
	x.vague = x.vague || d.vague
	x.lits = append(x.lits, d.lit)
	x.learn(d.lit)
	return !d.lit.Neg
}

func (x *path) choose(l term.Literal) decision {
	yes := x.o.Check(x.t, append(x.lits, l))
	if yes == decide.Unsat {
		return decision{lit: l.Not(), forced: true}
	}
	no := x.o.Check(x.t, append(x.lits, l.Not()))
	if no == decide.Unsat {
		return decision{lit: l, forced: true}
	}
	return decision{lit: l, vague: yes == decide.Unknown || no == decide.Unknown}
}

// assume ends the run unless a condition holds.
func (x *path) assume(holds bool) {
	if !holds {
		panic(infeasible{})
	}
}

// allowed reports whether what the run has decided can be in a reachable state, as far as facts about the steps tell.
func (x *run) allowed() bool {
	return !x.t.Assumed() || x.o.Check(x.t, x.t.Known.Named(x.lits)) != decide.Unsat
}

// assumeRanges restricts a run to states after which what has been written lies in the ranges of its variables. What a
// step leads to from a reachable state is reachable, so nothing else can be.
func (x *run) assumeRanges(after *store) {
	if !x.t.Assumed() {
		return
	}
	for _, m := range after.mems {
		for _, l := range m.log {
			if w, open := x.t.Known.Written(m.key, l.value); open {
				x.assume(w.Lo == math.MinInt64 || !x.lessThan(l.value, term.Constant(w.Lo)))
				x.assume(w.Hi == math.MaxInt64 || !x.lessThan(term.Constant(w.Hi), l.value))
			}
		}
	}
}

// rememberDistance notes the named constant in the difference of what two orders lead to, as in x == y + AMOUNT.
func (x *path) rememberDistance(f term.Form) {
	if x.names == nil || f.Constant() || f.Name == nil || !f.Name.Type.Numeric() || f.Name.Words[0] == 0 {
		return
	}
	if f.NoZero() {
		return
	}
	if l := x.t.Atom(f, term.EqRel); l.K != 0 && l.K%f.Name.Words[0] == 0 {
		x.names.Multiple[term.NameKey{Dir: l.Dir, K: l.K}] = f.Name
	}
}

// remember notes a comparison of the program and the named constant in it.
func (x *path) remember(f term.Form, rel term.Relation) {
	if rel == term.EqRel && f.NoZero() {
		return
	}
	l := x.t.Atom(f, rel)
	if key := (term.NameKey{Dir: l.Dir, K: l.K}); !x.names.Writes(l.Dir, l.K) {
		_, factor := x.t.Direction(f.Terms)
		x.names.Number[key] = -f.K / factor
	}
	if f.Name == nil || f.Name.Type.Kind == step.Bool || f.Name.Type.Kind == step.Enum {
		return
	}
	if v := f.Name.Words[0]; v == l.K || v == l.K+1 {
		x.names.Constant[term.NameKey{Dir: l.Dir, K: v}] = f.Name
	}
}

// upper is what the path says at most about the value of a word.
func (x *path) upper(f term.Form) int64 {
	if f = x.reduce(f); f.Constant() {
		return f.K
	}
	if len(f.Terms) == 1 && f.Terms[0].C == 1 && f.K == 0 {
		dir, _ := x.t.Direction(f.Terms)
		return x.interval(dir).Hi
	}
	return math.MaxInt64
}
