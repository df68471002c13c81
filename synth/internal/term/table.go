package term

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

// A Table interns symbols and directions for one question.
type Table struct {
	Actors []*Actor // the processes of the question, by slot
	Known  Known    // may be nil
	Syms   []Symbol
	Words  map[WordKey]SymID
	last   [16]lastWord // of words, those that were asked for last
	others map[string]SymID
	Dirs   []Direction
	dirOf  map[string]int
	Facts  []Literal           // hold in every state: relations between selves
	Enough map[*step.Pool]bool // pools that always have an identity left
	Lives  bool                // conditions may ask how far processes are, where the steps do not
	About  string              // what the questions are asked for, for people
	buf    []byte
}

// Known is what is known of the unknown state of a question, beyond types: facts that hold in every reachable state. It
// comes to the table when the question is built.
type Known interface {
	Confine(s *Symbol)                            // narrows the bounds of a symbol that is about to be added
	Relate(id SymID)                              // adds what holds between a new symbol and others
	Within(f Form, r span.Span) bool              // reports whether a form lies in a range in every reachable state
	Use(f Form)                                   // notes that the bounds of symbols have settled something
	UseAround(lits []Literal, dir int)            // the same of everything that literals connect with a direction
	Named(lits []Literal) []Literal               // adds literals that name the words which facts are about
	Written(key MemKey, v Form) (span.Span, bool) // the range of a word after a step, if it may not hold the value
	Keys(p Place) span.Span                       // the range of the keys of a collection
	Assumed() bool                                // reports whether questions are about reachable states only
}

// Within reports whether a form lies in a range in every reachable state.
func (t *Table) Within(f Form, r span.Span) bool {
	return t.Known != nil && !f.Constant() && t.Known.Within(f, r)
}

// Use notes that what is known about the symbols of a form has settled something.
func (t *Table) Use(f Form) {
	if t.Known != nil {
		t.Known.Use(f)
	}
}

// Assumed reports whether the question is about reachable states only.
func (t *Table) Assumed() bool { return t.Known != nil && t.Known.Assumed() }

// An Actor is a process of a question: some instance of a template, different from the other actors.
type Actor struct {
	Tmpl  *step.Template
	Procs []*step.Proc // the instances it may be
	At    *step.Step   // where it stands; nil if that does not matter
}

type WordKey struct {
	Mem  MemKey
	A, B int64
}

// A lastWord is a word with its form.
type lastWord struct {
	key   WordKey
	terms []Term
}

// A Direction is the variable part of an atom: coprime coefficients, the first one positive.
type Direction struct {
	Terms  []Term
	Lo, Hi int64     // bounds that hold in every state
	Typed  span.Span // those that follow from the types alone
}

func NewTable(actors ...*Actor) *Table {
	return &Table{Actors: actors, Words: map[WordKey]SymID{}, others: map[string]SymID{}, dirOf: map[string]int{}}
}

// Word is the symbol of a word of the unknown state.
func (t *Table) Word(mem MemKey, idx []Form, typ *step.Type) Form {
	simple, key := len(idx) <= 2, WordKey{Mem: mem, A: -1, B: -1}
	for i, f := range idx {
		if !f.Constant() {
			simple = false
		}
		if i == 0 {
			key.A = f.K
		} else {
			key.B = f.K
		}
	}
	if simple {
		last := &t.last[uint(mem.V.Offset+mem.Off+3*mem.Slot+int(key.A)+5*int(key.B))%uint(len(t.last))]
		if last.terms != nil && last.key == key {
			return Form{Terms: last.terms}
		}
		id, ok := t.Words[key]
		if !ok {
			id = t.add(Symbol{Kind: WordSym, Mem: mem, Idx: idx, Typ: typ})
			t.Words[key] = id
		}
		last.key, last.terms = key, []Term{{id, 1}}
		return Form{Terms: last.terms}
	}
	return t.Other(Symbol{Kind: WordSym, Mem: mem, Idx: idx, Typ: typ})
}

// Initial is the value of a word in the unknown state: a number if that is known.
func (t *Table) Initial(p Place) Form {
	if p.Slot != Shared && len(p.Idx) == 0 && !reachable.Assigns(t.Actors[p.Slot].Tmpl, p.V) {
		if v, same := t.Actors[p.Slot].parameter(p.V.Offset + p.Off); same {
			return Constant(v)
		}
	}
	f := t.Word(p.Key(), p.Idx, p.Typ)
	if s := &t.Syms[f.Terms[0].S]; s.Lo == s.Hi {
		t.Use(f)
		return Constant(s.Lo)
	}
	return f
}

