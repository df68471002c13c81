package explore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"cdpor/constraints"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// CheckpointVersion is the version of the form of checkpoints. It grows when the form changes, and when the search
// does: then a search that goes on from an old checkpoint would not find what it would have found without interruption.
const CheckpointVersion = 12

// A Checkpoint is a search as plain data, at a node from which no action is under way. What follows from the actions
// on the stack is not in it: states, enabled sets, happens-before. It is found again by taking the actions. Pointers
// into the program are written as positions in it.
type Checkpoint struct {
	Version   int
	Program   string // its digest
	Algorithm string

	// Options of the search.
	MaxExecutions int64 `json:",omitempty"`
	MaxDepth      int
	Preemptions   *int  `json:",omitempty"` // nil: no bound
	Seed          int64 `json:",omitempty"`
	NoAnticipate  bool  `json:",omitempty"`
	NoGuide       bool  `json:",omitempty"`
	Symmetry      bool  `json:",omitempty"`
	Visited       bool  `json:",omitempty"`
	VisitedMemory int64 `json:",omitempty"`
	Constrained   bool  `json:",omitempty"` // there were Conditions

	Random  []byte          `json:",omitempty"` // the generator of random choices
	Origins [][]step.Origin // identities of processes that were started
	State   step.State      // of the present node; it must be what the actions lead to
	Found   results.SavedResults

	Tree  *checkpoint.Tree  `json:",omitempty"` // of a search of executions
	Graph *checkpoint.Graph `json:",omitempty"` // of a search of states

	Auto *decided `json:",omitempty"` // of auto

	// Of several workers: what is left, in place of the stacks and the state above, and the nodes that several of them
	// have in common.
	Parts []checkpoint.Part  `json:",omitempty"`
	Nodes []checkpoint.Level `json:",omitempty"`

	Visits []*visited.Saved `json:",omitempty"` // of each worker that stops at visited states
}

// Resume goes on with a search from where a checkpoint was made, and ends as it would have ended without interruption.
// The machine must be of the program that was explored then, and opt.Conditions the constraints of then. Of the other
// options only MaxExecutions, which includes the executions before the checkpoint, StopAtFirst, for what is found from
// now on, Validate and the functions are used.
// The error is about a checkpoint that does not fit, or an internal one.
func Resume(ctx context.Context, m *step.Machine, cp *Checkpoint, opt Options) (*Result, error) {
	opt.Found = results.Once(opt.Found)
	x, err := resume(ctx, m, cp, opt)
	if err != nil {
		return nil, err
	}
	x.proceed()
	r, err := x.conclude()
	return settled(ctx, r, err, &opt)
}

// resume makes a search that stands where the checkpoint was made.
func resume(ctx context.Context, m *step.Machine, cp *Checkpoint, opt Options) (engine, error) {
	a, err := Find(cp.Algorithm)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Chooses && cp.Graph != nil:
		a = autoStates
	case a.Chooses && cp.Auto == nil && !cp.Visited:
		a = autoExecutions
	}
	switch {
	case cp.Program != constraints.Digest(m.Program):
		return nil, errors.New("the checkpoint is of another program")
	case cp.Constrained && opt.Conditions == nil:
		return nil, errors.New("the constraints of the checkpoint are missing")
	case a.Stateful && cp.Graph == nil || !a.Stateful && cp.Tree == nil:
		return nil, fmt.Errorf("this is no checkpoint of %s", a.Name)
	}
	if !cp.Constrained {
		opt.Conditions = nil
	}
	opt.Observer = nil // the tree so far is not in a checkpoint
	opt.MaxDepth, opt.Seed = cp.MaxDepth, cp.Seed
	opt.NoAnticipate, opt.NoGuide = cp.NoAnticipate, cp.NoGuide
	opt.Symmetry, opt.Visited, opt.VisitedMemory = cp.Symmetry, cp.Visited, cp.VisitedMemory
	if opt.Preempt = cp.Preemptions != nil; opt.Preempt {
		opt.Preemptions = *cp.Preemptions
	}
	if err := m.AdoptOrigins(cp.Origins); err != nil {
		return nil, err
	}
	var x engine
	if len(cp.Parts) > 0 {
		opt.Visited = opt.Visited || a.Chooses
		x, err = newWorkerPool(ctx, m, a, opt)
	} else {
		x, err = newEngine(ctx, m, a, opt)
	}
	if err != nil {
		return nil, err
	}
	return x, x.restore(cp)
}

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
	if c.owner != nil {
		cp.Auto = c.owner.save()
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
		return errOtherState
	}
	if c.random != nil {
		if err := c.random.UnmarshalBinary(cp.Random); err != nil {
			return err
		}
	}
	return c.restoreFindings(cp)
}

var errOtherState = errors.New("the actions of the checkpoint lead to another state")

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

// Write writes a checkpoint: a line of JSON, then the stack of a search of executions, outcomes and deadlocks, then for
// a search of states the visited set, a little more than 8 bytes for each state, and for one that stops at visited
// states the visits of each worker.
func (cp *Checkpoint) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	if err := json.NewEncoder(w).Encode(cp); err != nil {
		return err
	}
	if cp.Tree != nil {
		if err := cp.Tree.Stack.Write(w); err != nil {
			return err
		}
	}
	if err := cp.Found.Outcomes.Write(w); err != nil {
		return err
	}
	if err := cp.Found.Deadlocks.Write(w); err != nil {
		return err
	}
	if err := cp.Found.Histories.Write(w); err != nil {
		return err
	}
	if err := cp.writeStates(w); err != nil {
		return err
	}
	return w.Flush()
}

func (cp *Checkpoint) writeStates(w io.Writer) error {
	if cp.Graph != nil {
		return cp.Graph.Visited.Write(w)
	}
	for _, v := range cp.Visits {
		if err := v.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// ReadCheckpoint reads what Write has written. Whether it fits a program is for Resume to find out. Whoever keeps it
// must see to it that it is not damaged, with a checksum: states in it are taken for
// states of the program.
func ReadCheckpoint(from io.Reader) (*Checkpoint, error) {
	r := bufio.NewReaderSize(from, 64<<10)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, checkpoint.NoEnd(err)
	}
	var version struct{ Version int }
	if err := json.Unmarshal(line, &version); err != nil {
		return nil, err
	}
	if version.Version != CheckpointVersion {
		return nil, fmt.Errorf("the search has version %d; this is version %d", version.Version, CheckpointVersion)
	}
	cp := &Checkpoint{}
	if err := json.Unmarshal(line, cp); err != nil {
		return nil, err
	}
	if cp.Tree != nil {
		if err := cp.Tree.Stack.ReadFrom(r); err != nil {
			return nil, err
		}
	}
	if err := cp.Found.Outcomes.Read(r); err != nil {
		return nil, err
	}
	if err := cp.Found.Deadlocks.Read(r); err != nil {
		return nil, err
	}
	if err := cp.Found.Histories.Read(r); err != nil {
		return nil, err
	}
	if cp.Graph != nil {
		return cp, checkpoint.NoEnd(cp.Graph.Visited.Read(r))
	}
	for _, v := range cp.Visits {
		if v == nil {
			return nil, visited.ErrSaved
		}
		if err := v.Read(r); err != nil {
			return nil, checkpoint.NoEnd(err)
		}
	}
	return cp, nil
}
