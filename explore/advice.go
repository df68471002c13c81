package explore

import (
	"fmt"

	"cdpor/explore/internal/results"
)

// enoughToJudge is how many nodes or states there must be to say what to expect of other algorithms.
const enoughToJudge = 1 << 16

// Advice says what the counts of a search that has not come to its end let expect of other algorithms; "" if nothing.
func Advice(r *Result) string {
	a, err := Find(r.Algorithm)
	if err != nil || r.Stopped == StoppedComplete {
		return ""
	}
	if len(r.Growing) > 0 {
		return results.GrowingAdvice(r.Growing)
	}
	met, entered := r.Revisits+r.Cycles, r.Nodes-r.Revisits-r.Cycles
	switch {
	case a.Stateful && r.States >= enoughToJudge && r.Events >= 2*r.States:
		return fmt.Sprintf("%s of %s steps led to states met before: "+
			"auto and source take only one order of independent steps", short(r.Events-r.States), short(r.Events))
	case a.Stateful && r.States >= enoughToJudge:
		return "most steps lead to new states: " +
			"a search without a table, source or optimal, needs less memory and hardly more time"
	case a.Chooses || a.Stateful: // it has looked at the others
	case r.States >= enoughToJudge && met >= entered:
		return fmt.Sprintf("%s of %s nodes were states met before: "+
			"constraints may show that what leads there is independent (auto)", short(met), short(r.Nodes))
	case r.Stretch.Nodes > 0 && 2*r.Stretch.States <= r.Stretch.Nodes:
		return fmt.Sprintf("of %s nodes entered one after another only %s were different states: "+
			"auto and exhaustive enter each once", short(r.Stretch.Nodes), short(r.Stretch.States))
	case r.Stretch.Nodes > 0 && 10*r.Stretch.States >= 9*r.Stretch.Nodes:
		return fmt.Sprintf("of %s nodes entered one after another %s were different states: "+
			"visited states or exhaustive would save little", short(r.Stretch.Nodes), short(r.Stretch.States))
	}
	return ""
}
