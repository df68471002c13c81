package states

import (
	"iter"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/lang/step"
)

// A stack may be as long as there are states. Far below the present frame it is kept in short: in stretches, of whose
// frames there is only what was taken and what is left to be taken. When the search comes back to a stretch its frames
// are made again, by taking the actions from the first state.

// StretchLen is how many frames a stretch has. It is short enough for LookForGrowth, which looks at 16 states of an
// execution.
const StretchLen = 1 << 8

// A stretch are frames in short.
type stretch struct {
	state step.State // of the first
	taken []byte     // of each the action, which fits: actionset.Max
	left  []byte     // of each how many actions are to be taken, at most 255 as one has been, and these
}

// The lower part of the stack of a search, in short.
type lower struct {
	list  []stretch
	long  int      // the depth at which the stack is so long that one is added
	spare []*frame // frames that can be used again
}

// frames are the action of each and what is to be taken.
func (s *stretch) frames() iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		left := s.left
		for _, a := range s.taken {
			n := 1 + int(left[0])
			if !yield(a, left[1:n]) {
				return
			}
			left = left[n:]
		}
	}
}

// shorten puts a stretch in place of the lowest frames of a search. Its present one is far enough above them that they
// are not needed again soon. Frames that workers share are kept, and those that know how the search came there.
func (l *lower) shorten(x *Exhaustive) {
	if x.Pool != nil || x.Opt.Preempt {
		return
	}
	frames := x.stack[l.depth() : l.depth()+StretchLen]
	s := stretch{state: slices.Clone(frames[0].state), taken: make([]byte, 0, StretchLen)}
	for _, f := range frames {
		s.taken = append(s.taken, byte(f.action))
		s.left = append(s.left, byte(f.todo.Len()))
		for a := f.todo.Next(0); a >= 0; a = f.todo.Next(a + 1) {
			s.left = append(s.left, byte(a))
		}
	}
	s.left = slices.Clip(s.left)
	l.list = append(l.list, s)
	l.long += StretchLen
	l.spare = append(l.spare, frames...)
	clear(frames)
}

// lengthen makes the frames of the last stretch again, whose last frame is the present one of a search.
func (l *lower) lengthen(x *Exhaustive) {
	s := &l.list[len(l.list)-1]
	l.list = l.list[:len(l.list)-1]
	l.long -= StretchLen
	l.spare = append(l.spare, x.stack[x.depth+1:]...) // they are not in use
	x.stack = x.stack[:x.depth+1]
	x.depth = l.depth()
	now := s.state
	for a, left := range s.frames() {
		f := x.frame(x.depth)
		copy(f.state, now)
		x.reach(f)
		x.enter(f)
		f.action, f.todo = int(a), actionset.Set{}
		for _, todo := range left {
			f.todo.Add(int(todo))
		}
		now = x.frame(x.depth + 1).state
		copy(now, f.state)
		x.run.Take(now, f.action)
		x.depth++
	}
	x.depth--
}

// depth is that of the first frame that is not kept in short.
func (l *lower) depth() int { return len(l.list) * StretchLen }

// schedule appends the actions there to a list.
func (l *lower) schedule(list []int32) []int32 {
	for i := range l.list {
		for _, a := range l.list[i].taken {
			list = append(list, int32(a))
		}
	}
	return list
}

// save is it as it is saved.
func (l *lower) save() (list []checkpoint.Frame) {
	for i := range l.list {
		for a, left := range l.list[i].frames() {
			f := checkpoint.Frame{Action: int32(a)}
			for _, todo := range left {
				f.Todo = append(f.Todo, int32(todo))
			}
			list = append(list, f)
		}
	}
	return list
}
