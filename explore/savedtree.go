package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A savedTree is the stack of a search of executions, and what it counts on the side.
type savedTree struct {
	Stack       savedStack    // the last level is the present node
	Pairs       []savedPair   `json:",omitempty"`
	Guessed     int64         `json:",omitempty"` // see search.guessed
	Stretch     *savedStretch `json:",omitempty"` // nil: none is under way
	NextStretch int64         `json:",omitempty"`
	Census      [maxSiblings][2]float64
}

// A savedLevel is a level with a node from which something has been taken. Its fields are those of level and node.
type savedLevel struct {
	Action     int32           // under way; of no meaning at the present node
	Backtrack  []int32         `json:",omitempty"`
	Sleep      []int32         `json:",omitempty"`
	StateSleep []int32         `json:"Semantic,omitempty"`
	Sequences  []savedSequence `json:",omitempty"`
	Wakeup     []int32         `json:",omitempty"` // the wakeup tree in preorder: of each branch the action and how many branches are below it
	Tried      int             `json:",omitempty"`
	Begun      int64
	Sibling    int64      `json:",omitempty"`
	Reordered  []int32    `json:",omitempty"` // processes
	Excluded   []int32    `json:",omitempty"` // what an earlier visit of the state has taken
	Visit      *savedNode `json:",omitempty"`
	Shared     int        `json:",omitempty"` // number of the node among those of the checkpoint, counted from 1, that has the sets and the wakeup tree

	// Of a shared node: what was asleep from the beginning, and then what has been taken, with the numbers of the
	// children.
	Before []int32  `json:",omitempty"`
	Taken  [][2]int `json:",omitempty"`
}

type savedSequence struct {
	Actions []int32
	Goal    step.State `json:",omitempty"`
}

// A savedPair are the statistics of a pair of steps, given by template and number.
type savedPair struct {
	A, B                                        [2]int
	Static, Evaluated, Held, Removed, Sequences int64
}

// save makes a checkpoint of the search between two executions. It is valid until the search goes on.
func (x *search) save() *Checkpoint {
	cp := x.saveCommon()
	cp.State = slices.Clone(x.levels[x.Depth].State)
	cp.Tree.Stack = savedStack{Count: x.Depth + 1, level: func(d int) savedLevel {
		s := x.saveLevel(x.levels[d], nil)
		if x.visits != nil {
			s.Visit = x.visits.savePlace(d)
		}
		return s
	}}
	if x.visits != nil {
		cp.Visits = append(cp.Visits, x.visits.save())
	}
	cp.Tree.Guessed, cp.Tree.Stretch, cp.Tree.NextStretch = x.guessed, x.stretch.save(), x.nextStretch
	for i, c := range x.census.later {
		cp.Tree.Census[i] = [2]float64{c.this, c.before}
	}
	return cp
}

// saveCommon makes a checkpoint without the stack.
func (x *search) saveCommon() *Checkpoint {
	cp := x.checkpoint(x.m)
	cp.Tree = &savedTree{Pairs: x.savePairs()}
	return cp
}

// saveLevel writes a level. What has been decided at a node that is shared, which only those of several workers are, is
// written once.
func (x *search) saveLevel(lv *level, shared *sharedNodes) savedLevel {
	n := &lv.node
	s := savedLevel{Action: int32(lv.Event.Action), StateSleep: actionset.Members[int32](&n.stateSleep, nil), Tried: n.tried, Begun: lv.begun, Sibling: lv.sibling,
		Reordered: actionset.Members[int32](&n.reordered, nil)}
	if x.visits != nil {
		s.Excluded = actionset.Members[int32](&n.excluded, nil)
	}
	if s.Shared = shared.save(x, n.shared); s.Shared == 0 {
		s.Backtrack, s.Sleep = actionset.Members[int32](&n.backtrack, nil), actionset.Members[int32](&n.sleep, nil)
	}
	for _, q := range n.sequences {
		s.Sequences = append(s.Sequences, savedSequence{slices.Clone(q.actions), slices.Clone(q.goal)})
	}
	if x.saver != nil && s.Shared == 0 {
		s.Wakeup = x.saver.savePlans(n)
	}
	return s
}

// restore goes to the present node of a checkpoint: takes the actions and fills in what does not follow from them.
func (x *search) restore(cp *Checkpoint) error {
	defer x.giveUp(x)
	if err := x.restoreLevels(cp.Tree.Stack.read, nil); err != nil {
		return err
	}
	if err := x.restoreVisits(cp, 0); err != nil {
		return err
	}
	if x.visits != nil {
		if err := x.visits.restorePlaces(cp.Tree.Stack.read); err != nil {
			return err
		}
	}
	if err := x.limits.restore(cp, x.levels[x.Depth].State); err != nil {
		return err
	}
	x.guessed, x.stretch, x.nextStretch = cp.Tree.Guessed, cp.Tree.Stretch.restore(), cp.Tree.NextStretch
	for i, c := range cp.Tree.Census {
		x.census.later[i].this, x.census.later[i].before = c[0], c[1]
	}
	if err := x.restorePairs(cp.Tree.Pairs); err != nil {
		return err
	}
	return x.validate()
}

