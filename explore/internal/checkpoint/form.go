// Package checkpoint is the form in which a search is saved: plain data, and how what there may be millions of is
// written and read apart from the rest.
package checkpoint

import (
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// A Tree is the stack of a search of executions, and what it counts on the side.
type Tree struct {
	Stack       Stack    // the last level is the present node
	Inside      bool     `json:",omitempty"` // nothing has been taken from the present node
	Pairs       []Pair   `json:",omitempty"`
	Guessed     int64    `json:",omitempty"` // nodes at the last estimate
	Stretch     *Stretch `json:",omitempty"` // nil: none is under way
	NextStretch int64    `json:",omitempty"`
	Census      [estimate.Siblings][2]float64
}

// A Level is a level with a node. Sets are lists of actions.
type Level struct {
	Action     int32     // under way; of no meaning at the present node
	Backtrack  []int32   `json:",omitempty"`
	Sleep      []int32   `json:",omitempty"`
	StateSleep []int32   `json:"Semantic,omitempty"`
	Sequences  [][]int32 `json:",omitempty"`
	// Wakeup is the wakeup tree in preorder: of each branch the action and how many branches are below it.
	Wakeup    []int32 `json:",omitempty"`
	Tried     int     `json:",omitempty"`
	Begun     int64
	Sibling   int64   `json:",omitempty"`
	Reordered []int32 `json:",omitempty"` // processes
	Excluded  []int32 `json:",omitempty"` // what an earlier visit of the state has taken
	Slept     []int32 `json:",omitempty"` // what slept at every visit of the state so far
	Visit     *Visit  `json:",omitempty"`
	// Shared is the number of the node among those of the checkpoint, counted from 1, that has the sets; 0: it is not
	// shared.
	Shared int `json:",omitempty"`
}

// Nodes are the nodes that several parts of a checkpoint have in common.
type Nodes struct {
	Saved  []Level
	number map[any]int // counted from 1
}

// NewNodes are none.
func NewNodes() *Nodes { return &Nodes{number: map[any]int{}} }

// Number is the number of a node. If it is new there is room for it in Saved.
func (n *Nodes) Number(node any) (number int, isNew bool) {
	if n.number[node] == 0 {
		n.Saved = append(n.Saved, Level{})
		n.number[node], isNew = len(n.Saved), true
	}
	return n.number[node], isNew
}

// A Pair are the statistics of a pair of steps, given by template and number.
type Pair struct {
	A, B [2]int
	happens.Uses
}

// A Visit is the memory of a node in a search that stops at visited states.
type Visit struct {
	Future  []uint16 `json:",omitempty"`
	Partial bool     `json:",omitempty"`
}

// A Graph is the stack of a search of states, and the states visited.
type Graph struct {
	Frames  []Frame // the last one is the present one
	Visited stateset.SavedSet
}

// A Frame is a state on the stack with the actions that are left to be taken from it.
type Frame struct {
	Action int32   // being taken; of no meaning at the present frame
	Todo   []int32 `json:",omitempty"`
}

// A Part is the rest of one part of a search by several workers.
type Part struct {
	State  step.State `json:",omitempty"` // of the present node; not of a part whose last actions no worker has taken yet
	Levels []Level    `json:",omitempty"`
	Frames []Frame    `json:",omitempty"`
}

// A Violation is a violation without pointers.
type Violation struct {
	Kind     string
	Property int // number among the properties of the program, -1 for none
	Proc     int
	Fault    step.Fault
	Node     int     // number in the template of the process, -1 for none
	Words    []int64 `json:",omitempty"`
	Count    int64
	Schedule []int32
}

// A Stretch is a look at which states come again, under way: hashes of those of so many nodes.
type Stretch struct {
	Nodes int64
	Seen  []uint64
}
