package dpor

// A Frontier is the work that is left at the nodes of the stack. An algorithm adds actions to backtrack sets
// (backtrack.go) or sequences to wakeup trees (plans.go), and does not know who tries them. There are three forms:
// PlainFrontier, of a search that is alone; in package executions that of one of several workers (sharing.go), and that
// of a worker of a cluster with its task (tasks.go).
type Frontier interface {
	// Take returns the action to take next from the present node, -1 if this search has nothing left to do there.
	Take(n *Node) int
	// Done is called when the search has explored everything after an action from the present node.
	Done(n *Node, a int)
	// Lock brings the backtrack set and the sleep set of a node up to date. Nobody else changes them until Unlock. One
	// node is locked at a time.
	Lock(n *Node)
	Unlock(n *Node)
	// Owns reports whether nobody else takes actions from the node at a depth.
	Owns(depth int) bool
	// Stacks is how many stacks a node is on.
	Stacks(n *Node) int
}

// PlainFrontier is the frontier of a search that shares no work.
type PlainFrontier struct{ X *Search }

func (f PlainFrontier) Take(n *Node) int    { return f.X.Strategy.Pick(f.X, n) }
func (f PlainFrontier) Done(n *Node, a int) { f.X.Strategy.AfterSubtree(f.X, n, a) }
func (f PlainFrontier) Lock(*Node)          {}
func (f PlainFrontier) Unlock(*Node)        {}
func (f PlainFrontier) Owns(int) bool       { return true }
func (f PlainFrontier) Stacks(*Node) int    { return 1 }

// Waiting is how many actions or sequences are waiting to be tried from a node besides the present action, which is -1
// if none is under way.
func (x *Search) Waiting(n *Node, present int) (count int) {
	x.Frontier.Lock(n)
	defer x.Frontier.Unlock(n)
	if x.Planner != nil {
		return x.Planner.CountPlanned(n, present)
	}
	free := n.Free()
	todo := n.Backtrack.And(&free)
	if present >= 0 {
		todo.Remove(present)
	}
	return todo.Len()
}
