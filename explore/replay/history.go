package replay

import (
	"fmt"
	"strings"

	"cdpor/explore/history"
	"cdpor/lang"
	"cdpor/lang/step"
)

// laneWidth is the number of columns that History.Lanes take.
const laneWidth = 120

// A History lists the operations of an execution, and says why they are not linearizable if they are not.
type History struct {
	Linearizable bool        `json:"linearizable"`
	Operations   []Operation `json:"operations"`
	Lanes        []string    `json:"lanes"`
	// Prefix are the operations of a longest beginning of an order that the specification allows, Refused those that
	// cannot come next although the history would let them.
	Prefix  []int     `json:"prefix,omitempty"`
	Refused []Refusal `json:"refused,omitempty"`
	// Failures are errors of the specification, in orders that were tried.
	Failures []string `json:"specification_failures,omitempty"`

	// Draw makes lanes of some columns.
	Draw func(columns int) []string `json:"-"`
}

// An Operation is an operation; After are the numbers of those that had completed when it started, from 0.
type Operation struct {
	Process string `json:"process"`
	Text    string `json:"text"`
	Pending bool   `json:"pending,omitempty"`
	After   []int  `json:"after"`
}

// A Refusal is an operation that cannot come next, and what the specification says there instead.
type Refusal struct {
	Operation int      `json:"operation"`
	Allowed   []string `json:"allowed"`
}

// HistoryOf is the history of an execution that has come to its end in a state; nil if the program has no
// specification. The error is an internal one.
func HistoryOf(m *step.Machine, end step.State) (*History, error) {
	if m.Program.Spec == nil {
		return nil, nil
	}
	checker, err := history.NewChecker(m.Program.Spec)
	if err != nil {
		return nil, err
	}
	reader := history.NewReader(m)
	h := reader.Decode(reader.Words(nil, end))
	prog := m.Program
	name := func(p int) string { return prog.Procs[p].Name }
	label := func(i int) string { return operationText(prog, &h.Operations[i]) }
	out := &History{Operations: []Operation{}}
	out.Draw = func(columns int) []string { return history.Draw(h, name, label, columns).Lines() }
	out.Lanes = out.Draw(laneWidth)
	for i := range h.Operations {
		o := &h.Operations[i]
		j := Operation{Process: name(o.Proc), Text: label(i), Pending: o.Pending, After: []int{}}
		for k := range h.Operations {
			if h.Precedes(k, i) {
				j.After = append(j.After, k)
			}
		}
		out.Operations = append(out.Operations, j)
	}
	objection := checker.Object(h)
	if out.Linearizable = objection == nil; out.Linearizable {
		return out, nil
	}
	out.Prefix = objection.Prefix
	for _, r := range objection.Next {
		j := Refusal{Operation: r.Operation, Allowed: []string{}}
		o := h.Operations[r.Operation]
		for _, result := range r.Results {
			o.Result = result
			j.Allowed = append(j.Allowed, operationText(prog, &o))
		}
		out.Refused = append(out.Refused, j)
	}
	for _, f := range checker.Failures() {
		out.Failures = append(out.Failures, f.String())
	}
	return out, nil
}

// operationText is an operation as in enqueue(1) or dequeue() = 1.
func operationText(prog *step.Program, o *history.Operation) string {
	op := prog.Spec.Operations[o.Op]
	var args []string
	rest := o.Args
	for _, p := range op.Params {
		args = append(args, lang.FormatValue(prog, p.Type, rest[:p.Type.Words()]))
		rest = rest[p.Type.Words():]
	}
	text := fmt.Sprintf("%s(%s)", op.Name, strings.Join(args, ", "))
	if op.Result != nil && !o.Pending {
		text += " = " + lang.FormatValue(prog, op.Result.Type, o.Result)
	}
	return text
}

// Reasons say why the history is not linearizable, in lines; nil if it is.
func (h *History) Reasons() (lines []string) {
	if h.Linearizable {
		return nil
	}
	text := func(i int) string { return h.Operations[i].Process + " " + h.Operations[i].Text }
	then := "the specification allows none of the first operations:"
	if len(h.Prefix) > 0 {
		var list []string
		for _, i := range h.Prefix {
			list = append(list, text(i))
		}
		lines = append(lines, "the longest order that the specification allows: "+strings.Join(list, ", "))
		then = "after these it does not allow:"
	}
	if len(h.Refused) == 0 {
		return lines
	}
	lines = append(lines, then)
	for _, r := range h.Refused {
		instead := "not allowed there"
		if len(r.Allowed) > 0 {
			instead = "it would be " + strings.Join(r.Allowed, " or ")
		}
		lines = append(lines, fmt.Sprintf("  %s; %s", text(r.Operation), instead))
	}
	for _, f := range h.Failures {
		lines = append(lines, "note: in an order that was tried, "+f)
	}
	return lines
}
