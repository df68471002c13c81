package explore

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// What a search that goes on for long says of the others. A search without visited states looks now and then how many
// of the nodes that it enters one after another are different states.

const (
	firstStretch = 1 << 19 // nodes before the first look; the next ones come after four times as many
	stretchNodes = 1 << 16
)

// stretch is a look that is under way.
type stretch struct {
	nodes int64
	seen  map[uint64]struct{} // hashes of states
}

// lookAround tells of a node that is entered while a stretch is under way or due. Where it begins depends on the number
// of the node only, so an interrupted search says what an undisturbed one says.
func (x *search) lookAround(now step.State) {
	if x.stretch == nil {
		x.nextStretch = 4 * x.results.Nodes
		x.stretch = &stretch{seen: map[uint64]struct{}{}}
	}
	s := x.stretch
	hash := uint64(len(now))
	for _, w := range now {
		hi, lo := bits.Mul64(hash^uint64(w)^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		hash = hi ^ lo
	}
	s.seen[hash] = struct{}{}
	if s.nodes++; s.nodes == stretchNodes {
		x.results.Stretch = Stretch{Nodes: s.nodes, States: int64(len(s.seen))}
		x.stretch = nil
	}
}

func (s *stretch) save() *checkpoint.Stretch {
	if s == nil {
		return nil
	}
	return &checkpoint.Stretch{Nodes: s.nodes, Seen: slices.Sorted(maps.Keys(s.seen))}
}

func restoreStretch(s *checkpoint.Stretch) *stretch {
	if s == nil {
		return nil
	}
	seen := map[uint64]struct{}{}
	for _, hash := range s.Seen {
		seen[hash] = struct{}{}
	}
	return &stretch{s.Nodes, seen}
}

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
