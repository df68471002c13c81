// Package sharederror: a goroutine assigns to the err of the function around it.
package sharederror

import (
	"errors"
	"testing"
)

var errFailed = errors.New("failed")

func fetch() error { return errFailed }
func store() error { return nil }

func TestBug(t *testing.T) {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = fetch()
	}()
	err = store()
	<-done
	if err == nil {
		t.Error("an error is lost")
	}
}

func TestFixed(t *testing.T) {
	errs := make(chan error, 1)
	go func() { errs <- fetch() }()
	err := store()
	if e := <-errs; e != nil {
		err = e
	}
	if err == nil {
		t.Error("an error is lost")
	}
}
