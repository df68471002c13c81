package states

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// A frame is a state on the depth-first stack.
type frame struct {
	state       step.State
	action      int // what is being taken from it
	todo        actionset.Set
	enabled     actionset.Set
	open        actionset.Set // processes, see program.FindEnabled
	last        int           // the process of the action before, if it can go on, else -1
	preemptions int
	// What the visited set has of it, if that is not the state: it and how the search came there, or what represents
	// it.
	key    step.State
	packed *stateset.Packed // what the visited set has of it

	// See successors.go.
	ahead      bool        // the successors have been looked for
	spanned    bool        // the spans are there
	successors []successor // of actions that were to be taken when they were looked for
	version    int         // of the widths of numbers in their keys
	spans      []step.Span // per process, of its next step
}
