package expect

import "cdpor/cmd/cdpor/internal/output"

// jsonTests is the JSON of cdpor test.
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
	Failures   []failure         `json:"failures,omitempty"`
}

// entry is an entry for machines.
func (x *expectation) entry(path string) jsonEntry {
	e := jsonEntry{Program: path, Line: x.want.Pos.Line, Parameters: x.want.With,
		Algorithms: append([]string{}, x.order...),
		Result:     "passed", Facts: append([]string{}, x.facts...)}
	for _, f := range x.wrong {
		f.Text = f.String()
		e.Failures = append(e.Failures, f)
	}
	switch {
	case len(x.wrong) > 0:
		e.Result = "failed"
	case x.skip != "":
		e.Result, e.Skipped = "skipped", x.skip
	}
	return e
}
