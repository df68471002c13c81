// Package junit writes results in the XML form of JUnit, which CI services read.
package junit

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
)

// A Report is the result of a command: a suite for each program or package, a case for each expectation or test. There
// is no standard of it; the elements and attributes used here are those that CI services agree on, and file and line on
// a case.
type Report struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	Suites  []*suite `xml:"testsuite"`
	totals

	now  func() time.Time
	last time.Time // when the last case was finished
}

type totals struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Seconds  seconds `xml:"time,attr"`
}

type suite struct {
	Name string `xml:"name,attr"`
	totals
	Cases []*Case `xml:"testcase"`
}

// A Case has the outcome of one expectation or test.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	File    string   `xml:"file,attr"`
	Line    int      `xml:"line,attr,omitempty"`
	Seconds seconds  `xml:"time,attr"`
	Failure *Message `xml:"failure"`
	Error   *Message `xml:"error"`
	Skipped *Message `xml:"skipped"`
	Facts   string   `xml:"system-out,omitempty"` // what was compared
}

// A Message says why a case has not passed.
type Message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type seconds float64

func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", float64(s))}, nil
}

// New is an empty report of a command that begins now.
func New(command string, now func() time.Time) *Report {
	return &Report{Name: command, now: now, last: now()}
}

// Begin begins a suite, unless it is the present one.
func (r *Report) Begin(name string) {
	name = terminal.Visible(name)
	if n := len(r.Suites); n == 0 || r.Suites[n-1].Name != name {
		r.Suites = append(r.Suites, &suite{Name: name})
	}
}

// Stopped adds that the command did not come to its end, so that the list is not taken for complete.
func (r *Report) Stopped(why string) {
	r.Add(&Case{Name: "came to its end", Error: &Message{Message: why}})
}

// Add adds a case to the present suite. Cases of one suite have different names.
func (r *Report) Add(c *Case) {
	s := r.Suites[len(r.Suites)-1]
	c.Name, c.Facts = terminal.Visible(c.Name), terminal.Visible(c.Facts)
	for _, m := range []*Message{c.Failure, c.Error, c.Skipped} {
		if m != nil {
			m.Message, m.Text = terminal.Visible(m.Message), terminal.Visible(m.Text)
		}
	}
	if c.Class = s.Name; c.File == "" {
		c.File = s.Name
	}
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
	c.Seconds, r.last = seconds(now.Sub(r.last).Seconds()), now
	s.Cases = append(s.Cases, c)
	for _, t := range []*totals{&r.totals, &s.totals} {
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

// Write writes the report to a file.
func (r *Report) Write(path string) error {
	out := bytes.NewBufferString(xml.Header)
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	out.WriteByte('\n')
	return files.Write(path, out.Bytes())
}
