package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/question"
)

// Workers. With Options.Workers the pairs, and the triples that a round of the fixpoint needs, are worked on ahead of
// their turn by several helpers, each with a solver of its own. In its turn, what a helper has found is taken over if
// the budget allows what it cost; otherwise the work is done again within the budget. So the result is the same, byte
// by byte, as with one worker.

// pairsAhead works on the pairs that the cache does not have.
func (e *engine) pairsAhead() {
	if e.Workers < 2 {
		return
	}
	var list []*commute.Entry
	store := e.cache()
	for _, n := range e.Entries {
		if !n.Asked {
			continue
		}
		if store != nil {
			if _, ok := store.Get(e.keys.Pair(n.A, n.B)); ok {
				continue
			}
		}
		list = append(list, n)
	}
	found, took := make([]*commute.Entry, len(list)), make([]*question.Ahead, len(list))
	e.Spread(len(list), func(h *question.Program, i int) {
		one := commute.Finder{Program: h, MaxCells: e.MaxCells}
		took[i] = h.Measure(func() { found[i] = one.Pair(list[i].A, list[i].B) })
	})
	e.pairs = map[[2]*step.Step]pairAhead{}
	for i, n := range list {
		if found[i] != nil {
			e.pairs[[2]*step.Step{n.A, n.B}] = pairAhead{found[i], took[i]}
		}
	}
}

// paired is pair, perhaps with what a helper has found.
func (e *engine) paired(a, b *step.Step) *commute.Entry {
	if p, ok := e.pairs[[2]*step.Step{a, b}]; ok && e.Accept(p.took) {
		n := p.n
		if n.Table != nil {
			n.Table.Known.(*facts.Assumption).Facts = e.Facts
		}
		if n.Cells != nil {
			n.Cells.Oracle = e.Oracle
		}
		return n
	}
	return e.Pair(a, b)
}
