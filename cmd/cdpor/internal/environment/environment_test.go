package environment

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
)

// TestEnd: an error ends a command with its exit code and one message; with JSON also one object, unless there is a
// result.
func TestEnd(t *testing.T) {
	for _, test := range []struct {
		name         string
		err          error
		code         fault.Code
		stderr, json string
	}{
		{"a verdict", fault.ExitViolation, fault.ExitViolation, "", ""},
		{"input", fault.Inputf("no such flag"), fault.ExitInput, "cdpor: no such flag\n", `"message": "no such flag"`},
		{"out of time", fault.Unfinished{Err: errors.New("late")}, fault.ExitIncomplete, "cdpor: late\n",
			`"message": "late"`},
		{"output", &fault.Output{Where: "a.html", Err: errors.New("full")}, fault.ExitInput,
			"cdpor: cannot write to a.html: full\n", ""},
		{"a bug", errors.New("nil"), fault.ExitInternal, "cdpor: internal error: nil\n", `"message": "nil"`},
	} {
		for _, asJSON := range []bool{false, true} {
			var stdout, stderr bytes.Buffer
			e := &Environment{Stdout: &stdout, Stderr: &stderr, JSON: asJSON}
			if code := e.End(test.err); code != test.code || stderr.String() != test.stderr {
				t.Errorf("%s: exit code %d, %q", test.name, code, &stderr)
			}
			if wanted := asJSON && test.json != ""; wanted != (stdout.Len() > 0) ||
				wanted && !strings.Contains(stdout.String(), test.json) {
				t.Errorf("%s: JSON %t: %q", test.name, asJSON, &stdout)
			}
		}
	}
}

// TestWhyStopped names the cause that ended a context.
func TestWhyStopped(t *testing.T) {
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	e := &Environment{Context: context.Background()}
	late, cancel := e.Limited(time.Nanosecond)
	defer cancel()
	<-late.Done()
	for want, ctx := range map[string]context.Context{"interrupted": interrupted, "timeout after 1ns": late} {
		if got := WhyStopped(ctx); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
