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
	flags []flag // what tells them apart
	of    map[caseKey]int
	nodes []int // of each case
	count map[int]int
}

// A flag is something that a process tests of its own: the place of its value, and of a local its word, otherwise -1.
type flag struct{ place, word int }

// A caseKey has the values that are known; unknown stands for others.
type caseKey struct {
	node   int
	values [maxFlags]int64
}

const unknown = math.MinInt64

// tested is what a process tests of its own, if it adds to something.
func (f *Frame) tested() (flags []flag) {
	if len(f.sum) == 0 {
		return nil
	}
	for _, n := range f.Process.Template.Nodes {
		if n.Kind == step.Branch {
			n.Cond.Walk(func(e *step.Expr) {
				i, own := f.ownElement(e)
				word := -1
				if e.Op == step.VarRef && !e.Var.Shared && e.Type.Scalar() {
					i, own = f.known(e)
					word = e.Var.Offset
				}
				if now := (flag{i, word}); own && len(flags) < maxFlags && !slices.Contains(flags, now) {
					flags = append(flags, now)
				}
			})
		}
	}
	return flags
}

// caseOf is the case of an environment before a node. What is not read any more tells none apart.
func (f *Frame) caseOf(node int, env []span.Span) int {
	key := caseKey{node: node}
	for k, x := range f.flags {
		if x.word >= 0 && !f.live[node][x.word] {
			continue
		}
		if key.values[k] = unknown; env[x.place].Single() {
			key.values[k] = env[x.place].Lo
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

// Beside is the range of a variable that is only added to where two processes stand at two steps, as both have added
// what they have there; empty if they never do.
func (a *Analysis) Beside(at Field, s, t *step.Step) span.Span {
	if FieldAt(at.V.Type, at.Off).Counted() && several(at.V.Type, at.Off) {
		return span.Any // of all together
	}
	all, here, there := span.Only(a.first[at]), span.None, span.None
	rest := map[*step.Template]int64{s.Template: -1}
	rest[t.Template]--
	most := map[*step.Template]span.Span{}
	for _, f := range a.frames {
		of := f.Process.Template
		if total, seen := most[of]; seen {
			most[of] = total.Join(f.total[at])
		} else {
			most[of] = f.total[at]
		}
		rest[of]++
		if of == s.Template && f.at[s.Entry] != nil {
			here = here.Join(f.at[s.Entry][f.sum[at]])
		}
		if of == t.Template && f.at[t.Entry] != nil {
			there = there.Join(f.at[t.Entry][f.sum[at]])
		}
	}
	if here.Empty() || there.Empty() || rest[s.Template] < 0 {
		return span.None
	}
	for of, total := range most {
		all = all.Plus(total.Times(span.Only(rest[of])))
	}
	return all.Plus(here).Plus(there)
}

// Counted reports whether a field is only added to.
func (a *Analysis) Counted(at Field) bool {
	_, counted := a.sums[at]
	return counted
}

// AddBoth reports whether the processes at two steps both add to a field that is only added to, and is followed from
// step to step, and one of the steps does more with it than to add.
func (a *Analysis) AddBoth(at Field, s, t *step.Step) bool {
	reads := false
	for _, of := range []*step.Step{s, t} {
		_, adds := a.slots[of.Template].sum[at]
		if _, kept := a.slots[of.Template].free[at]; !adds || !kept || a.spoilt[at] {
			return false
		}
		for _, i := range of.Nodes {
			n := of.Template.Nodes[i]
			adds := addend(n) != nil && fieldOf(n.Dst) == at
			reads = reads || n.Cond.Mentions(at.V) || n.Src.Mentions(at.V) && !adds
		}
	}
	return reads
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
