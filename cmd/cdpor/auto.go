package main

import (
	"context"
	"fmt"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

// What the algorithm auto needs of the outside: constraints when it asks for them.

// later is the knowledge of a run whose constraints are synthesised when the search shows that it needs them.
func later() *knowledge {
	if err := synth.Available(); err != nil {
		return &knowledge{Trust: noConstraints, Origin: "none: " + err.Error()}
	}
	return &knowledge{Trust: noConstraints, Origin: "none beforehand: they are synthesised when the search shows that it needs them"}
}

// withoutAny is the knowledge of a run that asked for no constraints, or had no use for them.
func withoutAny() *knowledge {
	return &knowledge{Trust: noConstraints, Origin: "none: the search did without"}
}

// An asker answers a search that asks for constraints.
type asker struct {
	of    *synthesiser
	found *knowledge // what the search used last; nil: nothing
}

// newAsker prepares for the questions of a search of a machine; nil without a solver.
func newAsker(m *step.Machine, p *progress, cache *cacheFlags) (*asker, error) {
	if synth.Available() != nil {
		return nil, nil
	}
	s, err := newSynthesiser(m.Program, p, cache)
	if err != nil {
		return nil, err
	}
	return &asker{of: s}, nil
}

// answers lets a search ask. kept is called when the search goes on with what was found.
func (a *asker) answers(m *step.Machine, opt *explore.Options, kept func(*knowledge)) {
	if a == nil {
		return
	}
	opt.Synthesize = func(ctx context.Context, pairs [][2]*step.Step, questions int) (explore.Synthesis, error) {
		f, err := a.of.find(ctx, m, pairs, questions)
		if err != nil {
			return explore.Synthesis{}, err
		}
		k := &knowledge{Set: f.Set, Trust: synthesised, Time: a.of.Time,
			Origin: fmt.Sprintf("synthesised on the way in %s: %s, %s", milliseconds(a.of.Time), terminal.Plural(f.Worked, "pair"),
				terminal.Plural(f.Questions, "question"))}
		keep := func() {
			if a.found = k; kept != nil {
				kept(k)
			}
		}
		return explore.Synthesis{Conditions: f.Conditions, Pairs: f.Worked, Useful: f.Useful, Whole: !f.Exhausted, Keep: keep}, nil
	}
}

// close ends the use of the cache.
func (a *asker) close() {
	if a != nil {
		a.of.close()
	}
}
