package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"

	"github.com/google/go-cmp/cmp"
)

// everyAlgorithm is how a failure begins that all algorithms find.
var everyAlgorithm = func() string {
	var names []string
	for _, a := range explore.Algorithms() {
		names = append(names, a.Name)
	}
	last := len(names) - 1
	return "verdict: ok expected, " + strings.Join(names[:last], ", ") + " and " + names[last] + " give "
}()

// TestJUnit reads the report of cdpor test as a CI service does: well-formed, totals that fit the cases, names that are
// different, and texts that come through whatever is in them.
func TestJUnit(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", `cdpor: 1
params: {N: 2}
shared: {x: int = 0}
threads: {p: x = 7, q: x = N}
check: {final: [{that: x < 7, message: "<&\u0001\"ü"}]}
expect:
  - {with: {N: 7}, verdict: violation}
  - {with: {N: 7}}
  - {traces: 3}
`)
	write("b.yaml", "cdpor: 1\nthreads: {p: \"<x>\"}\n")
	var stdout, stderr bytes.Buffer
	if code := runMain([]string{"test", "--all-algorithms", "--no-constraints", "--junit", "out.xml", "a.yaml",
		"b.yaml"}, nil, &stdout,
		&stderr); code != fault.ExitInput {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	text, err := os.ReadFile("out.xml")
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type totals struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	var report struct {
		totals
		Suites []struct {
			Name string `xml:"name,attr"`
			totals
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Class   string  `xml:"classname,attr"`
				Line    int     `xml:"line,attr"`
				Failure *result `xml:"failure"`
				Error   *result `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	type line struct {
		Class, Name string
		Line        int
		What        string
	}
	var got []line
	var sum totals
	for _, s := range report.Suites {
		sum.Tests, sum.Failures, sum.Errors = sum.Tests+s.Tests, sum.Failures+s.Failures, sum.Errors+s.Errors
		for _, c := range s.Cases {
			what := "passed"
			switch {
			case c.Failure != nil:
				what = c.Failure.Message
			case c.Error != nil:
				what = c.Error.Message
			}
			got = append(got, line{c.Class, c.Name, c.Line, what})
		}
	}
	want := []line{
		{"a.yaml", "N=7", 7, "passed"},
		{"a.yaml", "N=7 #2", 8, everyAlgorithm +
			"violation: a.yaml:5:24: x < 7 does not hold at the end: <&\\u0001\"ü"},
		{"a.yaml", "as it is", 9, everyAlgorithm +
			"violation: a.yaml:5:24: x < 7 does not hold at the end: <&\\u0001\"ü"},
		{"b.yaml", "can be loaded", 2, "b.yaml:2:15: error[E102]: expected an expression, found <"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	if sum != report.totals || sum != (totals{Tests: 4, Failures: 2, Errors: 1}) {
		t.Errorf("totals %+v, of the suites %+v", report.totals, sum)
	}
}
