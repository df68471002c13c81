package source

import (
	"context"
	"fmt"
	"time"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

// What the algorithm auto needs of the outside: constraints when it asks for them.

// later is the source of a run whose constraints are synthesised when the search shows that it needs them.
func later() *Source {
	if err := synth.Available(); err != nil {
		return &Source{Trust: None, Origin: "none: " + err.Error()}
	}
	return &Source{Trust: None, Origin: "none beforehand: they are synthesised when the search " +
		"shows that it needs them"}
}

// WithoutAny is the source of a run that asked for no constraints, or had no use for them.
func WithoutAny() *Source {
	return &Source{Trust: None, Origin: "none: the search did without"}
}

// An Asker answers a search that asks for constraints.
type Asker struct {
	of    *synthesiser
	Found *Source // what the search used last; nil: nothing
}

// NewAsker prepares for the questions of a search of a machine; nil without a solver.
func NewAsker(m *step.Machine, h *Host, cache *CacheFlags) (*Asker, error) {
	if synth.Available() != nil {
		return nil, nil
	}
	s, err := newSynthesiser(m.Program, h, cache)
	if err != nil {
		return nil, err
	}
	return &Asker{of: s}, nil
}

// Answers lets a search ask. kept is called when the search goes on with what was found.
func (a *Asker) Answers(m *step.Machine, opt *explore.Options, kept func(*Source)) {
	if a == nil {
		return
	}
	opt.Synthesize = func(ctx context.Context, pairs [][2]*step.Step, questions int) (explore.Synthesis, error) {
		f, err := a.of.find(ctx, m, pairs, questions)
		if err != nil {
			return explore.Synthesis{}, err
		}
		k := &Source{Set: f.Set, Trust: Synthesised, Time: a.of.Time,
			Origin: fmt.Sprintf("synthesised on the way in %s: %s, %s", Milliseconds(a.of.Time),
				terminal.Plural(f.Worked, "pair"),
				terminal.Plural(f.Questions, "question"))}
		keep := func() {
			if a.Found = k; kept != nil {
				kept(k)
			}
		}
		return explore.Synthesis{Conditions: f.Conditions, Pairs: f.Worked, Useful: f.Useful,
			Whole: !f.Exhausted, Keep: keep}, nil
	}
}

// Took is how long finding constraints has taken.
func (a *Asker) Took() time.Duration { return a.of.Time }

// Close ends the use of the cache.
func (a *Asker) Close() {
	if a != nil {
		a.of.close()
	}
}
