// Package transfer: two accounts are locked in the order of the arguments.
package transfer

import (
	"sync"
	"testing"
)

type account struct {
	mu      sync.Mutex
	id      int
	balance int
}

func transfer(from, to *account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= n
	to.balance += n
}

func transferOrdered(from, to *account, n int) {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.balance -= n
	to.balance += n
}

func run(t *testing.T, move func(from, to *account, n int)) {
	a, b := &account{id: 1, balance: 10}, &account{id: 2, balance: 10}
	done := make(chan struct{})
	go func() {
		move(a, b, 3)
		close(done)
	}()
	move(b, a, 2)
	<-done
	if a.balance != 9 || b.balance != 11 {
		t.Error("a wrong balance")
	}
}

func TestBug(t *testing.T) { run(t, transfer) }

func TestFixed(t *testing.T) { run(t, transferOrdered) }
