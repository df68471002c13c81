package synth

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/unsupported"
)

// A symID names a symbol of a table.
type symID int32

type symKind uint8

const (
	wordSym     symKind = iota // a word of the unknown state; idx tells which element of the variable
	selfSym                    // the instance number of a process
	meSym                      // the mutex value of a process
	mulSym                     // product of idx[0] and idx[1]
	divSym                     // quotient of idx[0] by idx[1], truncated
	modSym                     // its remainder
	choiceSym                  // the alternative that a process takes in its step
	identitySym                // the identity of a process that it starts, mem.off says the how manieth
	leftSym                    // whether there is an identity left for that
	wrapSym                    // idx[0] as a value of the Sized typ, see wrap.go; mem.off tells the types apart
)

// shared is the slot of shared variables; slots 0, 1, 2 are processes.
const shared = -1

// A memKey is a family of words: those of one variable that differ in indices only. off is the distance of the word
// from the beginning of the variable when all indices are zero.
type memKey struct {
	slot int
	v    *step.Var
	off  int
	view view
}

// A symbol is an unknown integer.
type symbol struct {
	kind   symKind
	mem    memKey
	idx    []form
	typ    *step.Type
	lo, hi int64      // bounds; math.MinInt64 and math.MaxInt64 mean none
	typed  span.Span  // the bounds that follow from the type alone
	size   symID      // how often a key is in a collection: the size of that
	pool   *step.Pool // of an identity
	wide   bool       // the ranges of variables narrow the bounds
}

type term struct {
	s symID
	c int64
}

// A form is a linear form: terms sorted by symbol, plus k. name is the named constant that k (or a multiple of it)
// comes from, if any.
type form struct {
	terms []term
	k     int64
	name  *step.Expr
}

func constant(k int64) form { return form{k: k} }

// one is the form of a symbol.
func one(s symID) form { return form{terms: []term{{s, 1}}} }

func (f form) constant() bool { return len(f.terms) == 0 }

func mulSafe(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if c/b != a || c == math.MinInt64 {
		panic(unsupported.Reason("the numbers are too large"))
	}
	return c
}

func addSafe(a, b int64) int64 {
	c := a + b
	if (c > a) != (b > 0) && b != 0 || c == math.MinInt64 {
		panic(unsupported.Reason("the numbers are too large"))
	}
	return c
}

// plus is f + c*g.
func (f form) plus(c int64, g form) form {
	if c == 0 {
		return f
	}
	r := form{k: addSafe(f.k, mulSafe(c, g.k))}
	switch {
	case g.k == 0 && g.name == nil:
		r.name = f.name
	case f.k == 0 && f.name == nil:
		r.name = g.name
	case f.name != nil && g.name != nil && f.name.Name == g.name.Name: // 2 * AMOUNT
		r.name = f.name
	}
	switch {
	case len(g.terms) == 0:
		r.terms = f.terms
		return r
	case len(f.terms) == 0 && c == 1:
		r.terms = g.terms
		return r
	}
	r.terms = make([]term, 0, len(f.terms)+len(g.terms))
	i, j := 0, 0
	for i < len(f.terms) || j < len(g.terms) {
		switch {
		case j == len(g.terms) || i < len(f.terms) && f.terms[i].s < g.terms[j].s:
			r.terms = append(r.terms, f.terms[i])
			i++
		case i == len(f.terms) || g.terms[j].s < f.terms[i].s:
			r.terms = append(r.terms, term{g.terms[j].s, mulSafe(c, g.terms[j].c)})
			j++
		default:
			if sum := addSafe(f.terms[i].c, mulSafe(c, g.terms[j].c)); sum != 0 {
				r.terms = append(r.terms, term{f.terms[i].s, sum})
			}
			i, j = i+1, j+1
		}
	}
	return r
}

func (f form) minus(g form) form { return f.plus(-1, g) }

func (f form) equal(g form) bool { return f.k == g.k && slices.Equal(f.terms, g.terms) }

// A table interns symbols and directions for one question.
type table struct {
	actors []*actor // the processes of the question, by slot
	known  known    // may be nil
	syms   []symbol
	words  map[wordKey]symID
	last   [16]lastWord // of words, those that were asked for last
	others map[string]symID
	dirs   []direction
	dirOf  map[string]int
	facts  []literal           // hold in every state: relations between selves
	enough map[*step.Pool]bool // pools that always have an identity left
	lives  bool                // conditions may ask how far processes are, where the steps do not
	about  string              // what the questions are asked for, for people
	buf    []byte
}

