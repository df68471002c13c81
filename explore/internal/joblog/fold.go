package joblog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
)

// A Fold is the state of a search after the records of a log. The zero value has none; NewFold makes one.
//
// What holds after every record:
//
//   - every node that has been explored, or is planned, is in exactly one of: a record that counts; what is left of a
//     task under way; what waits at an upper node;
//   - what has been taken from an upper node only grows, and a task sleeps for what was taken there before it;
//   - backtrack sets only grow;
//   - only who works below an upper node inserts into it. So nothing is added any more where nothing is under way below
//     and nothing waits, and when that is so everywhere, everything has been explored.
type Fold struct {
	sleeps bool // what has been taken from a node sleeps for what is taken later
	nodes  []upper
	tasks  map[ID]*chain
	open   []int       // upper nodes where something waits
	under  map[ID]bool // tasks under way
	ended  string      // why the search has ended
	begun  []ID        // what the last record has put under way
}

// An upper is an upper node.
type upper struct {
	depth     int   // of upper nodes, from 1
	above     int   // the upper node it is a child of, -1 for none
	via       int32 // the action that leads from there to it
	level     checkpoint.Level
	backtrack actionset.Set
	untaken   actionset.Set // what may be taken: enabled, not asleep or forbidden at the split, nor taken since
	taken     int           // how many have been
	sleep     actionset.Set // with what has been taken, if that sleeps
}

// A chain is the state of one task.
type chain struct {
	task *Task // what is left; nil: nothing
	path []int // the upper nodes above it
	last int32 // the action that is taken from the last of them
	next int   // the number that the next record must have
}

// NewFold makes the fold of an empty log: the root is under way. In algorithms with sleep sets, what has been taken
// from a node sleeps for what is taken later.
func NewFold(sleeps bool) *Fold {
	return &Fold{sleeps: sleeps, tasks: map[ID]*chain{Root: {task: &Task{ID: Root, Begin: -1}}},
		under: map[ID]bool{Root: true}, begun: []ID{Root}}
}

// Apply folds the next record of the log. It reports whether the record counts: it does not if the task has ended, or
// another record has the same number, or if the search has ended. One that says why it ends, what processes are called,
// that a task is taken up again, or that there is a Saved, does not count either. The error is about a record that no
// worker of this job can have made.
func (f *Fold) Apply(r *Record) (counts bool, err error) {
	f.begun = nil
	switch {
	case f.ended != "" || r.Origins != nil || r.Folded != nil:
		return false, nil
	case r.End != "":
		f.ended = r.End
		return false, nil
	case r.Take != nil:
		return f.take(r.Take)
	}
	c := f.tasks[r.Task]
	switch {
	case c == nil:
		return false, fmt.Errorf("there is no task %v", r.Task)
	case c.task == nil || r.Number != c.next:
		return false, nil
	}
	if r.Tries > 0 {
		if r.Left == nil || r.Left.Digest() != c.task.Digest() {
			return false, fmt.Errorf("record %d of task %v: it is not what was left", r.Number, r.Task)
		}
		c.next++
		return false, nil
	}
	if err := f.check(r, c); err != nil {
		return false, fmt.Errorf("record %d of task %v: %w", r.Number, r.Task, err)
	}
	c.next++
	for i := range r.Insert {
		f.insert(c, &r.Insert[i])
	}
	for i := range r.Split {
		node := f.split(&r.Split[i])
		u := &f.nodes[node]
		if u.depth, u.above, u.via = len(c.path)+1, -1, c.last; len(c.path) > 0 {
			u.above = c.path[len(c.path)-1]
		}
		c.path, c.last = append(c.path, node), r.Split[i].Action
	}
	if c.task = r.Left; r.Left == nil {
		delete(f.under, r.Task)
		c.path = nil
	}
	return true, nil
}

// check reports an error if a record does not fit its task as folded so far.
func (f *Fold) check(r *Record, c *chain) error {
	for _, insertion := range r.Insert {
		if insertion.Depth < 0 || insertion.Depth >= len(c.path) {
			return fmt.Errorf("an insertion at depth %d, above it are %d nodes", insertion.Depth, len(c.path))
		}
		if _, err := actionset.Of(insertion.Actions, actionset.Max); err != nil {
			return err
		}
	}
	for i := range r.Split {
		s := &r.Split[i]
		for _, list := range [][]int32{{s.Action}, s.Backtrack, s.Sleep, s.StateSleep, s.Enabled, s.Excluded} {
			if _, err := actionset.Of(list, actionset.Max); err != nil {
				return err
			}
		}
	}
	if r.Left == nil {
		return nil
	}
	if want := len(c.path) + len(r.Split); r.Left.ID != r.Task || r.Left.Own != want || len(r.Left.Levels) <= want {
		return fmt.Errorf("%d nodes of task %v are left, %d are above; %d should be", len(r.Left.Levels), r.Left.ID,
			r.Left.Own, want)
	}
	return nil
}

