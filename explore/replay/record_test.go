package replay_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/langtest"
)

// TestRecord: a schedule is recorded, read back, and its program run again with the same parameters.
func TestRecord(t *testing.T) {
	const text = "cdpor: 1\nparams: {N: 1}\nshared: {x: int}\nthreads:\n  a: x += N\n  b: 'assert x < 2; x += N'\n"
	r := &replay.Record{Program: "p.yaml", Param: []string{"N=2"}, Text: text}
	m := langtest.Machine(t, r.Program, text, map[string]string{"N": "2"})
	p, err := replay.New(m)
	if err != nil {
		t.Fatal(err)
	}
	l, err := schedules.ParseLasso(m, "0,1")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if r, err = p.Record(ctx, l, []int32{0, 1, 1}, explore.LivenessOptions{}); err != nil {
		t.Fatal(err)
	}
	r.Program, r.Param, r.Text = "p.yaml", []string{"N=2"}, text
	var file bytes.Buffer
	if err := r.Encode(&file); err != nil {
		t.Fatal(err)
	}
	want := `cdpor-replay: 1
program: p.yaml
parameters:
  - N=2
verdict: violation
violations:
  - 'b.1: assertion failed in assert x < 2'
schedule: 0,1
found: 0,1,1
steps:
  - a.1
  - b.1
text: |
  ` + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Error(diff)
	}
	got, err := replay.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Error(diff)
	}
}

// TestDecode: what is no replay file.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"", "no replay file: EOF"},
		{"cdpor-replay: 1\n---\n", "no replay file: a second YAML document follows the first"},
		{"that: 1\n", "no replay file: line 1: field that not found"},
		{"program: p.yaml\n", "no replay file: it does not begin with cdpor-replay: 1"},
		{"cdpor-replay: 2\n", "a replay file of version 2 of the format; this cdpor reads version 1"},
	} {
		if _, err := replay.Decode([]byte(c.text)); err == nil || err.Error() != c.err {
			t.Errorf("%q: %v; want %s", c.text, err, c.err)
		}
	}
}

// TestShorten: what a violation is shown with, and how it is worded with its place.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		name, shared, threads, rest, schedule string
		kind                                  explore.ViolationKind
		short, text                           string
	}{
		{"a failure without what it does not depend on", "x: int, y: int",
			"a: 'x = 1; y = 1'\n  b: 'assert x == 0'\n  c: y = 2", "",
			"2,0,0,1", explore.FailedStep, "0,1", "p.yaml:5:7: b: assertion failed in assert x == 0"},
		{"a failure without what it depends on and is wrong without", "x: int, y: int",
			"a: 'y = x; x = 1'\n  b: 'x = 3; x = 2'\n  c: 'assert x != 2'", "",
			"0,1,0,1,2", explore.FailedStep, "1,1,2", "p.yaml:6:7: c: assertion failed in assert x != 2"},
		{"an end needs all of it, with few switches", "x: int, y: int", "a: 'x = 1; x = 2'\n  b: 'y = 1; y = 2'",
			"check: {final: x == y + 1}", "0,1,0,1", explore.FinalBroken, "0,0,1,1",
			"p.yaml:6:16: x == y + 1 does not hold at the end"},
		{"a function that calls itself too often is named with the bound", "x: int", "a: x = f(1)",
			"functions: {f(n int) int: return f(n + 1)}\nbounds: {recursion: 9}", "0", explore.FailedStep, "0",
			"p.yaml:4:6: a: recursion too deep in x = f(1): more than 9 calls of functions inside each other, from " +
				"f at " +
				"5:13 on; bounds: {recursion: N} allows N"},
		{"an execution as a whole stays as it is", "x: int, y: int", "a: 'x = 1; x = 2'\n  b: 'y = 1; y = 2'",
			"check: {eventually: x == 3}", "0,1,0,1", explore.NeverHolds, "0,1,0,1",
			"p.yaml:6:21: eventually x == 3: it never holds in an execution that ends"},
	} {
		p, x, err := play(t, c.shared, c.threads, c.rest, c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Violations) != 1 || x.Violations[0].Kind != c.kind {
			t.Errorf("%s: %v", c.name, x.Wrong)
			continue
		}
		v := x.Violations[0]
		if got := schedules.Format(p.Machine(), p.Shorten(context.Background(), v)); got != c.short {
			t.Errorf("%s: %s; want %s", c.name, got, c.short)
		}
		if got := p.Text(v); got != c.text {
			t.Errorf("%s: %s; want %s", c.name, got, c.text)
		}
	}
}
