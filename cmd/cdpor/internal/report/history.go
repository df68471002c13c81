package report

import (
	"fmt"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// historyOf is the history at the end of the execution that shows a violation of linearizability; nil for others.
func historyOf(p *replay.Player, v *explore.Violation) *replay.History {
	if v.Kind != explore.NotLinear || v.Schedule == nil {
		return nil
	}
	end, err := p.FollowLast(v.Schedule, 0, nil)
	if err != nil {
		return nil
	}
	h, err := replay.HistoryOf(p.Machine(), end)
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
