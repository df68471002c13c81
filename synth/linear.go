package synth

import (
	"math"
	"slices"
)

// Linear questions. A conjunction of linear constraints over integers is decided by the elimination of one variable
// after the other (Fourier and Motzkin), which is exact for integers where the variable has the coefficient 1 or -1 in
// all its upper or in all its lower bounds; see Pugh, "The Omega test", 1991. Where it is not, "no solution" is still
// right, and so is a solution that is found and tried; what remains is left to the solver. Quotients and remainders by
// a constant c are linear, too: for f there are q and r with f = c*q + r, and r has the sign of f. Products and other
// quotients are taken for unknowns of their own.

const (
	maxVariables = 40
	maxRows      = 120
	// maxSystems bounds the systems that one question is split into.
	maxSystems      = 900
	maxLooseSystems = 8
	// maxResidues is up to which divisor the remainders are tried one by one.
	maxResidues = 16
	// maxSteps bounds the numbers that a question looks at, and stepsPerUnit of them are a unit of work.
	maxSteps, stepsPerUnit = 240_000, 200
	// maxNumber bounds the numbers in them.
	maxNumber = int64(1) << 40
)

// A constraint says that the sum of its coefficients times the variables, plus k, is at most zero, or with equal that
// it is zero.
type linear struct {
	c     []int64
	k     int64
	equal bool
	why   reasons // the literals that say so; none: it holds in every state
}

// An alternative is a conjunction, and a disjunction a list of alternatives of which one must hold.
type (
	alternative []linear
	disjunction []alternative
)

// A system is a question in the making.
type system struct {
	t         *table
	of        []int32 // by symbol: its variable, counted from 1
	syms      []symID // those that have one
	n         int
	rows      []linear
	split     []disjunction
	residues  []disjunction // the same, about remainders
	apps      []symID       // the elements of arrays and lists
	divisions []division    // seen so far
	loose     bool          // something is left out: a solution proves nothing
	guess     int64         // see guessed
	systems   int           // that may still be looked at
	work      int           // numbers looked at
	value     []int64       // of each variable, in a solution
	why       reasons       // of the last contradiction
	gone      []elimination
	// Memory of eliminate.
	now, next, past matrix
	sum             []int64
}

// A division is f = c*q + r.
type division struct {
	f    form
	c    int64
	q, r int
}

// guesses are the numbers that are tried for a factor or a divisor that is unknown: any solution will do.
var guesses = [...]int64{2, 1, 3}

// linear decides a question as far as it is linear. One about products of unknowns, or quotients by them, may have a
// solution that is linear: one in which the factor or divisor is a small number.
func (o *oracle) linear(t *table, lits []literal) (got answer) {
	got = o.guessed(t, lits, 0)
	for i := 0; i < len(guesses) && got == unknown && o.system.loose; i++ {
		if o.guessed(t, lits, guesses[i]) == sat {
			return sat
		}
	}
	return got
}

