package joblog

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"cdpor/explore/internal/checkpoint"
	"cdpor/lang/step"
)

// An ID names a task: the upper node that it was taken from, in the order of splits, and which of those taken there
// it is, both counted from 0. Root is the task that the search begins with.
type ID struct{ Node, Place int }

// Root is the whole search.
var Root = ID{Node: -1}

// A Task is a part of a search that one worker explores.
type Task struct {
	ID ID
	// Levels are the nodes from the initial state on, with the actions under way. Those before Own lie above the
	// task: the worker takes nothing there, and what it inserts there goes into its records. A task that no worker
	// has begun has none of its own, and begins with the action Begin from the last of them; the root has none at all.
	Levels []checkpoint.Level `json:",omitempty"`
	Own    int
	Begin  int        // -1: it goes on from the last level
	State  step.State `json:",omitempty"` // there, then
}

// Path are the actions from the initial state to where the task goes on.
func (p *Task) Path() (actions []int32) {
	for _, level := range p.Levels {
		if level.Action >= 0 {
			actions = append(actions, level.Action)
		}
	}
	return actions
}

// Digest tells what is to be explored from what another log calls by the same ID: a server that has lost the end of a
// log may still have what came of that.
func (p *Task) Digest() string {
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}

// Fresh reports whether a task has not been worked on.
func (p *Task) Fresh() bool { return p.Own == len(p.Levels) }

// An Insertion adds actions to the backtrack set of the node at a depth of a task's path, which lies above its part.
type Insertion struct {
	Depth   int
	Actions []int32 `json:",omitempty"`
}

// An Upper is a node that several tasks share: it lies above the roots of some of them.
type Upper struct {
	checkpoint.Level
	Enabled  []int32
	Excluded []int32 `json:"Forbidden,omitempty"` // enabled, and not to be taken
}

// A Take hands out one of the actions that wait at an upper node: a task.
type Take struct{ Node, Action int }

// A Folded says that a fold has been stored, with what the records up to a place in the log have found.
type Folded struct {
	Name     string
	Sequence uint64 // of the last of these records
}

// An Estimate is how far a task is, roughly. Nothing depends on it but what people are told.
type Estimate struct {
	Left   float64 // the part that is still to be explored, of what was when the record before was written: 0 to 1
	Given  float64 `json:",omitempty"` // the part of that that is given away with the split
	Shrink float64 `json:",omitempty"` // how much smaller than the one before it what is taken there next is
}

// Ends reports whether nothing is left of the task of a record by a worker.
func (r *Record) Ends() bool { return r.Left == nil }

// A Record is an entry of a log: of a worker about a task, or one of those that come first.
type Record struct {
	Take    *Take           `json:",omitempty"` // by a coordinator
	End     string          `json:",omitempty"` // the search has ended: why
	Path    []int32         `json:",omitempty"` // with End: the actions to the task because of which it has
	Folded  *Folded         `json:",omitempty"` // what came before is stored elsewhere
	Origins [][]step.Origin `json:",omitempty"` // what was started while it ran, as all must call it (step.Origins)

	Task   ID
	Number int // in the chain of the task, from 0 on
	// Digest, in the first record of a chain, is that of the task that was explored.
	Digest string `json:",omitempty"`
	// Tries, if it is positive, counts how often the task has been taken up since the last record without Tries. Left
	// is as it was then, and the record has no other fields.
	Tries int `json:",omitempty"`

	Found  []byte      `json:"-"`          // since the record before, as the worker writes it; behind the text
	Stored string      `json:",omitempty"` // the name under which Found is stored elsewhere, if it is
	Insert []Insertion `json:",omitempty"`
	Split  []Upper     `json:",omitempty"` // the task's own nodes that become upper ones, the shallowest first
	Left   *Task       `json:",omitempty"` // what is left after the split; nil: the task is at its end

	Estimate *Estimate `json:",omitempty"` // with Left
}

// Marshal is a record as text. What has been found follows the text after a zero byte, as it is.
func (r *Record) Marshal() ([]byte, error) {
	text, err := json.Marshal(r) // Found is not in it
	if err != nil || len(r.Found) == 0 {
		return text, err
	}
	return append(append(text, 0), r.Found...), nil
}

// Unmarshal reads a record.
func (r *Record) Unmarshal(text []byte) error {
	text, found, _ := bytes.Cut(text, []byte{0})
	if len(found) > 0 {
		r.Found = bytes.Clone(found)
	}
	return json.Unmarshal(text, r)
}
