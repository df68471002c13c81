// Package langtest makes machines of programs, and counts their Mazurkiewicz traces, for tests. The counter is written
// against the machine alone and shares no code with the searches that it judges.
package langtest

import (
	"os"
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"
)

// Machine is the machine of a program, which must be right.
func Machine(t testing.TB, path, text string, params map[string]string) *step.Machine {
	t.Helper()
	src, err := lang.Load(path, []byte(text), lang.Options{Params: params})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// File is the machine of a program that stands in a file.
func File(t testing.TB, path string, params map[string]string) *step.Machine {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Machine(t, path, string(text), params)
}
