package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/deadlock"
	"cdpor/lang/step"
)

// wait says what the next step of a process, which is not enabled, waits for: the statement, and why it cannot go on.
func (t *tracer) wait(s step.State, proc int) string {
	w := t.explainer().Waiting(s, proc)
	return w.Statement()
}

// why explains a deadlock; the numbers of steps are those in the schedule.
func (t *tracer) why(s step.State, schedule []int32) *deadlock.Explanation {
	return t.explainer().Explain(s, schedule)
}

func (t *tracer) explainer() *deadlock.Explainer {
	if t.deadlocks == nil {
		t.deadlocks = deadlock.New(t.m)
	}
	return t.deadlocks
}

// deadlockKey is the key of deadlocks in reports.
const deadlockKey = "deadlock"

// deadlockText says in one line that a state is a deadlock.
func (t *tracer) deadlockText(s step.State, schedule []int32) string {
	return deadlockKey + ": " + strings.Join(t.why(s, schedule).Brief(), ", ")
}

// whyColumns is how wide an explanation is where nobody says how many columns there are.
const whyColumns = 80

// printWhy writes an explanation behind some columns, of so many in all.
func printWhy(w io.Writer, columns, before int, why *deadlock.Explanation) {
	for _, text := range why.Lines() {
		sentence := strings.TrimLeft(text, " ")
		indent := before + len(text) - len(sentence)
		for i, line := range terminal.Wrap(sentence, cmp.Or(columns, whyColumns)-indent-2) {
			if i == 1 {
				indent += 2
			}
			fmt.Fprintf(w, "%*s%s\n", indent, "", line)
		}
	}
}
