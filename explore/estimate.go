package explore

import "cdpor/explore/internal/checkpoint"

// How much of a search is done, estimated from its stack: what is left are the children that nodes on the stack still
// have. The size of a subtree is guessed from that of the sibling before it, which is known or guessed in the same way
// from the stack: later children are smaller, because more is asleep in them, by a factor that finished siblings show.
// (Estimating a search tree from the part that depth-first search has seen goes back to Knuth, Estimating the
// Efficiency of Backtrack Programs, 1975.) Children that dynamic reduction is still going to add are not counted. What
// comes out is good for an order of magnitude.
//
// Of several workers each looks at its own stack. A node that is on several stacks counts on each of them for a part,
// and what a worker has seen of a subtree that such a node begins is taken for such a part of it.

// A census is what the search knows of finished subtrees.
type census struct {
	// By number of the child: nodes of such subtrees, and of those of the siblings before them.
	later [maxSiblings]struct{ this, before float64 }
}

const maxSiblings = checkpoint.Siblings

// finished counts a child of the node of a level that is done.
func (x *search) finished(lv, child *level) {
	n, size := &lv.node, x.results.Nodes-child.begun+1
	if n.tried > 0 {
		c := &x.census.later[min(n.tried, maxSiblings-1)]
		c.this += float64(size)
		c.before += float64(lv.sibling)
	}
	lv.sibling = size
	n.tried++
}

// factor is how much smaller than the one before it a child with a number is.
func (c *census) factor(number int) float64 {
	if l := c.later[min(number, maxSiblings-1)]; l.before > 0 {
		return min(1, l.this/l.before)
	}
	this, before := 0.0, 0.0
	for _, l := range c.later {
		this, before = this+l.this, before+l.before
	}
	if before == 0 {
		return 1
	}
	return min(1, this/before)
}

// estimate brings Result.Share up to date, unless the stack is long and that is more work than has been done since.
func (x *search) estimate() {
	const long = 1 << 13
	if now := x.results.Nodes; x.Depth < long || now-x.guessed >= int64(x.Depth) {
		x.results.Share, x.guessed = x.share(), now
	}
}

// share is the part of the nodes that has been visited, estimated: greater than 0, at most 1. Of several workers it is
// that of this one's.
func (x *search) share() float64 {
	total := 0.0 // nodes of the subtree on the stack
	for d := x.Depth - 1; d >= 0; d-- {
		lv, child := x.levels[d], x.levels[d+1]
		n := &lv.node
		total = max(total, float64(x.results.Nodes-child.begun+1))
		coming := float64(x.planned(n, lv.Event.Action)) / n.stacks()
		size := total * child.node.stacks()
		for number := n.tried + 1; coming > 0; number++ {
			size *= x.census.factor(number)
			total += size * min(1, coming)
			coming--
		}
		total += float64(child.begun - lv.begun)
	}
	visited := float64(x.results.Nodes)
	earlier := float64(x.levels[0].begun - 1) // in other parts of the search
	return min(1, visited/max(1, earlier+total))
}

// stacks is how many stacks a node is on.
func (n *node) stacks() float64 {
	if n.shared == nil {
		return 1
	}
	return float64(n.shared.refs.Load())
}

// planned is how many actions are waiting to be taken from a node besides the present one.
func (x *search) planned(n *node, present int) (count int) {
	x.hold(n)
	defer x.release(n)
	if x.planner != nil {
		return x.planner.countPlanned(n, present)
	}
	free := n.free()
	todo := n.backtrack.And(&free)
	todo.Remove(present)
	return todo.Len()
}
