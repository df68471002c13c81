package instrument

import (
	"fmt"
	"maps"
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Recording operations. A process keeps a log of its operations in a local variable, and says in a shared array how
// many it has completed. An operation starts with the first step of its code, which copies these counts of all
// processes into the log, and completes with the last, which writes its result into the log and counts it. So the
// terminal state says which operations were complete when another one started; and the footprints say that the
// completion of an operation and the start of one by another process are dependent, so that no search takes one order
// for the other. Nothing else does: explore/README.md, "Histories of operations".

// A scribe adds what records to one template.
type scribe struct {
	t        *step.Template
	r        *step.Recorder
	all      []*step.Recorder
	prog     *step.Program
	capacity int
	bounded  bool // the log may be too small
	// per node, whether the present operation may be about to start (1) or not (2) when it is reached
	may     map[int]uint8
	first   map[int]int  // nodes with which an operation may start -> which
	alone   map[int]bool // marks of an end that are steps of their own
	returns map[string]int
}

// declare makes the log.
func (s *scribe) declare(spec *step.Spec) {
	plain := func(t *step.Type) *step.Type {
		if t.Numeric() {
			return step.IntType
		}
		return t
	}
	entry := &step.Type{Kind: step.Record}
	field := func(name string, t *step.Type) (number int) {
		entry.Fields = append(entry.Fields, step.Field{Name: name, Type: plain(t)})
		return len(entry.Fields) - 1
	}
	field("op", step.IntType)
	for _, r := range s.all {
		s.r.Before = append(s.r.Before, field("before", r.Ended.Type))
	}
	for _, k := range s.r.Ops {
		o := spec.Operations[k]
		s.r.Args = append(s.r.Args, len(entry.Fields))
		for _, p := range o.Params {
			field(o.Name+"."+p.Name, p.Type)
		}
		result := -1
		if o.Result != nil {
			result = field(o.Name, o.Result.Type)
		}
		s.r.Results = append(s.r.Results, result)
	}
	s.r.Done = s.local("operations", step.IntType)
	s.r.Log = s.local("log", &step.Type{Kind: step.Array, Elem: entry, Len: s.capacity})
}

func (s *scribe) local(name string, t *step.Type) *step.Var {
	v := &step.Var{Name: "$" + name, Type: t, Pos: s.t.Pos, Offset: s.t.LocalWords, Temp: true, Keep: true}
	s.t.LocalWords += t.Words()
	s.t.Locals = append(s.t.Locals, v)
	return v
}

// write replaces the marks.
func (s *scribe) write() {
	s.analyse()
	nodes := len(s.t.Nodes)
	if s.unclear() {
		s.r.Opening = s.local("opening", step.BoolType)
	}
	for i := range nodes {
		n := s.t.Nodes[i]
		if op, starts := s.first[i]; starts && n.Mark == nil && s.may[i]&1 != 0 {
			s.start(i, op)
		}
	}
	for i := range nodes {
		switch n := s.t.Nodes[i]; {
		case n.Mark == nil:
		case s.may[i] == 0: // never reached
			n.Mark = nil
		case n.Mark.Begins:
			s.announce(i)
		default:
			s.complete(i)
		}
	}
	s.t.Seal()
}

// shares reports whether an operation can be said to have started when a node has been executed: it begins a step that
// may touch shared data, or it touches some inside of one.
func shares(n *step.Node) bool {
	return n.Mark == nil && (n.Kind != step.Choose || n.Cond != nil) && (n.Visible || build.Touches(n))
}

// lonely gives the ways from the start of an operation to its end on which no step touches shared data nodes of their
// own. There the operation starts and is over in a step that does nothing else, because it takes no time: it need not
// happen where the last step before it does.
func (s *scribe) lonely(mark *step.Node) {
	own := map[int]int{}
	var copied func(i int) int
	copied = func(i int) int {
		if i == step.End {
			return i
		}
		n := *s.t.Nodes[i]
		if to, ok := own[i]; ok {
			return to
		}
		if shares(&n) || n.Visible || n.Mark != nil && n.Mark.Begins {
			return i
		}
		at := len(s.t.Nodes)
		own[i] = at
		s.t.Nodes = append(s.t.Nodes, &n)
		if n.Mark != nil {
			s.alone[at] = true
			return at
		}
		next := copied(n.Next)
		n.Next = next
		if n.Kind == step.Branch {
			n.Else = copied(n.Else)
		}
		return at
	}
	mark.Next = copied(mark.Next)
}

// analyse finds out with which nodes operations start, and which of their ends have to be steps of their own: those on
// lonely ways, and those that follow on a choice, a step that may touch nothing shared.
func (s *scribe) analyse() {
	s.first, s.alone, s.may = map[int]int{}, map[int]bool{}, map[int]uint8{}
	for _, n := range s.t.Nodes {
		if n.Mark != nil && n.Mark.Begins && !n.Mark.Inside {
			s.lonely(n)
		}
	}
	for _, n := range s.t.Nodes {
		switch {
		case n.Mark != nil && n.Mark.Begins:
			s.from(n.Next, func(k int) {
				if s.t.Nodes[k].Mark == nil {
					s.first[k] = n.Mark.Op
				}
			})
		case n.Kind == step.Choose && n.Cond == nil:
			s.from(n.Next, func(k int) {
				if s.t.Nodes[k].Mark != nil {
					s.alone[k] = true
				}
			})
		}
	}
	// Whether an operation is about to start, along the edges.
	var flow func(i int, may uint8)
	flow = func(i int, may uint8) {
		for i != step.End && s.may[i]&may != may {
			s.may[i] |= may
			n := s.t.Nodes[i]
			switch {
			case n.Mark != nil && n.Mark.Begins:
				may = 1
			case n.Mark != nil:
				may = 2
			default:
				if _, starts := s.first[i]; starts {
					may = 2
				}
			}
			if n.Kind == step.Branch {
				flow(n.Else, may)
			}
			i = n.Next
		}
	}
	flow(s.t.Start, 2)
}

// from calls f for the first nodes on the ways from a node at which an operation starts or is over.
func (s *scribe) from(node int, f func(int)) {
	step.Reach(func(i int) []int {
		if i == step.End {
			return nil
		}
		n := s.t.Nodes[i]
		if shares(n) || n.Mark != nil && !n.Mark.Begins {
			f(i)
		} else if n.Mark == nil {
			return n.Successors()
		}
		return nil
	}, node)
}

// unclear reports whether the code does not say everywhere if the present operation is about to start.
func (s *scribe) unclear() bool {
	for i, n := range s.t.Nodes {
		_, starts := s.first[i]
		if s.may[i] == 3 && (starts || n.Mark != nil && !n.Mark.Begins) {
			return true
		}
	}
	return false
}

// chain appends ghost nodes that lead to a node one after the other, and returns the first of all these.
func (s *scribe) chain(like *step.Node, nodes []step.Node, to int) int {
	for _, n := range slices.Backward(nodes) {
		n.Pos, n.Text, n.Calls, n.Ghost = like.Pos, like.Text, like.Calls, true
		n.Next = to
		if n.Kind != step.Branch {
			n.Else = step.End
		}
		s.t.Nodes = append(s.t.Nodes, &n)
		to = len(s.t.Nodes) - 1
	}
	return to
}

// put puts a chain of nodes in the place of a node: what led to that leads to the first of them.
func (s *scribe) put(i int, nodes []step.Node, to int) {
	n := s.t.Nodes[i]
	first := step.Node{Next: to, Else: step.End}
	if len(nodes) > 0 {
		first = *s.t.Nodes[s.chain(n, nodes, to)]
		s.t.Nodes = s.t.Nodes[:len(s.t.Nodes)-1] // it stands at i
	}
	first.Pos, first.Text, first.Calls, first.Ghost = n.Pos, n.Text, n.Calls, true
	first.Visible, first.Label = n.Visible, n.Label
	s.t.Nodes[i] = &first
}

func (s *scribe) entry(field int) *step.Expr {
	c := &build.Code{At: s.t.Pos}
	return part(c.Elem(build.Ref(s.r.Log, c.At), build.Ref(s.r.Done, c.At)), field)
}

func (s *scribe) number(n int, t *step.Type) *step.Expr {
	return (&build.Code{At: s.t.Pos}).Const(t, int64(n))
}

func (s *scribe) assign(to, value *step.Expr) step.Node {
	return step.Node{Kind: step.Assign, Dst: to, Src: value}
}

// started are the nodes that record the start of an operation.
func (s *scribe) started(op int) (list []step.Node) {
	list = append(list, s.assign(s.entry(step.OpField), s.number(op+1, step.IntType)))
	for i, r := range s.all {
		list = append(list, s.assign(s.entry(s.r.Before[i]), build.Ref(r.Ended, s.t.Pos)))
	}
	if s.r.Opening != nil {
		list = append(list, s.assign(build.Ref(s.r.Opening, s.t.Pos), s.number(0, step.BoolType)))
	}
	return list
}

// unless makes nodes before which the flow branches: they are left out unless the operation is about to start.
func (s *scribe) unless(list []step.Node, may uint8, to int) []step.Node {
	if may != 3 {
		return list
	}
	return append([]step.Node{{Kind: step.Branch, Cond: build.Ref(s.r.Opening, s.t.Pos), Else: to}}, list...)
}

// start records the start of an operation before a node, or after one that blocks or chooses, before which nothing may
// come.
func (s *scribe) start(i, op int) {
	n, list := s.t.Nodes[i], s.started(op)
	if n.Kind == step.Await || n.Kind == step.Choose {
		n.Next = s.chain(n, s.unless(list, s.may[i], n.Next), n.Next)
		return
	}
	moved := *n
	moved.Visible, moved.Label = false, ""
	s.t.Nodes = append(s.t.Nodes, &moved)
	to := len(s.t.Nodes) - 1
	s.put(i, s.unless(list, s.may[i], to), to)
}

// announce puts the arguments of an operation into the log, which no other process sees.
func (s *scribe) announce(i int) {
	n := s.t.Nodes[i]
	var list []step.Node
	if s.bounded {
		full := (&build.Code{At: n.Pos}).Bool(step.Lt, build.Ref(s.r.Done, n.Pos), s.number(s.capacity, step.IntType))
		list = append(list, step.Node{Kind: step.Check, Cond: full, Fault: step.Full,
			Msg: fmt.Sprintf("more than %s of one process: see bounds: {operations: %d}",
				syntax.Plural(s.capacity, "operation"), s.capacity)})
	}
	at := slices.Index(s.r.Ops, n.Mark.Op)
	for k, a := range n.Mark.Args {
		list = append(list, s.assign(s.entry(s.r.Args[at]+k), a))
	}
	if s.r.Opening != nil {
		list = append(list, s.assign(build.Ref(s.r.Opening, s.t.Pos), s.number(1, step.BoolType)))
	}
	s.put(i, list, n.Next)
}

// complete records that an operation is over.
func (s *scribe) complete(i int) {
	n := s.t.Nodes[i]
	at := slices.Index(s.r.Ops, n.Mark.Op)
	var list []step.Node
	if n.Mark.Result != nil {
		list = append(list, s.assign(s.entry(s.r.Results[at]), n.Mark.Result))
	}
	c, done := &build.Code{At: s.t.Pos}, build.Ref(s.r.Done, s.t.Pos)
	more := c.Int(step.Add, done, c.Number(1))
	place := c.Elem(build.Ref(s.r.Ended, c.At), c.Int(step.Self))
	list = append(list, s.assign(place, more), s.assign(done, more))
	if s.alone[i] {
		n.Visible, n.Label = true, s.returning(n)
	}
	if s.may[i]&1 == 0 {
		s.put(i, list, n.Next)
		return
	}
	to := s.chain(n, list, n.Next)
	s.put(i, s.unless(s.started(n.Mark.Op), s.may[i], to), to)
}

// returning is the label of a step that does nothing but end an operation.
func (s *scribe) returning(n *step.Node) string {
	name := s.prog.Spec.Operations[n.Mark.Op].Name + ".return"
	if s.returns[name]++; s.returns[name] > 1 {
		name = fmt.Sprintf("%s.%d", name, s.returns[name])
	}
	return name
}

// Performed has the operations that a thread performs.
type Performed struct {
	Most int      // operations on all paths together
	Open step.Pos // of one in a loop that goes round an unknown number of times
	Ops  map[int]bool
}

// A Recording has the facts of a program that recording needs.
type Recording struct {
	Program   *step.Program // with a Spec
	Performed map[*step.Template]*Performed
	Limit     int                                       // of operations of one process; 0: none is known
	Hidden    func(name string, t *step.Type) *step.Var // makes a shared variable that programs cannot name
	Crowded   func(*step.Template) bool                 // reports a template that has become too large
}

// Write replaces the marks of operations in all templates. It returns which operations are performed.
func (r *Recording) Write() map[int]bool {
	prog, performed := r.Program, map[int]bool{}
	var scribes []*scribe
	for i, t := range prog.Templates {
		p := r.Performed[t]
		if p == nil || t.Pool == nil && t.Count == 0 ||
			!slices.ContainsFunc(t.Nodes, func(n *step.Node) bool { return n.Mark != nil }) {
			continue
		}
		s := &scribe{t: t, prog: prog, capacity: max(p.Most, 1), returns: map[string]int{}}
		if r.Limit > 0 && (p.Open != step.Pos{} || p.Most > r.Limit) {
			s.capacity, s.bounded = r.Limit, true
		}
		maps.Copy(performed, p.Ops)
		s.r = &step.Recorder{Template: i, Ops: slices.Sorted(maps.Keys(p.Ops))}
		scribes = append(scribes, s)
		prog.Recorders = append(prog.Recorders, s.r)
	}
	for _, s := range scribes {
		count := s.t.Count
		if s.t.Pool != nil {
			count = s.t.Pool.Size
		}
		s.r.Ended = r.Hidden("ended "+s.t.Name, &step.Type{Kind: step.Array, Elem: step.IntType, Len: count})
	}
	for _, s := range scribes {
		s.all = prog.Recorders
		words := s.t.LocalWords
		s.declare(prog.Spec)
		s.write()
		if r.Crowded(s.t) {
			break
		}
		extend(prog, s.t, words)
	}
	return performed
}
