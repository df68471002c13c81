package compare

import (
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"
)

// A Variant is an algorithm with options, as cdpor compare names it.
type Variant struct {
	Name, Title string
	Algorithm   *explore.Algorithm
	Options     explore.Options
	Constraints bool // uses constraints if there are some
}

// Variants are the algorithms themselves and those with other options than a run has by default.
func Variants() (list []*Variant) {
	byName := map[string]*explore.Algorithm{}
	for _, a := range explore.Algorithms() {
		byName[a.Name] = a
		list = append(list, &Variant{a.Name, a.Title, a, explore.Options{}, UsesConstraints(a)})
	}
	add := func(name, of, title string, opt explore.Options, constraints bool) {
		list = append(list, &Variant{name, title, byName[of], opt, constraints})
	}
	add("context1", "context", "context without anticipation and guidance (CDPOR1 of CAV'17)",
		explore.Options{NoAnticipate: true, NoGuide: true}, false)
	add("context2", "context", "context without guidance (CDPOR2)", explore.Options{NoGuide: true}, false)
	add("context3", "context", "context as it is (CDPOR3)", explore.Options{}, false)
	add("source-visited", "source", "source with --visited", explore.Options{Visited: true}, false)
	add("context-visited", "context", "context with --visited", explore.Options{Visited: true}, false)
	add("constrained-visited", "constrained", "constrained with --visited", explore.Options{Visited: true}, true)
	add("optimal-constrained", "optimal", "optimal with --use-constraints", explore.Options{}, true)
	return list
}

// FindVariant looks a variant up by name.
func FindVariant(name string) (*Variant, error) {
	var names []string
	for _, v := range Variants() {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return nil, fault.Inputf("unknown algorithm %q; there are %s", name, strings.Join(names, ", "))
}

// UsesConstraints reports whether an algorithm uses constraints without being told to. One that can do either, and
// explores the Mazurkiewicz traces without them, does not.
func UsesConstraints(a *explore.Algorithm) bool { return a.Constraints && !a.Traces && !a.Chooses }
