package engine

import (
	"slices"

	"cdpor/constraints"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// Checkpoint is the part of a checkpoint that does not depend on the kind of the search.
func (c *Limits) Checkpoint(m *step.Machine) *saved.Checkpoint {
	cp := &saved.Checkpoint{Version: saved.Version, Program: constraints.Digest(m.Program),
		Algorithm: c.Results.Algorithm, MaxExecutions: c.Opt.MaxExecutions, MaxDepth: c.Opt.MaxDepth, Seed: c.Opt.Seed,
		NoAnticipate: c.Opt.NoAnticipate, NoGuide: c.Opt.NoGuide, Symmetry: c.Opt.Symmetry,
		Visited: c.Opt.Visited, VisitedMemory: c.Opt.VisitedMemory, Constrained: c.Opt.Conditions != nil,
		Origins: m.Origins(),
		Found:   c.Results.Save()}
	if c.Opt.Preempt {
		cp.Preemptions = &c.Opt.Preemptions
	}
	if c.Decided != nil {
		cp.Auto = c.Decided()
	}
	if c.random != nil {
		cp.Random, _ = c.random.MarshalBinary() // cannot fail
	}
	return cp
}

// Restore is the part of going to a checkpoint that does not depend on the kind of the search, when it stands in the
// state now.
func (c *Limits) Restore(cp *saved.Checkpoint, now step.State) error {
	if !slices.Equal(now, cp.State) {
		return saved.ErrOtherState
	}
	if c.random != nil {
		if err := c.random.UnmarshalBinary(cp.Random); err != nil {
			return err
		}
	}
	return c.RestoreFindings(cp)
}

// RestoreFindings takes up what had been found.
func (c *Limits) RestoreFindings(cp *saved.Checkpoint) error {
	if err := c.Results.Restore(&cp.Found); err != nil {
		return err
	}
	if c.Limit(); c.Ending != "" { // it has been reached already
		c.Stop = c.Ending
	}
	return nil
}
