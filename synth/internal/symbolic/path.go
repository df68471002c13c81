package symbolic

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// A Path is one run of a question: the atoms decided so far and what follows from them.
type Path struct {
	Table   *term.Table
	Oracle  *decide.Oracle
	stack   []decision
	at      int            // decisions taken by the present run
	Lits    []term.Literal // the decisions of the present run
	known   []term.Interval
	touched []int // directions whose interval differs from the initial one
	fixed   map[term.SymID]int64
	settled []term.Form // that the present run has found to be numbers
	looks   []look      // of the present run
	changes int         // of collections by key
	Also    []term.Literal
	Enough  bool        // what is still to be explored does not matter
	Names   *term.Names // to be filled in, if not nil
	leaves  int         // that have been looked at
	limit   int         // how many there may be
	Few     bool        // a condition is looked for: see maxOrdered
}

type decision struct {
	lit    term.Literal // as taken
	forced bool         // the other answer is impossible
	second bool         // the other answer has been explored
}

// infeasible ends a run whose cube turned out to be empty, or that an assumption excludes.
type infeasible struct{}

// count counts a leaf that is about to be looked at, unless there cannot be one more.
func (x *Path) count() {
	switch {
	case x.leaves >= x.limit:
		panic(unsupported.Reason(TooMany))
	case x.Oracle.Ctx.Err() != nil:
		panic(unsupported.Reason("interrupted"))
	}
	x.leaves++
}

// Branches runs the rest of a question for every combination of answers, without running again what came before: what
// that has found must not change. The leaves are those of the rest; nothing may be decided after it.
func (x *Path) Branches(rest func()) {
	from, lits, looks := x.at, len(x.Lits), len(x.looks)
	for first := true; ; first = false {
		if !first {
			x.count()
			x.Oracle.Spend(1 + len(x.stack)/8)
			x.at, x.Lits, x.looks = from, x.Lits[:lits], x.looks[:looks]
			x.forget()
			for _, l := range x.Lits {
				x.learn(l)
			}
		}
		x.feasible(rest)
		if x.Enough || !x.backtrack(from) {
			break
		}
	}
	x.at, x.Lits, x.looks = from, x.Lits[:lits], x.looks[:looks]
	x.stack = x.stack[:from]
}

// feasible runs the rest of a question unless its cube turns out to be empty.
func (x *Path) feasible(rest func()) {
	defer func() {
		if p := recover(); p != nil && p != any(infeasible{}) {
			panic(p)
		}
	}()
	rest()
}

// forget leaves nothing known that has been decided.
func (x *Path) forget() {
	for _, d := range x.touched {
		x.known[d] = term.Interval{Lo: x.Table.Dirs[d].Lo, Hi: x.Table.Dirs[d].Hi}
	}
	x.touched = x.touched[:0]
	clear(x.fixed)
	x.settled = x.settled[:0]
}

