package explore

import (
	"slices"

	"cdpor/constraints"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// checkpoint is the part of a checkpoint that does not depend on the kind of the search.
func (c *limits) checkpoint(m *step.Machine) *Checkpoint {
	cp := &Checkpoint{Version: CheckpointVersion, Program: constraints.Digest(m.Program),
		Algorithm: c.results.Algorithm, MaxExecutions: c.opt.MaxExecutions, MaxDepth: c.opt.MaxDepth, Seed: c.opt.Seed,
		NoAnticipate: c.opt.NoAnticipate, NoGuide: c.opt.NoGuide, Symmetry: c.opt.Symmetry,
		Visited: c.opt.Visited, VisitedMemory: c.opt.VisitedMemory, Constrained: c.opt.Conditions != nil,
		Origins: m.Origins(),
		Found:   c.results.Save()}
	if c.opt.Preempt {
		cp.Preemptions = &c.opt.Preemptions
	}
	if c.decided != nil {
		cp.Auto = c.decided()
	}
	if c.random != nil {
		cp.Random, _ = c.random.MarshalBinary() // cannot fail
	}
	return cp
}

// restore is the part of going to a checkpoint that does not depend on the kind of the search, when it stands in the
// state now.
func (c *limits) restore(cp *Checkpoint, now step.State) error {
	if !slices.Equal(now, cp.State) {
		return saved.ErrOtherState
	}
	if c.random != nil {
		if err := c.random.UnmarshalBinary(cp.Random); err != nil {
			return err
		}
	}
	return c.restoreFindings(cp)
}

// restoreFindings takes up what had been found.
func (c *limits) restoreFindings(cp *Checkpoint) error {
	if err := c.results.Restore(&cp.Found); err != nil {
		return err
	}
	if c.limit(); c.ending != "" { // it has been reached already
		c.stop = c.ending
	}
	return nil
}
