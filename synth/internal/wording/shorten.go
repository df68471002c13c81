package wording

import (
	"cmp"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// Shortening. A function over cells is first written with two levels (minimise.go), which proves it; what people read
// may be shorter. A phrase is a tree of parts whose value in each cell is known, so whether a change keeps the meaning
// is read from sets of cells: parts are left out, common ones taken out in front, those of one form joined, others
// replaced by shorter ones.

// A phrase is a part, or several joined with And, Or, or (exactly two) Eq. yes and no are set by value.
type phrase struct {
	op      step.Op
	part    *part // if there are no args
	args    []*phrase
	guard   bool // stands there only to protect what follows
	yes, no partition.Bitset
}

// phrase makes one from the terms of a cover.
func (w *Wording) phrase(terms []partition.Cube, clauses bool) *phrase {
	inner, outer := step.And, step.Or
	if clauses {
		inner, outer = outer, inner
	}
	whole := &phrase{op: outer}
	for _, k := range terms {
		inside := &phrase{op: inner}
		add := func(p *part, guard bool) {
			for _, other := range inside.args {
				if other.part == p {
					other.guard = other.guard && guard
					return
				}
			}
			inside.args = append(inside.args, &phrase{part: p, guard: guard})
		}
		for _, i := range k.Lits {
			is := w.of[i]
			for _, g := range is.guards {
				if clauses {
					g = g.Not()
				}
				if p := w.part(g); p != nil {
					add(p, true)
				}
			}
			if clauses {
				is = is.not
			}
			add(is, false)
		}
		whole.args = append(whole.args, inside)
	}
	return whole
}

func (p *phrase) clone() *phrase {
	c := *p
	c.args = nil
	for _, a := range p.args {
		c.args = append(c.args, a.clone())
	}
	return &c
}

// without leaves out the parts that only protect others, but for some.
func (p *phrase) without(but func(*part) bool) {
	p.args = slices.DeleteFunc(p.args, func(a *phrase) bool { return a.guard && !but(a.part) })
	for _, a := range p.args {
		a.without(but)
	}
}

// A shortener works on one phrase.
type shortener struct {
	w      *Wording
	whole  *phrase
	target partition.Bitset
	free   partition.Bitset // it may hold there as well, or not
	mode   mode
	spend  func(units int)
	budget int
}

// A mode is what is taken for a failure of a part.
type mode uint8

const (
	plain   mode = iota // nothing: what fails is false
	present             // to ask for what is not there, which must not be
	strict              // to ask where a guard does not hold: that makes the whole thing false
)

// shortenBudget is how many changes of one phrase are tried.
const shortenBudget = 4000

// shortest shortens phrases that hold in the same cells, but for those that are free, and returns the shortest of what
// comes out.
func (w *Wording) shortest(forms []*phrase, target, free partition.Bitset, m mode, spend func(units int)) *phrase {
	var best *phrase
	for _, f := range forms {
		p := f.clone()
		switch m {
		case plain:
			p.without(func(*part) bool { return false })
		case present:
			p.without(func(k *part) bool { return k.lit.Dir >= 0 && w.presence(k.lit) })
		}
		s := &shortener{w: w, whole: p, target: target, free: free, mode: m, spend: spend, budget: shortenBudget}
		s.shorten()
		if best == nil || s.whole.size() < best.size() {
			s.value(s.whole)
			best = s.whole
		}
	}
	return best
}

// plainly is the shortest phrase that asks for nothing that is not there, if the cells tell, or else the shortest one.
func (w *Wording) plainly(forms []*phrase, target, free partition.Bitset, spend func(units int)) *phrase {
	p := w.shortest(forms, target, free, plain, spend)
	s := &shortener{w: w, whole: p.clone(), target: target, free: free, mode: present, budget: 2}
	if s.same() || !expr.MayFail(w.concise(p)) { // as options that are compared cannot
		return p
	}
	s.whole, s.budget = w.shortest(forms, target, free, present, spend), 2
	if s.same() {
		return s.whole
	}
	return p
}

// expr is the expression of a phrase.
func (p *phrase) expr() *step.Expr {
	if p.part != nil {
		return p.part.expr
	}
	var list []*step.Expr
	for _, a := range p.args {
		if p.op == step.And {
			list = append(list, expr.Conjuncts(a.expr())...)
		} else {
			list = append(list, a.expr())
		}
	}
	if p.op == step.Eq && list[0].Op == step.Ne && list[1].Op == step.Ne { // (x == 1) == (y == 1) reads better
		list[0], list[1] = expr.Negation(list[0]), expr.Negation(list[1])
	}
	return expr.Join(p.op, list)
}

// shorten changes the phrase as long as it gets shorter. Where the cells do not tell whether a guard holds, nothing is
// touched.
func (s *shortener) shorten() {
	s.whole.tidy()
	s.whole.sort()
	if s.mode == strict && s.whole.vague() || !s.same() {
		return
	}
	for before := s.whole.size() + 1; s.whole.size() < before && s.budget > 0; {
		before = s.whole.size()
		s.each(s.whole, s.drop)
		s.each(s.whole, s.joinParts)
		s.each(s.whole, s.replace)
		s.each(s.whole, s.agreeWithin)
		s.each(s.whole, s.factor)
		s.whole.tidy()
		s.agree(s.whole)
		s.each(s.whole, s.drop)
	}
}

func (p *phrase) vague() bool {
	return p.part != nil && p.part.vague || slices.ContainsFunc(p.args, (*phrase).vague)
}

// tidy merges nested phrases of one operator and unwraps those of one argument.
func (p *phrase) tidy() {
	for i := 0; i < len(p.args); i++ {
		a := p.args[i]
		a.tidy()
		switch {
		case a.part == nil && len(a.args) == 1:
			a = a.args[0]
			p.args[i] = a
			fallthrough
		default:
			if a.part == nil && a.op == p.op && p.op != step.Eq {
				p.args = slices.Replace(p.args, i, i+1, a.args...)
				i += len(a.args) - 1
			}
		}
	}
	if p.part == nil && len(p.args) == 1 {
		*p = *p.args[0]
	}
}

// sort puts what may fail behind the rest.
func (p *phrase) sort() {
	for _, a := range p.args {
		a.sort()
	}
	if p.op != step.Eq {
		slices.SortStableFunc(p.args, func(a, b *phrase) int { return expr.FailsLater(a.fails(), b.fails()) })
	}
}

func (p *phrase) fails() bool {
	return p.part != nil && p.part.fails || slices.ContainsFunc(p.args, (*phrase).fails)
}

// size is the length of what is printed.
func (p *phrase) size() int {
	if p.part != nil {
		return p.part.size
	}
	size := joinCost * (len(p.args) - 1)
	for _, a := range p.args {
		size += a.size()
		switch {
		case a.part != nil && (p.op != step.Eq || a.part.tight):
		case a.part == nil && p.op == step.Or && a.op == step.And:
		case a.part == nil && a.op == step.Eq && p.op != step.Eq:
		default:
			size += len("()")
		}
	}
	return size
}

// each calls a change for all inner phrases, inside out.
func (s *shortener) each(p *phrase, change func(p *phrase)) {
	for _, a := range p.args {
		s.each(a, change)
	}
	if p.part == nil {
		change(p)
	}
}

// value finds where a phrase is true and where it is false. Evaluation goes from left to right and stops early.
func (s *shortener) value(p *phrase) {
	n := len(s.target)
	if p.yes == nil {
		p.yes, p.no = make(partition.Bitset, n), make(partition.Bitset, n)
	}
	if p.part != nil {
		copy(p.yes, p.part.yes)
		copy(p.no, p.part.no)
		for i := range n {
			if s.mode != strict {
				p.no[i] = s.w.all[i] &^ p.yes[i]
			}
			if s.mode == present && p.part.absent != nil {
				p.no[i] &^= p.part.absent[i]
			}
		}
		return
	}
	for _, a := range p.args {
		s.value(a)
	}
	first, rest := p.args[0], p.args[1:]
	copy(p.yes, first.yes)
	copy(p.no, first.no)
	for _, a := range rest {
		for i := range n {
			switch yes, no := p.yes[i], p.no[i]; p.op {
			case step.And:
				p.yes[i], p.no[i] = yes&a.yes[i], no|yes&a.no[i]
			case step.Or:
				p.yes[i], p.no[i] = yes|no&a.yes[i], no&a.no[i]
			default:
				p.yes[i], p.no[i] = yes&a.yes[i]|no&a.no[i], yes&a.no[i]|no&a.yes[i]
			}
		}
	}
}

// same reports whether the phrase still holds where it should.
func (s *shortener) same() bool {
	if s.budget--; s.budget < 0 {
		return false
	}
	if s.target == nil { // only what is always right is tried
		return true
	}
	if s.budget%16 == 0 {
		s.spend(1 + len(s.target))
	}
	s.value(s.whole)
	for i, yes := range s.whole.yes {
		if (yes^s.target[i])&^s.free[i] != 0 || s.mode == present && s.w.all[i]&^yes&^s.whole.no[i]&^s.free[i] != 0 {
			return false
		}
	}
	return true
}

// try makes a change, and takes it back unless it keeps the meaning and shortens the whole.
func (s *shortener) try(p *phrase, changed phrase) bool {
	was, size := *p, s.whole.size()
	*p = changed
	if s.whole.size() < size && s.same() {
		return true
	}
	*p = was
	return false
}

// drop leaves out arguments, the last ones first.
func (s *shortener) drop(p *phrase) {
	if p.op == step.Eq {
		return
	}
	for i := len(p.args) - 1; i >= 0 && p.part == nil && len(p.args) > 1; i-- {
		rest := slices.Delete(slices.Clone(p.args), i, i+1)
		s.try(p, phrase{op: p.op, args: rest})
	}
	p.tidy()
}

// joinParts writes several arguments about one direction as one: x > 0 && x != 1 as x > 1, x != 0 && x != 1 as a range.
func (s *shortener) joinParts(p *phrase) {
	for i := 0; i < len(p.args); i++ {
		if p.args[i].part == nil || p.args[i].part.lit.Dir < 0 {
			continue
		}
		about := p.args[i].part.lit.Dir
		var at []int
		for j, a := range p.args {
			if a.part != nil && a.part.lit.Dir == about {
				at = append(at, j)
			}
		}
		if len(at) < 2 || at[0] != i {
			continue
		}
		for _, x := range s.w.extra {
			if x.lit.Dir != about || s.mode == strict && x.vague {
				continue
			}
			var args []*phrase
			for j, a := range p.args {
				switch {
				case j == i:
					args = append(args, &phrase{part: x})
				case !slices.Contains(at, j):
					args = append(args, a)
				}
			}
			if s.try(p, phrase{op: p.op, args: args}) {
				break
			}
		}
	}
	p.tidy()
}

// replace writes shorter parts for arguments.
func (s *shortener) replace(p *phrase) {
	change := func(a *phrase) {
		size := a.size()
		for _, x := range s.w.extra {
			if x.size >= size {
				return
			}
			if s.mode == strict && x.vague {
				continue
			}
			if s.try(a, phrase{part: x}) {
				return
			}
		}
	}
	for _, a := range p.args {
		change(a)
	}
	change(p)
}

// factor takes what several arguments have in common out in front: a && b || a && c as a && (b || c).
func (s *shortener) factor(p *phrase) {
	if p.op == step.Eq || p.part != nil {
		return
	}
	inner := step.And
	if p.op == step.And {
		inner = step.Or
	}
	count := map[*part]int{}
	var order []*part
	for _, a := range p.args {
		for _, x := range a.alternatives(inner) {
			if x.part != nil {
				if count[x.part]++; count[x.part] == 2 {
					order = append(order, x.part)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(a, b *part) int {
		return cmp.Compare((count[b]-1)*(b.size+joinCost), (count[a]-1)*(a.size+joinCost))
	})
	for _, common := range order {
		var args []*phrase
		rest, at := &phrase{op: p.op}, -1
		for i, a := range p.args {
			list := a.alternatives(inner)
			j := slices.IndexFunc(list, func(x *phrase) bool { return x.part == common })
			if j < 0 {
				args = append(args, a)
				continue
			}
			if at < 0 {
				at = i
				args = append(args, nil)
			}
			if len(list) == 1 { // the common part alone: nothing is left to be said of the others
				rest = nil
				break
			}
			rest.args = append(rest.args, &phrase{op: inner, args: slices.Delete(slices.Clone(list), j, j+1)})
		}
		if rest == nil {
			continue
		}
		args[at] = &phrase{op: inner, args: []*phrase{{part: common}, rest}}
		changed := (&phrase{op: p.op, args: args}).clone()
		changed.tidy()
		changed.sort()
		was := *p
		*p = *changed
		if s.whole.nesting() > maxNesting {
			*p = was
			continue
		}
		*p = was
		if s.try(p, *changed) {
			return
		}
	}
}

// maxNesting is how many parentheses may stand inside each other.
const maxNesting = 2

// nesting is how many do.
func (p *phrase) nesting() (most int) {
	for _, a := range p.args {
		depth := a.nesting()
		if p.op == step.And && a.part == nil && a.op == step.Or {
			depth++
		}
		most = max(most, depth)
	}
	return most
}

// alternatives are the arguments of a phrase of an operator, or the phrase itself.
func (p *phrase) alternatives(op step.Op) []*phrase {
	if p.part == nil && p.op == op {
		return p.args
	}
	return []*phrase{p}
}

// agree writes two arguments such as a && b || !a && !b as (a) == (b).
func (s *shortener) agree(p *phrase) {
	if p.part != nil || p.op == step.Eq {
		return
	}
	inner := step.And
	if p.op == step.And {
		inner = step.Or
	}
	for i := range p.args {
		for j := i + 1; j < len(p.args); j++ {
			for _, k := range []int{i, j} {
				if a := p.args[k]; a.op == inner && len(a.args) == 2 && a.args[0].part != nil && a.args[1].part != nil {
					args := slices.Delete(slices.Clone(p.args), j, j+1)
					for _, pair := range s.agreements(p, a) {
						args[i] = pair
						if s.try(p, phrase{op: p.op, args: slices.Clone(args)}) {
							p.tidy()
							return
						}
					}
				}
			}
		}
	}
}

// agreeWithin does so where the two have more in common: x && a && b || x && !a && !b as x && (a) == (b).
func (s *shortener) agreeWithin(p *phrase) {
	if p.part != nil || p.op == step.Eq {
		return
	}
	inner := step.And
	if p.op == step.And {
		inner = step.Or
	}
	for i := 0; i < len(p.args); i++ {
		for j := 0; j < len(p.args); j++ {
			if i == j || s.budget <= 0 || p.part != nil {
				continue
			}
			common, mine := inBoth(p.args[i].alternatives(inner), p.args[j].alternatives(inner))
			if len(common) == 0 || len(mine) != 2 || mine[0].part == nil || mine[1].part == nil {
				continue
			}
			for _, pair := range s.agreements(p, &phrase{op: inner, args: mine}) {
				args := slices.Clone(p.args)
				args[i] = &phrase{op: inner, args: append(slices.Clone(common), pair)}
				args = slices.Delete(args, j, j+1)
				if s.try(p, phrase{op: p.op, args: args}) {
					i, j = -1, len(p.args)
					break
				}
			}
		}
	}
	p.tidy()
}

// inBoth splits the parts of one list into those that stand in another one as well and the rest.
func inBoth(list, other []*phrase) (common, rest []*phrase) {
	for _, x := range list {
		if x.part != nil && slices.ContainsFunc(other, func(y *phrase) bool { return y.part == x.part }) {
			common = append(common, x)
		} else {
			rest = append(rest, x)
		}
	}
	return
}

// agreements are the ways to say that both arguments are true or none. In a conjunction of clauses one is negated.
func (s *shortener) agreements(p, a *phrase) []*phrase {
	x, y := a.args[0], a.args[1]
	if p.op == step.Or {
		return []*phrase{{op: step.Eq, args: []*phrase{x, y}}}
	}
	var all []*phrase
	for i, z := range []*phrase{x, y} {
		if z.part != nil && z.part.not != nil {
			args := []*phrase{x, y}
			args[i] = &phrase{part: z.part.not}
			all = append(all, &phrase{op: step.Eq, args: args})
		}
	}
	return all
}

// Factored takes common literals out of a disjunction of conjunctions of which no cells are known.
func Factored(t *term.Table, n *term.Names, nf term.NormalForm) *step.Expr {
	if len(nf.Terms) == 0 {
		return constraints.Truth(nf.Clauses)
	}
	w := New(&partition.Cells{Table: t}, n)
	known := map[term.Literal]*part{}
	whole := &phrase{op: step.Or}
	for _, cube := range nf.Terms {
		all := &phrase{op: step.And}
		for _, l := range cube {
			if known[l] == nil {
				known[l] = w.finish(&part{lit: l, expr: w.pr.Literal(l)})
			}
			all.args = append(all.args, &phrase{part: known[l]})
		}
		whole.args = append(whole.args, all)
	}
	s := &shortener{w: w, whole: whole, spend: func(int) {}, budget: shortenBudget}
	whole.tidy()
	whole.sort()
	for before := whole.size() + 1; whole.size() < before; {
		before = whole.size()
		s.each(whole, s.factor)
		whole.tidy()
	}
	return w.concise(whole)
}