// What is known of the unknown state of a question, beyond types: facts that hold in every reachable state. It comes to
// the table when the question is built; nothing else knows where facts are from.
type known interface {
	Confine(s *symbol)                            // narrows the bounds of a symbol that is about to be added
	Relate(id symID)                              // adds what holds between a new symbol and others to the facts of the table
	Within(f form, r span.Span) bool              // reports whether a form lies in a range in every reachable state
	Use(f form)                                   // notes that the bounds of the symbols of a form have settled something
	UseAround(lits []literal, dir int)            // the same of everything that literals connect with a direction
	Named(lits []literal) []literal               // adds literals that name the words which facts are about
	Written(key memKey, v form) (span.Span, bool) // the range of a word after a step, if it may not hold the value
	Assumed() bool                                // reports whether questions are about reachable states only
}

// within reports whether a form lies in a range in every reachable state.
func (t *table) within(f form, r span.Span) bool {
	return t.known != nil && !f.constant() && t.known.Within(f, r)
}

// use notes that what is known about the symbols of a form has settled something.
func (t *table) use(f form) {
	if t.known != nil {
		t.known.Use(f)
	}
}

// assumed reports whether the question is about reachable states only.
func (t *table) assumed() bool { return t.known != nil && t.known.Assumed() }

// An actor is a process of a question: some instance of a template, different from the other actors.
type actor struct {
	tmpl  *step.Template
	procs []*step.Proc // the instances it may be
	at    *step.Step   // where it stands; nil if that does not matter
}

type wordKey struct {
	mem  memKey
	a, b int64
}

// A lastWord is a word with its form.
type lastWord struct {
	key   wordKey
	terms []term
}

// A direction is the variable part of an atom: coprime coefficients, the first one positive.
type direction struct {
	terms  []term
	lo, hi int64     // bounds that hold in every state
	typed  span.Span // those that follow from the types alone
}

func newTable(actors ...*actor) *table {
	return &table{actors: actors, words: map[wordKey]symID{}, others: map[string]symID{}, dirOf: map[string]int{}}
}

// word is the symbol of a word of the unknown state.
func (t *table) word(mem memKey, idx []form, typ *step.Type) form {
	simple, key := len(idx) <= 2, wordKey{mem: mem, a: -1, b: -1}
	for i, f := range idx {
		if !f.constant() {
			simple = false
		}
		if i == 0 {
			key.a = f.k
		} else {
			key.b = f.k
		}
	}
	if simple {
		last := &t.last[uint(mem.v.Offset+mem.off+3*mem.slot+int(key.a)+5*int(key.b))%uint(len(t.last))]
		if last.terms != nil && last.key == key {
			return form{terms: last.terms}
		}
		id, ok := t.words[key]
		if !ok {
			id = t.add(symbol{kind: wordSym, mem: mem, idx: idx, typ: typ})
			t.words[key] = id
		}
		last.key, last.terms = key, []term{{id, 1}}
		return form{terms: last.terms}
	}
	return t.other(symbol{kind: wordSym, mem: mem, idx: idx, typ: typ})
}

// initial is the value of a word in the unknown state: a number if that is known.
func (t *table) initial(p place) form {
	if p.slot != shared && len(p.idx) == 0 && !reachable.Assigns(t.actors[p.slot].tmpl, p.v) {
		if v, same := t.actors[p.slot].parameter(p.v.Offset + p.off); same {
			return constant(v)
		}
	}
	f := t.word(p.key(), p.idx, p.typ)
	if s := &t.syms[f.terms[0].s]; s.lo == s.hi {
		t.use(f)
		return constant(s.lo)
	}
	return f
}

// parameter is the value of a local that is never assigned, if all instances agree on it.
func (a *actor) parameter(word int) (v int64, same bool) {
	v = a.procs[0].Init[word]
	return v, !slices.ContainsFunc(a.procs, func(p *step.Proc) bool { return p.Init[word] != v })
}

