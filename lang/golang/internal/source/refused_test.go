package source

import (
	"strings"
	"testing"
)

// TestRecover: where cdpor fails on a program, that is an error about the place in the program.
func TestRecover(t *testing.T) {
	fails := func(list []int) (err error) {
		defer Recover(&err, func() string { return "x_test.go:7:3" })
		list[2]++
		return nil
	}
	if err := fails(make([]int, 3)); err != nil {
		t.Error(err)
	}
	err := fails(nil)
	if err == nil || !strings.HasPrefix(err.Error(), "x_test.go:7:3: cdpor fails here") ||
		!strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "refused_test.go:") {
		t.Errorf("error %v", err)
	}
}
