package saved

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// Version is the version of the form of checkpoints. It grows when the form changes, and when the search
// does: then a search that goes on from an old checkpoint would not find what it would have found without interruption.
const Version = 13

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

	Auto *Decided `json:",omitempty"` // of auto

	// Of several workers: what is left, in place of the stacks and the state above, and the nodes that several of them
	// have in common.
	Parts []checkpoint.Part  `json:",omitempty"`
	Nodes []checkpoint.Level `json:",omitempty"`

	Visits []*visited.Saved `json:",omitempty"` // of each worker that stops at visited states
}

// Decided has the decisions of auto so far, as plain data.
type Decided struct {
	Look  int64          // size of the present search at which to think again
	Work  int64          // of the present search
	Begun int            // unasked, tried, begun
	Asked bool           // constraints have been asked for, and a larger budget would find no more
	First int            // pairs of steps that were worked on after the first execution
	Spent results.Result // counts of searches that were abandoned
	// What the search of states that has been tried has counted so far, and searches of executions.
	StatesTried     results.Result
	ExecutionsTried [2]results.Result
	Lines           []string // of the report
	Tried           int64    // see visited.tried
	Enabled         int64
	Met             [][]uint64 // see search.met
}

var ErrOtherState = errors.New("the actions of the checkpoint lead to another state")

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

// Read reads what Write has written. Resume finds out whether it fits a program. The caller protects the file by a
// checksum: states in it are taken for states of the program.
func Read(from io.Reader) (*Checkpoint, error) {
	r := bufio.NewReaderSize(from, 64<<10)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, checkpoint.NoEnd(err)
	}
	var version struct{ Version int }
	if err := json.Unmarshal(line, &version); err != nil {
		return nil, err
	}
	if version.Version != Version {
		return nil, fmt.Errorf("the search has version %d; this is version %d", version.Version, Version)
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
