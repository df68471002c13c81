package expect

import (
	"fmt"
	"strings"
)

// A failure is an expectation that does not hold.
type failure struct {
	Text   string  `json:"text"`            // all of it in one line
	Wanted string  `json:"wanted"`          // as in traces: 3 expected
	Given  []given `json:"given,omitempty"` // none if it is not about what algorithms find
}

// A given is the different result of some algorithms.
type given struct {
	Text       string   `json:"text"`             // as in 2
	Detail     string   `json:"detail,omitempty"` // what else the first of them says
	Algorithms []string `json:"algorithms"`
}

// failures are those of one entry: each once, with what the algorithms gave instead.
type failures []failure

// say adds what is wrong whatever the algorithms find.
func (f *failures) say(format string, args ...any) {
	*f = append(*f, failure{Wanted: fmt.Sprintf(format, args...)})
}

// gives adds that an algorithm found something else than wanted.
func (f *failures) gives(wanted, algorithm, text, detail string) {
	var at *failure
	for i := range *f {
		if (*f)[i].Wanted == wanted {
			at = &(*f)[i]
		}
	}
	if at == nil {
		*f = append(*f, failure{Wanted: wanted})
		at = &(*f)[len(*f)-1]
	}
	for i := range at.Given {
		if g := &at.Given[i]; g.Text == text {
			g.Algorithms = append(g.Algorithms, algorithm)
			return
		}
	}
	at.Given = append(at.Given, given{text, detail, []string{algorithm}})
}

// String is the failure in one line: traces: 3 expected, sleep and optimal give 2.
func (f *failure) String() string {
	text := f.Wanted
	for i, g := range f.Given {
		text += map[bool]string{true: ", ", false: "; "}[i == 0] + enumerate(g.Algorithms)
		text += map[bool]string{true: " gives ", false: " give "}[len(g.Algorithms) == 1] + g.Text
		if g.Detail != "" {
			text += ": " + g.Detail
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