// guessed decides a question about the states in which each second factor and each divisor is a number; 0: about all
// states.
func (o *oracle) guessed(t *table, lits []literal, guess int64) (got answer) {
	y := &o.system
	y.reset(t)
	y.guess = guess
	for _, list := range [][]literal{lits, t.facts} {
		for _, l := range list {
			f := form{terms: t.dirs[l.dir].terms, k: -l.k}
			if large(l.k) || !y.visit(f) {
				return unknown
			}
		}
	}
	for i, l := range lits {
		y.literal(form{terms: t.dirs[l.dir].terms, k: -l.k}, l, reasonOf(i))
	}
	for _, l := range t.facts {
		y.literal(form{terms: t.dirs[l.dir].terms, k: -l.k}, l, 0)
	}
	if !y.congruence() || !y.clauses() {
		return unknown
	}
	for _, id := range y.syms {
		s, v := &t.syms[id], y.variable(id)
		if s.lo > -maxNumber {
			y.rows = append(y.rows, y.unit(v, -1, s.lo))
		}
		if s.hi < maxNumber {
			y.rows = append(y.rows, y.unit(v, 1, -s.hi))
		}
	}
	if y.n > maxVariables {
		return unknown
	}
	if !y.widen(y.rows) {
		return unknown
	}
	for _, d := range append(slices.Clone(y.residues), y.split...) {
		for _, a := range d {
			if !y.widen(a) {
				return unknown
			}
		}
	}
	slices.SortStableFunc(y.split, func(a, b disjunction) int { return len(a) - len(b) })
	// without a solution to go by, remainders first: the rest is easier then
	y.split = append(y.residues, y.split...)
	if y.systems, y.work = maxSystems, 0; y.loose { // only a contradiction would help
		y.systems = maxLooseSystems
	}
	got = y.solve(y.rows, y.split, 0)
	if got == sat && !y.loose {
		values := make([]int64, len(y.syms))
		for i, id := range y.syms {
			values[i] = y.value[y.variable(id)]
		}
		t.remember(y.syms, values)
	}
	o.spend(1 + y.work/stepsPerUnit)
	if got == sat && y.loose {
		return unknown
	}
	return got
}

// reset begins a question.
func (y *system) reset(t *table) {
	y.t, y.n, y.loose = t, 0, false
	y.rows, y.split, y.residues, y.apps, y.divisions = y.rows[:0], nil, nil, y.apps[:0], y.divisions[:0]
	y.syms = y.syms[:0]
	if len(y.of) < len(t.syms) {
		y.of = make([]int32, len(t.syms)+16)
	}
	clear(y.of)
}

// variable is the variable of a symbol.
func (y *system) variable(id symID) int { return int(y.of[id]) - 1 }

// name gives a symbol a variable; it reports false if it has one.
func (y *system) name(id symID) bool {
	if y.of[id] != 0 {
		return false
	}
	y.of[id] = int32(y.fresh()) + 1
	y.syms = append(y.syms, id)
	return true
}

// visit gives the symbols of a form variables; it reports false for numbers that are too large.
func (y *system) visit(f form) bool {
	for _, x := range f.terms {
		if large(x.c) {
			return false
		}
		if !y.name(x.s) {
			continue
		}
		s := &y.t.syms[x.s]
		for _, i := range s.idx {
			if large(i.k) || !y.visit(i) {
				return false
			}
		}
		switch s.kind {
		case mulSym:
			if y.loose = y.loose || y.guess == 0; y.guess != 0 {
				y.equal(s.idx[1].minus(constant(y.guess)))
				y.equal(constant(0).plus(y.guess, s.idx[0]).minus(form{terms: []term{{x.s, 1}}}))
			}
		case divSym, modSym:
			switch c := s.idx[1]; {
			case c.constant() && c.k > 0 && c.k < maxNumber:
				y.divide(s, x.s, c.k)
			case !c.constant() && y.guess != 0:
				y.equal(c.minus(constant(y.guess)))
				y.divide(s, x.s, y.guess)
			default:
				y.loose = true
			}
		case wrapSym:
			y.loose = true
		default:
			if len(s.idx) > 0 {
				y.apps = append(y.apps, x.s)
			}
		}
	}
	return true
}

func (y *system) fresh() int {
	y.n++
	return y.n - 1
}

// equal says f == 0.
func (y *system) equal(f form) { y.rows = append(y.rows, y.row(f, true)) }

