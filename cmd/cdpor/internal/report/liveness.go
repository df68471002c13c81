package report

import (
	"context"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/explore"
)

// Judge finds out whether executions end, and what must happen in all of them, and adds that to the results; on a full
// graph of at most n states.
func (r *Report) Judge(ctx context.Context, n int) error {
	if n < 0 {
		return fault.Inputf("--graph-states cannot be negative")
	}
	if s := r.Result.Stopped; ctx.Err() != nil || s == explore.StoppedContext || s == explore.StoppedEnough {
		return nil
	}
	l := explore.JudgeLiveness(ctx, r.Machine, explore.LivenessOptions{MaxStates: n, GiveUp: limits.GivingUp(ctx),
		Searched: []*explore.Result{r.Result}})
	r.Result.Judge(l)
	return explore.Settle(ctx, r.Result, limits.GivingUp(ctx))
}