// parameter is the value of a local that is never assigned, if all instances agree on it.
func (a *Actor) parameter(word int) (v int64, same bool) {
	v = a.Procs[0].Init[word]
	return v, !slices.ContainsFunc(a.Procs, func(p *step.Proc) bool { return p.Init[word] != v })
}

// Other is a symbol that is not a simple word.
func (t *Table) Other(s Symbol) Form {
	b := append(t.buf[:0], byte(s.Kind), byte(s.Mem.Slot+1), byte(s.Mem.View))
	if s.Mem.V != nil {
		b = binary.AppendVarint(b, int64(s.Mem.V.Offset))
		b = append(b, s.Mem.V.Name...)
	}
	b = binary.AppendVarint(b, int64(s.Mem.Off))
	for _, f := range s.Idx {
		b = appendForm(b, f)
	}
	t.buf = b
	id, ok := t.others[string(b)]
	if !ok {
		key := string(b) // others may be made meanwhile
		id = t.add(s)
		t.others[key] = id
	}
	return One(id)
}

func (t *Table) add(s Symbol) SymID {
	s.Lo, s.Hi = math.MinInt64, math.MaxInt64
	switch s.Kind {
	case WordSym:
		if s.Mem.V.Life {
			s.Lo, s.Hi = 0, step.EndedLife
			break
		}
		switch s.Typ.Kind {
		case step.Bool:
			s.Lo, s.Hi = 0, 1
		case step.Range:
			s.Lo, s.Hi = s.Typ.Lo, s.Typ.Hi
		case step.Enum:
			s.Lo, s.Hi = 0, int64(len(s.Typ.Names)-1)
		case step.Mutex:
			s.Lo = 0
		case step.Sized:
			s.Lo, s.Hi = s.Typ.Bounds()
		case step.List, step.Queue, step.Set, step.Bag, step.Map: // the size word
			s.Lo, s.Hi = 0, int64(s.Typ.Len)
		}
	case ChoiceSym:
		s.Lo = 0
	case IdentitySym, LeftSym:
		s.Lo, s.Hi = s.Typ.Lo, s.Typ.Hi
	case WrapSym:
		s.Lo, s.Hi = s.Typ.Bounds()
	case SelfSym, MeSym:
		s.Lo, s.Hi = math.MaxInt64, math.MinInt64
		for _, p := range t.Actors[s.Mem.Slot].Procs {
			v := p.Self
			if s.Kind == MeSym {
				v = int64(p.Index) + 1
			}
			s.Lo, s.Hi = min(s.Lo, v), max(s.Hi, v)
		}
	}
	s.typed = span.Between(s.Lo, s.Hi)
	if t.Known != nil {
		t.Known.Confine(&s)
	}
	t.Syms = append(t.Syms, s)
	id := SymID(len(t.Syms) - 1)
	if t.Known != nil {
		t.Known.Relate(id)
	}
	if s.Mem.View == Keyed {
		t.relateCount(id)
	}
	return id
}

// Self is the instance number (or with me, the mutex value) of the process in a slot.
func (t *Table) Self(slot int, kind SymKind) Form {
	a := t.Actors[slot]
	value := func(p *step.Proc) int64 {
		if kind == MeSym {
			return int64(p.Index) + 1
		}
		return p.Self
	}
	if len(a.Procs) == 1 {
		return Constant(value(a.Procs[0]))
	}
	key := WordKey{Mem: MemKey{Slot: slot, Off: -int(kind)}}
	if id, ok := t.Words[key]; ok {
		return One(id)
	}
	id := t.add(Symbol{Kind: kind, Mem: MemKey{Slot: slot}, Typ: step.IntType})
	t.Words[key] = id
	f := One(id)
	if !Contiguous(a) && kind == MeSym {
		panic(unsupported.Reason("the instances of a thread are not numbered in a row"))
	}
	for i := range t.Syms { // two processes of one template differ, and the two numbers of a process go together
		s := &t.Syms[i]
		if SymID(i) == id || s.Kind != SelfSym && s.Kind != MeSym {
			continue
		}
		d := f.Minus(One(SymID(i)))
		switch {
		case s.Kind == kind && t.Actors[s.Mem.Slot].Tmpl == a.Tmpl:
			t.Facts = append(t.Facts, t.Atom(d, EqRel).Not())
		case s.Kind != kind && s.Mem.Slot == slot && Contiguous(a):
			shift := int64(a.Procs[0].Index) + 1 - a.Procs[0].Self
			if kind == SelfSym {
				shift = -shift
			}
			t.Facts = append(t.Facts, t.Atom(d.Minus(Constant(shift)), EqRel))
		}
	}
	return f
}

