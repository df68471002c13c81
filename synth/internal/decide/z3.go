//go:build cgo && !noz3

package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"

	"github.com/aclements/go-z3/z3"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error { return nil }

// SolverName is what constraint files call the solver: "z3 4.8.12".
func SolverName() string { return "z3 " + z3Version() }

// keyboardInterrupt is Z3's reason for not knowing when it has caught SIGINT.
const keyboardInterrupt = "interrupted from keyboard"

// contextLife is how many questions one context serves, and contextsKept how many contexts are left to the garbage
// collector before it is called: their memory is invisible to Go.
const (
	contextLife  = 4000
	contextsKept = 16
)

// A z3Solver answers for one goroutine, in two rooms: one for the linear questions of all tables, and one for the other
// questions of one table: whether those are decided within the budget may depend on what a context has been used for.
type z3Solver struct {
	undecided int    // questions that took all their units
	dump      Dump   // may be nil
	caught    func() // an interrupt from the keyboard; may be nil
	asked     int
	sharing   bool
	left      int // contexts given up since the garbage collector was called
	common    room
	own       room
	*room     // the one in use
}

// A room is a context with one solver. What the solver has been told of a table is a stack: first the facts, then a
// level for each literal of the last cube, as the next cube of an exploration has the same literals but for the last.
type room struct {
	rlimit uint
	uses   int
	ctx    *z3.Context // nil: none yet
	sol    *z3.Solver
	sort   z3.Sort
	arity  map[string]z3.FuncDecl

	t        *term.Table // the values below belong to
	val      []z3.Int
	made     []bool
	meaning  []z3.Bool // what must be asserted about val, by symbol
	has      []bool
	literals map[term.Literal]z3.Bool
	levels   []level
	told     []term.SymID // the symbols that the solver knows the meaning of
	place    []int        // by symbol: its place there, counted from 1
	facts    int          // facts of the table that it knows
	// A room for questions that are not linear keeps every term that it has made, also parts of others and those of
	// tables that it is not asked about any more. The garbage collector would release them at some time; how often a
	// term is held decides what the solver remembers of it, and so how many units a question takes.
	keeps bool
	kept  []any
}

// A level is what the solver was told together: a literal, unless it is the first, and what was new to it with that.
type level struct {
	lit         term.Literal
	told, facts int // of the room, before
}

// newSolver makes a solver that may take so many units for a question that is not linear.
func newSolver(rlimit uint, heard Dump, caught func()) (solver, error) {
	return &z3Solver{
		common: room{rlimit: linearRLimit}, own: room{rlimit: rlimit, keeps: true}, dump: heard, caught: caught,
	}, nil
}

// open prepares a context and a solver for a question about a table. Linear questions are decided whatever the context
// has been used for before. Whether others are may depend on that, so those of a table, or of the tables that share
// one, have a context of their own, and the answers depend on these tables only.
func (z *z3Solver) open(t *term.Table, linear bool) {
	if z.room = &z.common; !linear {
		z.room = &z.own
	}
	if z.uses++; z.ctx == nil || z.uses > contextLife || !linear && !z.sharing && z.t != t {
		z.leave(z.room)
		config := z3.NewContextConfig()
		config.SetUint("rlimit", z.rlimit)
		z.ctx = z3.NewContext(config)
		z.sol = z3.NewSolver(z.ctx)
		z.sort = z.ctx.IntSort()
		z.arity = map[string]z3.FuncDecl{}
		z.uses, z.t = 0, nil
	}
	if z.t != t {
		if z.t != nil {
			z.pop(0)
		}
		keep(z.room, z.val)
		keep(z.room, z.meaning)
		keep(z.room, z.literals)
		z.t, z.val, z.made, z.meaning, z.has, z.place = t, nil, nil, nil, nil, nil
		z.literals = map[term.Literal]z3.Bool{}
	}
	for len(z.val) < len(t.Syms) {
		z.val, z.made = append(z.val, z3.Int{}), append(z.made, false)
		z.meaning, z.has = append(z.meaning, z3.Bool{}), append(z.has, false)
		z.place = append(z.place, 0)
	}
	if !linear { // how far the solver comes in such a question depends on how it was told
		z.pop(0)
	} else if len(z.levels) == 0 {
		z.push(term.Literal{}, func() {})
	}
}

