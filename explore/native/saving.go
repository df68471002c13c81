package native

import (
	"errors"
	"fmt"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/lang/golang/native"
)

// A Saved is a search as plain data, at a node from which no action is under way. What follows from the actions on the
// stack is not in it: it is found again by executing them.
type Saved struct {
	Algorithm string
	Options   Options
	Result    Result
	Procs     int
	Objects   int
	Actions   int // of a goroutine
	Bumps     bool
	Stack     []SavedNode
	Taken     bool // something has been taken from the last node
}

// A SavedNode has the decisions at a node: what is tried, and what sleeps.
type SavedNode struct {
	Action    int32   `json:",omitempty"` // that is under way
	Backtrack []int32 `json:",omitempty"`
	Sleep     []int32 `json:",omitempty"`
	Reordered []int32 `json:",omitempty"`
	Plan      []int32 `json:",omitempty"` // wakeup tree
}

// offer lets the search be saved at the present node, from which no action is under way; ran says from which nodes on
// the stack something has been taken.
func (x *search) offer(stopped string, ran []bool) {
	if x.opt.Checkpoint == nil {
		return
	}
	x.opt.Checkpoint(stopped, func() *Saved {
		s := &Saved{Algorithm: x.opt.Algorithm.Name, Options: x.opt, Result: *x.res, Procs: x.m.procs,
			Objects: x.m.objects, Actions: x.m.width, Bumps: x.m.bumps, Taken: ran[x.Depth]}
		s.Result.Stopped = ""
		for d := range x.Depth + 1 {
			lv := x.Stack[d]
			n := SavedNode{Backtrack: actionset.Members[int32](&lv.Node.Backtrack, nil),
				Sleep:     actionset.Members[int32](&lv.Node.Sleep, nil),
				Reordered: actionset.Members[int32](&lv.Node.Reordered, nil)}
			if d < x.Depth {
				n.Action = int32(lv.Event.Action)
			}
			if x.Planner != nil {
				n.Plan = x.Planner.SavePlans(&lv.Node)
			}
			s.Stack = append(s.Stack, n)
		}
		return s
	})
}

var errUnreadable = errors.New("what was saved of the search cannot be read")

// restore goes to where a search was saved, and reports from which nodes on the stack something has been taken.
func (x *search) restore(s *Saved) (ran []bool, err error) {
	last := len(s.Stack) - 1
	if last < 0 {
		return nil, errUnreadable
	}
	c := &native.Command{}
	for _, n := range s.Stack[:last] {
		c.Prefix = append(c.Prefix, n.Action)
	}
	x.execute(c)
	runs := x.res.Runs
	*x.res = s.Result
	x.res.Runs = runs
	x.Extend(1)
	x.Levels[0].State[0] = x.m.root.id
	for d := range s.Stack {
		x.Enable(x.Stack[d])
		if err := x.restoreNode(&x.Stack[d].Node, &s.Stack[d]); err != nil {
			return nil, fmt.Errorf("event %d: %w", d, err)
		}
		if ran = append(ran, d < last || s.Taken); d == last {
			break
		}
		x.Extend(d + 1)
		races := x.take(int(s.Stack[d].Action))
		if x.Planner != nil {
			x.Planner.Remember(&x.Search, races)
		}
		x.Depth++
	}
	return ran, nil
}

func (x *search) restoreNode(n *dpor.Node, s *SavedNode) (err error) {
	set := func(list []int32) actionset.Set {
		all, wrong := actionset.Of(list, x.m.procs*x.m.width)
		err = errors.Join(err, wrong)
		return all
	}
	n.Backtrack, n.Sleep, n.Reordered = set(s.Backtrack), set(s.Sleep), set(s.Reordered)
	n.EnabledLeft = true
	if !n.Enabled.Has(int(s.Action)) && s.Action != 0 {
		return errUnreadable
	}
	if x.Planner != nil && err == nil {
		err = x.Planner.RestorePlans(n, s.Plan)
	}
	return err
}
