package expect

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

// A junitReport is the result of cdpor test in the XML form of JUnit: a suite for each program, a case for each entry
// of its expect section. There is no standard of it; the elements and attributes used here are those that CI services
// agree on, and file and line on a case.
type junitReport struct {
	XMLName xml.Name      `xml:"testsuites"`
	Name    string        `xml:"name,attr"`
	Suites  []*junitSuite `xml:"testsuite"`
	junitTotals

	now  func() time.Time
	last time.Time // when the last case was finished
}

type junitTotals struct {
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Skipped  int       `xml:"skipped,attr"`
	Seconds  junitTime `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitTotals
	Cases []*junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Seconds junitTime     `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Facts   string        `xml:"system-out,omitempty"` // what was compared
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitTime float64 // seconds

func (s junitTime) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", float64(s))}, nil
}

func newJUnitReport(now func() time.Time) *junitReport {
	return &junitReport{Name: "cdpor test", now: now, last: now()}
}

// begin begins the suite of a program.
func (r *junitReport) begin(path string) {
	r.Suites = append(r.Suites, &junitSuite{Name: terminal.Visible(path)})
}

// add adds an entry of the present program.
func (r *junitReport) add(x *expectation) {
	c := &junitCase{Name: strings.TrimSpace(title(x.want)), Line: x.want.Pos.Line, Facts: strings.Join(x.facts, ", ")}
	if c.Name == "" {
		c.Name = "as it is"
	}
	switch {
	case len(x.wrong) > 0:
		c.Failure = &junitMessage{Message: x.wrong[0].String(), Text: strings.Join(x.wrong.texts(), "\n")}
	case x.skip != "":
		c.Skipped = &junitMessage{Message: x.skip}
	}
	r.append(c)
}

// unusable adds that the present program cannot be loaded.
func (r *junitReport) unusable(err error) {
	c := &junitCase{Name: "can be loaded", Error: &junitMessage{Message: err.Error()}}
	var list lang.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		c.Line, c.Error.Message = list[0].Pos.Line, list[0].Error()
		var text []string
		for _, m := range list {
			text = append(text, m.Snippet())
		}
		c.Error.Text = strings.Join(text, "\n")
	}
	r.append(c)
}

// stopped adds that the test did not come to its end, so that the list is not taken for complete.
func (r *junitReport) stopped(why string) {
	r.append(&junitCase{Name: "came to its end",
		Error: &junitMessage{Message: why + ": entries of this and of later programs are missing"}})
}

// append adds a case to the present suite. Cases of one suite have different names.
func (r *junitReport) append(c *junitCase) {
	s := r.Suites[len(r.Suites)-1]
	c.Name, c.Facts = terminal.Visible(c.Name), terminal.Visible(c.Facts)
	for _, m := range []*junitMessage{c.Failure, c.Error, c.Skipped} {
		if m != nil {
			m.Message, m.Text = terminal.Visible(m.Message), terminal.Visible(m.Text)
		}
	}
	c.Class, c.File = s.Name, s.Name
	same := 0
	for _, other := range s.Cases {
		if other.Name == c.Name || strings.HasPrefix(other.Name, c.Name+" #") {
			same++
		}
	}
	if same > 0 {
		c.Name = fmt.Sprintf("%s #%d", c.Name, same+1)
	}
	now := r.now()
	c.Seconds, r.last = junitTime(now.Sub(r.last).Seconds()), now
	s.Cases = append(s.Cases, c)
	for _, t := range []*junitTotals{&r.junitTotals, &s.junitTotals} {
		t.Tests++
		t.Seconds += c.Seconds
		switch {
		case c.Failure != nil:
			t.Failures++
		case c.Error != nil:
			t.Errors++
		case c.Skipped != nil:
			t.Skipped++
		}
	}
}

// write writes the report to a file.
func (r *junitReport) write(path string) error {
	out := bytes.NewBufferString(xml.Header)
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	out.WriteByte('\n')
	return files.Write(path, out.Bytes())
}
