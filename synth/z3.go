//go:build cgo && !noz3

package synth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"

	"github.com/aclements/go-z3/z3"

	"cdpor/lang/step"
)

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error { return nil }

// solverName says what Version calls the solver: "z3 4.8.12".
func solverName() string { return "z3 " + z3Version() }

// keyboardInterrupt is Z3's reason for not knowing when it has caught SIGINT.
const keyboardInterrupt = "interrupted from keyboard"

// contextLife is how many questions one context serves, and contextsKept how many contexts are left to the garbage
// collector before it is called: their memory is invisible to Go.
const (
	contextLife  = 4000
	contextsKept = 16
)

// A z3Solver answers for one goroutine, in two rooms: one for all tables, and one for a table with questions of which
// it may depend on what a context has been used for whether they are decided within the budget.
type z3Solver struct {
	undecided int // questions that took all their units
	dump      func(number int, question, answer string)
	caught    func() // an interrupt from the keyboard; may be nil
	asked     int
	left      int // contexts given up since the garbage collector was called
	common    room
	own       room // of one table
	*room          // the one in use
}

// A room is a context with one solver used by push and pop.
type room struct {
	rlimit uint
	uses   int
	ctx    *z3.Context // nil: none yet
	sol    *z3.Solver
	sort   z3.Sort
	arity  map[string]z3.FuncDecl

	t     *table // the values below belong to
	val   []z3.Int
	made  []bool
	facts []z3.Bool // what must be asserted about val, by symbol
	has   []bool
	// Questions of an own room are kept: what is released changes the numbers of later terms, and so their order.
	kept []z3.Bool
}

func newSolver(opt Options) (solver, error) {
	return &z3Solver{
		common: room{rlimit: linearRLimit}, own: room{rlimit: opt.rlimit()},
		dump: opt.Dump, caught: opt.Interrupted,
	}, nil
}

// open prepares a context and a solver for questions about a table. Questions about differences are decided whatever
// the context has been used for before, and so are linear ones within the default budget. Whether others are decided
// may depend on that, so a table with such questions gets a context of its own, and the answers depend on the table
// only.
func (z *z3Solver) open(t *table) {
	alone := t.coarse || !t.linear()
	if z.room = &z.common; alone {
		z.room = &z.own
	}
	if z.uses++; z.ctx == nil || z.uses > contextLife || alone && z.t != t {
		if z.ctx != nil {
			z.ctx, z.sol, z.t, z.kept = nil, nil, nil, nil
			if z.left++; z.uses > contextLife || z.left >= contextsKept {
				runtime.GC()
				z.left = 0
			}
		}
		config := z3.NewContextConfig()
		config.SetUint("rlimit", z.rlimit)
		z.ctx = z3.NewContext(config)
		z.sol = z3.NewSolver(z.ctx)
		z.sort = z.ctx.IntSort()
		z.arity = map[string]z3.FuncDecl{}
		z.uses, z.t = 0, nil
	}
	if z.t != t {
		z.t, z.val, z.made, z.facts, z.has = t, nil, nil, nil, nil
	}
	for len(z.val) < len(t.syms) {
		z.val, z.made = append(z.val, z3.Int{}), append(z.made, false)
		z.facts, z.has = append(z.facts, z3.Bool{}), append(z.has, false)
	}
}

// linear tells whether no question of a table so far is about products of unknowns, or divides by one.
func (t *table) linear() bool {
	for ; t.looked < len(t.syms); t.looked++ {
		s := &t.syms[t.looked]
		if s.kind == mulSym || (s.kind == divSym || s.kind == modSym) && !s.idx[1].constant() {
			return false
		}
	}
	return true
}

// nary applies an operation of the binding that takes any number of arguments. Those operations, and what is made of
// them (NE of Distinct), copy the pointers to the solver's terms before they call it and do not keep the arguments
// alive meanwhile; a garbage collection in between would release them. So they are never called in another way.
func nary[T any](operation func(T, ...T) T, args ...T) T {
	result := operation(args[0], args[1:]...)
	runtime.KeepAlive(args)
	return result
}

func (z *z3Solver) number(k int64) z3.Int { return z.ctx.FromInt(k, z.sort).(z3.Int) }

// power is 2^n.
func (z *z3Solver) power(n int) z3.Int {
	return z.ctx.FromBigInt(new(big.Int).Lsh(big.NewInt(1), uint(n)), z.sort).(z3.Int)
}

