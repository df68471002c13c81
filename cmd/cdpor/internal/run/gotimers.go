package run

import (
	"context"
	"fmt"
	"time"

	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
	"cdpor/lang/step"
)

// Tests that fail since a timer fires early. In a Go program a timer fires at any moment, so a test that waits a second
// for something fails in an execution where the second is over at once. That is found and told, but it is no violation
// unless the test fails as well when timers wait until nothing else can go on, as they do under testing/synctest. A
// panic of the goroutine of the test is the same. Deadlocks, leaks, other panics and data races count however early a
// timer fires.

// patientEvents and patientTime bound the search in which timers wait. If they are not enough the failure counts.
const (
	patientEvents = 500_000
	patientTime   = 5 * time.Second
)

// excuse takes failed tests for no violations if they fail only since timers fire early.
func (c *Command) excuse(ctx context.Context, r *report.Report) error {
	early := map[failure]bool{}
	for _, v := range r.Result.Violations {
		if r.MayBeEarly(v) {
			early[failureAt(v.Node)] = true
		}
	}
	if len(early) == 0 {
		return nil
	}
	m := r.Machine.Fresh()
	if inOrder := m.Program.Patient; inOrder != nil {
		p, err := inOrder(ctx)
		if err != nil {
			return err
		}
		if m, err = step.NewMachine(p); err != nil {
			return err
		}
	}
	patient, err := explore.Find("exhaustive")
	if err != nil {
		return err
	}
	limited, end := context.WithTimeout(context.WithoutCancel(ctx), patientTime)
	defer end()
	opt := explore.Options{IdleLast: true, MaxDepth: c.MaxDepth, GiveUp: limits.GivingUp(limited)}
	opt.Progress = func(r *explore.Result) {
		if r.Events > patientEvents {
			end()
		}
	}
	res, err := explore.Run(limited, m, patient, opt)
	if err != nil {
		return err
	}
	if res.Stopped != explore.StoppedComplete && res.Stopped != explore.StoppedBounds {
		return nil
	}
	for _, v := range res.Violations {
		if v.Kind == explore.FailedStep {
			delete(early, failureAt(v.Node))
		}
	}
	r.Result.Excuse(func(v *explore.Violation) bool { return r.MayBeEarly(v) && early[failureAt(v.Node)] })
	return nil
}

// A failure is the position of a check that fails. It is the same in the program in which timers take their turn.
type failure struct{ at, calls, msg string }

func failureAt(n *step.Node) failure { return failure{fmt.Sprint(n.Pos), fmt.Sprint(n.Calls), n.Msg} }
