package invariants

import (
	"context"
	"slices"

	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

// An invariant is about every reachable state, and most searches do not come to all of them. Before one is called ok,
// the solver is asked for a proof of the invariants, and then all states are looked at.

// A Check is the result for the invariants of a program in all reachable states.
type Check struct {
	Proved   bool  `json:"proved"` // all of them, by the solver
	States   int64 `json:"states"` // looked at
	Complete bool  `json:"complete"`
	found    *explore.InvariantCheck
}

// Find looks for states in which invariants are false that a search may not have come to. What the synthesis
// has proved, if k is not nil, is not proved again.
func Find(ctx context.Context, m *step.Machine, k *source.Source, states int) (*Check, error) {
	proved := k != nil && inductive(m, k.Inductive)
	if !proved {
		notes, err := synth.Inductive(ctx, m.Program, synth.Options{})
		proved = err == nil && inductive(m, notes)
	}
	if proved {
		return &Check{Proved: true, Complete: true}, nil
	}
	found, err := explore.CheckInvariants(ctx, m,
		explore.LivenessOptions{MaxStates: states, GiveUp: limits.GivingUp(ctx)})
	if err != nil {
		return nil, err
	}
	return &Check{States: found.States, Complete: found.Complete, found: found}, nil
}

// inductive reports whether all invariants of a program have been proved.
func inductive(m *step.Machine, notes []synth.InvariantNote) bool {
	return len(notes) == len(m.Program.Invariants) &&
		!slices.ContainsFunc(notes, func(n synth.InvariantNote) bool { return !n.Used })
}

// Everywhere looks at the invariants in all states, if the search has come to its end without, and adds what is found
// to the result. It returns nil if that is not needed.
func Everywhere(ctx context.Context, m *step.Machine, k *source.Source, states int, res *explore.Result) (
	*Check, error) {
	if ctx.Err() != nil || !Missed(m, res) {
		return nil, nil
	}
	c, err := Find(ctx, m, k, states)
	if err == nil {
		c.AddTo(res, m)
	}
	return c, err
}

// Missed reports whether a search of a program with invariants has come to its end, but not to every state.
func Missed(m *step.Machine, res *explore.Result) bool {
	if res == nil || len(m.Program.Invariants) == 0 || res.Stopped != explore.StoppedComplete {
		return false
	}
	a, err := explore.Find(res.Algorithm)
	return err != nil || !a.EveryState
}

// AddTo adds what was found to the result of a search that misses states.
func (c *Check) AddTo(res *explore.Result, m *step.Machine) {
	if !c.Proved {
		res.AddInvariants(c.found)
	}
}

// Print says what is known of the invariants in all states.
func (c *Check) Print(n int, line func(string, string, ...any)) {
	switch {
	case c == nil:
	case c.Proved:
		line("invariants", "%s proved for every state", terminal.Plural(n, "invariant"))
	case c.Complete:
		line("invariants", "%s looked at in all %s", terminal.Plural(n, "invariant"),
			terminal.Plural(int(c.States), "state"))
	default:
		line("invariants", "%s looked at in %s; there are more (--graph-states)", terminal.Plural(n, "invariant"),
			terminal.Plural(int(c.States), "state"))
	}
}
