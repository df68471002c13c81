// Package deferinloop: a lock is taken in each round, and given back only at the end of the function.
package deferinloop

import (
	"sync"
	"testing"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func total(a []*account) (sum int) {
	for _, x := range a {
		x.mu.Lock()
		defer x.mu.Unlock()
		sum += x.balance
	}
	return sum
}

func TestBug(t *testing.T) {
	a := &account{balance: 1}
	total([]*account{a, a})
}

func TestFixed(t *testing.T) {
	a, b := &account{balance: 1}, &account{balance: 2}
	if total([]*account{a, b}) != 3 || total([]*account{b, a}) != 3 {
		t.Error("a wrong sum")
	}
}
