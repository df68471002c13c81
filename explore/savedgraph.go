package explore

import (
	"errors"
	"fmt"
)

// A savedGraph is the stack of a search of states, and the states visited.
type savedGraph struct {
	Frames  []savedFrame // the last one is the present one
	Visited savedSet
}

type savedFrame struct {
	Action int32   // being taken; of no meaning at the present frame
	Todo   []int32 `json:",omitempty"`
}

// save makes a checkpoint of the search between two executions. It contains the visited set itself, no copy.
func (x *exhaustive) save() *Checkpoint {
	cp := x.checkpoint(x.m, x.stack[x.depth].state)
	cp.Graph = &savedGraph{Visited: x.seen.save()}
	for _, f := range x.stack[:x.depth+1] {
		cp.Graph.Frames = append(cp.Graph.Frames, savedFrame{int32(f.action), members[int32](&f.todo, nil)})
	}
	return cp
}

// restore goes to the present frame of a checkpoint.
func (x *exhaustive) restore(cp *Checkpoint) error {
	frames := cp.Graph.Frames
	if len(frames) == 0 || len(frames) > x.opt.MaxDepth+1 {
		return errors.New("the stack of the checkpoint is empty or too deep")
	}
	var err error
	if x.seen, err = cp.Graph.Visited.restore(x.packing()); err != nil {
		return err
	}
	copy(x.frame(0).state, x.m.Initial())
	for d := range frames {
		f, s := x.frame(d), &frames[d]
		if x.new() {
			return fmt.Errorf("depth %d: the state is not among those visited", d)
		}
		x.enter(f)
		var todo actionSet
		for _, a := range s.Todo {
			if a < 0 || int(a) >= x.m.NumActions() || !f.todo.has(int(a)) {
				return fmt.Errorf("depth %d: action %d is not possible", d, a)
			}
			todo.add(int(a))
		}
		possible := f.todo
		if f.todo = todo; d == len(frames)-1 {
			break
		}
		a := int(s.Action)
		if a < 0 || a >= x.m.NumActions() || !possible.has(a) {
			return fmt.Errorf("depth %d: action %d is not possible", d, a)
		}
		x.take(f, a)
	}
	return x.control.restore(cp, x.stack[x.depth].state)
}

// proceed explores what is left, from the present frame of a checkpoint and then from those below it on the stack.
func (x *exhaustive) proceed() {
	if x.stop == "" {
		x.reenter(0)
	}
}

// reenter finishes the frame at a depth, after those above it on the stack.
func (x *exhaustive) reenter(depth int) {
	if depth < x.depth {
		x.reenter(depth + 1)
		x.explored()
	}
	x.branch(x.stack[depth])
}