// divide says what a quotient or a remainder by a constant is.
func (y *system) divide(s *symbol, id symID, c int64) {
	at := slices.IndexFunc(y.divisions, func(d division) bool { return d.c == c && d.f.equal(s.idx[0]) })
	if at < 0 {
		at = len(y.divisions)
		d := division{f: s.idx[0], c: c, q: y.fresh(), r: y.fresh()}
		y.divisions = append(y.divisions, d)
		whole := y.row(d.f, true) // f - c*q - r == 0
		whole.add(d.q, -c)
		whole.add(d.r, -1)
		y.rows = append(y.rows, whole)
		notNegative, negative := y.negated(d.f), y.row(d.f, false)
		negative.k++
		if c > maxResidues {
			y.split = append(y.split, disjunction{
				{notNegative, y.unit(d.r, -1, 0), y.unit(d.r, 1, 1-c)},
				{negative, y.unit(d.r, 1, 0), y.unit(d.r, -1, 1-c)},
			})
		} else {
			var each disjunction
			for r := range c {
				plus, minus := y.unit(d.r, 1, -r), y.unit(d.r, 1, r)
				plus.equal, minus.equal = true, true
				if r == 0 { // whatever the sign is
					each = append(each, alternative{plus})
				} else {
					each = append(each, alternative{notNegative, plus}, alternative{negative, minus})
				}
			}
			y.residues = append(y.residues, each)
		}
	}
	v := y.divisions[at].q
	if s.kind == modSym {
		v = y.divisions[at].r
	}
	same := y.unit(y.variable(id), 1, 0)
	same.add(v, -1)
	same.equal = true
	y.rows = append(y.rows, same)
}

// add adds to the coefficient of a variable.
func (l *linear) add(v int, c int64) {
	for len(l.c) <= v {
		l.c = append(l.c, 0)
	}
	l.c[v] += c
}

// widen gives constraints a coefficient for each variable. It reports false if a number is too large.
func (y *system) widen(list []linear) bool {
	for i := range list {
		l := &list[i]
		for len(l.c) < y.n {
			l.c = append(l.c, 0)
		}
		if l.k >= maxNumber || l.k <= -maxNumber {
			return false
		}
	}
	return true
}

// row is f <= 0, or f == 0.
func (y *system) row(f form, equal bool) linear {
	l := linear{k: f.k, equal: equal}
	for _, x := range f.terms {
		l.add(y.variable(x.s), x.c)
	}
	return l
}

// negated is f >= 0.
func (y *system) negated(f form) linear {
	l := linear{k: -f.k}
	for _, x := range f.terms {
		l.add(y.variable(x.s), -x.c)
	}
	return l
}

// unit is c*v + k <= 0.
func (y *system) unit(v int, c, k int64) linear {
	l := linear{k: k}
	l.add(v, c)
	return l
}

// differ is f != 0.
func (y *system) differ(f form) disjunction {
	below, above := y.row(f, false), y.negated(f)
	below.k++
	above.k++
	return disjunction{{below}, {above}}
}

// literal adds a literal about f, which is its direction minus its number. why is its place in the question.
func (y *system) literal(f form, l literal, why reasons) {
	var says linear
	switch {
	case l.rel == eqRel && l.neg:
		d := y.differ(f)
		d[0][0].why, d[1][0].why = why, why
		y.split = append(y.split, d)
		return
	case l.rel == eqRel:
		says = y.row(f, true)
	case l.neg:
		says = y.negated(f)
		says.k++
	default:
		says = y.row(f, false)
	}
	says.why = why
	y.rows = append(y.rows, says)
}

// congruence says that elements at equal indices are equal.
func (y *system) congruence() bool {
	for at, u := range y.apps {
	next:
		for _, v := range y.apps[:at] {
			a, b := &y.t.syms[u], &y.t.syms[v]
			if a.mem != b.mem || len(a.idx) != len(b.idx) {
				continue
			}
			same := linear{equal: true}
			same.add(y.variable(u), 1)
			same.add(y.variable(v), -1)
			d := disjunction{{same}}
			for k := range a.idx {
				f := a.idx[k].minus(b.idx[k])
				switch {
				case !f.constant():
					d = append(d, y.differ(f)...)
				case f.k != 0:
					continue next
				}
			}
			y.split = append(y.split, d)
		}
	}
	return true
}

