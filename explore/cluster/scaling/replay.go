package scaling

import (
	"fmt"
	"math/bits"
	"slices"

	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"
)

// An Explorer works on one parcel after the other, as explore.ParcelWork does, which is one.
type Explorer interface {
	TakeUp(p *joblog.Parcel) error
	Explore(nodes int64) (over bool, err error)
	Nodes() int64 // since the last record, or since the parcel was taken up
	Divisible() bool
	Record(number int, over, split bool) (*joblog.Record, error)
}

// A Replay lets workers explore a recorded tree.
type Replay struct {
	tree  *Tree
	below int64 // for how many nodes more each leaf stands
	// Where parcels go on, by what their records say is left; nil: no worker dies.
	saved map[*joblog.Parcel]*replayer
	times []uint16 // per node, how often it was explored; nil: nobody wants to know

	superfluous int64 // nodes that were explored although their states had been explored from others
}

// NewReplay makes one. Each leaf stands for as many nodes more. With deaths, a worker can go on where another one died.
func NewReplay(t *Tree, below int64, deaths bool) *Replay {
	r := &Replay{tree: t, below: below}
	if deaths {
		r.saved = map[*joblog.Parcel]*replayer{}
	}
	return r
}

// Whole is how many nodes a worker alone explores.
func (r *Replay) Whole() int64 {
	return int64(r.tree.nodes) + r.below*int64(r.tree.leaves-len(r.tree.links))
}

// Superfluous is how many nodes were explored because workers do not know what others have visited.
func (r *Replay) Superfluous() int64 { return r.superfluous }

// NewWorker makes a worker.
func (r *Replay) NewWorker() Explorer {
	w := &replayer{r: r, t: r.tree}
	if len(r.tree.links) > 0 {
		w.table = map[int32]bool{}
	}
	return w
}

// A replayer is a worker that goes through a recorded tree. It knows of a node what a search would know there: which of
// its children are to be tried, because of what it has met so far.
type replayer struct {
	r      *Replay
	t      *Tree
	table  map[int32]bool // nodes below which it has explored everything; of a search that stops at visited states
	stack  []place
	own    int // places above the parcel
	begin  int // of the last of them, the child that the parcel begins with; -1: none, or it has been taken
	nodes  int64
	begins bool  // with the root
	debt   int64 // nodes that the leaf under way still stands for
	id     joblog.ID
}

// A place is a node on the stack. Sets of children are bit sets of ranks.
type place struct {
	node     int32
	tried    uint64 // to be tried, or has been
	taken    uint64
	known    uint64 // above the parcel: what the log has of tried, or will have
	rank     int    // of the child under way
	shift    int    // the depth here is the recorded one and this
	base     int    // the place that stands for another node with the same state, 0: none does
	restored bool   // not everything below it was explored by this worker
}

// TakeUp goes to where a parcel goes on.
func (w *replayer) TakeUp(p *joblog.Parcel) error {
	w.stack, w.nodes, w.debt, w.id = w.stack[:0], 0, 0, p.ID
	w.own, w.begin = 0, -1
	if len(p.Levels) == 0 {
		w.begins = true
		return nil
	}
	if s := w.r.saved[p]; s != nil {
		w.stack = append(w.stack, s.stack...)
		w.own, w.begin, w.debt = s.own, s.begin, s.debt
		for i := range w.stack {
			w.stack[i].restored = true
		}
		return nil
	}
	if !p.Fresh() {
		return fmt.Errorf("parcel %v: nothing is known of what is left", p.ID)
	}
	next := int32(0)
	for _, l := range p.Levels {
		w.push(next)
		at := &w.stack[len(w.stack)-1]
		if at.rank = w.t.find(at.node, uint8(l.Action)); at.rank < 0 {
			return fmt.Errorf("parcel %v: node %d has no action %d", p.ID, at.node, l.Action)
		}
		at.tried = w.ranks(at.node, l.Backtrack)
		at.known, at.restored = at.tried, true
		next = w.t.child(at.node, at.rank)
	}
	w.own, w.begin = len(w.stack), w.stack[len(w.stack)-1].rank
	return nil
}

// push puts a node on the stack, or the one that stands for it.
func (w *replayer) push(v int32) {
	p := place{node: v, rank: -1}
	if n := len(w.stack); n > 0 {
		p.shift, p.base = w.stack[n-1].shift, w.stack[n-1].base
	}
	if w.t.kind[v]&visited != 0 {
		l := w.t.linkOf(v)
		p.node, p.shift, p.base = l.to, len(w.stack)-int(l.depth), len(w.stack)
	}
	p.tried = w.t.first(p.node)
	w.stack = append(w.stack, p)
}

