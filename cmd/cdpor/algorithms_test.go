package main

import (
	"bytes"
	"testing"

	"cdpor/explore"
)

// TestAlgorithmsSayWhen: each algorithm has a line on when to use it, and one on when not to.
func TestAlgorithmsSayWhen(t *testing.T) {
	for _, a := range explore.Algorithms() {
		lines := bytes.Split([]byte(a.When), []byte("\n"))
		if a.When == "" || len(lines) > 2 {
			t.Errorf("%s: %q", a.Name, a.When)
		}
		for _, line := range lines {
			if len(line) > 100 {
				t.Errorf("%s: the line %q has %d characters", a.Name, line, len(line))
			}
		}
	}
}
