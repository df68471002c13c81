package synth

import (
	"math"
	"slices"

	"cdpor/synth/internal/span"
	"cdpor/synth/internal/unsupported"
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
	t       *table
	o       *oracle
	stack   []decision
	at      int       // decisions taken by the present run
	lits    []literal // the decisions of the present run
	known   []interval
	touched []int // directions whose interval differs from the initial one
	fixed   map[symID]int64
	vague   bool   // some cube of the present run may be empty
	settled []form // that the present run has found to be numbers
	also    []literal
	enough  bool // what is still to be explored does not matter
	leaves  int  // that have been looked at
	limit   int  // how many there may be
}

type decision struct {
	lit    literal // as taken
	forced bool    // the other answer is impossible
	second bool    // the other answer has been explored
	vague  bool
}

// infeasible ends a run whose cube turned out to be empty, or that an assumption excludes.
type infeasible struct{}

// A leaf is the end of a run: the cube of its free decisions (those not implied by the earlier ones) and its value.
type leaf struct {
	cube  []literal
	value bool
	vague bool
}

// explore runs a question for every combination of answers to the atoms it asks about, so many at most. It says why it
// could not be finished; empty if it was.
func explore(t *table, o *oracle, limit int, question func(r *run)) (failed string) {
	x := &path{t: t, o: o, fixed: map[symID]int64{}, limit: limit}
	return unsupported.Attempt(func() {
		for more := true; more && !x.enough; more = x.backtrack(0) {
			x.count()
			x.at, x.lits, x.vague = 0, x.lits[:0], false
			x.feasible(func() {
				x.o.spend(1 + len(x.stack)/8)
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
	case x.o.ctx.Err() != nil:
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
			x.o.spend(1 + len(x.stack)/8)
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
		x.known[d] = interval{lo: x.t.dirs[d].lo, hi: x.t.dirs[d].hi}
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
			last.lit, last.second = last.lit.not(), true
			return true
		}
		x.stack = x.stack[:len(x.stack)-1]
	}
	return false
}

// cube is the conjunction of the free decisions of the present run.
func (x *path) cube() []literal {
	var free []literal
	for _, d := range x.stack[:x.at] {
		if !d.forced {
			free = append(free, d.lit)
		}
	}
	return free
}

// decided adds to a list the decisions of the present run about a variable whose range is known: without the range the
// answer might have been free, and a condition may be shorter with it than with what it follows from.
func (x *path) decided(list []literal) []literal {
	for _, d := range x.stack[:x.at] {
		l := d.lit
		l.neg = false
		if terms := x.t.dirs[l.dir].terms; d.forced && len(terms) == 1 && x.t.syms[terms[0].s].wide &&
			!slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

func (x *path) interval(dir int) *interval {
	for len(x.known) <= dir {
		d := x.t.dirs[len(x.known)]
		x.known = append(x.known, interval{lo: d.lo, hi: d.hi})
	}
	return &x.known[dir]
}

func (x *path) learn(l literal) {
	v := x.interval(l.dir)
	v.add(l)
	x.touched = append(x.touched, l.dir)
	if d := &x.t.dirs[l.dir]; v.lo == v.hi && len(d.terms) == 1 {
		x.fixed[d.terms[0].s] = v.lo
	}
}

// reduce replaces symbols whose value is decided.
func (x *path) reduce(f form) form {
	if len(x.fixed) == 0 {
		return f
	}
	for i, y := range f.terms {
		if _, ok := x.fixed[y.s]; ok {
			r := form{terms: append([]term(nil), f.terms[:i]...), k: f.k}
			for _, z := range f.terms[i:] {
				if v, ok := x.fixed[z.s]; ok {
					r.k = addSafe(r.k, mulSafe(z.c, v))
				} else {
					r.terms = append(r.terms, z)
				}
			}
			return r
		}
	}
	return f
}

func (x *path) zero(f form) bool        { return x.decide(f, eqRel) }
func (x *path) equal(f, g form) bool    { return x.decide(f.minus(g), eqRel) }
func (x *path) atMost(f, g form) bool   { return x.decide(f.minus(g), leRel) }
func (x *path) lessThan(f, g form) bool { return !x.decide(g.minus(f), leRel) }

// decide tells whether f == 0 or f <= 0 on this path.
func (x *path) decide(f form, rel relation) bool {
	if rel == eqRel {
		f = x.t.modular(f)
	}
	if f.constant() {
		return rel == eqRel && f.k == 0 || rel == leRel && f.k <= 0
	}
	if truth, known := x.impossible(f, rel); known {
		return truth
	}
	if rel == eqRel && x.t.fresh(f) {
		return false
	}
	l := x.t.atom(f, rel)
	if truth, known := x.interval(l.dir).decides(l); known {
		x.t.use(f)
		return truth
	}
	if r := x.reduce(f); len(r.terms) != len(f.terms) {
		if r.constant() {
			return rel == eqRel && r.k == 0 || rel == leRel && r.k <= 0
		}
		if truth, known := x.impossible(r, rel); known {
			return truth
		}
		m := x.t.atom(r, rel)
		if truth, known := x.interval(m.dir).decides(m); known {
			x.t.use(r)
			return truth
		}
	}
	if rel == eqRel && l.k == 0 && len(x.t.dirs[l.dir].terms) == 1 && x.t.dirs[l.dir].typed == span.Either {
		l.k, l.neg = 1, true // of a Boolean ask always the same atom
	}
	return x.ask(l) == !l.neg
}

// ask decides an atom (l without its sign) that nothing simple determines, and reports its truth.
func (x *path) ask(l literal) bool {
	l.neg = false
	if x.at == len(x.stack) {
		x.stack = append(x.stack, x.choose(l))
	}
	d := x.stack[x.at]
	x.at++
	if d.forced && x.t.known != nil {
		x.t.known.UseAround(x.lits, l.dir)
	} else if terms := x.t.dirs[l.dir].terms; len(terms) > 1 {
		x.t.use(form{terms: terms})
	}
	x.vague = x.vague || d.vague
	x.lits = append(x.lits, d.lit)
	x.learn(d.lit)
	return !d.lit.neg
}

func (x *path) choose(l literal) decision {
	yes := x.o.check(x.t, append(x.lits, l))
	if yes == unsat {
		return decision{lit: l.not(), forced: true}
	}
	no := x.o.check(x.t, append(x.lits, l.not()))
	if no == unsat {
		return decision{lit: l, forced: true}
	}
	return decision{lit: l, vague: yes == unknown || no == unknown}
}

// impossible settles equations that have no integer solution.
func (x *path) impossible(f form, rel relation) (truth, known bool) {
	if rel == leRel {
		return false, false
	}
	g := int64(0)
	for _, y := range f.terms {
		a, b := g, y.c
		for b != 0 {
			a, b = b, a%b
		}
		g = max(a, -a)
	}
	return false, f.k == math.MinInt64 || f.k%g != 0
}

// assume ends the run unless a condition holds.
func (x *path) assume(holds bool) {
	if !holds {
		panic(infeasible{})
	}
}

// allowed reports whether what the run has decided can be in a reachable state, as far as facts about the steps tell.
func (x *run) allowed() bool {
	return !x.t.assumed() || x.o.check(x.t, x.t.known.Named(x.lits)) != unsat
}

// assumeRanges restricts a run to states after which what has been written lies in the ranges of its variables. What a
// step leads to from a reachable state is reachable, so nothing else can be.
func (x *run) assumeRanges(after *store) {
	if !x.t.assumed() {
		return
	}
	for _, m := range after.mems {
		for _, l := range m.log {
			if w, open := x.t.known.Written(m.key, l.value); open {
				x.assume(w.Lo == math.MinInt64 || !x.lessThan(l.value, constant(w.Lo)))
				x.assume(w.Hi == math.MaxInt64 || !x.lessThan(constant(w.Hi), l.value))
			}
		}
	}
}
