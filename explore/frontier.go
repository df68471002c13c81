package explore

// A frontier is what the nodes on the stack of a search still have to try. An algorithm adds actions to backtrack sets
// (backtrack.go) or sequences to wakeup trees (plans.go), and does not know who tries them. There are three forms:
// plainFrontier, of a search that is alone; sharedFrontier, of one of several workers in a process (sharing.go); and
// parcelFrontier, of a part of a search that has been cut off from the rest (parcels.go).
type frontier interface {
	// take returns the action to take next from the present node, -1 if this search has nothing left to do there.
	take(n *Node) int
	// done is called when the search has explored everything after an action from the present node.
	done(n *Node, a int)
	// lock brings the backtrack set, the wakeup tree and the sleep set of a node up to date. Nobody else changes them
	// until unlock. One node is locked at a time.
	lock(n *Node)
	unlock(n *Node)
	// owns reports whether nobody else takes actions from the node at a depth.
	owns(depth int) bool
	// stacks is how many stacks a node is on.
	stacks(n *Node) int
}

// plainFrontier is what is left to one search.
type plainFrontier struct{ x *Search }

func (f plainFrontier) take(n *Node) int    { return f.x.strategy.pick(f.x, n) }
func (f plainFrontier) done(n *Node, a int) { f.x.strategy.afterSubtree(f.x, n, a) }
func (f plainFrontier) lock(*Node)          {}
func (f plainFrontier) unlock(*Node)        {}
func (f plainFrontier) owns(int) bool       { return true }
func (f plainFrontier) stacks(*Node) int    { return 1 }

// waiting is how many actions or sequences are waiting to be tried from a node besides the present action, which is -1
// if none is under way.
func (x *Search) waiting(n *Node, present int) (count int) {
	x.frontier.lock(n)
	defer x.frontier.unlock(n)
	if x.planner != nil {
		return x.planner.countPlanned(n, present)
	}
	free := n.free()
	todo := n.backtrack.And(&free)
	todo.Remove(present)
	return todo.Len()
}