// clauses adds what holds of each two keys of a collection.
func (y *system) clauses() bool {
	for _, c := range y.t.keyClauses(y.apps) {
		size := y.t.syms[c.a].size
		y.name(size)
		if c.key.constant() && c.key.k == 0 {
			continue
		}
		if !y.visit(c.key) {
			return false
		}
		var d disjunction
		if !c.key.constant() {
			d = append(d, alternative{y.row(c.key, true)})
		}
		not := func(v int, k int64) {
			d = append(d, alternative{y.unit(v, 1, 1-k)}, alternative{y.unit(v, -1, k+1)})
		}
		not(y.variable(c.a), c.count)
		not(y.variable(c.b), c.count)
		not(y.variable(size), c.size)
		y.split = append(y.split, d)
	}
	return true
}

// solve decides constraints together with disjunctions. A solution of the constraints alone tells which disjunctions to
// look at next: those that it violates. If it violates none, it is left in y.value. Of these the one is split that the
// bounds of single variables leave the fewest alternatives of. If there is no solution, y.why says why; where that has
// nothing to do with the case that is looked at, the other ones need no look. depth is how many cases it is in.
func (y *system) solve(rows []linear, split []disjunction, depth int) answer {
	if y.systems--; y.systems < 0 || y.work > maxSteps {
		return unknown
	}
	y.work += len(rows) * (y.n + 1) * (1 + len(split)/8)
	got := y.eliminate(rows)
	if got == unsat || len(split) == 0 {
		return got
	}
	bounds := y.bounds(rows)
	best, least := -1, math.MaxInt
	for i, d := range split {
		if got == sat && y.satisfied(d) {
			continue
		}
		open := 0
		for _, a := range d {
			if bounds.against(a) < 0 {
				open++
			}
		}
		if open < least {
			best, least = i, open
		}
	}
	if best < 0 {
		return got
	}
	rest := slices.Delete(slices.Clone(split), best, best+1)
	got = unsat
	var why reasons
	for _, a := range split[best] {
		if refuted := bounds.against(a); refuted >= 0 {
			v, _ := a[refuted].single()
			why |= bounds[v].why | a[refuted].why
			continue
		}
		with, mark := append(rows[:len(rows):len(rows)], a...), reasonOfCase(depth)
		for i := len(rows); i < len(with); i++ {
			with[i].why |= mark
		}
		switch y.solve(with, rest, depth+1) {
		case sat:
			return sat
		case unknown:
			got = unknown
		case unsat:
			if mark != 0 && y.why&mark == 0 {
				return unsat
			}
			why |= y.why &^ mark
		}
	}
	y.why = why
	return got
}

// A bound is a range of a variable, and the literals that it was derived from.
type bound struct {
	span
	why reasons
}

// A box has the bounds of all variables.
type box []bound

// bounds are what the constraints on one variable say.
func (y *system) bounds(rows []linear) box {
	b := make(box, y.n)
	for v := range b {
		b[v].span = anything
	}
	for _, l := range rows {
		if v, s := l.single(); v >= 0 {
			if narrowed := b[v].meet(s); narrowed != b[v].span {
				b[v] = bound{narrowed, b[v].why | l.why}
			}
		}
	}
	return b
}

// against is the first constraint of an alternative on a single variable that is not compatible with its bound, -1 if
// there is none.
func (b box) against(a alternative) int {
	return slices.IndexFunc(a, func(l linear) bool {
		v, s := l.single()
		return v >= 0 && b[v].meet(s).empty()
	})
}

// single is the variable of a constraint on one variable with the coefficient 1 or -1, and its range; else -1.
func (l linear) single() (v int, s span) {
	v = -1
	for u, c := range l.c {
		switch {
		case c == 0:
		case v >= 0 || c != 1 && c != -1:
			return -1, s
		default:
			v = u
		}
	}
	switch {
	case v < 0:
	case l.equal:
		s = only(-l.k * l.c[v])
	case l.c[v] > 0:
		s = span{math.MinInt64, -l.k}
	default:
		s = span{l.k, math.MaxInt64}
	}
	return v, s
}

// satisfied tells whether a disjunction holds for the present values.
func (y *system) satisfied(d disjunction) bool {
	return slices.ContainsFunc(d, func(a alternative) bool {
		return !slices.ContainsFunc(a, func(l linear) bool { return !y.holds(l) })
	})
}

