package explore

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/states"
)

// Algorithms are all algorithms, the simplest first.
func Algorithms() []*Algorithm {
	return slices.Concat([]*Algorithm{auto.Algorithm, states.Algorithm}, dpor.Algorithms())
}

// Find returns the algorithm of a name.
func Find(name string) (*Algorithm, error) {
	var names []string
	for _, a := range Algorithms() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("unknown algorithm %q; there are %s", name, strings.Join(names, ", "))
}