// backtrack turns to the next combination of answers behind the first ones.
func (x *Path) backtrack(from int) bool {
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

// Cube is the conjunction of the free decisions of the present run.
func (x *Path) Cube() []term.Literal {
	var free []term.Literal
	for _, d := range x.stack[:x.at] {
		if !d.forced {
			free = append(free, d.lit)
		}
	}
	return free
}

// Decided adds to a list the decisions of the present run about a variable whose range is known: without the range the
// answer might have been free, and a condition may be shorter with it than with what it follows from.
func (x *Path) Decided(list []term.Literal) []term.Literal {
	for _, d := range x.stack[:x.at] {
		l := d.lit
		l.Neg = false
		if terms := x.Table.Dirs[l.Dir].Terms; d.forced && len(terms) == 1 && x.Table.Syms[terms[0].S].Wide &&
			!slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

func (x *Path) interval(dir int) *term.Interval {
	for len(x.known) <= dir {
		d := x.Table.Dirs[len(x.known)]
		x.known = append(x.known, term.Interval{Lo: d.Lo, Hi: d.Hi})
	}
	return &x.known[dir]
}

func (x *Path) learn(l term.Literal) {
	v := x.interval(l.Dir)
	v.Add(l)
	x.touched = append(x.touched, l.Dir)
	if d := &x.Table.Dirs[l.Dir]; v.Lo == v.Hi && len(d.Terms) == 1 {
		x.fixed[d.Terms[0].S] = v.Lo
	}
}

// Reduce replaces symbols whose value is decided.
func (x *Path) Reduce(f term.Form) term.Form {
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
			return x.multiplied(r)
		}
	}
	return x.multiplied(f)
}

// multiplied replaces products of which one factor is decided.
func (x *Path) multiplied(f term.Form) term.Form {
	for _, y := range f.Terms {
		s := &x.Table.Syms[y.S]
		if s.Kind != term.MulSym {
			continue
		}
		for i := range s.Idx {
			if v, ok := x.fixed[s.Idx[i].Terms[0].S]; ok {
				rest := f.Plus(-y.C, term.One(y.S)).Plus(term.MulSafe(y.C, v), s.Idx[1-i])
				return x.Reduce(rest)
			}
		}
	}
	return f
}

// factors are a symbol and a form whose product a form is, if all its terms have the symbol in common.
func (x *Path) factors(f term.Form) (s term.SymID, rest term.Form, ok bool) {
	if f.K != 0 || !slices.ContainsFunc(f.Terms, func(y term.Term) bool {
		return x.Table.Syms[y.S].Kind == term.MulSym
	}) {
		return 0, rest, false
	}
	candidates := []term.SymID{f.Terms[0].S}
	for _, i := range x.Table.Syms[f.Terms[0].S].Idx {
		if x.Table.Syms[f.Terms[0].S].Kind == term.MulSym {
			candidates = append(candidates, i.Terms[0].S)
		}
	}
	for _, s := range candidates {
		if rest, ok := x.without(f, s); ok && len(rest.Terms) > 0 {
			return s, rest, true
		}
	}
	return 0, rest, false
}

// without is what a form has beside a symbol in each of its terms; ok is false if it is not in all of them.
func (x *Path) without(f term.Form, s term.SymID) (rest term.Form, ok bool) {
	for _, y := range f.Terms {
		p := &x.Table.Syms[y.S]
		switch {
		case y.S == s:
			rest = rest.Plus(y.C, term.Constant(1))
		case p.Kind == term.MulSym && p.Idx[0].Equal(term.One(s)):
			rest = rest.Plus(y.C, p.Idx[1])
		case p.Kind == term.MulSym && p.Idx[1].Equal(term.One(s)):
			rest = rest.Plus(y.C, p.Idx[0])
		default:
			return rest, false
		}
	}
	return rest, true
}

func (x *Path) zero(f term.Form) bool { return x.decide(f, term.EqRel) }

func (x *Path) Equal(f, g term.Form) bool { return x.decide(f.Minus(g), term.EqRel) }

func (x *Path) AtMost(f, g term.Form) bool { return x.decide(f.Minus(g), term.LeRel) }

func (x *Path) LessThan(f, g term.Form) bool { return !x.decide(g.Minus(f), term.LeRel) }

// gathered is a form in which elements of an array are told apart by their numbers where the path has decided the
// index of one of them: the sum of all is the same whichever element has been asked for by a variable.
func (x *Path) gathered(f term.Form) term.Form {
	if len(x.fixed) == 0 || len(f.Terms) < 2 {
		return f
	}
	for _, y := range f.Terms {
		s := x.Table.Syms[y.S]
		if s.Kind != term.WordSym || s.Mem.View != term.Direct || len(s.Idx) != 1 || s.Idx[0].Constant() {
			continue
		}
		i := x.Reduce(s.Idx[0])
		among := func(z term.Term) bool { return z.S != y.S && x.Table.Syms[z.S].Mem == s.Mem }
		if i.Constant() && slices.ContainsFunc(f.Terms, among) {
			elem := term.Place{Slot: s.Mem.Slot, V: s.Mem.V, Off: s.Mem.Off, Idx: []term.Form{i}, Typ: s.Typ}
			f = f.Plus(-y.C, term.One(y.S)).Plus(y.C, x.Table.Initial(elem))
		}
	}
	return f
}

// decide reports whether f == 0 or f <= 0 on this path.
func (x *Path) decide(f term.Form, rel term.Relation) bool {
	f = x.gathered(f)
	if rel == term.EqRel {
		f = x.Table.Modular(f)
	}
	if f.Constant() {
		return rel == term.EqRel && f.K == 0 || rel == term.LeRel && f.K <= 0
	}
	if rel == term.EqRel && f.NoZero() {
		return false
	}
	if rel == term.EqRel && x.Table.Fresh(f) {
		return false
	}
	if s, rest, ok := x.factors(x.Reduce(f)); ok && rel == term.EqRel {
		return x.zero(term.One(s)) || x.zero(rest)
	}
	l := x.Table.Atom(f, rel)
	if truth, known := x.interval(l.Dir).Decides(l); known {
		x.Table.Use(f)
		return truth
	}
	if r := x.Reduce(f); len(r.Terms) != len(f.Terms) {
		if r.Constant() {
			return rel == term.EqRel && r.K == 0 || rel == term.LeRel && r.K <= 0
		}
		if rel == term.EqRel && r.NoZero() {
			return false
		}
		m := x.Table.Atom(r, rel)
		if truth, known := x.interval(m.Dir).Decides(m); known {
			x.Table.Use(r)
			return truth
		}
	}
	if rel == term.EqRel && l.K == 0 && len(x.Table.Dirs[l.Dir].Terms) == 1 &&
		x.Table.Dirs[l.Dir].Typed == span.Either {
		l.K, l.Neg = 1, true // of a Boolean ask always the same atom
	}
	return x.ask(l) == !l.Neg
}

// ask decides an atom (l without its sign) that nothing simple determines, and reports its truth.
func (x *Path) ask(l term.Literal) bool {
	l.Neg = false
	if x.at == len(x.stack) {
		x.stack = append(x.stack, x.choose(l))
	}
	d := x.stack[x.at]
	x.at++
	if d.forced && x.Table.Known != nil {
		x.Table.Known.UseAround(x.Lits, l.Dir)
	} else if terms := x.Table.Dirs[l.Dir].Terms; len(terms) > 1 {
		x.Table.Use(term.Form{Terms: terms})
	}
	x.Lits = append(x.Lits, d.lit)
	x.learn(d.lit)
	return !d.lit.Neg
}

func (x *Path) choose(l term.Literal) decision {
	if x.Oracle.Check(x.Table, append(x.Lits, l)) == decide.Unsat {
		return decision{lit: l.Not(), forced: true}
	}
	if x.Oracle.Check(x.Table, append(x.Lits, l.Not())) == decide.Unsat {
		return decision{lit: l, forced: true}
	}
	return decision{lit: l}
}

// assume ends the run unless a condition holds.
func (x *Path) assume(holds bool) {
	if !holds {
		panic(infeasible{})
	}
}

// rememberDistance notes the named constant in the difference of what two orders lead to, as in x == y + AMOUNT.
func (x *Path) rememberDistance(f term.Form) {
	if x.Names == nil || f.Constant() || f.Name == nil || !f.Name.Type.Numeric() || f.Name.Words[0] == 0 {
		return
	}
	if f.NoZero() {
		return
	}
	if l := x.Table.Atom(f, term.EqRel); l.K != 0 && l.K%f.Name.Words[0] == 0 {
		x.Names.Multiple[term.NameKey{Dir: l.Dir, K: l.K}] = f.Name
	}
}

// remember notes a comparison of the program and the named constant in it; the test of a loop is not written.
func (x *Path) remember(f term.Form, rel term.Relation, written bool) {
	if rel == term.EqRel && f.NoZero() {
		return
	}
	l := x.Table.Atom(f, rel)
	if key := (term.NameKey{Dir: l.Dir, K: l.K}); written && !x.Names.Writes(l.Dir, l.K) {
		_, factor := x.Table.Direction(f.Terms)
		x.Names.Number[key] = -f.K / factor
	}
	if f.Name == nil || f.Name.Type.Kind == step.Bool || f.Name.Type.Kind == step.Enum {
		return
	}
	if len(f.Terms) == 2 && f.Name.Words[0] > 1 && x.Names.Apart[l.Dir] == nil {
		x.Names.Apart[l.Dir] = f.Name
	}
	if v := f.Name.Words[0]; v == l.K || v == l.K+1 {
		x.Names.Constant[term.NameKey{Dir: l.Dir, K: v}] = f.Name
	}
}

// rememberBound notes the named constant that the program compares a variable with, also where it has added something
// to the variable before.
func (x *Path) rememberBound(f, bound term.Form) {
	if !bound.Constant() || bound.Name == nil || !bound.Name.Type.Numeric() || len(f.Terms) != 1 || f.Terms[0].C != 1 {
		return
	}
	dir, _ := x.Table.Direction(f.Terms)
	if key := (term.NameKey{Dir: dir, K: bound.Name.Words[0]}); x.Names.Constant[key] == nil {
		x.Names.Constant[key] = bound.Name
	}
}

// upper is what the path says at most about the value of a word, or how far it is above a number.
func (x *Path) upper(f term.Form) int64 {
	if f = x.Reduce(f); f.Constant() {
		return f.K
	}
	if len(f.Terms) == 1 && f.Terms[0].C == 1 {
		dir, _ := x.Table.Direction(f.Terms)
		if hi := x.interval(dir).Hi; hi != math.MaxInt64 {
			return term.AddSafe(hi, f.K)
		}
	}
	return math.MaxInt64
}
