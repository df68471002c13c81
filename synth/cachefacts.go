package synth

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
)

// A usedFact names a fact that was relied on.
type usedFact struct {
	Step string // its name for a family, "p" or "q" for a pair; empty for shared variables
	Var  string
	Off  int `json:",omitempty"`
	Wide bool
}

// An askedFact is a range that the answer depends on; with Lo > Hi nothing was known.
type askedFact struct {
	Step, Var string
	Off       int `json:",omitempty"`
	Lo, Hi    int64
}

// A namedStep is a step under the name that facts about it are kept with.
type namedStep struct {
	name string
	step *step.Step
}

// namedFacts are the facts of a program, those about the locals of some steps under the names that these are given.
type namedFacts struct {
	*facts.Facts
	steps []namedStep
}

// each lists the keys of facts about shared variables and about the locals of some steps.
func (n *namedFacts) each(yield func(name string, key facts.Key)) {
	for _, v := range n.Prog.Shared {
		for _, f := range reachable.Fields(v.Type) {
			yield("", facts.Key{V: v, Off: f.Off})
		}
	}
	for _, at := range n.steps {
		for _, v := range slices.Concat(at.step.Template.Locals, n.Prog.Shared) {
			for _, f := range reachable.Fields(v.Type) {
				yield(at.name, facts.Key{At: at.step, V: v, Off: f.Off})
			}
		}
		for i := range n.Held[at.step] {
			yield(at.name, facts.HeldKey(at.step, i))
		}
	}
	names := map[*step.Step]string{}
	for _, at := range n.steps {
		names[at.step] = at.name
	}
	for _, key := range n.Both {
		if a, b := names[key.At], names[key.With]; a != "" && b != "" {
			yield(a+", "+b, key)
		}
	}
}

// used lists the facts that have been used, those about the locals of a step under the name it is given.
func (n *namedFacts) used() (list []usedFact) {
	n.each(func(name string, key facts.Key) {
		if n.Used.Local[key] {
			list = append(list, usedFact{name, key.Name(), key.Off, false})
		}
		if n.Used.Wide[key] {
			list = append(list, usedFact{name, key.Name(), key.Off, true})
		}
	})
	return list
}

// know reports whether there are the variables of some facts.
func (n *namedFacts) know(list []usedFact) bool {
	for _, f := range list {
		if _, ok := n.key(f.Step, f.Var, f.Off); !ok {
			return false
		}
	}
	return true
}

// use notes facts as used.
func (n *namedFacts) use(list []usedFact) {
	for _, f := range list {
		key, _ := n.key(f.Step, f.Var, f.Off)
		if f.Wide {
			n.Used.Wide[key] = true
		} else {
			n.Used.Local[key] = true
		}
	}
}

// key is the key of a fact that was written down.
func (n *namedFacts) key(name, variable string, off int) (key facts.Key, ok bool) {
	n.each(func(s string, k facts.Key) {
		if s == name && k.Name() == variable && k.Off == off {
			key, ok = k, true
		}
	})
	return key, ok
}

// asked lists the ranges that have been asked for.
func (n *namedFacts) asked() (list []askedFact) {
	n.each(func(name string, key facts.Key) {
		if n.Asked[key] {
			list = append(list, n.ask(name, key))
		}
	})
	return list
}

// again is what is known now about ranges that were asked for.
func (n *namedFacts) again(list []askedFact) (again []askedFact) {
	for _, f := range list {
		if key, ok := n.key(f.Step, f.Var, f.Off); ok {
			again = append(again, n.ask(f.Step, key))
		}
	}
	return again
}

func (n *namedFacts) ask(name string, key facts.Key) askedFact {
	s, known := n.Wide[key]
	if !known {
		s = span.None
	}
	return askedFact{name, key.Name(), key.Off, s.Lo, s.Hi}
}
