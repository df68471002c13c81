package synth

import (
	"maps"
	"sync"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/facts"
)

// An ahead is what a piece of work has cost and used, apart from its result.
type ahead struct {
	cost    decide.Cost
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
