package history

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/anishathalye/porcupine"

	"cdpor/lang/step"
)

// A Checker compares histories with a specification. It is for one goroutine.
type Checker struct {
	x    *model
	seed maphash.Seed
}

// NewChecker returns a checker for a specification.
func NewChecker(spec *step.Spec) (*Checker, error) {
	x, err := newModel(spec)
	return &Checker{x, maphash.MakeSeed()}, err
}

// Failures are the errors of the specification so far, in orders that were tried.
func (c *Checker) Failures() []*Failure { return c.x.faults }

// Linearizable reports whether a history is.
func (c *Checker) Linearizable(h *History) bool {
	return porcupine.CheckOperations(c.model(h), operations(h))
}

// An Objection says why a history is not linearizable.
type Objection struct {
	// Prefix are operations that can come first, in this order: no beginning of an order that the specification allows
	// is longer.
	Prefix []int
	// Next are the operations that could come next if it were for the history alone.
	Next []Refusal
}

// A Refusal is an operation that cannot come next.
type Refusal struct {
	Operation int
	Results   [][]int64 // the results that the specification gives there; none: the operation is not allowed
}

// Object says why a history is not linearizable; nil if it is.
func (c *Checker) Object(h *History) *Objection {
	verdict, info := porcupine.CheckOperationsVerbose(c.model(h), operations(h), 0)
	if verdict == porcupine.Ok {
		return nil
	}
	o := &Objection{}
	for _, part := range info.PartialLinearizations() {
		for _, p := range part {
			if c := cmp.Or(cmp.Compare(len(p), len(o.Prefix)), slices.Compare(o.Prefix, p)); c > 0 {
				o.Prefix = p
			}
		}
	}
	states := []string{c.x.start()}
	for _, i := range o.Prefix {
		var after []string
		for _, s := range states {
			for _, next := range c.successors(s, &h.Operations[i]) {
				if !slices.Contains(after, next) {
					after = append(after, next)
				}
			}
		}
		states = after
	}
	for i := range h.Operations {
		x := &h.Operations[i]
		waits := slices.ContainsFunc(seq(len(h.Operations)), func(k int) bool {
			return h.Precedes(k, i) && !slices.Contains(o.Prefix, k)
		})
		if x.Pending || waits || slices.Contains(o.Prefix, i) {
			continue
		}
		r := Refusal{Operation: i}
		for _, s := range states {
			for _, e := range c.x.effects(s, x.Op, x.Args) {
				if !slices.ContainsFunc(r.Results, func(o []int64) bool { return slices.Equal(o, e.result) }) {
					r.Results = append(r.Results, e.result)
				}
			}
		}
		o.Next = append(o.Next, r)
	}
	return o
}

func seq(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// successors are the states after an operation that ended as it did in the history. One that is pending may have had
// any result, or no effect so far.
func (c *Checker) successors(state string, o *Operation) (list []string) {
	for _, e := range c.x.effects(state, o.Op, o.Args) {
		if o.Pending || slices.Equal(e.result, o.Result) {
			list = append(list, e.state)
		}
	}
	if o.Pending {
		list = append(list, state)
	}
	return list
}

func (c *Checker) model(h *History) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{c.x.start()} },
		Step: func(state, input, _ any) (next []any) {
			for _, s := range c.successors(state.(string), &h.Operations[input.(int)]) {
				next = append(next, s)
			}
			return next
		},
		Hash: func(state any) uint64 { return maphash.String(c.seed, state.(string)) },
	}
	return m.ToModel()
}

// operations are those of a history for porcupine.
func operations(h *History) (list []porcupine.Operation) {
	starts, ends := h.times()
	for i := range h.Operations {
		list = append(list, porcupine.Operation{
			ClientId: h.Operations[i].Proc, Input: i, Call: starts[i], Return: ends[i]})
	}
	return list
}
