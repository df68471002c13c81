package synth

import (
	"maps"
	"sync"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/facts"
)

// Workers. With Options.Workers the pairs, and the triples that a round of the fixpoint needs, are worked on ahead of
// their turn by several helpers, each with a solver of its own. In its turn, what a helper has found is taken over if
// the budget allows what it cost; otherwise the work is done again within the budget. So the result is the same, byte
// by byte, as with one worker.

// An ahead is what a piece of work has cost and used, apart from its result.
type ahead struct {
	cost    Cost
	queries int
	long    bool
	used    facts.Uses
	asked   map[facts.Key]bool
	broken  bool // what was found depends on a clock or is not finished
}

// helper is a copy with an oracle of its own, without a budget.
func (e *questions) helper() (*questions, error) {
	o, err := e.newOracle()
	if err != nil {
		return nil, err
	}
	o.Begin(e.ctx, decide.Unlimited)
	h, known := *e, *e.known
	h.o, h.known = o, &known
	h.access, h.writes = map[*step.Step][]place0{}, map[*step.Step]map[*step.Var]bool{}
	return &h, nil
}

// measure does a piece of work and says what it took.
func (h *questions) measure(work func()) *ahead {
	a := &ahead{used: facts.NewUses(), asked: map[facts.Key]bool{}}
	h.known.Used, h.known.Asked = a.used, a.asked
	before, queries := h.o.Used, h.o.Queries
	h.o.Long, h.o.Spent = false, false
	work()
	a.cost, a.queries, a.long = h.o.Used.Minus(before), h.o.Queries-queries, h.o.Long
	a.broken = h.ctx.Err() != nil
	return a
}

// accept charges what a helper has done, and notes what it used. It reports false if the work must be done again.
func (e *questions) accept(a *ahead) bool {
	if a == nil || a.broken || !e.o.Used.Plus(a.cost).Within(e.o.Limit) {
		return false
	}
	e.o.Used = e.o.Used.Plus(a.cost)
	e.o.Queries += a.queries
	e.o.Long = e.o.Long || a.long
	e.known.Used.Add(a.used)
	if e.known.Asked != nil {
		maps.Copy(e.known.Asked, a.asked)
	}
	return true
}

// spread gives pieces of work to the helpers, and waits for them.
func (e *questions) spread(count int, work func(h *questions, i int)) {
	if e.helpers == nil {
		for range e.workers {
			h, err := e.helper()
			if err != nil {
				return
			}
			e.helpers = append(e.helpers, h)
		}
	}
	next := make(chan int)
	var done sync.WaitGroup
	var failed any
	var once sync.Once
	for _, h := range e.helpers {
		h.ctx, h.assumed = e.ctx, e.assumed
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range next {
				func() {
					defer func() {
						if p := recover(); p != nil {
							once.Do(func() { failed = p })
						}
					}()
					work(h, i)
				}()
			}
		}()
	}
	for i := range count {
		next <- i
	}
	close(next)
	done.Wait()
	if failed != nil {
		panic(failed) // a bug, which the caller of the package is told of
	}
}

// pairsAhead works on the pairs that the cache does not have.
func (e *engine) pairsAhead() {
	if e.workers < 2 {
		return
	}
	var list []*entry
	store := e.cache()
	for _, n := range e.entries {
		if !n.asked {
			continue
		}
		if store != nil {
			if _, ok := store.Get(e.pairKey(n.a, n.b)); ok {
				continue
			}
		}
		list = append(list, n)
	}
	found, took := make([]*entry, len(list)), make([]*ahead, len(list))
	e.spread(len(list), func(h *questions, i int) {
		one := finder{h, e.maxCells}
		took[i] = h.measure(func() { found[i] = one.pair(list[i].a, list[i].b) })
	})
	e.pairs = map[[2]*step.Step]pairAhead{}
	for i, n := range list {
		if found[i] != nil {
			e.pairs[[2]*step.Step{n.a, n.b}] = pairAhead{found[i], took[i]}
		}
	}
}

type pairAhead struct {
	n    *entry
	took *ahead
}

// paired is pair, perhaps with what a helper has found.
func (e *engine) paired(a, b *step.Step) *entry {
	if p, ok := e.pairs[[2]*step.Step{a, b}]; ok && e.accept(p.took) {
		n := p.n
		if n.t != nil {
			n.t.Known.(*facts.Assumption).Facts = e.known
		}
		if n.c != nil {
			n.c.Oracle = e.o
		}
		return n
	}
	return e.pair(a, b)
}

// triplesAhead looks at triples, and makes the tables of those that need one.
func (e *family) triplesAhead(list []*triple) {
	if e.workers < 2 || e.note != nil || len(list) < 2 {
		return
	}
	copies := make([]*triple, len(list))
	e.spread(len(list), func(h *questions, i int) {
		f := *e
		f.finder = &finder{h, e.maxCells}
		f.twins = nil // others write to them; the work for a triple that has a twin is not taken over
		t := *list[i]
		t.used = facts.NewUses()
		if !t.looked && t.n.full() {
			t.calmTook = h.measure(func() { f.calm(&t) })
		}
		if !t.n.full() && !t.still.of(t.n) {
			took := h.measure(func() { f.still(&t) })
			t.still.took = took
		}
		for kind := range t.needed() {
			p := &t.sections[kind]
			if cells := t.missing(p, sectionKind(kind)); cells != nil && !t.calmNow() {
				p.took = h.measure(func() { f.fillSection(&t, sectionKind(kind), cells) })
			}
		}
		copies[i] = &t
	})
	for i, t := range list {
		t.ahead = copies[i]
	}
}
