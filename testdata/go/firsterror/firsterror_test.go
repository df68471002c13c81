// Package firsterror: only the first error is taken, and the others have no room.
package firsterror

import (
	"errors"
	"testing"
)

var errFailed = errors.New("failed")

func all(n, room int) error {
	errs := make(chan error, room)
	for range n {
		go func() { errs <- errFailed }()
	}
	return <-errs
}

func TestBug(t *testing.T) {
	if all(3, 1) == nil {
		t.Error("no error")
	}
}

func TestFixed(t *testing.T) {
	if all(3, 3) == nil {
		t.Error("no error")
	}
}