// holds tells whether a constraint holds for the present values.
func (y *system) holds(l linear) bool {
	sum := l.k
	for v, c := range l.c {
		sum += c * y.value[v]
	}
	return sum == 0 || sum < 0 && !l.equal
}

// A matrix is a list of constraints, one after the other without pointers: the coefficients, then k.
type matrix struct {
	width int
	all   []int64
	equal []bool
	why   []reasons
}

func (m *matrix) reset(width int) {
	m.width, m.all, m.equal, m.why = width, m.all[:0], m.equal[:0], m.why[:0]
}

func (m *matrix) row(i int) []int64 { return m.all[i*m.width : (i+1)*m.width] }

func (m *matrix) add(row []int64, equal bool, why reasons) {
	m.all, m.equal, m.why = append(m.all, row...), append(m.equal, equal), append(m.why, why)
}

// move copies a row over another one.
func (m *matrix) move(to, from int) {
	if to != from {
		copy(m.row(to), m.row(from))
		m.equal[to], m.why[to] = m.equal[from], m.why[from]
	}
}

func (m *matrix) cut(rows int) {
	m.all, m.equal, m.why = m.all[:rows*m.width], m.equal[:rows], m.why[:rows]
}

// tighten adds an inequation unless there is a stronger one with the same coefficients.
func (m *matrix) tighten(row []int64, why reasons) {
	k := m.width - 1
	for i := range m.equal {
		if old := m.row(i); !m.equal[i] && slices.Equal(old[:k], row[:k]) {
			if row[k] > old[k] {
				old[k], m.why[i] = row[k], why
			}
			return
		}
	}
	m.add(row, false, why)
}

// An elimination is a variable with the constraints that were there of it: some rows of system.past.
type elimination struct{ v, from, to int }

// eliminate decides a conjunction of constraints. If it finds a solution, y.value is one; if there is none, y.why says
// why.
func (y *system) eliminate(given []linear) answer {
	m, next, past := &y.now, &y.next, &y.past
	m.reset(y.n + 1)
	past.reset(y.n + 1)
	y.gone = y.gone[:0]
	for _, l := range given {
		m.all, m.equal, m.why = append(append(m.all, l.c...), l.k), append(m.equal, l.equal), append(m.why, l.why)
	}
	for {
		kept := 0
		for i, equal := range m.equal {
			switch normalise(m.row(i), equal) {
			case unsat:
				y.why = m.why[i]
				return unsat
			case unknown: // neither true nor false
				m.move(kept, i)
				kept++
			}
		}
		if m.cut(kept); kept == 0 {
			if y.evaluate(given) {
				return sat
			}
			return unknown
		}
		if at, v := m.unitEquation(); at >= 0 {
			y.gone = append(y.gone, elimination{v, len(past.equal), len(past.equal) + 1})
			past.add(m.row(at), true, m.why[at])
			m.move(at, kept-1)
			m.cut(kept - 1)
			last := len(past.equal) - 1
			eq := past.row(last)
			for i := range m.equal {
				row := m.row(i)
				if row[v] != 0 {
					m.why[i] |= past.why[last]
				}
				if !combine(row, -row[v]*eq[v], eq) {
					return unknown
				}
			}
			continue
		}
		for i := range m.equal {
			if m.equal[i] { // two bounds say the same
				m.equal[i] = false
				y.sum = append(y.sum[:0], m.row(i)...)
				for j := range y.sum {
					y.sum[j] = -y.sum[j]
				}
				m.add(y.sum, false, m.why[i])
			}
		}
		v := m.cheapest()
		next.reset(y.n + 1)
		from := len(past.equal)
		for i := range m.equal {
			if row := m.row(i); row[v] == 0 {
				next.add(row, false, m.why[i])
			} else {
				past.add(row, false, m.why[i])
			}
		}
		to := len(past.equal)
		y.gone = append(y.gone, elimination{v, from, to})
		for i := from; i < to; i++ {
			for j := from; j < to; j++ {
				upper, lower := past.row(i), past.row(j)
				if upper[v] <= 0 || lower[v] >= 0 {
					continue
				}
				y.sum = append(y.sum[:0], upper...)
				clear(y.sum)
				if !combine(y.sum, -lower[v], upper) || !combine(y.sum, upper[v], lower) {
					return unknown
				}
				y.work += (len(next.equal) + 2) * m.width
				if next.tighten(y.sum, past.why[i]|past.why[j]); len(next.equal) > maxRows || y.work > maxSteps {
					return unknown
				}
			}
		}
		y.now, y.next = y.next, y.now
	}
}

