package share

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
)

// Bounds say how often something that may happen any number of times is taken to happen.
type Bounds struct {
	Loop int // what a loop without a constant count makes, or starts, at one place
	Most int // what one place makes in one goroutine in all
}

// loops knows the loops of functions.
type loops struct {
	bounds Bounds
	of     map[*ssa.BasicBlock]int
}

// times is how often a block of a function is executed at most, in one call; bounded if that is not a constant.
func (l *loops) times(b *ssa.BasicBlock) int {
	if n, ok := l.of[b]; ok {
		return n
	}
	n := 1
	for _, head := range b.Parent().Blocks {
		if LoopOf(head)[b] && slices.ContainsFunc(head.Preds, head.Dominates) {
			n *= max(l.rounds(head, b), 2)
		}
		n = min(n, l.bounds.Most)
	}
	if n == 1 && behind(b)[b] { // a loop with several entries, made by goto
		n = l.bounds.Loop
	}
	l.of[b] = n
	return n
}

// LoopOf has the blocks of the loop that a block is the head of: itself, and those that lead back to it and that it
// dominates.
func LoopOf(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	body := map[*ssa.BasicBlock]bool{head: true}
	var add func(b *ssa.BasicBlock)
	add = func(b *ssa.BasicBlock) {
		if !body[b] && head.Dominates(b) {
			body[b] = true
			for _, p := range b.Preds {
				add(p)
			}
		}
	}
	for _, p := range head.Preds {
		add(p)
	}
	return body
}

// behind has the blocks that can be reached from the end of a block, itself only if it is in a cycle.
func behind(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	found := map[*ssa.BasicBlock]bool{}
	var from func(b *ssa.BasicBlock)
	from = func(b *ssa.BasicBlock) {
		for _, s := range b.Succs {
			if !found[s] {
				found[s] = true
				from(s)
			}
		}
	}
	from(b)
	return found
}

// rounds is how often a block of a loop is executed at most each time the loop is entered.
func (l *loops) rounds(head, b *ssa.BasicBlock) int {
	if n, ok := tripCount(head, head); ok { // the head asks whether to go on
		if head.Succs[0] == head || !head.Succs[0].Dominates(b) {
			n++
		}
		return n
	}
	for _, latch := range head.Preds { // the end of the body asks
		if len(latch.Succs) == 2 && latch.Succs[0] == head && head.Dominates(latch) {
			if n, ok := tripCount(head, latch); ok {
				return n + 1
			}
		}
	}
	return l.bounds.Loop
}

// tripCount is how often a block of a loop finds that the loop goes on: it compares a counter with a constant.
func tripCount(head, asks *ssa.BasicBlock) (int, bool) {
	end, ok := asks.Instrs[len(asks.Instrs)-1].(*ssa.If)
	if !ok {
		return 0, false
	}
	cond, ok := end.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ && cond.Op != token.NEQ {
		return 0, false
	}
	limit, ok := integer(cond.Y)
	if !ok {
		return 0, false
	}
	counter, plus := cond.X, int64(0)
	// range over a slice: the counter is increased first
	if add, ok := counter.(*ssa.BinOp); ok && add.Op == token.ADD {
		if k, ok := integer(add.Y); ok {
			counter, plus = add.X, k
		}
	}
	phi, ok := counter.(*ssa.Phi)
	if !ok || phi.Block() != head {
		return 0, false
	}
	start, step, known := int64(0), int64(0), 0
	for _, e := range phi.Edges {
		if k, ok := integer(e); ok {
			start, known = k, known|1
			continue
		}
		add, ok := e.(*ssa.BinOp)
		if !ok || add.Op != token.ADD || add.X != ssa.Value(phi) {
			return 0, false
		}
		k, ok := integer(add.Y)
		if !ok || known&2 != 0 && k != step {
			return 0, false
		}
		step, known = k, known|2
	}
	if known != 3 || step <= 0 {
		return 0, false
	}
	start += plus
	if cond.Op == token.LEQ {
		limit++
	}
	n := (limit - start + step - 1) / step
	if n < 0 || n > 1<<20 {
		return 0, false
	}
	return int(n), true
}

func integer(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

// Times is how often one process reaches a block of an instance at most.
func (s *Sharing) Times(in *pointsto.Instance, b *ssa.BasicBlock) int {
	n := 1
	for {
		if b != nil {
			n = min(n*s.loops.times(b), s.loops.bounds.Most)
		}
		if _, begins := in.Site.(*ssa.Go); begins || in.Caller == nil {
			return n
		}
		in, b = in.Caller, in.Site.Block()
	}
}

// Count is how many processes there are of the goroutine that an instance belongs to.
func (s *Sharing) Count(in *pointsto.Instance) int {
	p := in.Process()
	if p.Caller == nil {
		return 1
	}
	if n, ok := s.counts[p]; ok {
		return n
	}
	s.counts[p] = 1 // a goroutine that starts itself again is bounded by the depth of calls
	n := min(s.Count(p.Caller)*s.Times(p.Caller, p.Site.Block()), s.loops.bounds.Most)
	s.counts[p] = n
	return n
}
