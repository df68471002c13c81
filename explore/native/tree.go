package native

import (
	"encoding/binary"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// What executions have shown: a tree of prefixes. A state of the search is a node of it. What lies behind a node that
// no execution has come to is found out by running its prefix.

// A node is the point behind a prefix of an execution, with the steps that are possible there.
type node struct {
	id       int64
	depth    int
	parent   *node
	action   int32
	children []*node

	next    []*nextStep // per process; nil: it has nothing to do
	counts  []int32     // per process: its events
	joins   []join      // per process: what its next step comes behind
	enabled actionset.Set
	world   *native.World
	initial *native.World // what objects were when they were met first
	lengths []native.Length
	same    bool // the event that leads here has left its object as it was

	// crashes are the next steps, by process, that end the program: nothing comes behind them, so they are in conflict
	// with all others.
	crashes map[int]*nextStep

	ends  bool // an execution has ended here
	end   native.End
	moves bool // the clock goes on from here, because nobody else can
	clock native.Clock
	early bool // one has fired although somebody could go on
}

type join struct{ with, index int32 }

// A nextStep is the next step of a process. Equal ones are one object.
type nextStep struct {
	step.Info
	id int
	op *native.Operation
}

// A tree has the prefixes of all executions of a test so far.
type tree struct {
	procs, objects, width int
	counted               bool // sends and receives conflict by their numbers only
	calls                 *Calls
	bumps, met            bool // there are adds of which nobody looks at the result: expected, met

	root  *node
	nodes []*node // by id
	free  []*node // to be used again, with their ids
	steps []*nextStep
	known map[string]*nextStep
	// The clock goes on when it can (early), or when nobody else can: between all before and all behind it.
	early, clock *nextStep
	key          []byte
}

// locations that are no objects' come first: the time, the meeting of selects, lives of processes.
func (t *tree) locations() int { return 2 + slots + t.procs + native.Parts*t.objects }

// slots are locations for the numbers of sends and receives: two numbers that share one only conflict more often.
const slots = 128

func (t *tree) slot(object int32, k int) int { return 2 + int(uint32(int(object)*17+k)%slots) }

func (t *tree) location(p native.Place) int {
	switch {
	case p == native.Rendezvous:
		return 1
	case p < 0:
		return 2 + slots + int(native.Lives-p)
	}
	return 2 + slots + t.procs + int(p)%(native.Parts*t.objects)
}

func (t *tree) words() int { return (t.locations() + 63) / 64 }

func newTree(procs, objects, width int) *tree {
	t := &tree{procs: procs, objects: objects, width: width, known: map[string]*nextStep{}}
	t.early = t.step(&native.Tick, &native.World{}, 0, false)
	t.early.Widest[t.words()] |= 1
	t.early.Guarded = true
	t.clock = t.newStep(&native.Tick, step.Info{Fixed: true, Widest: t.everything()})
	return t
}

// step is the step of an operation of a process.
func (t *tree) step(op *native.Operation, w *native.World, proc int, begins bool) *nextStep {
	foot := make(step.Footprint, 2*t.words())
	if op.TellsTime(w) {
		foot[0] |= 1
	}
	touch := func(location int, write bool) { t.touch(foot, location, write) }
	place := func(p native.Place, write bool) { touch(t.location(p), write) }
	counted := t.counted && op.Counted(w)
	method, key, call := op.Call()
	switch {
	case call && t.calls != nil:
		t.calls.accesses(method, key, func(k int, write bool) { touch(t.slot(op.Objects[0], k), write) })
	case t.counted:
		op.Accesses(w, proc, place, func(k int, write bool) { touch(t.slot(op.Objects[0], k), write) }, t.bumps)
		t.met = t.met || op.Bumps()
	default:
		op.Accesses(w, proc, place, nil, false)
	}
	if begins {
		touch(t.location(native.Lives-native.Place(proc)), false)
	}
	waits := op.Waits(w)
	k := append(t.key[:0], byte(op.Kind), b2i(op.Blocks), b2i(begins), b2i(waits))
	for _, n := range []int{op.Sends, op.Number, len(op.Objects)} {
		k = binary.AppendVarint(k, int64(n))
	}
	for _, id := range op.Objects {
		k = binary.AppendVarint(k, int64(id))
	}
	for _, w := range foot {
		k = binary.LittleEndian.AppendUint64(k, w)
	}
	t.key = k
	s := t.known[string(k)]
	if s == nil {
		s = t.newStep(op, step.Info{Guarded: waits, Selects: op.Selects(), Begins: begins, Refinable: op.Refinable(),
			Fixed: !counted, Widest: foot})
		t.known[string(k)] = s
	}
	return s
}

func (t *tree) newStep(op *native.Operation, info step.Info) *nextStep {
	s := &nextStep{info, len(t.steps), op}
	t.steps = append(t.steps, s)
	return s
}

// everything writes all locations.
func (t *tree) everything() step.Footprint {
	foot := make(step.Footprint, 2*t.words())
	for i := range t.locations() {
		t.touch(foot, i, true)
	}
	return foot
}

func (t *tree) touch(foot step.Footprint, location int, write bool) {
	foot[location/64] |= 1 << (location % 64)
	if write {
		foot[t.words()+location/64] |= 1 << (location % 64)
	}
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A tooSmall says that a tree must be made again, for more.
type tooSmall struct {
	procs, objects, width int
	bumps                 bool
}

func (e tooSmall) Error() string { return "too small" }

// A difference is between two executions of the same prefix.
type difference struct{ text string }

func (e difference) Error() string { return e.text }

// add puts an execution into the tree, and returns where it ends.
func (t *tree) add(r *native.Record) (end *node, err error) {
	procs := len(r.Names)/2 + 2
	if procs > t.procs || r.Width > t.width {
		return nil, tooSmall{procs, t.objects, max(t.width, r.Width), t.bumps}
	}
	if t.root == nil {
		t.root = t.grow(nil, &r.Steps[0])
	} else if err := t.compare(t.root, &r.Steps[0]); err != nil {
		return nil, err
	}
	n := t.root
	for i := range r.Steps[1:] {
		s := &r.Steps[i+1]
		if s.Action == 0 && n.enabled.Empty() {
			n.moves = true
			n.enabled.Add(0)
		}
		if !n.enabled.Has(int(s.Action)) {
			return nil, difference{fmt.Sprintf("event %d: goroutine %d was to wait, and goes on", n.depth+1,
				int(s.Action)/t.width)}
		}
		child := n.child(s.Action)
		if child == nil {
			child = t.grow(n, s)
		} else if err := t.compare(child, s); err != nil {
			return nil, err
		}
		n = child
	}
	if n.ends = r.End != native.Diverged; n.ends {
		n.end = r.End
	}
	if n.over() {
		n.enabled = actionset.Set{}
		if n.parent != nil {
			t.crash(n.parent, int(n.action)/t.width)
		}
	}
	if n.world.Len() > t.objects && t.objects < mostObjects {
		return nil, tooSmall{procs, n.world.Len(), t.width, t.bumps}
	}
	if t.met && !t.bumps {
		return nil, tooSmall{procs, t.objects, t.width, true}
	}
	return n, nil
}

// over reports whether what all were about to do is not done, because the program has come to its end early.
func (n *node) over() bool { return n.ends && (n.end == native.Crashed || n.end == native.Dropped) }

// crash notes that the next step of a process ends the program.
func (t *tree) crash(n *node, proc int) {
	s := n.next[proc]
	if s == nil || n.crashes[proc] != nil {
		return
	}
	k := fmt.Sprint("crash ", s.id)
	if t.known[k] == nil {
		info := s.Info
		info.Fixed, info.Widest = true, t.everything()
		t.known[k] = t.newStep(s.op, info)
	}
	if n.crashes == nil {
		n.crashes = map[int]*nextStep{}
	}
	n.crashes[proc] = t.known[k]
}

func (n *node) child(action int32) *node {
	for _, c := range n.children {
		if c.action == action {
			return c
		}
	}
	return nil
}

// grow makes the node behind an event, or the root.
func (t *tree) grow(from *node, s *native.Step) *node {
	n := t.fresh()
	n.parent, n.action, n.lengths = from, s.Action, s.Lengths
	if from != nil {
		n.depth = from.depth + 1
		copy(n.next, from.next)
		copy(n.counts, from.counts)
		copy(n.joins, from.joins)
		n.world.Copy(from.world)
		n.initial, n.clock = from.initial, from.clock
		from.children = append(from.children, n)
		if proc := int(s.Action) / t.width; s.Action != 0 {
			op := from.next[proc].op
			n.clock.Do(op)
			n.same = op.Refinable() && (s.Kept && t.counted || op.Unchanged(from.world))
			op.Apply(n.world, proc, int(s.Action)%t.width)
			n.joins[proc], n.next[proc] = join{}, nil
			n.counts[proc]++
		} else {
			n.counts[0]++
			n.clock.Fire()
		}
		n.early = from.early || s.Action == 0 && from.enabled.Next(1) >= 0
	}
	if initial := n.initial; initial == nil || len(s.Objects) > 0 {
		n.initial = &native.World{}
		if initial != nil {
			n.initial.Copy(initial)
		}
	}
	for _, o := range s.Objects {
		n.world.Add(o)
		n.initial.Add(o)
	}
	for _, l := range s.Lengths {
		n.world.SetLength(l.Object, l.Length)
	}
	for _, j := range s.Joins {
		n.joins[j.Proc] = join{int32(j.With), int32(j.Index)}
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.Op.None() {
			n.next[c.Proc] = nil
			continue
		}
		n.next[c.Proc] = t.step(&c.Op, n.world, c.Proc, c.Proc > 1 && n.counts[c.Proc] == 0)
	}
	for proc, next := range n.next {
		if next != nil && t.counted && next.op.Counted(n.world) == next.Fixed || next != nil && !next.Fixed {
			next = t.step(next.op, n.world, proc, next.Begins)
			n.next[proc] = next
		}
		if next != nil {
			next.op.Alternatives(n.world, proc, func(choice int) { n.enabled.Add(proc*t.width + choice) })
		}
	}
	if n.clock.MayFire() {
		n.enabled.Add(0)
	}
	return n
}

// fresh is a node with an id of its own.
func (t *tree) fresh() *node {
	if last := len(t.free) - 1; last >= 0 {
		n := t.free[last]
		t.free = t.free[:last]
		clear(n.next)
		clear(n.counts)
		clear(n.joins)
		*n = node{id: n.id, children: n.children[:0], next: n.next, counts: n.counts, joins: n.joins, world: n.world}
		n.world.Reset()
		return n
	}
	n := &node{id: int64(len(t.nodes)), next: make([]*nextStep, t.procs), counts: make([]int32, t.procs),
		joins: make([]join, t.procs), world: &native.World{}}
	t.nodes = append(t.nodes, n)
	return n
}

// compare says where what is behind an event is not what it was.
func (t *tree) compare(n *node, s *native.Step) error {
	for i := range s.Changes {
		c := &s.Changes[i]
		was := n.next[c.Proc]
		if was != nil && was.op.Equal(&c.Op) {
			continue
		}
		now := (*nextStep)(nil)
		if !c.Op.None() && !c.Op.Within(n.world) {
			return difference{fmt.Sprintf("behind event %d goroutine %d %s, of what was not there before", n.depth,
				c.Proc, c.Op.String())}
		}
		if !c.Op.None() {
			now = t.step(&c.Op, n.world, c.Proc, c.Proc > 1 && n.counts[c.Proc] == 0)
		}
		if was != now {
			return difference{fmt.Sprintf("behind event %d goroutine %d %s, and before %s", n.depth, c.Proc,
				said(now), said(was))}
		}
	}
	return nil
}

func said(s *nextStep) string {
	if s == nil {
		return "does nothing"
	}
	return s.op.String()
}

// prefix is the actions that lead to a node.
func (n *node) prefix() []int32 {
	list := make([]int32, n.depth)
	for ; n.parent != nil; n = n.parent {
		list[n.depth-1] = n.action
	}
	return list
}

// forget takes away what is behind a node by an action, but for a node.
func (t *tree) forget(n *node, action int32) {
	for i, c := range n.children {
		if c.action == action {
			n.children = slices.Delete(n.children, i, i+1)
			t.release(c)
			return
		}
	}
}

func (t *tree) release(n *node) {
	for _, c := range n.children {
		t.release(c)
	}
	t.free = append(t.free, n)
}

// EnabledOf is the first action of a process in a set, -1 if there is none.
func (t *tree) EnabledOf(set *actionset.Set, proc int) int {
	if a := set.Next(proc * t.width); a >= 0 && a < (proc+1)*t.width {
		return a
	}
	return -1
}
