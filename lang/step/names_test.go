package step

import "testing"

// TestNames checks how goroutines and places are called.
func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{StartedAt("x.go:3"), "goroutine started at x.go:3"},
		{StartedAt("x.go:3#12"), "goroutine #12 started at x.go:3"},
		{Within("x.go", "x.go:3 and max.go:4, x.go:5"), ":3 and max.go:4, :5"},
		{Within("x.go", "a/x.go:3 waits, .x.go:4, x.go"), "a/x.go:3 waits, .x.go:4, x.go"},
		{Within("", "x.go:3"), "x.go:3"},
		{(&Proc{Name: "p", Shown: "timer x.go:3"}).Task(), "timer"},
		{(&Proc{Name: "p", Shown: "x.go:3#2"}).Task(), ""},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
