package main

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/output"
)

// Expectations that failed: each once, with what the algorithms gave instead.

// A failure is an expectation that does not hold.
type failure struct {
	wanted string  // as in traces: 3 expected
	given  []given // nil if it is not about what algorithms find
}

// A given is what some algorithms found instead.
type given struct {
	text       string // as in 2
	detail     string // what else the first of them says; may be empty
	algorithms []string
}

// failures are those of one entry.
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

// The JSON of cdpor test.
type jsonTests struct {
	Cdpor   int                 `json:"cdpor"`
	Passed  int                 `json:"passed"`
	Failed  int                 `json:"failed"`
	Skipped int                 `json:"skipped"`
	Stopped string              `json:"stopped"` // complete, or what ended the tests
	Entries []jsonEntry         `json:"entries"`
	Errors  []output.Diagnostic `json:"errors,omitempty"` // of files that cannot be used; they count as failed
}

// A jsonEntry is an entry of an expect section, or a program without one, which must be ok.
type jsonEntry struct {
	Program    string            `json:"program"`
	Line       int               `json:"line,omitempty"` // of the entry
	Parameters map[string]string `json:"parameters,omitempty"`
	Algorithms []string          `json:"algorithms"` // that ran to their end
	Result     string            `json:"result"`     // passed, failed or skipped
	Skipped    string            `json:"skipped,omitempty"`
	Facts      []string          `json:"facts"` // what was compared and is as expected
	Failures   []jsonFailed      `json:"failures,omitempty"`
}

// A jsonFailed is an expectation that failed.
type jsonFailed struct {
	Text   string      `json:"text"`
	Wanted string      `json:"wanted"`
	Given  []jsonGiven `json:"given,omitempty"`
}

type jsonGiven struct {
	Text       string   `json:"text"`
	Detail     string   `json:"detail,omitempty"`
	Algorithms []string `json:"algorithms"`
}

// entry is an entry for machines.
func (x *expectation) entry(path string) jsonEntry {
	e := jsonEntry{Program: path, Line: x.want.Pos.Line, Parameters: x.want.With, Algorithms: append([]string{}, x.order...),
		Result: "passed", Facts: append([]string{}, x.facts...)}
	for i := range x.wrong {
		f := &x.wrong[i]
		j := jsonFailed{Text: f.String(), Wanted: f.wanted}
		for _, g := range f.given {
			j.Given = append(j.Given, jsonGiven{g.text, g.detail, g.algorithms})
		}
		e.Failures = append(e.Failures, j)
	}
	switch {
	case len(x.wrong) > 0:
		e.Result = "failed"
	case x.skip != "":
		e.Result, e.Skipped = "skipped", x.skip
	}
	return e
}