// Explore goes on for about as many nodes, to a point between two executions.
func (w *replayer) Explore(nodes int64) (over bool, err error) {
	until := w.nodes + nodes
	if w.begins {
		w.begins = false
		w.enter(0)
	}
	for {
		if w.debt > 0 {
			some := min(w.debt, max(0, until-w.nodes))
			w.nodes += some
			if w.debt -= some; w.debt > 0 {
				return false, nil
			}
		}
		depth := len(w.stack)
		rank := -1
		switch {
		case depth > w.own:
			if rest := w.stack[depth-1].tried &^ w.stack[depth-1].taken; rest != 0 {
				rank = bits.TrailingZeros64(rest)
			}
		case w.begin >= 0:
			rank, w.begin = w.begin, -1
		default:
			return true, nil
		}
		if rank < 0 {
			w.leave()
			if len(w.stack) == w.own {
				return true, nil
			}
		} else {
			top := &w.stack[depth-1]
			top.rank = rank
			top.taken |= 1 << rank
			if w.enter(w.t.child(top.node, rank)) {
				continue
			}
		}
		if w.nodes >= until && w.debt == 0 {
			return false, nil
		}
	}
}

// enter goes to a node. It reports whether something is to be taken from it.
func (w *replayer) enter(v int32) (more bool) {
	kind := w.t.kind[v]
	if kind&requests != 0 {
		w.request(v)
	}
	if kind&entered == 0 {
		return false
	}
	w.nodes++
	if n := len(w.stack); n > 0 && w.stack[n-1].base > 0 {
		w.r.superfluous++
	}
	if w.r.times != nil {
		w.r.times[v]++
	}
	switch {
	case kind&visited != 0:
		if l := w.t.linkOf(v); w.table[l.to] || w.isUnderWay(l.to) {
			return false
		}
	case w.t.size[v] == 1:
		w.debt = w.r.below
		return false
	}
	w.push(v)
	return true
}

// isUnderWay reports whether a node is on the stack.
func (w *replayer) isUnderWay(v int32) bool {
	return slices.ContainsFunc(w.stack, func(p place) bool { return p.node == v })
}

// leave goes back from a node below which everything has been explored.
func (w *replayer) leave() {
	top := &w.stack[len(w.stack)-1]
	if w.t.kind[top.node]&known != 0 && !top.restored {
		w.table[top.node] = true
	}
	w.stack = w.stack[:len(w.stack)-1]
}

// request lets nodes above one be tried because of it, which is about to be entered.
func (w *replayer) request(v int32) {
	shift, base := 0, 0
	if n := len(w.stack); n > 0 {
		shift, base = w.stack[n-1].shift, w.stack[n-1].base
	}
	for _, r := range w.t.requestsOf(v) {
		depth := int(r.depth) + shift
		if base > 0 && depth < base {
			continue // of the path to the other node; on this one it has been asked for where the states met
		}
		at := &w.stack[depth]
		at.tried |= 1 << w.t.rank(at.node, r.child)
	}
}

// Nodes is how many nodes were explored since the last record.
func (w *replayer) Nodes() int64 { return w.nodes }

// last is the depth of the present node.
func (w *replayer) last() int {
	if w.debt > 0 {
		return len(w.stack)
	}
	return len(w.stack) - 1
}

// splitDepth is the depth of the shallowest node of the parcel from which something waits to be taken, -1 if there is
// none below the present one.
func (w *replayer) splitDepth() int {
	for d := w.own; d < w.last(); d++ {
		if p := &w.stack[d]; p.tried&^p.taken != 0 {
			return d
		}
	}
	return -1
}

// Divisible reports whether Record can give something away.
func (w *replayer) Divisible() bool { return w.splitDepth() >= 0 }

// Record says what has come of the parcel since the last record.
func (w *replayer) Record(number int, over, split bool) (*joblog.Record, error) {
	r := &joblog.Record{Parcel: w.id, Number: number}
	w.nodes = 0
	for d := range w.stack[:w.own] {
		p := &w.stack[d]
		if more := p.tried &^ p.known; more != 0 {
			r.Insert = append(r.Insert, joblog.Insertion{Depth: d, Actions: w.actions(p.node, more)})
			p.known = p.tried
		}
	}
	if over {
		return r, nil
	}
	if depth := w.splitDepth(); split && depth >= 0 {
		for d := w.own; d <= depth; d++ {
			p := &w.stack[d]
			r.Split = append(r.Split, joblog.Upper{Level: checkpoint.Level{
				Action:    int32(w.t.action[w.t.child(p.node, p.rank)]),
				Backtrack: w.actions(p.node, p.tried), Sleep: w.actions(p.node, p.taken),
			}, Enabled: w.actions(p.node, 1<<w.t.number(p.node)-1)})
			p.known = p.tried
		}
		w.own = depth + 1
	}
	r.Left = &joblog.Parcel{ID: w.id, Own: w.own, Begin: -1, Levels: make([]checkpoint.Level, w.last()+1)}
	if w.r.saved != nil {
		s := *w
		s.stack = slices.Clone(w.stack)
		w.r.saved[r.Left] = &s
	}
	return r, nil
}

// actions are those that lead to some children of a node.
func (w *replayer) actions(v int32, ranks uint64) (list []int32) {
	for c := v + 1; ranks != 0; ranks >>= 1 {
		if ranks&1 != 0 {
			list = append(list, int32(w.t.action[c]))
		}
		if ranks > 1 {
			c = w.t.last(c)
		}
	}
	return list
}

// ranks are the children of a node that some actions lead to.
func (w *replayer) ranks(v int32, actions []int32) (set uint64) {
	for _, a := range actions {
		if k := w.t.find(v, uint8(a)); k >= 0 {
			set |= 1 << k
		}
	}
	return set
}