func (z *z3Solver) form(f form, used map[symID]bool) z3.Int {
	var sum []z3.Int
	for _, x := range f.terms {
		v := z.symbol(x.s, used)
		if x.c != 1 {
			v = nary(z3.Int.Mul, z.number(x.c), v)
		}
		sum = append(sum, v)
	}
	if f.k != 0 || len(sum) == 0 {
		sum = append(sum, z.number(f.k))
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return nary(z3.Int.Add, sum...)
}

// symbol encodes a symbol and notes it and what it is made of as used.
func (z *z3Solver) symbol(id symID, used map[symID]bool) z3.Int {
	if used[id] && z.made[id] {
		return z.val[id]
	}
	used[id] = true
	s := &z.t.syms[id]
	var args []z3.Int
	for _, f := range s.idx {
		args = append(args, z.form(f, used))
	}
	if z.made[id] {
		return z.val[id]
	}
	var v z3.Int
	switch {
	case s.kind == mulSym:
		v = nary(z3.Int.Mul, args[0], args[1])
	case s.kind == divSym || s.kind == modSym:
		a, b := args[0], args[1]
		zero := z.number(0)
		// Z3's quotient leaves a remainder >= 0; ours truncates, which is the same for a >= 0.
		q := a.GE(zero).IfThenElse(a.Div(b), a.Neg().Div(b).Neg()).(z3.Int)
		if v = q; s.kind == modSym {
			v = nary(z3.Int.Sub, a, nary(z3.Int.Mul, q, b))
		}
	case s.kind == wrapSym:
		return z.wrap(id, args[0])
	case s.kind == wordSym && len(s.idx) > 0:
		// In another table the same name may be that of a variable with more indices, and the solver would refuse it.
		name := fmt.Sprintf("m%d_%s_%d_%d_%d_%d", s.mem.slot, s.mem.v.Name, s.mem.v.Offset, s.mem.off,
			s.mem.view, len(args))
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
	case s.lo != math.MinInt64 && s.hi != math.MaxInt64:
		z.facts[id], z.has[id] = nary(z3.Bool.And, v.GE(z.number(s.lo)), v.LE(z.number(s.hi))), true
	case s.lo != math.MinInt64:
		z.facts[id], z.has[id] = v.GE(z.number(s.lo)), true
	case s.typ != nil && s.typ.Kind == step.Sized && s.kind == wordSym && s.mem.view == direct:
		z.facts[id], z.has[id] = nary(z3.Bool.And, v.GE(z.number(s.lo)), v.LE(z.number(s.hi))), true
	}
	return v
}

// wrap encodes a symbol that stands for f as a value of its Sized type. Of few bits it is f and a multiple of 2^bits.
// Multiples of large powers take the solver long: there it is a function of f, equal to f within the range of the type.
// Beyond, the solver knows only that equal forms have equal values; so what it refutes is impossible, and a condition
// may have to say more than it would.
func (z *z3Solver) wrap(id symID, f z3.Int) z3.Int {
	s := &z.t.syms[id]
	lo, hi := s.typ.Bounds()
	if s.typ.Bits > 16 {
		name := fmt.Sprintf("wrap%d", s.mem.off)
		decl, ok := z.arity[name]
		if !ok {
			decl = z.ctx.FuncDecl(name, []z3.Sort{z.sort}, z.sort)
			z.arity[name] = decl
		}
		v := decl.Apply(f).(z3.Int)
		runtime.KeepAlive(f)
		z.val[id], z.made[id], z.has[id] = v, true, true
		low, high := z.number(lo), z.number(hi)
		z.facts[id] = nary(z3.Bool.And, v.GE(low), v.LE(high), nary(z3.Bool.Or, f.LT(low), f.GT(high), v.Eq(f)))
		return v
	}
	v, q := z.ctx.IntConst(fmt.Sprintf("s%d", id)), z.ctx.IntConst(fmt.Sprintf("q%d", id))
	whole := nary(z3.Int.Mul, z.power(s.typ.Bits), q)
	facts := []z3.Bool{v.Eq(nary(z3.Int.Add, f, whole)), v.GE(z.number(lo)), v.LE(z.number(hi))}
	if most, known := z.t.turns(s); known {
		facts = append(facts, q.GE(z.number(-most)), q.LE(z.number(most)))
	}
	z.val[id], z.made[id], z.facts[id], z.has[id] = v, true, nary(z3.Bool.And, facts...), true
	return v
}

func (z *z3Solver) literal(l literal, used map[symID]bool) z3.Bool {
	d := z.form(form{terms: z.t.dirs[l.dir].terms}, used)
	k := z.number(l.k)
	var b z3.Bool
	if l.rel == eqRel {
		b = d.Eq(k)
	} else {
		b = d.LE(k)
	}
	if l.neg {
		b = b.Not()
	}
	return b
}

func (z *z3Solver) clause(c clause, used map[symID]bool) z3.Bool {
	not := func(id symID, k int64) z3.Bool { return z.symbol(id, used).Eq(z.number(k)).Not() }
	return nary(z3.Bool.Or, not(c.a, c.count), not(c.b, c.count), not(z.t.syms[c.a].size, c.size),
		z.form(c.key, used).Eq(z.number(0)))
}

func (z *z3Solver) conjunction(lits []literal, used map[symID]bool) z3.Bool {
	if len(lits) == 0 {
		return z.ctx.FromBool(true)
	}
	var all []z3.Bool
	for _, l := range lits {
		all = append(all, z.literal(l, used))
	}
	return nary(z3.Bool.And, all...)
}

func (z *z3Solver) disjunction(lits []literal, used map[symID]bool) z3.Bool {
	if len(lits) == 0 {
		return z.ctx.FromBool(false)
	}
	var all []z3.Bool
	for _, l := range lits {
		all = append(all, z.literal(l, used))
	}
	return nary(z3.Bool.Or, all...)
}

func (z *z3Solver) normal(nf normalForm, used map[symID]bool) z3.Bool {
	var all []z3.Bool
	for _, t := range nf.terms {
		if nf.clauses {
			all = append(all, z.disjunction(t, used))
		} else {
			all = append(all, z.conjunction(t, used))
		}
	}
	switch {
	case len(all) == 0:
		return z.ctx.FromBool(nf.clauses)
	case nf.clauses:
		return nary(z3.Bool.And, all...)
	}
	return nary(z3.Bool.Or, all...)
}

func (z *z3Solver) cube(ctx context.Context, t *table, lits []literal) answer {
	return z.ask(ctx, t, func(used map[symID]bool) z3.Bool { return z.conjunction(lits, used) })
}

func (z *z3Solver) meet(ctx context.Context, t *table, cubes [][]literal, nf normalForm, negate bool) answer {
	if len(cubes) == 0 {
		return unsat
	}
	return z.ask(ctx, t, func(used map[symID]bool) z3.Bool {
		f := z.normal(nf, used)
		if negate {
			f = f.Not()
		}
		return nary(z3.Bool.And, f, z.normal(normalForm{terms: cubes}, used))
	})
}

// ask checks a formula together with the facts about the symbols in it. Should the context end meanwhile, the solver is
// interrupted and, as it does not recover from that reliably, thrown away.
func (z *z3Solver) ask(ctx context.Context, t *table, formula func(used map[symID]bool) z3.Bool) (got answer) {
	defer func() { // the binding reports errors of the solver as panics
		if p := recover(); p != nil {
			if why, ours := p.(unsupported); ours {
				panic(why)
			}
			if z.room != nil {
				z.ctx, z.sol, z.t = nil, nil, nil
			}
			got = unknown
		}
	}()
	z.open(t)
	stop := context.AfterFunc(ctx, z.ctx.Interrupt)
	defer func() {
		if stop() {
			return
		}
		z.ctx, z.sol, z.t, got = nil, nil, nil, unknown
	}()
	used := map[symID]bool{}
	f := formula(used)
	for _, l := range t.facts {
		f = nary(z3.Bool.And, f, z.literal(l, used))
	}
	var mentioned []symID
	for id := range t.syms {
		if used[symID(id)] {
			mentioned = append(mentioned, symID(id))
		}
	}
	for _, c := range t.keyClauses(mentioned) {
		f = nary(z3.Bool.And, f, z.clause(c, used))
	}
	if z.room == &z.own {
		z.kept = append(z.kept, f)
	}
	z.sol.Push()
	z.sol.Assert(f)
	for id := range t.syms {
		if used[symID(id)] && z.has[id] {
			z.sol.Assert(z.facts[id])
		}
	}
	switch r := z.check(ctx); {
	case r.err == errAbandoned:
		return unknown // the solver is thrown away with the context, see above
	case r.err != nil:
		got = unknown
		switch {
		case r.err.Error() != keyboardInterrupt:
			z.undecided++
		case z.caught != nil:
			z.caught()
		}
	case r.yes:
		got = sat
	default:
		got = unsat
	}
	if z.asked++; z.dump != nil {
		z.dump(z.asked, t.introduction(used)+z.sol.String()+"(check-sat)\n", got.String())
	}
	z.sol.Pop()
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
