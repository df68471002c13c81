package source

import (
	"context"
	"io"
	"time"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth"
)

// A Host lends the clock, the messages and the solver of a command to the search for constraints.
type Host struct {
	Now      func() time.Time
	Messages io.Writer            // tells people what they should know
	Solver   func() synth.Options // prepares for the use of the solver
	// Prove checks constraints before they are used and tells what cannot be proved: how much is wrong, and how much
	// undecided.
	Prove func(ctx context.Context, prog *step.Program, set *constraints.Set) (wrong, open int, err error)
}

// DefaultQuestions is the budget of a synthesis for which no flag sets one; other work is limited by workPerQuestion.
// No shipped program takes a tenth of it.
const DefaultQuestions = 100_000

// Within bounds a synthesis to a number of questions, and other work accordingly; 0: the default.
func Within(opt *synth.Options, questions int) {
	if questions == 0 {
		questions = DefaultQuestions
	}
	opt.MaxQueries, opt.MaxWork = questions, workPerQuestion*int64(questions)
}
