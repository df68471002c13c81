package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/facts"
)

// Workers. With Options.Workers the pairs, and the triples that a round of the fixpoint needs, are worked on ahead of
// their turn by several helpers, each with a solver of its own. In its turn, what a helper has found is taken over if
// the budget allows what it cost; otherwise the work is done again within the budget. So the result is the same, byte
// by byte, as with one worker.

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
