package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// A Growing is a variable that takes ever new values in a long execution: with each of them the state is a new one.
type Growing struct {
	Name   string // "seq", "sender[0].next"
	Lo, Hi int64  // its values so far
	Events int    // of the execution so far
}

func (g *Growing) String() string {
	return fmt.Sprintf("%s takes ever new values (%s..%s in %s steps)", g.Name, Short(g.Lo), Short(g.Hi),
		Short(int64(g.Events)))
}

const (
	LongExecution = 1 << 12 // events, from which on values are looked at, every growthPeriod nodes
	growthPeriod  = 1024
	growthSamples = 16 // states of the execution that are looked at; values must grow over the second half
	mostGrowing   = 3  // that are told
)

// LookForGrowth looks for variables that only grow, or only shrink, in the execution under way, if that is long. When
// it looks depends on the number of the node only. state is the state before the event of a number.
func (r *Collector) LookForGrowth(events int, state func(event int) step.State) {
	if r.Nodes%growthPeriod != 0 || events < LongExecution || len(r.Growing) > 0 && r.Growing[0].Events > events {
		return
	}
	var samples [growthSamples + 1]step.State
	for k := range samples {
		samples[k] = state(events * k / growthSamples)
	}
	var found []Growing
	look := func(name string, v *step.Var, base int) {
		g := Growing{Name: name + cmp.Or(v.Shown, v.Name), Events: events}
		grows := false
		unboundedWords(v.Type, base+v.Offset, func(w int) {
			if !onlyGrows(samples[:], w) {
				return
			}
			for _, s := range samples {
				if !grows {
					g.Lo, g.Hi, grows = s[w], s[w], true
				}
				g.Lo, g.Hi = min(g.Lo, s[w]), max(g.Hi, s[w])
			}
		})
		if grows && !v.Temp {
			found = append(found, g)
		}
	}
	for _, v := range r.M.Program.Shared {
		look("", v, 0)
	}
	for p, proc := range r.M.Program.Procs {
		for _, v := range proc.Template.Locals {
			look(cmp.Or(proc.Shown, proc.Name)+".", v, r.M.LocalBase(p))
		}
	}
	if len(found) > 0 {
		slices.SortStableFunc(found, func(a, b Growing) int { return cmp.Compare(b.Hi-b.Lo, a.Hi-a.Lo) })
		r.Growing = slices.Clip(found[:min(len(found), mostGrowing)])
	}
}

// onlyGrows reports whether a word grows, or shrinks, from each state to the next over the second half of some.
func onlyGrows(states []step.State, w int) bool {
	first := len(states) / 2
	way := cmp.Compare(states[first+1][w], states[first][w])
	for k := first + 1; k < len(states); k++ {
		if cmp.Compare(states[k][w], states[k-1][w]) != way {
			return false
		}
	}
	return way != 0
}

// unboundedWords calls f for the words of a value whose type does not bound them to some thousands of values.
func unboundedWords(t *step.Type, at int, f func(word int)) {
	switch {
	case t.Kind == step.Int || t.Kind == step.Sized && t.Bits > 16:
		f(at)
	case t.Kind == step.Record:
		for i, field := range t.Fields {
			unboundedWords(field.Type, at+t.FieldAt(i), f)
		}
	case t.Kind == step.Array || t.Kind == step.Option || t.Counted():
		count, from := t.Len, at+1
		if t.Kind == step.Array {
			from = at
		} else if t.Kind == step.Option {
			count = 1
		}
		for i := range count {
			unboundedWords(t.Elem, from+i*t.Elem.Words(), f)
		}
	}
}

// GrowingAdvice names the variables that take ever new values, and the cure.
func GrowingAdvice(list []Growing) string {
	var names []string
	for i := range list {
		names = append(names, list[i].String())
	}
	return strings.Join(names, "; ") + ": each value makes another state. " +
		"Give it a range, 0..K, or count modulo K (GUIDE, A value that only grows)"
}
