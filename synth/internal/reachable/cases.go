package reachable

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// What a process has added to a variable depends on where it has come along, and it remembers that:
// `if n < MAX { n += 1; in = true }`, or for i in 1..3 { todo.push(i) }. So environments stay apart until the process
// has been analysed, if what the process tests of its own has another value in each.

const (
	// maxFlags bounds what tells environments apart, maxCases how many there are at a node beside one for all others.
	maxFlags = 6
	maxCases = 16
)

// cases are the environments of a process.
type cases struct {
	flags []int // places of what tells them apart
	of    map[caseKey]int
	nodes []int // of each case
	count map[int]int
}

// A caseKey has the values that are known; unknown stands for others.
type caseKey struct {
	node   int
	values [maxFlags]int64
}

const unknown = math.MinInt64

// tested are the places of what a process tests of its own, if it adds to something.
func (f *Frame) tested() (places []int) {
	if len(f.sum) == 0 {
		return nil
	}
	for _, n := range f.Process.Template.Nodes {
		if n.Kind == step.Branch {
			n.Cond.Walk(func(e *step.Expr) {
				i, own := f.ownElement(e)
				if e.Op == step.VarRef && !e.Var.Shared && e.Type.Scalar() {
					i, own = f.known(e)
				}
				if own && len(places) < maxFlags && !slices.Contains(places, i) {
					places = append(places, i)
				}
			})
		}
	}
	return places
}

// caseOf is the case of an environment before a node.
func (f *Frame) caseOf(node int, env []span.Span) int {
	key := caseKey{node: node}
	for k, i := range f.flags {
		if key.values[k] = unknown; env[i].Single() {
			key.values[k] = env[i].Lo
		}
	}
	i, there := f.of[key]
	if !there && f.count[node] >= maxCases {
		key.values = [maxFlags]int64{}
		key.node = -1 - node
		i, there = f.of[key]
	}
	if !there {
		i = len(f.at)
		f.of[key], f.at, f.n, f.nodes = i, append(f.at, nil), append(f.n, 0), append(f.nodes, node)
		f.count[node]++
	}
	return i
}

// joinCases leaves one environment for each node.
func (f *Frame) joinCases() {
	nodes := make([][]span.Span, len(f.Process.Template.Nodes))
	for i, env := range f.at {
		node := f.nodes[i]
		if nodes[node] == nil {
			nodes[node] = env
			continue
		}
		for j := range env {
			nodes[node][j] = nodes[node][j].Join(env[j])
		}
	}
	f.at = nodes
}

// sumsAtSteps narrows what is known at each step of variables that are only added to: such a one is its first value and
// what the processes have added so far, of which that at the step has added what it has there.
func (a *Analysis) sumsAtSteps(frames []*Frame) {
	for _, f := range frames {
		for at, added := range f.sum {
			place, kept := f.free[at]
			if !kept {
				continue
			}
			others := span.Only(a.first[at])
			for _, g := range frames {
				if g != f {
					others = others.Plus(g.total[at])
				}
			}
			for _, s := range f.Process.Template.Steps {
				if env := f.at[s.Entry]; env != nil {
					all := others.Plus(env[added])
					if FieldAt(at.V.Type, at.Off).Counted() && several(at.V.Type, at.Off) {
						all.Lo = 0 // of one of them
					}
					if now := env[place].Meet(all); !now.Empty() {
						env[place] = now
					}
				}
			}
		}
	}
}

// several reports whether a field is one of several in an array.
func several(t *step.Type, off int) bool {
	for t.Kind == step.Array && t.Len == 1 || t.Kind == step.Record {
		if t.Kind == step.Array {
			t = t.Elem
			continue
		}
		i := FieldBefore(t, off)
		t, off = t.Fields[i].Type, off-t.FieldAt(i)
	}
	return t.Kind == step.Array
}

// sizes is how many elements the lists of a field have in a value, all together.
func sizes(t *step.Type, off int, words []int64) (n int64) {
	switch t.Kind {
	case step.Array:
		for i := range t.Len {
			n += sizes(t.Elem, off, words[i*t.Elem.Words():])
		}
		return n
	case step.Record:
		i := FieldBefore(t, off)
		return sizes(t.Fields[i].Type, off-t.FieldAt(i), words[t.FieldAt(i):])
	}
	return words[0]
}

// sumOf is the range of a variable that is only added to because of that. Of lists in an array, no element is longer
// than all together.
func (a *Analysis) sumOf(at Field) span.Span {
	s := a.sums[at]
	if FieldAt(at.V.Type, at.Off).Counted() {
		s.Lo = 0
	}
	return s
}