// evaluate gives the variables values, the last one that was eliminated first: each one that its constraints allow and
// that is near zero. It reports false if that is no solution.
func (y *system) evaluate(given []linear) bool {
	y.value = append(y.value[:0], make([]int64, y.n)...)
	for i := len(y.gone) - 1; i >= 0; i-- {
		v := y.gone[i].v
		lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
		for at := y.gone[i].from; at < y.gone[i].to; at++ {
			row := y.past.row(at)
			sum := row[y.n] // c*v + sum <= 0
			for u, c := range row[:y.n] {
				if u != v {
					sum += c * y.value[u]
				}
			}
			switch c := row[v]; {
			case y.past.equal[at]:
				lo, hi = -sum/c, -sum/c
			case c > 0:
				hi = min(hi, floorDiv(-sum, c))
			default:
				lo = max(lo, -floorDiv(-sum, -c))
			}
		}
		y.value[v] = min(max(0, lo), hi)
	}
	return !slices.ContainsFunc(given, func(l linear) bool { return !y.holds(l) })
}

// combine adds a multiple of a constraint to another one; it reports false if the numbers become too large.
func combine(row []int64, by int64, add []int64) bool {
	if by == 0 {
		return true
	}
	if by > maxFactor || by < -maxFactor {
		return false
	}
	for i, c := range add {
		if c != 0 {
			if row[i] += by * c; row[i] >= maxNumber || row[i] <= -maxNumber {
				return false
			}
		}
	}
	return true
}

// normalise divides a constraint by what its coefficients have in common. It says whether it holds always or never.
func normalise(row []int64, equal bool) answer {
	last := len(row) - 1
	g, k := int64(0), row[last]
	for _, c := range row[:last] {
		if c == 1 || c == -1 {
			return unknown
		}
		for c != 0 {
			g, c = c, g%c
		}
	}
	g = max(g, -g)
	switch {
	case g == 0 && (equal && k != 0 || !equal && k > 0):
		return unsat
	case g == 0:
		return sat
	case g == 1:
		return unknown
	case equal && k%g != 0:
		return unsat
	}
	for i := range row[:last] {
		row[i] /= g
	}
	row[last] = -floorDiv(-k, g)
	return unknown
}

// unitEquation finds an equation with a variable whose coefficient is 1 or -1.
func (m *matrix) unitEquation() (at, v int) {
	for at, equal := range m.equal {
		if equal {
			for v, c := range m.row(at)[:m.width-1] {
				if c == 1 || c == -1 {
					return at, v
				}
			}
		}
	}
	return -1, 0
}

// cheapest chooses the variable to eliminate, exactly if that is possible, with as few new constraints as possible.
func (m *matrix) cheapest() (best int) {
	least, exact := math.MaxInt, false
	for v := range m.width - 1 {
		uppers, lowers, unitUp, unitLow := 0, 0, true, true
		for at := v; at < len(m.all); at += m.width {
			switch c := m.all[at]; {
			case c > 0:
				uppers++
				unitUp = unitUp && c == 1
			case c < 0:
				lowers++
				unitLow = unitLow && c == -1
			}
		}
		if uppers+lowers == 0 {
			continue
		}
		cost, whole := uppers*lowers-uppers-lowers, unitUp || unitLow || uppers == 0 || lowers == 0
		if whole && !exact || whole == exact && cost < least {
			best, least, exact = v, cost, whole
		}
	}
	return best
}
