package synth

import (
	"context"
	"math"
)

// maxLeaves bounds the leaves of one exploration.
const maxLeaves = 3000

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
	vague   bool // some cube of the present run may be empty
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

// explore runs a question for every combination of answers to the atoms it asks about. It reports why it could not be
// finished; the leaves are then incomplete.
func explore(ctx context.Context, t *table, o *oracle, question func(x *path) bool, each func(x *path, value bool)) (failed *unsupported) {
	x := &path{t: t, o: o, fixed: map[symID]int64{}}
	for leaves := 0; ; leaves++ {
		if leaves >= maxLeaves {
			return &unsupported{"too many cases"}
		}
		if ctx.Err() != nil {
			return &unsupported{"interrupted"}
		}
		value, reached, why := x.run(question)
		if why != nil {
			return why
		}
		if reached {
			each(x, value)
		}
		if !x.backtrack() {
			return nil
		}
	}
}

func (x *path) run(question func(x *path) bool) (value, reached bool, why *unsupported) {
	x.at, x.lits, x.vague = 0, x.lits[:0], false
	for _, d := range x.touched {
		x.known[d] = interval{lo: x.t.dirs[d].lo, hi: x.t.dirs[d].hi}
	}
	x.touched = x.touched[:0]
	clear(x.fixed)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case infeasible:
			value, reached = false, false
		case unsupported:
			why = &p
		default:
			panic(p)
		}
	}()
	return question(x), true, nil
}

// backtrack turns to the next combination of answers.
func (x *path) backtrack() bool {
	x.stack = x.stack[:x.at]
	for len(x.stack) > 0 {
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
	if f.constant() {
		return rel == eqRel && f.k == 0 || rel == leRel && f.k <= 0
	}
	if truth, known := x.impossible(f, rel); known {
		return truth
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
	if rel == eqRel && l.k == 0 && len(x.t.dirs[l.dir].terms) == 1 && x.t.dirs[l.dir].lo == 0 && x.t.dirs[l.dir].hi == 1 {
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
	if d.forced {
		x.t.useAround(x.lits, l.dir)
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