// share begins or ends a piece of work whose tables share the context of questions that are not linear.
func (z *z3Solver) share(begin bool) {
	z.sharing = begin
	z.leave(&z.own)
}

// leave gives up the context of a room, if it has one, and calls the garbage collector when that has to be.
func (z *z3Solver) leave(r *room) {
	if r.ctx == nil {
		return
	}
	r.discard()
	if z.left++; r.uses > contextLife || z.left >= contextsKept {
		runtime.GC()
		z.left = 0
	}
}

// discard gives up the context. A solver that was interrupted does not recover reliably.
func (z *room) discard() {
	*z = room{rlimit: z.rlimit, keeps: z.keeps, uses: z.uses}
}

// push adds a level with what a function asserts.
func (z *room) push(l term.Literal, say func()) {
	z.levels = append(z.levels, level{l, len(z.told), z.facts})
	before := len(z.told)
	z.sol.Push()
	say()
	for ; z.facts < len(z.t.Facts); z.facts++ {
		z.assert(z.literal(z.t.Facts[z.facts]))
		z.mention(z.t.Dirs[z.t.Facts[z.facts].Dir].Terms)
	}
	for _, c := range z.t.KeyClauses(z.told) {
		if z.place[c.A] > before || z.place[c.B] > before {
			z.assert(z.clause(c))
			z.mention(c.Key.Terms)
			z.mention([]term.Term{{S: z.t.Syms[c.A].Size, C: 1}})
		}
	}
	for _, id := range z.told[before:] {
		if z.symbol(id); z.has[id] {
			z.sol.Assert(z.meaning[id])
		}
	}
}

// pop goes back to so many levels.
func (z *room) pop(levels int) {
	for len(z.levels) > levels {
		last := z.levels[len(z.levels)-1]
		z.levels = z.levels[:len(z.levels)-1]
		for _, id := range z.told[last.told:] {
			z.place[id] = 0
		}
		z.told, z.facts = z.told[:last.told], last.facts
		z.sol.Pop()
	}
}

// mention notes the symbols of some terms, and what they are made of, as told.
func (z *room) mention(terms []term.Term) {
	for _, x := range terms {
		if z.place[x.S] > 0 {
			continue
		}
		for _, f := range z.t.Syms[x.S].Idx {
			z.mention(f.Terms)
		}
		z.told = append(z.told, x.S)
		z.place[x.S] = len(z.told)
	}
}

func (z *room) assert(b z3.Bool) { z.sol.Assert(keep(z, b)) }

// keep keeps terms where the room does that.
func keep[T any](z *room, terms T) T {
	if z.keeps {
		z.kept = append(z.kept, terms)
	}
	return terms
}

// nary applies an operation of the binding that takes any number of arguments. Those operations, and what is made of
// them (NE of Distinct), copy the pointers to the solver's terms before they call it and do not keep the arguments
// alive meanwhile; a garbage collection in between would release them. So they are never called in another way.
func nary[T any](z *room, operation func(T, ...T) T, args ...T) T {
	result := operation(args[0], args[1:]...)
	runtime.KeepAlive(args)
	keep(z, args)
	return keep(z, result)
}

func (z *room) number(k int64) z3.Int { return keep(z, z.ctx.FromInt(k, z.sort).(z3.Int)) }

// power is 2^n.
func (z *room) power(n int) z3.Int {
	return keep(z, z.ctx.FromBigInt(new(big.Int).Lsh(big.NewInt(1), uint(n)), z.sort).(z3.Int))
}

