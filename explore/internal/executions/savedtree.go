package executions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// Save makes a checkpoint of the search, which is valid until it goes on.
func (x *Search) Save() *saved.Checkpoint {
	cp := x.SaveCommon()
	cp.State = slices.Clone(x.levels[x.Depth].State)
	cp.Tree.Stack = checkpoint.Stack{Count: x.Depth + 1, Level: func(d int) checkpoint.Level {
		s := x.saveLevel(x.levels[d], nil)
		if x.Visits != nil {
			s.Visit = x.Visits.savePlace(d)
		}
		return s
	}}
	if x.Visits != nil {
		cp.Visits = append(cp.Visits, x.Visits.save())
	}
	cp.Tree.Inside = x.Inside
	cp.Tree.Guessed = x.guessed
	x.stretch.save(cp.Tree)
	for i, c := range x.census {
		cp.Tree.Census[i] = [2]float64{c.This, c.Before}
	}
	return cp
}

// SaveCommon makes a checkpoint without the stack.
func (x *Search) SaveCommon() *saved.Checkpoint {
	cp := x.Checkpoint(x.m)
	cp.Tree = &checkpoint.Tree{Pairs: savePairs(x.m.Program, x.Pairs)}
	return cp
}

// saveLevel writes a level. What has been decided at a node that is shared, which only those of several workers are, is
// written once.
func (x *Search) saveLevel(lv *level, nodes *checkpoint.Nodes) checkpoint.Level {
	n := &lv.Node
	s := checkpoint.Level{Action: int32(lv.Event.Action), StateSleep: actionset.Members[int32](&n.StateSleep, nil),
		Tried: lv.tried, Begun: lv.begun, Sibling: lv.sibling, Reordered: actionset.Members[int32](&n.Reordered, nil)}
	if x.Visits != nil {
		s.Excluded, s.Slept = actionset.Members[int32](&n.Excluded, nil), actionset.Members[int32](&lv.slept, nil)
	}
	if s.Shared = saveNode(x, nodes, sharedOf(n)); s.Shared == 0 {
		s.Backtrack, s.Sleep = actionset.Members[int32](&n.Backtrack, nil), actionset.Members[int32](&n.Sleep, nil)
	}
	for _, q := range n.Sequences {
		s.Sequences = append(s.Sequences, slices.Clone(q.Actions))
	}
	if x.Planner != nil {
		s.Wakeup = x.Planner.SavePlans(n)
	}
	return s
}

// restore goes to the present node of a checkpoint: takes the actions and fills in what does not follow from them.
func (x *Search) Restore(cp *saved.Checkpoint) error {
	defer x.GiveUp(x)
	if err := x.restoreLevels(cp.Tree.Stack.Read, nil); err != nil {
		return err
	}
	if err := x.RestoreVisits(cp, 0); err != nil {
		return err
	}
	if x.Visits != nil {
		if err := x.Visits.restorePlaces(cp.Tree.Stack.Read); err != nil {
			return err
		}
	}
	if err := x.Limits.Restore(cp, x.levels[x.Depth].State); err != nil {
		return err
	}
	x.Inside, x.Due = cp.Tree.Inside, cp.Tree.Inside // else what is due at the end of an execution is forgotten
	x.guessed = cp.Tree.Guessed
	x.stretch.restore(cp.Tree)
	for i, c := range cp.Tree.Census {
		x.census[i].This, x.census[i].Before = c[0], c[1]
	}
	if err := restorePairs(x, cp.Tree.Pairs); err != nil {
		return err
	}
	return x.Validate()
}

// RestoreVisits takes up what the worker of a number knew of visited states, if there was one.
func (x *Search) RestoreVisits(cp *saved.Checkpoint, number int) error {
	if x.Visits == nil || number >= len(cp.Visits) {
		return nil
	}
	return x.Visits.restore(cp.Visits[number])
}

