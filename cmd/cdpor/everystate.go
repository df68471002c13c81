package main

import (
	"context"
	"slices"

	"cdpor/explore"
	"cdpor/lang/step"
	"cdpor/synth"
)

// An invariant is about every reachable state, and most searches do not come to all of them. Before one is called ok,
// the solver is asked for a proof of the invariants, and then all states are looked at.

// An invariantCheck is what is known of the invariants of a program in every reachable state.
type invariantCheck struct {
	Proved   bool  `json:"proved"` // all of them, by the solver
	States   int64 `json:"states"` // looked at
	Complete bool  `json:"complete"`
	found    *explore.InvariantCheck
}

// checkInvariants looks for states in which invariants are false that a search may not have come to.
func checkInvariants(ctx context.Context, m *step.Machine, states int) (*invariantCheck, error) {
	notes, err := synth.Inductive(ctx, m.Program, synth.Options{})
	if err == nil && !slices.ContainsFunc(notes, func(n synth.InvariantNote) bool { return !n.Used }) {
		return &invariantCheck{Proved: true, Complete: true}, nil
	}
	found, err := explore.CheckInvariants(ctx, m, explore.LivenessOptions{MaxStates: states, GiveUp: givingUp(ctx)})
	if err != nil {
		return nil, err
	}
	return &invariantCheck{States: found.States, Complete: found.Complete, found: found}, nil
}

// addTo adds what was found to the result of a search.
func (c *invariantCheck) addTo(res *explore.Result, m *step.Machine) {
	if !c.Proved && !seesEveryState(res) {
		res.AddInvariants(c.found, m.Program)
	}
}

// seesEveryState reports whether a search has come to every reachable state.
func seesEveryState(res *explore.Result) bool {
	a, err := explore.Find(res.Algorithm)
	return err == nil && a.VisitsEveryState() && res.Stopped == explore.StoppedComplete
}

// everywhere looks at the invariants in all states, if a search has come to its end without.
func (r *report) everywhere(ctx context.Context) (err error) {
	ends := func(res *explore.Result) bool {
		return res != nil && res.Stopped == explore.StoppedComplete && !seesEveryState(res)
	}
	if len(r.m.Program.Invariants) == 0 || ctx.Err() != nil || !ends(r.result) && !ends(r.rival) {
		return nil
	}
	if r.invariants, err = checkInvariants(ctx, r.m, r.command.GraphStates); err != nil {
		return err
	}
	for _, res := range []*explore.Result{r.result, r.rival} {
		if ends(res) {
			r.invariants.addTo(res, r.m)
		}
	}
	return nil
}

// printInvariants says what is known of the invariants in all states.
func (r *report) printInvariants(line func(string, string, ...any)) {
	n := len(r.m.Program.Invariants)
	switch c := r.invariants; {
	case c == nil:
	case c.Proved:
		line("invariants", "%s proved for every state", plural(n, "invariant"))
	case c.Complete:
		line("invariants", "%s looked at in all %s", plural(n, "invariant"), plural(int(c.States), "state"))
	default:
		line("invariants", "%s looked at in %s; there are more (--graph-states)", plural(n, "invariant"), plural(int(c.States), "state"))
	}
}
