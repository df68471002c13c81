// Package estimate says how much of a depth-first search is done, from its stack: what is left are the children that
// nodes on the stack still have. The size of a subtree is guessed from that of the sibling before it, which is known or
// guessed in the same way from the stack: later children are smaller, because more is asleep in them, by a factor that
// finished siblings show. (Estimating a search tree from the part that depth-first search has seen goes back to Knuth,
// Estimating the Efficiency of Backtrack Programs, 1975.) Children that dynamic reduction is still going to add are not
// counted. What comes out is good for an order of magnitude.
//
// Of several workers each looks at its own stack. A node that is on several stacks counts on each of them for a part,
// and what a worker has seen of a subtree that such a node begins is taken for such a part of it.
package estimate

// Siblings is how many children of a node are told apart; those after them count as the last one.
const Siblings = 8

// A Census counts nodes of finished subtrees, by number of the child: the nodes of such subtrees, and of those of the
// siblings before them.
type Census [Siblings]struct{ This, Before float64 }

// Finished counts a child that is done, with the nodes of its subtree and of that of the sibling before it. The first
// child of a node has the number 0 and no sibling before it.
func (c *Census) Finished(number int, nodes, before int64) {
	if number > 0 {
		n := &c[min(number, Siblings-1)]
		n.This += float64(nodes)
		n.Before += float64(before)
	}
}

// factor is how much smaller than the one before it a child with a number is, at most 1.
func (c *Census) factor(number int) float64 {
	if n := c[min(number, Siblings-1)]; n.Before > 0 {
		return min(1, n.This/n.Before)
	}
	return c.Shrink()
}

// A Fork is a node on the stack of a part of a search.
type Fork struct {
	Done    int // children that are finished
	Planned int // children that are still to be visited, besides the one on the stack
}

// Left is the part of a subtree that is left to be explored, between 0 and 1. The stack begins with its root; no child
// of its last node is under way. Only the numbers of children count, so the nodes of the stack need not have been
// counted. waits is the part of the rest that lies below the planned children of the root.
func (c *Census) Left(stack []Fork) (left, waits float64) {
	left = 1
	for d := len(stack) - 1; d >= 0; d-- {
		n, weight, done := stack[d], 1.0, 0.0
		number := 0
		next := func() (w float64) {
			if number > 0 {
				weight *= c.factor(number)
			}
			number++
			return weight
		}
		for range n.Done {
			done += next()
		}
		under := 0.0
		if d < len(stack)-1 {
			under = next()
		}
		coming := 0.0
		for range n.Planned {
			coming += next()
		}
		if all := done + under + coming; all > 0 {
			if waits = 0; under*left+coming > 0 {
				waits = coming / (under*left + coming)
			}
			left = (under*left + coming) / all
		}
	}
	return left, waits
}

// Shrink is how much smaller than the one before it a child is on average, at most 1.
func (c *Census) Shrink() float64 {
	this, before := 0.0, 0.0
	for _, n := range c {
		this, before = this+n.This, before+n.Before
	}
	if before == 0 {
		return 1
	}
	return min(1, this/before)
}

// A Level is a node on the stack.
type Level struct {
	Begun   int64   // the number of the node, counted from 1 in the order in which nodes are visited
	Done    int     // children that are finished
	Planned int     // children that are still to be visited, besides the one on the stack
	Stacks  float64 // how many stacks the node is on, 1 or more
}

// Share is the part of all nodes that has been visited, greater than 0 and at most 1, after so many nodes. The last
// level is the present node, whose own children do not count.
func (c *Census) Share(visited int64, stack []Level) float64 {
	total := 0.0 // nodes of the subtree on the stack
	for d := len(stack) - 2; d >= 0; d-- {
		n, child := stack[d], stack[d+1]
		total = max(total, float64(visited-child.Begun+1))
		size := total * child.Stacks
		number := n.Done + 1
		for coming := float64(n.Planned) / n.Stacks; coming > 0; coming-- {
			size *= c.factor(number)
			total += size * min(1, coming)
			number++
		}
		total += float64(child.Begun - n.Begun)
	}
	earlier := float64(stack[0].Begun - 1) // in other parts of the search
	return min(1, float64(visited)/max(1, earlier+total))
}
