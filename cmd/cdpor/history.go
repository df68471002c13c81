package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/explore"
	"cdpor/explore/history"
	"cdpor/lang"
	"cdpor/lang/step"
)

// Histories of operations, for people and as JSON.

const (
	laneWidth     = 80  // of lanes among other text, unless it is known how many columns there are
	laneWidthPage = 120 // in JSON and on the page
	laneIndent    = "  "
)

// A jsonHistory is what the operations of an execution did, and why that is not linearizable if it is not.
type jsonHistory struct {
	Linearizable bool            `json:"linearizable"`
	Operations   []jsonOperation `json:"operations"`
	Lanes        []string        `json:"lanes"`
	// Prefix are the operations of a longest beginning of an order that the specification allows, Refused those that cannot
	// come next although the history would let them.
	Prefix  []int         `json:"prefix,omitempty"`
	Refused []jsonRefusal `json:"refused,omitempty"`
	// Failures are errors of the specification, in orders that were tried.
	Failures []string `json:"specification_failures,omitempty"`

	draw func(columns int) []string // the lanes
}

// A jsonOperation is an operation; After are the numbers of those that had completed when it started, from 0.
type jsonOperation struct {
	Process string `json:"process"`
	Text    string `json:"text"`
	Pending bool   `json:"pending,omitempty"`
	After   []int  `json:"after"`
}

// A jsonRefusal is an operation that cannot come next, and what the specification says there instead.
type jsonRefusal struct {
	Operation int      `json:"operation"`
	Allowed   []string `json:"allowed"`
}

// historyOf is the history of an execution that has come to its end in a state; nil if the program has no specification.
func historyOf(m *step.Machine, end step.State) (*jsonHistory, error) {
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
	out := &jsonHistory{Operations: []jsonOperation{}, draw: func(columns int) []string { return history.Draw(h, name, label, columns).Lines() }}
	out.Lanes = out.draw(laneWidthPage)
	for i := range h.Operations {
		o := &h.Operations[i]
		j := jsonOperation{Process: name(o.Proc), Text: label(i), Pending: o.Pending, After: []int{}}
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
		j := jsonRefusal{Operation: r.Operation, Allowed: []string{}}
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

// notLinearText says what is wrong.
func notLinearText() string {
	return "not linearizable: the specification allows no order of the operations"
}

// print writes the lanes, and why the history is not linearizable.
func (h *jsonHistory) print(w io.Writer, columns int) {
	if len(h.Operations) == 0 {
		fmt.Fprintln(w, laneIndent+"no operations")
	}
	for _, lane := range h.draw(cmp.Or(columns, laneWidth) - len(laneIndent)) {
		fmt.Fprintln(w, strings.TrimRight(laneIndent+lane, " "))
	}
	for _, text := range h.reasons() {
		fmt.Fprintln(w, laneIndent+text)
	}
}

// reasons say why the history is not linearizable, in lines; nil if it is.
func (h *jsonHistory) reasons() (lines []string) {
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

// historyOf is the history at the end of the execution that shows a violation of linearizability; nil for others.
func (r *report) historyOf(v *explore.Violation) *jsonHistory {
	if v.Kind != explore.NotLinear || v.Schedule == nil {
		return nil
	}
	end, err := r.t.runLast(v.Schedule, 0, nil)
	if err != nil {
		return nil
	}
	h, err := historyOf(r.m, end)
	if err != nil {
		return nil
	}
	return h
}

// historiesText says how many histories were found and how many are not linearizable; empty for a program without a
// specification.
func historiesText(prog *step.Program, res *explore.Result) string {
	n := res.Histories.Len()
	switch {
	case prog.Spec == nil:
		return ""
	case n == 1 && res.NotLinearizable == 0:
		return "1 distinct history, linearizable"
	case res.NotLinearizable == 0:
		return fmt.Sprintf("%d distinct histories, all linearizable", n)
	}
	return fmt.Sprintf("%d distinct, %d of them not linearizable", n, res.NotLinearizable)
}

// isTally reports whether a shared variable only counts operations.
func isTally(prog *step.Program, v *step.Var) bool {
	return slices.ContainsFunc(prog.Recorders, func(r *step.Recorder) bool { return r.Ended == v })
}
