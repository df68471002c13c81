package results

import (
	"slices"

	"cdpor/explore/history"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// Histories of operations are compared with the specification at each end, normal or not, each distinct one once. What
// searches must keep apart for that: README.md, "Histories of operations".

// linear checks histories.
type linear struct {
	reader  *history.Reader
	checker *history.Checker
	known   map[string]bool // whether a history is linearizable
	words   []int64
}

func newLinear(m *step.Machine) (*linear, error) {
	c, err := history.NewChecker(m.Program.Spec)
	return &linear{reader: history.NewReader(m), checker: c, known: map[string]bool{}}, err
}

// compareHistory records the history of an execution that has come to its end.
func (r *Collector) compareHistory(x Trail, s step.State) {
	l := r.Linear
	l.words = l.reader.Words(l.words[:0], s)
	r.distinct(x, &r.Histories.Set, l.words)
	if !l.holds(r.bytes) { // as distinct has written them
		r.violate(x, Violation{Kind: NotLinear})
	}
}

// operations tells of each operation whether some history has it.
func (r *Collector) operations() []bool {
	performed := make([]bool, len(r.M.Program.Spec.Operations))
	for i, left := 0, len(performed); i < r.Histories.Len() && left > 0; i++ {
		for _, o := range r.Linear.reader.Decode(stateset.DecodeWords(r.Histories.Set.Values(i))).Operations {
			if !performed[o.Op] {
				performed[o.Op] = true
				left--
			}
		}
	}
	return performed
}

// countHistories counts those that are not linearizable, whichever worker has found them.
func (r *Collector) countHistories() {
	r.NotLinearizable = 0
	if !slices.ContainsFunc(r.Violations, func(v *Violation) bool { return v.Kind == NotLinear }) {
		return
	}
	for i := range r.Histories.Len() {
		if !r.Linear.holds(r.Histories.Set.Values(i)) {
			r.NotLinearizable++
		}
	}
}

// holds reports whether a history, as it is kept, is linearizable.
func (l *linear) holds(packed []byte) bool {
	holds, ok := l.known[string(packed)]
	if !ok {
		holds = l.checker.Linearizable(l.reader.Decode(stateset.DecodeWords(packed)))
		l.known[string(packed)] = holds
	}
	return holds
}