func (z *room) form(f term.Form) z3.Int {
	var sum []z3.Int
	for _, x := range f.Terms {
		v := z.symbol(x.S)
		if x.C != 1 {
			v = nary(z, z3.Int.Mul, z.number(x.C), v)
		}
		sum = append(sum, v)
	}
	if f.K != 0 || len(sum) == 0 {
		sum = append(sum, z.number(f.K))
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return nary(z, z3.Int.Add, sum...)
}

// symbol encodes a symbol.
func (z *room) symbol(id term.SymID) z3.Int {
	if z.made[id] {
		return z.val[id]
	}
	s := &z.t.Syms[id]
	var args []z3.Int
	for _, f := range s.Idx {
		args = append(args, z.form(f))
	}
	var v z3.Int
	switch {
	case s.Kind == term.MulSym:
		v = nary(z, z3.Int.Mul, args[0], args[1])
	case (s.Kind == term.DivSym || s.Kind == term.ModSym) && s.Idx[1].Constant() && s.Idx[1].K > 0:
		return z.quotient(id, args[0], s.Idx[1].K)
	case s.Kind == term.DivSym || s.Kind == term.ModSym:
		a, b := args[0], args[1]
		zero := z.number(0)
		// Z3's quotient leaves a remainder >= 0; ours truncates, which is the same for a >= 0.
		minus := keep(z, a.Neg())
		below := keep(z, minus.Div(b))
		q := keep(z, a.GE(zero)).IfThenElse(keep(z, a.Div(b)), keep(z, below.Neg())).(z3.Int)
		if v = keep(z, q); s.Kind == term.ModSym {
			v = nary(z, z3.Int.Sub, a, nary(z, z3.Int.Mul, q, b))
		}
	case s.Kind == term.WrapSym:
		return z.wrap(id, args[0])
	case s.Kind == term.WordSym && len(s.Idx) > 0:
		// In another table the same name may be that of a variable with more indices, and the solver would refuse it.
		name := fmt.Sprintf("m%d_%s_%d_%d_%d_%d", s.Mem.Slot, s.Mem.V.Name, s.Mem.V.Offset, s.Mem.Off,
			s.Mem.View, len(args))
		decl, ok := z.arity[name]
		if !ok {
			domain := make([]z3.Sort, len(args))
			for i := range domain {
				domain[i] = z.sort
			}
			decl = z.ctx.FuncDecl(name, domain, z.sort)
			z.arity[name] = decl
		}
		values := make([]z3.Value, len(args))
		for i, a := range args {
			values[i] = a
		}
		v = decl.Apply(values...).(z3.Int)
		runtime.KeepAlive(values) // as in nary
	default:
		v = z.ctx.IntConst(fmt.Sprintf("s%d", id))
	}
	z.val[id], z.made[id] = v, true
	switch {
	case s.Lo != math.MinInt64 && s.Hi != math.MaxInt64:
		z.meaning[id], z.has[id] = nary(z, z3.Bool.And, v.GE(z.number(s.Lo)), v.LE(z.number(s.Hi))), true
	case s.Lo != math.MinInt64:
		z.meaning[id], z.has[id] = v.GE(z.number(s.Lo)), true
	case s.Typ != nil && s.Typ.Kind == step.Sized && s.Kind == term.WordSym && s.Mem.View == term.Direct:
		z.meaning[id], z.has[id] = nary(z, z3.Bool.And, v.GE(z.number(s.Lo)), v.LE(z.number(s.Hi))), true
	}
	return v
}

// quotient encodes the quotient of f by a positive number, or its remainder, as an unknown of which is told what it is.
func (z *room) quotient(id term.SymID, f z3.Int, by int64) z3.Int {
	s := &z.t.Syms[id]
	q, r := z.ctx.IntConst(fmt.Sprintf("s%d", id)), z.ctx.IntConst(fmt.Sprintf("r%d", id))
	v := q
	if s.Kind == term.ModSym {
		q, r, v = r, q, q
	}
	zero, whole := z.number(0), nary(z, z3.Int.Mul, z.number(by), q)
	facts := []z3.Bool{f.Eq(nary(z, z3.Int.Add, whole, r)), r.LT(z.number(by))}
	if a := s.Idx[0]; len(a.Terms) == 1 && a.Terms[0].C > 0 && a.K >= 0 && z.t.Syms[a.Terms[0].S].Lo >= 0 {
		facts = append(facts, r.GE(zero))
	} else {
		facts = append(facts, r.GT(z.number(-by)), nary(z, z3.Bool.Or, f.LT(zero), r.GE(zero)),
			nary(z, z3.Bool.Or, f.GT(zero), r.LE(zero)))
	}
	z.val[id], z.made[id], z.meaning[id], z.has[id] = v, true, nary(z, z3.Bool.And, facts...), true
	return v
}

// wrap encodes a symbol that stands for f as a value of its Sized type. Of few bits it is f and a multiple of 2^bits.
// Multiples of large powers take the solver long: there it is a function of f, equal to f within the range of the type.
// Beyond, the solver knows only that equal forms have equal values; so what it refutes is impossible, and a condition
// may have to say more than it would.
func (z *room) wrap(id term.SymID, f z3.Int) z3.Int {
	s := &z.t.Syms[id]
	lo, hi := s.Typ.Bounds()
	if s.Typ.Bits > 16 {
		name := fmt.Sprintf("wrap%d", s.Mem.Off)
		decl, ok := z.arity[name]
		if !ok {
			decl = z.ctx.FuncDecl(name, []z3.Sort{z.sort}, z.sort)
			z.arity[name] = decl
		}
		v := decl.Apply(f).(z3.Int)
		runtime.KeepAlive(f)
		z.val[id], z.made[id], z.has[id] = v, true, true
		low, high := z.number(lo), z.number(hi)
		z.meaning[id] = nary(z, z3.Bool.And, v.GE(low), v.LE(high), nary(z, z3.Bool.Or, f.LT(low), f.GT(high), v.Eq(f)))
		return v
	}
	v, q := z.ctx.IntConst(fmt.Sprintf("s%d", id)), z.ctx.IntConst(fmt.Sprintf("q%d", id))
	whole := nary(z, z3.Int.Mul, z.power(s.Typ.Bits), q)
	facts := []z3.Bool{v.Eq(nary(z, z3.Int.Add, f, whole)), v.GE(z.number(lo)), v.LE(z.number(hi))}
	if most, known := z.t.Turns(s); known {
		facts = append(facts, q.GE(z.number(-most)), q.LE(z.number(most)))
	}
	z.val[id], z.made[id], z.meaning[id], z.has[id] = v, true, nary(z, z3.Bool.And, facts...), true
	return v
}

func (z *room) literal(l term.Literal) z3.Bool {
	if b, ok := z.literals[l]; ok {
		return b
	}
	d := z.form(term.Form{Terms: z.t.Dirs[l.Dir].Terms})
	k := z.number(l.K)
	var b z3.Bool
	if l.Rel == term.EqRel {
		b = d.Eq(k)
	} else {
		b = d.LE(k)
	}
	if l.Neg {
		b = keep(z, b).Not()
	}
	z.literals[l] = b
	return b
}

func (z *room) clause(c term.Clause) z3.Bool {
	not := func(id term.SymID, k int64) z3.Bool { return keep(z, z.symbol(id).Eq(z.number(k))).Not() }
	return nary(z, z3.Bool.Or, not(c.A, c.Count), not(c.B, c.Count), not(z.t.Syms[c.A].Size, c.Size),
		z.form(c.Key).Eq(z.number(0)))
}

func (z *room) conjunction(lits []term.Literal) z3.Bool {
	if len(lits) == 0 {
		return z.ctx.FromBool(true)
	}
	var all []z3.Bool
	for _, l := range lits {
		z.mention(z.t.Dirs[l.Dir].Terms)
		all = append(all, z.literal(l))
	}
	return nary(z, z3.Bool.And, all...)
}

func (z *room) disjunction(lits []term.Literal) z3.Bool {
	if len(lits) == 0 {
		return z.ctx.FromBool(false)
	}
	var all []z3.Bool
	for _, l := range lits {
		z.mention(z.t.Dirs[l.Dir].Terms)
		all = append(all, z.literal(l))
	}
	return nary(z, z3.Bool.Or, all...)
}

func (z *room) normal(nf term.NormalForm) z3.Bool {
	var all []z3.Bool
	for _, t := range nf.Terms {
		if nf.Clauses {
			all = append(all, z.disjunction(t))
		} else {
			all = append(all, z.conjunction(t))
		}
	}
	switch {
	case len(all) == 0:
		return z.ctx.FromBool(nf.Clauses)
	case nf.Clauses:
		return nary(z, z3.Bool.And, all...)
	}
	return nary(z, z3.Bool.Or, all...)
}

func (z *z3Solver) cube(ctx context.Context, t *term.Table, lits []term.Literal) Answer {
	linear := t.Linear(lits)
	return z.ask(ctx, t, linear, func() {
		if !linear {
			z.push(term.Literal{Dir: -1}, func() { z.assert(z.conjunction(lits)) })
			return
		}
		same := 0
		for same < len(lits) && same+1 < len(z.levels) && z.levels[same+1].lit == lits[same] {
			same++
		}
		z.pop(same + 1)
		for _, l := range lits[same:] {
			z.push(l, func() {
				z.assert(z.literal(l))
				z.mention(t.Dirs[l.Dir].Terms)
			})
		}
	})
}

func (z *z3Solver) meet(ctx context.Context, t *term.Table, cubes [][]term.Literal, nf term.NormalForm,
	negate bool) Answer {
	if len(cubes) == 0 {
		return Unsat
	}
	all := slices.Concat(slices.Concat(cubes...), slices.Concat(nf.Terms...))
	return z.ask(ctx, t, t.Linear(all), func() {
		z.pop(min(len(z.levels), 1))
		z.push(term.Literal{Dir: -1}, func() { // the next cube begins otherwise
			f := z.normal(nf)
			if negate {
				f = keep(z.room, f).Not()
			}
			z.assert(nary(z.room, z3.Bool.And, f, z.normal(term.NormalForm{Terms: cubes})))
		})
	})
}

// ask checks what the solver has been told. Should the context end meanwhile, the solver is interrupted and thrown
// away.
func (z *z3Solver) ask(ctx context.Context, t *term.Table, linear bool, tell func()) (got Answer) {
	defer func() { // the binding reports errors of the solver as panics
		if p := recover(); p != nil {
			if why, ours := p.(unsupported.Reason); ours {
				z.pop(0) // the last level may not be whole
				panic(why)
			}
			if z.room != nil {
				z.discard()
			}
			got = Unknown
		}
	}()
	z.open(t, linear)
	stop := context.AfterFunc(ctx, z.ctx.Interrupt)
	defer func() {
		if stop() {
			return
		}
		z.discard()
		got = Unknown
	}()
	tell()
	switch r := z.check(ctx); {
	case r.err == errAbandoned:
		return Unknown // the solver is thrown away with the context, see above
	case r.err != nil:
		got = Unknown
		switch {
		case r.err.Error() != keyboardInterrupt:
			z.undecided++
		case z.caught != nil:
			z.caught()
		}
	case r.yes:
		got = Sat
	default:
		got = Unsat
	}
	if z.asked++; z.dump != nil {
		z.dump(z.asked, t, z.told, z.sol.String()+"(check-sat)\n", got)
	}
	return got
}

func (z *z3Solver) givenUp() int { return z.undecided }

// A reply is what the solver says, or what it panics with.
type reply struct {
	yes      bool
	err      error
	panicked any
}

var errAbandoned = errors.New("abandoned")

// check asks the solver. When the context ends the answer is not waited for: there are questions, about large powers,
// that Z3 does not leave when it is told to.
func (z *z3Solver) check(ctx context.Context) (r reply) {
	done, sol := make(chan reply, 1), z.sol
	go func() {
		var r reply
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.yes, r.err = sol.Check()
	}()
	select {
	case r = <-done:
	case <-ctx.Done():
		return reply{err: errAbandoned}
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r
}