// split makes an upper node.
func (f *Fold) split(s *Upper) (node int) {
	set := func(list []int32) actionset.Set {
		all, _ := actionset.Of(list, actionset.Max) // checked before
		return all
	}
	u := upper{level: s.Level, backtrack: set(s.Backtrack), untaken: set(s.Enabled), sleep: set(s.Sleep)}
	for _, asleep := range [][]int32{s.Sleep, s.StateSleep, s.Excluded} {
		no := set(asleep)
		u.untaken = u.untaken.Minus(&no)
	}
	u.untaken.Remove(int(s.Action)) // under way
	f.nodes = append(f.nodes, u)
	node = len(f.nodes) - 1
	if !u.waiting().Empty() {
		f.open = append(f.open, node)
	}
	return node
}

// waiting are the actions that are to be taken from an upper node.
func (u *upper) waiting() *actionset.Set {
	all := u.backtrack.And(&u.untaken)
	return &all
}

// insert folds an insertion of a task.
func (f *Fold) insert(c *chain, in *Insertion) {
	node := c.path[in.Depth]
	u := &f.nodes[node]
	before := u.waiting().Empty()
	for _, a := range in.Actions {
		u.backtrack.Add(int(a))
	}
	if before && !u.waiting().Empty() {
		f.open = append(f.open, node)
	}
}

// Waiting is the next action to take, from the shallowest node where something waits; nil: nothing waits.
func (f *Fold) Waiting() *Take {
	best := -1
	for _, node := range f.open {
		if best < 0 || f.nodes[node].depth < f.nodes[best].depth {
			best = node
		}
	}
	if best < 0 {
		return nil
	}
	return &Take{Node: best, Action: f.nodes[best].waiting().Next(0)}
}

// WaitingAll lists the next actions to take, at most so many, as Waiting would name them one after the other.
func (f *Fold) WaitingAll(most int) (list []Take) {
	nodes := slices.Clone(f.open)
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(f.nodes[a].depth, f.nodes[b].depth) })
	for _, node := range nodes {
		waiting := f.nodes[node].waiting()
		for a := waiting.Next(0); a >= 0; a = waiting.Next(a + 1) {
			if len(list) >= most {
				return list
			}
			list = append(list, Take{Node: node, Action: a})
		}
	}
	return list
}

// take folds a Take. It does not count when the action does not wait any more.
func (f *Fold) take(t *Take) (counts bool, err error) {
	if t.Node < 0 || t.Node >= len(f.nodes) || t.Action < 0 || t.Action >= actionset.Max {
		return false, fmt.Errorf("there is no action %d at an upper node %d", t.Action, t.Node)
	}
	u := &f.nodes[t.Node]
	if !u.waiting().Has(t.Action) {
		return false, nil
	}
	p := &Task{ID: ID{t.Node, u.taken}, Begin: t.Action}
	action := int32(t.Action)
	for node := t.Node; node >= 0; node = f.nodes[node].above {
		n := &f.nodes[node]
		level := n.level
		level.Action, action = action, n.via
		level.Backtrack = actionset.Members[int32](&n.backtrack, nil)
		level.Sleep = actionset.Members[int32](&n.sleep, nil)
		p.Levels = append(p.Levels, level)
	}
	slices.Reverse(p.Levels)
	f.begin(p, t.Node)
	u.taken++
	u.untaken.Remove(t.Action)
	if f.sleeps {
		u.sleep.Add(t.Action)
	}
	if u.waiting().Empty() {
		f.open = slices.DeleteFunc(f.open, func(node int) bool { return node == t.Node })
	}
	return true, nil
}

// begin puts a task that has been taken from a node under way. Its levels are above it.
func (f *Fold) begin(p *Task, node int) {
	c := &chain{task: p, last: int32(p.Begin)}
	for ; node >= 0; node = f.nodes[node].above {
		c.path = append(c.path, node)
	}
	slices.Reverse(c.path)
	p.Own = len(p.Levels)
	f.tasks[p.ID] = c
	f.under[p.ID] = true
	f.begun = append(f.begun, p.ID)
}

// Done reports whether everything has been explored.
func (f *Fold) Done() bool { return len(f.under) == 0 && len(f.open) == 0 }

// Ended returns why the search has ended early, empty if it has not.
func (f *Fold) Ended() string { return f.ended }

// Task is the rest of a task, nil if it has ended, and the number that its next record must have.
func (f *Fold) Task(id ID) (p *Task, next int) {
	if c := f.tasks[id]; c != nil {
		return c.task, c.next
	}
	return nil, 0
}

// Begun are the tasks that the record folded last has put under way.
func (f *Fold) Begun() []ID { return f.begun }

// Active is the number of tasks that are under way.
func (f *Fold) Active() int { return len(f.under) }

// UnderWay returns the tasks that have not ended, in the order of their IDs.
func (f *Fold) UnderWay() []ID {
	return slices.SortedFunc(maps.Keys(f.under), func(a, b ID) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Place, b.Place))
	})
}
