package expect

import (
	"fmt"
	"strings"
)

// A failure is an expectation that does not hold.
type failure struct {
	wanted string  // as in traces: 3 expected
	given  []given // nil if it is not about what algorithms find
}

// A given is the different result of some algorithms.
type given struct {
	text       string // as in 2
	detail     string // what else the first of them says; may be empty
	algorithms []string
}

// failures are those of one entry: each once, with what the algorithms gave instead.
type failures []failure

// say adds what is wrong whatever the algorithms find.
func (f *failures) say(format string, args ...any) {
	*f = append(*f, failure{wanted: fmt.Sprintf(format, args...)})
}

// gives adds that an algorithm found something else than wanted.
func (f *failures) gives(wanted, algorithm, text, detail string) {
	var at *failure
	for i := range *f {
		if (*f)[i].wanted == wanted {
			at = &(*f)[i]
		}
	}
	if at == nil {
		*f = append(*f, failure{wanted: wanted})
		at = &(*f)[len(*f)-1]
	}
	for i := range at.given {
		if g := &at.given[i]; g.text == text {
			g.algorithms = append(g.algorithms, algorithm)
			return
		}
	}
	at.given = append(at.given, given{text, detail, []string{algorithm}})
}

// String is the failure in one line: traces: 3 expected, sleep and optimal give 2.
func (f *failure) String() string {
	text := f.wanted
	for i, g := range f.given {
		text += map[bool]string{true: ", ", false: "; "}[i == 0] + enumerate(g.algorithms)
		text += map[bool]string{true: " gives ", false: " give "}[len(g.algorithms) == 1] + g.text
		if g.detail != "" {
			text += ": " + g.detail
		}
	}
	return text
}

// texts are the failures, a line each.
func (f failures) texts() (list []string) {
	for i := range f {
		list = append(list, f[i].String())
	}
	return list
}

// enumerate writes a list as in a, b and c.
func enumerate(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
