// Package errorpath: a worker that meets an error returns without Done.
package errorpath

import (
	"errors"
	"sync"
	"testing"
)

var errBad = errors.New("bad input")

func check(v int) error {
	if v == 1 {
		return errBad
	}
	return nil
}

func TestBug(t *testing.T) {
	var wg sync.WaitGroup
	errs := make(chan error, 2)
	for v := range 2 {
		wg.Add(1)
		go func() {
			if err := check(v); err != nil {
				errs <- err
				return
			}
			wg.Done()
		}()
	}
	wg.Wait()
	close(errs)
}

func TestFixed(t *testing.T) {
	var wg sync.WaitGroup
	errs := make(chan error, 2)
	for v := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := check(v); err != nil {
				errs <- err
			}
		}()
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != errBad {
		t.Fatal(err)
	}
}
