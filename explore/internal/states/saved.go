package states

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/visited"
)

// save makes a checkpoint of the search. It contains the visited set itself, no copy.
func (x *Exhaustive) save() *saved.Checkpoint {
	cp := x.SaveCommon()
	cp.State = slices.Clone(x.stack[x.depth].state)
	cp.Graph.Frames = append(x.lower.save(), saveFrames(x.stack[x.lower.depth():x.depth+1])...)
	return cp
}

// SaveCommon makes a checkpoint without the stack.
func (x *Exhaustive) SaveCommon() *saved.Checkpoint {
	cp := x.Checkpoint(x.m)
	cp.Graph = &checkpoint.Graph{Visited: x.Seen.Set.Save()}
	return cp
}

func saveFrames(frames []*frame) (list []checkpoint.Frame) {
	for _, f := range frames {
		list = append(list, checkpoint.Frame{Action: int32(f.action), Todo: actionset.Members[int32](&f.todo, nil)})
	}
	return list
}

// restore goes to the present frame of a checkpoint.
func (x *Exhaustive) Restore(cp *saved.Checkpoint) error {
	defer x.GiveUp(x)
	set, err := cp.Graph.Visited.Restore(packingOf(x.m, &x.Opt))
	if err != nil {
		return err
	}
	x.Seen, x.Ends = set.NewWriter(), nil
	if err := x.restoreFrames(cp.Graph.Frames); err != nil {
		return err
	}
	return x.Limits.Restore(cp, x.stack[x.depth].state)
}

// restoreFrames takes the actions of a stack.
func (x *Exhaustive) restoreFrames(frames []checkpoint.Frame) error {
	if len(frames) == 0 || x.Opt.MaxDepth > 0 && len(frames) > x.Opt.MaxDepth+1 {
		return errors.New("the stack of the checkpoint is empty or too deep")
	}
	copy(x.frame(0).state, x.m.Initial())
	for d := range frames {
		x.Work(1)
		f, s := x.frame(d), &frames[d]
		if x.Pool == nil && x.reach(f) {
			return fmt.Errorf("depth %d: the state is not among those visited", d)
		}
		x.enter(f)
		var todo actionset.Set
		for _, a := range s.Todo {
			if a < 0 || int(a) >= x.m.NumActions() || !f.todo.Has(int(a)) {
				return fmt.Errorf("depth %d: action %d is not possible", d, a)
			}
			todo.Add(int(a))
		}
		possible := f.todo
		if f.todo = todo; d == len(frames)-1 {
			break
		}
		a := int(s.Action)
		if a < 0 || a >= x.m.NumActions() || !possible.Has(a) {
			return fmt.Errorf("depth %d: action %d is not possible", d, a)
		}
		next := x.above(f, a)
		copy(next.state, f.state)
		x.run.Take(next.state, a)
	}
	return nil
}

// proceed explores what is left, from the present frame of a checkpoint and then from those below it on the stack.
func (x *Exhaustive) Proceed() {
	defer x.GiveUp(x)
	if x.Stop == "" {
		x.branch()
	}
}

func (x *Exhaustive) SavePart(p engine.WorkItem, _ *checkpoint.Nodes) checkpoint.Part {
	frames := p.([]*frame)
	return checkpoint.Part{State: slices.Clone(frames[len(frames)-1].state), Frames: saveFrames(frames)}
}

func (x *Exhaustive) SaveVisits() *visited.Saved { return nil }

func (x *Exhaustive) RestoreParts(parts []checkpoint.Part, _ []checkpoint.Level) (items []engine.WorkItem, err error) {
	for _, s := range parts {
		x.depth = 0
		if err := x.restoreFrames(s.Frames); err != nil {
			return nil, err
		}
		if !slices.Equal(x.stack[x.depth].state, s.State) {
			return nil, saved.ErrOtherState
		}
		items = append(items, copyFrames(x.stack[:x.depth+1]))
	}
	return items, nil
}

func (x *Exhaustive) RestoreVisits(*saved.Checkpoint, int) error { return nil }

func (x *Exhaustive) RestoreCommon(cp *saved.Checkpoint) error {
	set, err := cp.Graph.Visited.Restore(packingOf(x.m, &x.Opt))
	if err != nil {
		return err
	}
	for _, w := range *x.peers {
		w.Seen = set.NewWriter()
	}
	return x.RestoreFindings(cp)
}
