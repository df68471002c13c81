package native_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// The models of primitives, in the folder models, each with what cdpor synth has proved of it: when two operations
// commute. Whatever counts as independent when a test is run must be so by that, in each state of the model.

// A modelled primitive says what of Go its model stands for.
type modelled struct {
	world func(value func(name string) []int64) *native.World
	// kept reports whether the comparison of a thread fails.
	kept func(value func(name string) []int64, self int) bool
	// coarser are pairs that commute in more states than are made use of.
	coarser string
	// weakest says that the relation is part of commute only: it is one of another family, that of channels, in
	// which sends are in an order.
	weakest bool
}

var models = map[string]modelled{
	"channel": {world: func(value func(string) []int64) *native.World {
		return native.Only(2, int(value("filled")[0]), false, false, 0)
	}},
	"semaphore": {
		world: func(value func(string) []int64) *native.World {
			return native.Only(2, int(value("inside")[0]), false, false, 0)
		},
		weakest: true, coarser: "receive|receive, send|send",
	},
	"mutex": {coarser: "acquire|try", world: func(value func(string) []int64) *native.World {
		return native.Only(0, 0, value("held")[0] != 0, false, 0)
	}},
	"waitgroup": {coarser: "wait|wait", world: func(func(string) []int64) *native.World {
		return native.Only(0, 0, false, false, 0)
	}},
	"once": {world: func(value func(string) []int64) *native.World {
		return native.Only(0, 0, value("running")[0] != 0, value("over")[0] != 0, 0)
	}},
	"counter": {
		world:   func(func(string) []int64) *native.World { return native.Only(0, 0, false, false, 0) },
		coarser: "fetch|swap, load|store, store|swap, swap|swap",
		kept:    func(value func(string) []int64, self int) bool { return value("x")[0] != int64(self) },
	},
	"cond": {
		world: func(value func(string) []int64) *native.World {
			return native.Only(0, 0, false, false, int(value("waiting")[0]))
		},
		coarser: "broadcast|broadcast, broadcast|signal, signal|signal",
	},
}

func TestModels(t *testing.T) {
	files, err := filepath.Glob("models/*.constraints.yaml")
	if err != nil || len(files) != len(models) {
		t.Fatal(files, err)
	}
	for name, of := range models {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("models", name+".yaml")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source, err := lang.Load(path, text, lang.Options{})
			if err != nil {
				t.Fatal(err)
			}
			path = filepath.Join("models", name+".constraints.yaml")
			if text, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			set, err := constraints.Load(source.Program, path, text)
			if err != nil {
				t.Fatal(err)
			}
			coarser := compareModel(t, source.Program, set, of)
			if got := strings.Join(slices.Sorted(maps.Keys(coarser)), ", "); got != of.coarser {
				t.Errorf("made no use of: %s", got)
			}
		})
	}
}

// compareModel compares what counts as independent with the constraints, in each state, and returns the pairs that are
// independent by these in more states.
func compareModel(t *testing.T, p *step.Program, set *constraints.Set, of modelled) map[string]bool {
	m, err := step.NewMachine(p)
	if err != nil {
		t.Fatal(err)
	}
	run, compiled, coarser := m.NewRunner(), set.Compile(m), map[string]bool{}
	values := map[string]func(*step.Runner, step.State) ([]int64, step.Fault){}
	for _, v := range p.Shared {
		if values[v.Name], err = m.CompileValue(&step.Expr{Op: step.VarRef, Var: v, Type: v.Type}); err != nil {
			t.Fatal(err)
		}
	}
	compared := 0
	eachState(m, run, func(s step.State) {
		value := func(name string) []int64 {
			words, fault := values[name](run, s)
			if fault != step.NoFault {
				t.Fatal(name, fault)
			}
			return slices.Clone(words)
		}
		w := of.world(value)
		for p := range m.NumProcs() {
			for q := range p {
				a, b := m.StepID(s, p), m.StepID(s, q)
				if a < 0 || b < 0 || !run.Enabled(s, p) && !run.Enabled(s, q) {
					continue
				}
				_, stepA := m.StepAt(a)
				_, stepB := m.StepAt(b)
				c := compiled.Uniform(p, stepA, q, stepB)
				if of.weakest {
					c = compiled.Commute(p, stepA, q, stepB)
				}
				commute := c.Kind == constraints.CondTrue || c.Kind == constraints.CondEval && c.Eval(run, s)
				apart := !conflict(touched(m, stepA, p, w, of, value), touched(m, stepB, q, w, of, value))
				compared++
				names := []string{stepA.Label, stepB.Label}
				slices.Sort(names)
				switch pair := strings.Join(names, "|"); {
				case apart && !commute:
					t.Errorf("%s count as independent where they do not commute: %v", pair, s)
				case commute && !apart:
					coarser[pair] = true
				}
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
	return coarser
}

// eachState calls f for all states that can be reached.
func eachState(m *step.Machine, run *step.Runner, f func(step.State)) {
	seen, list := map[string]bool{}, []step.State{m.Initial()}
	for len(list) > 0 {
		s := list[len(list)-1]
		list = list[:len(list)-1]
		if key := stateKey(s); !seen[key] {
			seen[key] = true
			f(s)
			for a := range m.NumActions() {
				if run.CanTake(s, a) {
					next := slices.Clone(s)
					run.Take(next, a)
					list = append(list, next)
				}
			}
		}
	}
}

func stateKey(s step.State) string {
	var b strings.Builder
	for _, w := range s {
		b.WriteString(string(rune(w+1)) + " ")
	}
	return b.String()
}

// touched is what the operation that a step stands for touches; true is written.
func touched(m *step.Machine, s *step.Step, proc int, w *native.World, of modelled,
	value func(string) []int64) map[[2]int]bool {
	kind, known := native.Kinds[s.Label]
	if !known {
		panic("no operation is called " + s.Label)
	}
	op := &native.Operation{Kind: kind, Blocks: true, Objects: []int32{0}}
	reads := op.Refinable() && op.Unchanged(w)
	if of.kept != nil && s.Label == "swap" {
		reads = of.kept(value, int(m.Program.Procs[proc].Self))
	}
	list := map[[2]int]bool{}
	note := func(at [2]int, write bool) { list[at] = list[at] || write && !reads }
	op.Accesses(w, proc, func(p native.Place, write bool) { note([2]int{0, int(p)}, write) },
		func(k int, write bool) { note([2]int{1, k}, write) }, true)
	return list
}

func conflict(a, b map[[2]int]bool) bool {
	for at, write := range a {
		if other, both := b[at]; both && (write || other) {
			return true
		}
	}
	return false
}
