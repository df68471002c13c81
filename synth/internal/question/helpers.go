package question

import (
	"maps"
	"sync"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/facts"
)

// An Ahead is what a piece of work has cost and used, apart from its result.
type Ahead struct {
	cost    decide.Cost
	queries int
	long    bool
	used    facts.Uses
	asked   map[facts.Key]bool
	broken  bool // what was found depends on a clock or is not finished
}

// helper is a copy with an oracle of its own, without a budget.
func (e *Program) helper() (*Program, error) {
	o, err := e.NewOracle()
	if err != nil {
		return nil, err
	}
	o.Begin(e.Ctx, decide.Unlimited)
	h, known := *e, *e.Facts
	h.Oracle, h.Facts = o, &known
	h.access, h.writes = map[*step.Step][]Access{}, map[*step.Step]map[*step.Var]bool{}
	return &h, nil
}

// Measure does a piece of work and says what it took.
func (h *Program) Measure(work func()) *Ahead {
	a := &Ahead{used: facts.NewUses(), asked: map[facts.Key]bool{}}
	h.Facts.Used, h.Facts.Asked = a.used, a.asked
	before, queries := h.Oracle.Used, h.Oracle.Queries
	h.Oracle.Long, h.Oracle.Spent = false, false
	work()
	a.cost, a.queries, a.long = h.Oracle.Used.Minus(before), h.Oracle.Queries-queries, h.Oracle.Long
	a.broken = h.Ctx.Err() != nil
	return a
}

// Accept charges what a helper has done, and notes what it used. It reports false if the work must be done again.
func (e *Program) Accept(a *Ahead) bool {
	if a == nil || a.broken || !e.Oracle.Used.Plus(a.cost).Within(e.Oracle.Limit) {
		return false
	}
	e.Oracle.Used = e.Oracle.Used.Plus(a.cost)
	e.Oracle.Queries += a.queries
	e.Oracle.Long = e.Oracle.Long || a.long
	e.Facts.Used.Add(a.used)
	if e.Facts.Asked != nil {
		maps.Copy(e.Facts.Asked, a.asked)
	}
	return true
}

// Spread gives pieces of work to the helpers, and waits for them.
func (e *Program) Spread(count int, work func(h *Program, i int)) {
	if e.helpers == nil {
		for range e.Workers {
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
		h.Ctx, h.Assumed = e.Ctx, e.Assumed
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
