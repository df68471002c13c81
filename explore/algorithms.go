package explore

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/explore/dpor"
)

// Algorithms are all algorithms, the simplest first.
func Algorithms() []*Algorithm {
	return slices.Concat([]*Algorithm{autoAlgorithm, exhaustiveAlgorithm}, dpor.Algorithms())
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

// showsEnds reports whether a search by an algorithm shows that all executions end when it comes to its own end
// (STATES, "Endless executions"): it compares no states, and looks at nothing but enabled steps and their footprints.
func showsEnds(algorithm string, opt *Options) bool {
	a, err := Find(algorithm)
	return err == nil && a.Traces && opt.Conditions == nil && !opt.Visited && !opt.Preempt
}
