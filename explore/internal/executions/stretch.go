package executions

import (
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
	FirstStretch = 1 << 19 // nodes before the first look; the next ones come after four times as many
	StretchNodes = 1 << 16
)

// stretch is a look that is under way.
type stretch struct {
	nodes int64
	seen  map[uint64]struct{} // hashes of states
}

// lookAround tells of a node that is entered while a stretch is under way or due. Where it begins depends on the number
// of the node only, so an interrupted search says what an undisturbed one says.
func (x *Search) lookAround(now step.State) {
	if x.stretch == nil {
		x.nextStretch = 4 * x.Results.Nodes
		x.stretch = &stretch{seen: map[uint64]struct{}{}}
	}
	s := x.stretch
	hash := uint64(len(now))
	for _, w := range now {
		hi, lo := bits.Mul64(hash^uint64(w)^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		hash = hi ^ lo
	}
	s.seen[hash] = struct{}{}
	if s.nodes++; s.nodes == StretchNodes {
		x.Results.Stretch = results.Stretch{Nodes: s.nodes, States: int64(len(s.seen))}
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
