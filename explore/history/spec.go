package history

import (
	"encoding/binary"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A model executes a specification, one operation after the other. It remembers what it has found out.
type model struct {
	spec    *step.Spec
	m       *step.Machine
	r       *step.Runner
	initial step.State
	known   map[call][]effect
	faults  []*Failure
}

type call struct {
	state, args string
	op          int
}

// An effect is a possible result of an operation, with the state behind it.
type effect struct {
	state  string // the variables of the specification afterwards
	result []int64
}

// A Failure is an error of the specification. The operation is not allowed there, which may be why a history is not
// linearizable.
type Failure struct {
	Op    *step.Operation
	Fault step.Fault
	Node  *step.Node
}

func (f *Failure) String() string {
	return fmt.Sprintf("%s fails on line %d: %s", f.Op.Name, f.Node.Pos.Line, f.Fault)
}

// maxSpecSteps bounds the steps of one operation of a specification.
const maxSpecSteps = 100_000

func newModel(spec *step.Spec) (*model, error) {
	m, err := step.NewMachine(spec.Program)
	if err != nil {
		return nil, fmt.Errorf("specification: %w", err)
	}
	return &model{spec: spec, m: m, r: m.NewRunner(), initial: m.Initial(), known: map[call][]effect{}}, nil
}

func (x *model) start() string { return x.pack(x.initial) }

// pack keeps the variables of the specification.
func (x *model) pack(s step.State) string { return string(s[:x.spec.Program.SharedWords].Bytes()) }

// effects are all the ways in which an operation may go in a state, none if it is not allowed there: if it blocks, an
// assumption is false, or something fails.
func (x *model) effects(state string, op int, args []int64) []effect {
	key := call{state, string(step.State(args).Bytes()), op}
	if list, ok := x.known[key]; ok {
		return list
	}
	s := slices.Clone(x.initial)
	unpack(s[:x.spec.Program.SharedWords], state)
	at := args
	for _, v := range x.spec.Operations[op].Params {
		n := copy(s[x.m.LocalBase(op)+v.Offset:][:v.Type.Words()], at)
		at = at[n:]
	}
	var list []effect
	budget := maxSpecSteps
	x.run(s, op, &budget, &list)
	x.known[key] = list
	return list
}

func unpack(words []int64, bytes string) {
	for i := range words {
		words[i] = int64(binary.NativeEndian.Uint64([]byte(bytes[i*8:][:8])))
	}
}

// run goes on with an operation, along all of its alternatives.
func (x *model) run(s step.State, op int, budget *int, list *[]effect) {
	for {
		switch {
		case x.m.Finished(s, op):
			e := effect{state: x.pack(s)}
			if v := x.spec.Operations[op].Result; v != nil {
				e.result = slices.Clone(s[x.m.LocalBase(op)+v.Offset:][:v.Type.Words()])
			}
			if !slices.ContainsFunc(*list, func(o effect) bool {
				return o.state == e.state && slices.Equal(o.result, e.result)
			}) {
				*list = append(*list, e)
			}
			return
		case x.m.Failed(s, op):
			fault, node, _ := x.m.Failure(s, op)
			x.failed(&Failure{x.spec.Operations[op], fault, node})
			return
		case !x.r.Enabled(s, op):
			return
		case *budget == 0:
			x.failed(&Failure{x.spec.Operations[op], step.EndlessLoop, x.m.StepOf(s, op).Template.Nodes[0]})
			return
		}
		*budget--
		first := x.m.FirstAction(op)
		last := -1
		for k := range x.r.Alternatives(s, op).All() {
			if last >= 0 {
				other := slices.Clone(s)
				x.r.Take(other, first+last)
				x.run(other, op, budget, list)
			}
			last = k
		}
		x.r.Take(s, first+last)
	}
}

func (x *model) failed(f *Failure) {
	if !slices.ContainsFunc(x.faults, func(o *Failure) bool { return *o == *f }) {
		x.faults = append(x.faults, f)
	}
}