// restoreVisits takes up what the worker of a number knew of visited states, if there was one.
func (x *search) restoreVisits(cp *Checkpoint, number int) error {
	if x.visits == nil || number >= len(cp.Visits) {
		return nil
	}
	return x.visits.restore(cp.Visits[number])
}

// restoreLevels takes the actions of a stack, whose nodes may be shared.
func (x *search) restoreLevels(levels []savedLevel, shared *sharedNodes) (err error) {
	if len(levels) == 0 || len(levels) > x.opt.MaxDepth+1 {
		return errors.New("the stack of the checkpoint is empty or too deep")
	}
	visits := x.visits
	x.visits = nil // what is taken has been taken before
	defer func() { x.visits = visits }()
	for d := range levels {
		lv := x.level(d)
		x.enable(lv)
		if err := x.restoreLevel(lv, &levels[d]); err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		if lv.node.shared, err = shared.restore(x, levels[d].Shared, 0); err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		if d == len(levels)-1 {
			break
		}
		a := int(levels[d].Action)
		if a < 0 || a >= x.m.NumActions() || !lv.node.enabled.Has(a) {
			return fmt.Errorf("depth %d: action %d is not possible", d, a)
		}
		if x.saver != nil && lv.node.shared == nil && !x.saver.underWay(&lv.node, a) {
			return fmt.Errorf("depth %d: action %d is not what the wakeup tree begins with", d, a)
		}
		_, races := x.execute(lv, a)
		if x.planner != nil {
			x.planner.remember(x, races)
		}
		x.Depth++
	}
	return nil
}

// actions is the set of some actions.
func (x *search) actions(list []int32) (set actionset.Set, err error) {
	return actionset.Of(list, x.m.NumActions())
}

func (x *search) restoreLevel(lv *level, s *savedLevel) (err error) {
	n := &lv.node
	set := func(list []int32) actionset.Set {
		all, wrong := x.actions(list)
		err = cmp.Or(err, wrong)
		return all
	}
	n.backtrack, n.sleep, n.stateSleep = set(s.Backtrack), set(s.Sleep), set(s.StateSleep)
	n.reordered = set(s.Reordered) // of processes, each of which has an action
	if x.opt.Visited {
		n.excluded = set(s.Excluded)
	}
	n.enabledLeft = true // something has been taken from it
	n.tried, lv.begun, lv.sibling = s.Tried, s.Begun, s.Sibling
	n.sequences, n.memory, n.shared = nil, nil, nil
	for _, q := range s.Sequences {
		if set(q.Actions); len(q.Actions) == 0 || q.Goal != nil && len(q.Goal) != x.m.Words() {
			return errors.New("a sleep sequence is empty or has a goal that is no state")
		}
		n.sequences = append(n.sequences, sequence{slices.Clone(q.Actions), slices.Clone(q.Goal)})
	}
	if x.saver != nil && err == nil {
		for i := 0; i < len(s.Wakeup); i += 2 {
			set(s.Wakeup[i : i+1])
		}
		if err == nil {
			err = x.saver.restorePlans(n, s.Wakeup)
		}
	}
	return err
}

// proceed explores what is left, from the present node of a checkpoint and then from those below it on the stack.
func (x *search) proceed() {
	defer x.giveUp(x)
	if x.stop == "" {
		for _, lv := range x.levels[:x.Depth+1] {
			lv.ran = true
		}
		x.branch()
	}
}

// savePairs are the statistics of pairs in the order of the program.
func (x *search) savePairs() (list []savedPair) {
	templates := x.m.Program.Templates
	at := func(s *step.Step) [2]int { return [2]int{slices.Index(templates, s.Template), s.Index} }
	for p := range maps.Values(x.Pairs) {
		list = append(list, savedPair{at(p.A), at(p.B), p.Static, p.Evaluated, p.Held, p.Removed, p.Sequences})
	}
	slices.SortFunc(list, func(a, b savedPair) int {
		return cmp.Or(slices.Compare(a.A[:], b.A[:]), slices.Compare(a.B[:], b.B[:]))
	})
	return list
}

func (x *search) restorePairs(list []savedPair) error {
	find := func(at [2]int) *step.Step {
		if t := x.m.Program.Templates; at[0] >= 0 && at[0] < len(t) && at[1] >= 0 && at[1] < len(t[at[0]].Steps) {
			return t[at[0]].Steps[at[1]]
		}
		return nil
	}
	x.ForgetPairs() // as they are of going here
	for _, p := range list {
		a, b := find(p.A), find(p.B)
		if a == nil || b == nil {
			return fmt.Errorf("there is no pair of steps %v, %v", p.A, p.B)
		}
		x.Pairs[[2]*step.Step{a, b}] = &PairStats{A: a, B: b, Static: p.Static, Evaluated: p.Evaluated, Held: p.Held,
			Removed: p.Removed, Sequences: p.Sequences}
	}
	return nil
}
