package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
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
	got := readJUnit(t, "out.xml", junitTotals{Tests: 4, Failures: 2, Errors: 1})
	want := []junitLine{
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
}

// TestJUnitRun reads the report of cdpor run about Go tests, some executed and one read.
func TestJUnitRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library of Go with gates")
	}
	t.Setenv(cli.NoRun, "")
	t.Chdir("../../testdata/native")
	path := filepath.Join(t.TempDir(), "out.xml")
	var stdout, stderr bytes.Buffer
	args := []string{"run", "--no-cache", "--no-races", "--junit", path, "--func",
		"TestJSONBug|TestLeavesBehind|TestMean$|TestLeftOver|TestPipe|TestFirstOnlyBug", "./ordinary"}
	if code := runMain(args, nil, &stdout, &stderr); code != fault.ExitViolation {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	got := readJUnit(t, path, junitTotals{Tests: 6, Failures: 2, Skipped: 1})
	line := regexp.MustCompile(`_test.go:[0-9:]+`)
	for i := range got {
		got[i].Line = min(got[i].Line, 1)
		got[i].What, _, _ = strings.Cut(line.ReplaceAllString(got[i].What, "_test.go"), "; executed, for ")
	}
	const cls = "./ordinary"
	want := []junitLine{
		{cls, "TestMean", 0, "passed"},
		{cls, "TestJSONBug", 1, `failed test: ordinary/ordinary_test.go got {"Names":["BOB","ANN"]}`},
		{cls, "TestPipe", 0, "passed"},
		{cls, "TestLeavesBehind", 0, "passed"},
		{cls, "TestFirstOnlyBug", 0, "ordinary/ordinary_test.go TestFirstOnlyBug: the test fails: ready so soon"},
		{cls, "TestLeftOver", 0, "incomplete: searched: the test asks which goroutines there are " +
			"(runtime.NumGoroutine or Stack)"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

// A junitLine is a case of a report, and what is said of it.
type junitLine struct {
	Class, Name string
	Line        int
	What        string
}

type junitTotals struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

// readJUnit reads a report, whose totals must be those.
func readJUnit(t *testing.T, path string, totals junitTotals) (got []junitLine) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var report struct {
		junitTotals
		Suites []struct {
			Name string `xml:"name,attr"`
			junitTotals
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Class   string  `xml:"classname,attr"`
				Line    int     `xml:"line,attr"`
				Failure *result `xml:"failure"`
				Error   *result `xml:"error"`
				Skipped *result `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var sum junitTotals
	for _, s := range report.Suites {
		sum.Tests, sum.Failures, sum.Errors = sum.Tests+s.Tests, sum.Failures+s.Failures, sum.Errors+s.Errors
		sum.Skipped += s.Skipped
		for _, c := range s.Cases {
			what := "passed"
			for _, r := range []*result{c.Failure, c.Error, c.Skipped} {
				if r != nil {
					what = r.Message
				}
			}
			got = append(got, junitLine{c.Class, c.Name, c.Line, what})
		}
	}
	if sum != report.junitTotals || sum != totals {
		t.Errorf("totals %+v, of the suites %+v", report.junitTotals, sum)
	}
	return got
}
