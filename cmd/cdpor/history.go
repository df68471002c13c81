package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// Histories of operations, for people.

const (
	laneWidth  = 80 // of lanes among other text, unless it is known how many columns there are
	laneIndent = "  "
)

// printHistory writes the lanes of a history, and why it is not linearizable.
func printHistory(w io.Writer, columns int, h *replay.History) {
	if len(h.Operations) == 0 {
		fmt.Fprintln(w, laneIndent+"no operations")
	}
	for _, lane := range h.Draw(cmp.Or(columns, laneWidth) - len(laneIndent)) {
		fmt.Fprintln(w, strings.TrimRight(laneIndent+lane, " "))
	}
	for _, text := range h.Reasons() {
		fmt.Fprintln(w, laneIndent+text)
	}
}

// historyOf is the history at the end of the execution that shows a violation of linearizability; nil for others.
func (r *report) historyOf(v *explore.Violation) *replay.History {
	if v.Kind != explore.NotLinear || v.Schedule == nil {
		return nil
	}
	end, err := r.t.FollowLast(v.Schedule, 0, nil)
	if err != nil {
		return nil
	}
	h, err := replay.HistoryOf(r.m, end)
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
