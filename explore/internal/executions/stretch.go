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

// A stretch counts the different states of some nodes.
type stretch struct {
	next  int64               // Result.Nodes from which on it begins; 0: never
	seen  map[uint64]struct{} // hashes of states; nil: none is under way
	nodes int64
}

// due reports whether to look at the node with a number. Where a stretch begins depends on that only, so an interrupted
// search says what an undisturbed one says.
func (s *stretch) due(node int64) bool { return s.seen != nil || s.next > 0 && node >= s.next }

// enter looks at the state of a node that has been entered.
func (s *stretch) enter(now step.State, r *results.Result) {
	if s.seen == nil {
		s.next, s.nodes, s.seen = 4*r.Nodes, 0, map[uint64]struct{}{}
	}
	hash := uint64(len(now))
	for _, w := range now {
		hi, lo := bits.Mul64(hash^uint64(w)^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
		hash = hi ^ lo
	}
	s.seen[hash] = struct{}{}
	if s.nodes++; s.nodes == StretchNodes {
		r.Stretch = results.Stretch{Nodes: s.nodes, States: int64(len(s.seen))}
		s.seen = nil
	}
}

func (s *stretch) save(to *checkpoint.Tree) {
	if to.NextStretch = s.next; s.seen != nil {
		to.Stretch = &checkpoint.Stretch{Nodes: s.nodes, Seen: slices.Sorted(maps.Keys(s.seen))}
	}
}

func (s *stretch) restore(from *checkpoint.Tree) {
	if *s = (stretch{next: from.NextStretch}); from.Stretch != nil {
		s.nodes, s.seen = from.Stretch.Nodes, map[uint64]struct{}{}
		for _, hash := range from.Stretch.Seen {
			s.seen[hash] = struct{}{}
		}
	}
}
