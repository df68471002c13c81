package native

import (
	"context"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/golang/native"
)

// Several processes: while the search waits for an execution, others execute what it will ask for, as far as that is
// known: what waits to be tried from the nodes on the stack, the deepest first. One search decides, so with any number
// of processes it comes to the same executions; behind the prefix one may go on in another way, so what is given up may
// differ.

// ahead has what is executed ahead.
type ahead struct {
	idle  chan Executor
	tasks []*task // that have not been asked for
	end   context.CancelFunc
	ctx   context.Context
}

// A task is an execution of a prefix.
type task struct {
	prefix []int32
	done   chan struct{}
	r      *native.Record
	err    error
}

// tasksOfOne is how many executions of each process are kept.
const tasksOfOne = 4

// employ gets processes ready.
func (x *search) employ() {
	x.ahead.ctx, x.ahead.end = context.WithCancel(x.hard)
	x.ahead.idle = make(chan Executor, len(x.opt.Helpers))
	for _, e := range x.opt.Helpers {
		e.SetCold(x.res.Afresh)
		e.SetWidth(x.m.width)
		x.ahead.idle <- e
	}
}

// dismiss ends what is executed ahead.
func (x *search) dismiss() {
	x.ahead.end()
	for _, t := range x.ahead.tasks {
		<-t.done
	}
	x.ahead.tasks = nil
}

// look lets others execute what waits to be tried, when an action is about to be taken from the present node.
func (x *search) look(action int32) {
	for d := x.Depth; d >= 0 && len(x.ahead.idle) > 0; d-- {
		lv := x.Stack[d]
		n, present := x.m.at(lv.State), action
		if d < x.Depth {
			present = int32(lv.Event.Action)
		}
		if x.Planner != nil {
			x.Planner.Sequences(&lv.Node, func(sequence []int32) {
				if sequence[0] != present {
					x.begin(n, sequence)
				}
			})
			continue
		}
		free := lv.Node.Free()
		todo := lv.Node.Backtrack.And(&free)
		for a := todo.Next(0); a >= 0; a = todo.Next(a + 1) {
			if int32(a) != present {
				x.begin(n, []int32{int32(a)})
			}
		}
	}
}

// begin lets somebody who is idle execute the prefix of a node and a sequence, if that has not been done.
func (x *search) begin(n *node, sequence []int32) {
	if n.child(sequence[0]) != nil || len(x.ahead.idle) == 0 {
		return
	}
	prefix := append(n.prefix(), sequence...)
	if slices.ContainsFunc(x.ahead.tasks, func(t *task) bool { return slices.Equal(t.prefix, prefix) }) {
		return
	}
	if len(x.ahead.tasks) >= tasksOfOne*cap(x.ahead.idle) { // perhaps none of the first will be asked for
		select {
		case <-x.ahead.tasks[0].done:
			first := x.ahead.tasks[0]
			x.ahead.tasks = x.ahead.tasks[1:]
			x.weigh(first)
		default:
			return
		}
	}
	t := &task{prefix: prefix, done: make(chan struct{})}
	x.ahead.tasks = append(x.ahead.tasks, t)
	c := &native.Command{Prefix: prefix[:n.depth+1], Plan: prefix[n.depth+1:], Events: x.opt.Events}
	if lv := &x.Stack[n.depth].Node; x.m.at(x.Levels[n.depth].State) == n {
		c.Sleeping = actionset.Members[int32](&lv.Sleep, nil)
	}
	who := <-x.ahead.idle
	who.SetNames(x.res.Names)
	go func() {
		t.r, t.err = who.Execute(x.ahead.ctx, c)
		x.ahead.idle <- who
		close(t.done)
	}()
}

// weigh looks at an execution that has not been asked for: the race detector reports a race once for each process.
func (x *search) weigh(t *task) {
	if <-t.done; t.err == nil && t.r.Races > 0 && !known(x.res.Findings, Race) {
		x.rename(t.r)
		x.confirm(Race, t.r)
		x.found(Race, t.r)
	}
}

// rest looks at what has been executed and was not asked for when the search has come to its end.
func (x *search) rest() {
	for len(x.ahead.tasks) > 0 {
		first := x.ahead.tasks[0]
		x.ahead.tasks = x.ahead.tasks[1:]
		x.weigh(first)
	}
}

// rename calls goroutines as the search does.
func (x *search) rename(r *native.Record) {
	if names := r.Rename(x.res.Names, x.m.width); len(names) > len(x.res.Names) {
		x.exec.SetNames(names)
	}
}

// executed is an execution of a prefix that others have done or are doing, nil if there is none.
func (x *search) executed(prefix []int32) *native.Record {
	for i, t := range x.ahead.tasks {
		if !begins(t.prefix, prefix) {
			continue
		}
		x.ahead.tasks = slices.Delete(x.ahead.tasks, i, i+1)
		if <-t.done; t.err != nil || t.r.End == native.Diverged || !begins(Actions(t.r), prefix) {
			return nil
		}
		x.rename(t.r)
		return t.r
	}
	return nil
}

func begins(list, with []int32) bool {
	return len(list) >= len(with) && slices.Equal(list[:len(with)], with)
}
