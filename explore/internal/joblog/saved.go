package joblog

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
)

// A Saved is a Fold as plain data, which goes on where the fold is. Sets are lists of actions.
type Saved struct {
	Sleeps bool         `json:",omitempty"`
	Nodes  []SavedUpper `json:",omitempty"`
	Under  []SavedChain `json:",omitempty"` // in the order of their IDs; all others have ended
	Open   []int        `json:",omitempty"`
	Ended  string       `json:",omitempty"`
	Tasks  int          // how many there have been: for a check
}

// A SavedUpper is an upper node.
type SavedUpper struct {
	Depth, Above, Taken       int
	Via                       int32
	Level                     checkpoint.Level
	Backtrack, Untaken, Sleep []int32 `json:",omitempty"`
}

// A SavedChain is a task that has not ended.
type SavedChain struct {
	ID   ID
	Task *Task
	Path []int `json:",omitempty"`
	Last int32
	Next int
}

// Save is valid until the next record is folded.
func (f *Fold) Save() *Saved {
	s := &Saved{Sleeps: f.sleeps, Open: f.open, Ended: f.ended, Tasks: len(f.tasks)}
	for i := range f.nodes {
		u := &f.nodes[i]
		n := SavedUpper{Depth: u.depth, Above: u.above, Via: u.via, Level: u.level,
			Taken: u.taken, Backtrack: actionset.Members[int32](&u.backtrack, nil),
			Untaken: actionset.Members[int32](&u.untaken, nil), Sleep: actionset.Members[int32](&u.sleep, nil)}
		s.Nodes = append(s.Nodes, n)
	}
	for _, id := range f.UnderWay() {
		c := f.tasks[id]
		s.Under = append(s.Under, SavedChain{ID: id, Task: c.task, Path: c.path, Last: c.last, Next: c.next})
	}
	return s
}

// Restore makes the fold that was saved. The error says that no Save has made it.
func (s *Saved) Restore() (*Fold, error) {
	f := &Fold{sleeps: s.Sleeps, open: slices.Clone(s.Open), ended: s.Ended,
		tasks: map[ID]*chain{Root: {}}, under: map[ID]bool{}}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		u := upper{depth: n.Depth, above: n.Above, via: n.Via, level: n.Level, taken: n.Taken}
		for _, set := range []struct {
			to   *actionset.Set
			list []int32
		}{{&u.backtrack, n.Backtrack}, {&u.untaken, n.Untaken}, {&u.sleep, n.Sleep}} {
			var err error
			if *set.to, err = actionset.Of(set.list, actionset.Max); err != nil {
				return nil, fmt.Errorf("upper node %d: %w", i, err)
			}
		}
		if n.Above < -1 || n.Above >= i || n.Taken < 0 || n.Taken > actionset.Max {
			return nil, fmt.Errorf("upper node %d lies below %d", i, n.Above)
		}
		f.nodes = append(f.nodes, u)
		for place := range n.Taken {
			f.tasks[ID{i, place}] = &chain{}
		}
	}
	bad := func(node int) bool { return node < 0 || node >= len(f.nodes) }
	if slices.ContainsFunc(f.open, bad) {
		return nil, errors.New("something waits at a node that there is not")
	}
	for i := range s.Under {
		c := &s.Under[i]
		if f.tasks[c.ID] == nil || c.Task == nil || c.Task.ID != c.ID || slices.ContainsFunc(c.Path, bad) {
			return nil, fmt.Errorf("task %v is under way, but has not been taken", c.ID)
		}
		f.tasks[c.ID] = &chain{task: c.Task, path: slices.Clone(c.Path), last: c.Last, next: c.Next}
		f.under[c.ID] = true
	}
	if len(f.tasks) != s.Tasks {
		return nil, fmt.Errorf("%d tasks have been taken, not %d", len(f.tasks), s.Tasks)
	}
	return f, nil
}

// Uppers is how many upper nodes there are.
func (f *Fold) Uppers() int { return len(f.nodes) }

// Above returns the upper nodes above a task that has not ended, the shallowest first.
func (f *Fold) Above(id ID) []int {
	if c := f.tasks[id]; c != nil {
		return c.path
	}
	return nil
}

// WaitingAt is how much is to be taken from an upper node.
func (f *Fold) WaitingAt(node int) (count int) { return f.nodes[node].waiting().Len() }

// Folded reports whether the record of a number has its place in the chain of a task: another one of that number
// cannot count any more.
func (f *Fold) Folded(id ID, number int) bool {
	c := f.tasks[id]
	return c != nil && (c.task == nil || number < c.next)
}