// restoreLevels takes the actions of a stack, whose nodes may be shared.
func (x *Search) restoreLevels(levels []checkpoint.Level, shared *sharedNodes) (err error) {
	if len(levels) == 0 || len(levels) > x.Opt.MaxDepth+1 {
		return errors.New("the stack of the checkpoint is empty or too deep")
	}
	visits := x.Visits
	x.Visits = nil // what is taken has been taken before
	defer func() { x.Visits = visits }()
	for d := range levels {
		lv := x.level(d)
		x.Enable(&lv.Level)
		if err := x.restoreLevel(lv, &levels[d]); err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		known, err := shared.restore(x, levels[d].Shared)
		if err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		if known != nil {
			lv.Node.Frontier = known
		}
		if d == len(levels)-1 {
			break
		}
		a := int(levels[d].Action)
		if a < 0 || a >= x.m.NumActions() || !lv.Node.Enabled.Has(a) {
			return fmt.Errorf("depth %d: action %d is not possible", d, a)
		}
		if x.Planner != nil && !x.Planner.UnderWay(&lv.Node, a) {
			return fmt.Errorf("depth %d: action %d is not what the wakeup tree begins with", d, a)
		}
		_, races := x.Execute(a)
		if x.Planner != nil {
			x.Planner.Remember(&x.Search, races)
		}
		x.Depth++
	}
	return nil
}

func (x *Search) restoreLevel(lv *level, s *checkpoint.Level) (err error) {
	n := &lv.Node
	set := func(list []int32) actionset.Set {
		all, wrong := actionset.Of(list, x.m.NumActions())
		err = cmp.Or(err, wrong)
		return all
	}
	n.Backtrack, n.Sleep, n.StateSleep = set(s.Backtrack), set(s.Sleep), set(s.StateSleep)
	n.Reordered = set(s.Reordered) // of processes, each of which has an action
	if x.Opt.Visited {
		n.Excluded, lv.slept = set(s.Excluded), set(s.Slept)
	}
	n.EnabledLeft = true // something has been taken from it
	lv.tried, lv.begun, lv.sibling = s.Tried, s.Begun, s.Sibling
	n.Sequences, n.Frontier = nil, nil
	for _, q := range s.Sequences {
		if set(q); len(q) == 0 {
			return errors.New("a sleep sequence is empty")
		}
		n.Sequences = append(n.Sequences, dpor.Sequence{Actions: slices.Clone(q)})
	}
	if x.Planner != nil && err == nil {
		for i := 0; i < len(s.Wakeup); i += 2 {
			set(s.Wakeup[i : i+1])
		}
		if err == nil {
			err = x.Planner.RestorePlans(n, s.Wakeup)
		}
	}
	return err
}

// proceed explores what is left, from the present node of a checkpoint and then from those below it on the stack.
func (x *Search) Proceed() {
	defer x.GiveUp(x)
	if x.Stop == "" {
		x.HaveRun()
		x.branch()
	}
}

// HaveRun notes from which nodes on the stack something has been taken.
func (x *Search) HaveRun() {
	for d, lv := range x.levels[:x.Depth+1] {
		lv.ran = d < x.Depth || !x.Inside
	}
}

// savePairs are the statistics of pairs in the order of the program.
func savePairs(p *step.Program, pairs map[[2]*step.Step]*happens.PairStats) (list []checkpoint.Pair) {
	templates := p.Templates
	at := func(s *step.Step) [2]int { return [2]int{slices.Index(templates, s.Template), s.Index} }
	for p := range maps.Values(pairs) {
		list = append(list, checkpoint.Pair{A: at(p.A), B: at(p.B), Uses: p.Uses})
	}
	slices.SortFunc(list, func(a, b checkpoint.Pair) int {
		return cmp.Or(slices.Compare(a.A[:], b.A[:]), slices.Compare(a.B[:], b.B[:]))
	})
	return list
}

func restorePairs(x *Search, list []checkpoint.Pair) error {
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
		x.Pairs[[2]*step.Step{a, b}] = &happens.PairStats{A: a, B: b, Uses: p.Uses}
	}
	return nil
}