// other is a symbol that is not a simple word.
func (t *table) other(s symbol) form {
	b := append(t.buf[:0], byte(s.kind), byte(s.mem.slot+1), byte(s.mem.view))
	if s.mem.v != nil {
		b = binary.AppendVarint(b, int64(s.mem.v.Offset))
		b = append(b, s.mem.v.Name...)
	}
	b = binary.AppendVarint(b, int64(s.mem.off))
	for _, f := range s.idx {
		b = appendForm(b, f)
	}
	t.buf = b
	id, ok := t.others[string(b)]
	if !ok {
		key := string(b) // others may be made meanwhile
		id = t.add(s)
		t.others[key] = id
	}
	return one(id)
}

func appendForm(b []byte, f form) []byte {
	b = binary.AppendVarint(b, int64(len(f.terms)))
	for _, x := range f.terms {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(x.s)), x.c)
	}
	return binary.AppendVarint(b, f.k)
}

func (t *table) add(s symbol) symID {
	s.lo, s.hi = math.MinInt64, math.MaxInt64
	switch s.kind {
	case wordSym:
		if s.mem.v.Life {
			s.lo, s.hi = 0, step.EndedLife
			break
		}
		switch s.typ.Kind {
		case step.Bool:
			s.lo, s.hi = 0, 1
		case step.Range:
			s.lo, s.hi = s.typ.Lo, s.typ.Hi
		case step.Enum:
			s.lo, s.hi = 0, int64(len(s.typ.Names)-1)
		case step.Mutex:
			s.lo = 0
		case step.Sized:
			s.lo, s.hi = s.typ.Bounds()
		case step.List, step.Queue, step.Set, step.Bag, step.Map: // the size word
			s.lo, s.hi = 0, int64(s.typ.Len)
		}
	case choiceSym:
		s.lo = 0
	case identitySym, leftSym:
		s.lo, s.hi = s.typ.Lo, s.typ.Hi
	case wrapSym:
		s.lo, s.hi = s.typ.Bounds()
	case selfSym, meSym:
		s.lo, s.hi = math.MaxInt64, math.MinInt64
		for _, p := range t.actors[s.mem.slot].procs {
			v := p.Self
			if s.kind == meSym {
				v = int64(p.Index) + 1
			}
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
	s.typed = span.Between(s.lo, s.hi)
	if t.known != nil {
		t.known.Confine(&s)
	}
	t.syms = append(t.syms, s)
	id := symID(len(t.syms) - 1)
	if t.known != nil {
		t.known.Relate(id)
	}
	if s.mem.view == keyed {
		t.relateCount(id)
	}
	return id
}

// self is the instance number (or with me, the mutex value) of the process in a slot.
func (t *table) self(slot int, kind symKind) form {
	a := t.actors[slot]
	value := func(p *step.Proc) int64 {
		if kind == meSym {
			return int64(p.Index) + 1
		}
		return p.Self
	}
	if len(a.procs) == 1 {
		return constant(value(a.procs[0]))
	}
	key := wordKey{mem: memKey{slot: slot, off: -int(kind)}}
	if id, ok := t.words[key]; ok {
		return one(id)
	}
	id := t.add(symbol{kind: kind, mem: memKey{slot: slot}, typ: step.IntType})
	t.words[key] = id
	f := one(id)
	if !contiguous(a) && kind == meSym {
		panic(unsupported.Reason("the instances of a thread are not numbered in a row"))
	}
	for i := range t.syms { // two processes of one template differ, and the two numbers of a process go together
		s := &t.syms[i]
		if symID(i) == id || s.kind != selfSym && s.kind != meSym {
			continue
		}
		d := f.minus(one(symID(i)))
		switch {
		case s.kind == kind && t.actors[s.mem.slot].tmpl == a.tmpl:
			t.facts = append(t.facts, t.atom(d, eqRel).not())
		case s.kind != kind && s.mem.slot == slot && contiguous(a):
			shift := int64(a.procs[0].Index) + 1 - a.procs[0].Self
			if kind == selfSym {
				shift = -shift
			}
			t.facts = append(t.facts, t.atom(d.minus(constant(shift)), eqRel))
		}
	}
	return f
}

// choice is the alternative that the process in a slot takes.
func (t *table) choice(slot int) form {
	key := wordKey{mem: memKey{slot: slot, off: -int(choiceSym)}}
	id, ok := t.words[key]
	if !ok {
		id = t.add(symbol{kind: choiceSym, mem: memKey{slot: slot}, typ: step.IntType})
		t.words[key] = id
	}
	return one(id)
}

func contiguous(a *actor) bool {
	for _, p := range a.procs {
		if int64(p.Index)-p.Self != int64(a.procs[0].Index)-a.procs[0].Self {
			return false
		}
	}
	return true
}

// direction interns the terms of a form and returns the factor that the form has over the direction.
func (t *table) direction(terms []term) (dir int, factor int64) {
	g := int64(0)
	for _, x := range terms {
		a, b := g, x.c
		for b != 0 {
			a, b = b, a%b
		}
		g = max(a, -a)
	}
	if terms[0].c < 0 {
		g = -g
	}
	d := terms
	if g != 1 {
		d = make([]term, len(terms))
		for i, x := range terms {
			d[i] = term{x.s, x.c / g}
		}
	}
	b := t.buf[:0]
	for _, x := range d {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(x.s)), x.c)
	}
	t.buf = b
	if id, ok := t.dirOf[string(b)]; ok {
		return id, g
	}
	nd := direction{terms: d, lo: math.MinInt64, hi: math.MaxInt64, typed: span.Any}
	if len(d) == 1 {
		nd.lo, nd.hi, nd.typed = t.syms[d[0].s].lo, t.syms[d[0].s].hi, t.syms[d[0].s].typed
	}
	t.dirs = append(t.dirs, nd)
	t.dirOf[string(b)] = len(t.dirs) - 1
	return len(t.dirs) - 1, g
}

