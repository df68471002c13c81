package execution

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// TestRows draws steps of a Go program together by lines: what changes nothing is left out, and where a goroutine waits
// stays.
func TestRows(t *testing.T) {
	native := &step.Program{Files: []step.File{{Path: "x.go", Called: "x.go"}}}
	reads := []replay.Value{{Name: "n", Text: "0"}}
	changes := func(from, to string) []replay.Change {
		return []replay.Change{{Value: replay.Value{Name: "n", Text: to}, Before: from}}
	}
	for name, test := range map[string]struct {
		steps []replay.Step
		want  string
	}{
		"one line": {[]replay.Step{{Line: 3, Reads: reads}, {Line: 3}, {Line: 3, Writes: changes("0", "1")}},
			"0:3 r1 w1"},
		"there and back": {[]replay.Step{{Line: 3, Writes: changes("0", "1")}, {Line: 3, Writes: changes("1", "0"),
			Reads: []replay.Value{{Name: "n", Text: "1"}}}, {Line: 4, Acts: true}}, "0:4 r0 w0"},
		"nothing": {[]replay.Step{{Line: 2}, {Line: 3, Reads: reads}, {Line: 4}}, "0:3 r1 w0"},
		"waits":   {[]replay.Step{{Line: 3, Reads: reads}, {Line: 4, Then: "waits"}}, "0:3 r1 w0 waits"},
		"waits at once": {[]replay.Step{{Line: 3, Then: "waits"}, {Proc: 1, Line: 5, Reads: reads}},
			"0:3 r0 w0 waits, 1:5 r1 w0"},
		"another between": {[]replay.Step{{Line: 3, Reads: reads}, {Proc: 1, Line: 3, Reads: reads},
			{Line: 3, Reads: reads}}, "0:3 r1 w0, 1:3 r1 w0, 0:3 r1 w0"},
		"fails": {[]replay.Step{{Line: 3}, {Line: 4, Fails: "panic"}}, "0:4 r0 w0"},
	} {
		rows, _ := Rows(native, test.steps, len(test.steps))
		var list []string
		for _, r := range rows {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%d:%d r%d w%d %s", r.Proc, r.Line, len(r.Reads),
				len(r.Writes), r.Then)))
		}
		if got := strings.Join(list, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	cycle := []replay.Step{{Line: 1, Reads: reads}, {Line: 2}, {Line: 2, Reads: reads}, {Line: 3, Reads: reads}}
	if rows, stem := Rows(native, cycle, 2); len(rows) != 3 || stem != 1 {
		t.Errorf("a cycle begins behind %d of %d rows", stem, len(rows))
	}
	if rows, stem := Rows(&step.Program{}, cycle, 2); len(rows) != 4 || stem != 2 {
		t.Errorf("a program with named steps has %d rows", len(rows))
	}
}

// TestGoChange words what a step of a Go program does.
func TestGoChange(t *testing.T) {
	for _, test := range []struct{ line, name, before, after, want string }{
		{"s.mu.Lock()", "s.mu", "free", "held by T", ""},
		{"from.mu.Lock()", "a.mu", "free", "held by T", "locks a.mu"},
		{"from.mu.Unlock()", "a.mu", "held by T", "free", "unlocks a.mu"},
		{"s.RLock()", "s.mu", "free", "read by T", "locks s.mu for reading"},
		{"c <- 1", "c", "empty", "[1] from T", "offers 1 on c"},
		{"x := <-c", "c", "[1] from U", "empty", "receives 1 from U on c"},
		{"c <- 1", "c", "[]", "[1]", "c: [] -> [1]"},
		{"close(c)", "c", "empty", "closed", ""},
		{"n++", "n", "0", "1", "n: 0 -> 1"},
	} {
		s := &replay.Step{Text: test.line, Goroutine: "T"}
		c := &replay.Change{Value: replay.Value{Name: test.name, Text: test.after}, Before: test.before}
		if got := goChange(s, c); got != test.want {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
}
