// Package earlyreturn: after the first error nobody receives the other results.
package earlyreturn

import (
	"errors"
	"testing"
)

type store interface{ save(n int) error }

type disk struct{}

func (disk) save(n int) error { return nil }

type broken struct{}

func (broken) save(n int) error { return errors.New("no space") }

func saveAll(s store, results chan error) error {
	for i := 0; i < 2; i++ {
		go func() { results <- s.save(i) }()
	}
	for i := 0; i < 2; i++ {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

func TestBug(t *testing.T) {
	if saveAll(broken{}, make(chan error)) == nil {
		t.Fatal("the error is lost")
	}
}

func TestFixed(t *testing.T) {
	if saveAll(broken{}, make(chan error, 2)) == nil {
		t.Fatal("the error is lost")
	}
	if saveAll(disk{}, make(chan error, 2)) != nil {
		t.Fatal("an error out of nowhere")
	}
}