type relation uint8

const (
	eqRel relation = iota // direction == k
	leRel                 // direction <= k
)

// A literal is an atom or its negation.
type literal struct {
	dir int
	rel relation
	neg bool
	k   int64
}

func (l literal) not() literal { l.neg = !l.neg; return l }

// atom is the literal of f == 0 or f <= 0, for a form that is not constant. An equation without integer solutions
// becomes one with a value out of reach, which always/never callers have ruled out.
func (t *table) atom(f form, rel relation) literal {
	dir, g := t.direction(f.terms)
	if rel == eqRel {
		return literal{dir: dir, rel: eqRel, k: -f.k / g}
	}
	if g > 0 { // g*d + k <= 0: d <= floor(-k/g)
		return literal{dir: dir, rel: leRel, k: floorDiv(-f.k, g)}
	}
	// d >= ceil(k/-g) = -floor(-k/-g): not d <= that - 1
	return literal{dir: dir, rel: leRel, neg: true, k: -floorDiv(-f.k, -g) - 1}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// An interval is what is known about the value of a direction: bounds, and single values it does not have.
type interval struct {
	lo, hi int64
	holes  []int64
}

// add narrows the interval by a literal.
func (v *interval) add(l literal) {
	switch {
	case l.rel == leRel && !l.neg:
		v.hi = min(v.hi, l.k)
	case l.rel == leRel:
		v.lo = max(v.lo, l.k+1)
	case !l.neg:
		v.lo, v.hi = max(v.lo, l.k), min(v.hi, l.k)
	default:
		v.holes = append(v.holes[:len(v.holes):len(v.holes)], l.k)
	}
	for moved := true; moved; {
		moved = false
		for _, h := range v.holes {
			if h == v.lo && v.lo <= v.hi {
				v.lo++
				moved = true
			}
			if h == v.hi && v.lo <= v.hi {
				v.hi--
				moved = true
			}
		}
	}
}

// decides tells the truth of a literal if the interval determines it.
func (v *interval) decides(l literal) (truth, known bool) {
	if l.rel == leRel {
		switch {
		case v.hi <= l.k:
			return !l.neg, true
		case v.lo > l.k:
			return l.neg, true
		}
		return false, false
	}
	switch {
	case l.k < v.lo || l.k > v.hi || slices.Contains(v.holes, l.k):
		return l.neg, true
	case v.lo == v.hi:
		return !l.neg, true
	}
	return false, false
}

// asking notes what the questions about a table are asked for.
func (t *table) asking(what string, steps ...*step.Step) *table {
	t.about = what
	for i, s := range steps {
		t.about += fmt.Sprintf(" %s:%s", slotNames[i], s.Name())
	}
	return t
}

// slotNames are the names of the processes of a question.
var slotNames = []string{"p", "q", "r"}