// Choice is the alternative that the process in a slot takes.
func (t *Table) Choice(slot int) Form {
	key := WordKey{Mem: MemKey{Slot: slot, Off: -int(ChoiceSym)}}
	id, ok := t.Words[key]
	if !ok {
		id = t.add(Symbol{Kind: ChoiceSym, Mem: MemKey{Slot: slot}, Typ: step.IntType})
		t.Words[key] = id
	}
	return One(id)
}

func Contiguous(a *Actor) bool {
	for _, p := range a.Procs {
		if int64(p.Index)-p.Self != int64(a.Procs[0].Index)-a.Procs[0].Self {
			return false
		}
	}
	return true
}

// Direction interns the terms of a form and returns the factor that the form has over the direction.
func (t *Table) Direction(terms []Term) (dir int, factor int64) {
	g := int64(0)
	for _, x := range terms {
		a, b := g, x.C
		for b != 0 {
			a, b = b, a%b
		}
		g = max(a, -a)
	}
	if terms[0].C < 0 {
		g = -g
	}
	d := terms
	if g != 1 {
		d = make([]Term, len(terms))
		for i, x := range terms {
			d[i] = Term{x.S, x.C / g}
		}
	}
	b := t.buf[:0]
	for _, x := range d {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(x.S)), x.C)
	}
	t.buf = b
	if id, ok := t.dirOf[string(b)]; ok {
		return id, g
	}
	nd := Direction{Terms: d, Lo: math.MinInt64, Hi: math.MaxInt64, Typed: span.Any}
	if len(d) == 1 {
		nd.Lo, nd.Hi, nd.Typed = t.Syms[d[0].S].Lo, t.Syms[d[0].S].Hi, t.Syms[d[0].S].typed
	}
	t.Dirs = append(t.Dirs, nd)
	t.dirOf[string(b)] = len(t.Dirs) - 1
	return len(t.Dirs) - 1, g
}

// Atom is the literal of f == 0 or f <= 0, for a form that is not constant. An equation without integer solutions
// becomes one with a value out of reach, which always/never callers have ruled out.
func (t *Table) Atom(f Form, rel Relation) Literal {
	dir, g := t.Direction(f.Terms)
	if rel == EqRel {
		return Literal{Dir: dir, Rel: EqRel, K: -f.K / g}
	}
	if g > 0 { // g*d + k <= 0: d <= floor(-k/g)
		return Literal{Dir: dir, Rel: LeRel, K: floorDiv(-f.K, g)}
	}
	// d >= ceil(k/-g) = -floor(-k/-g): not d <= that - 1
	return Literal{Dir: dir, Rel: LeRel, Neg: true, K: -floorDiv(-f.K, -g) - 1}
}

// Bounded is an equation with the least or the greatest value of a direction as the inequality that it is; of others
// there is none.
func (t *Table) Bounded(l Literal) Literal {
	switch d := &t.Dirs[l.Dir]; {
	case l.Rel != EqRel:
	case l.K == d.Lo:
		return Literal{Dir: l.Dir, Rel: LeRel, Neg: l.Neg, K: l.K}
	case l.K == d.Hi:
		return Literal{Dir: l.Dir, Rel: LeRel, Neg: !l.Neg, K: l.K - 1}
	}
	return l
}

// Asking notes what the questions about a table are asked for.
func (t *Table) Asking(what string, steps ...*step.Step) *Table {
	t.About = what
	for i, s := range steps {
		t.About += fmt.Sprintf(" %s:%s", SlotNames[i], s.Name())
	}
	return t
}

// SlotNames are the names of the processes of a question.
var SlotNames = []string{"p", "q", "r"}
