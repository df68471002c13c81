// Package lockorder: two mutexes are locked in both orders.
package lockorder

import (
	"sync"
	"testing"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, n int) {
	from.mu.Lock()
	to.mu.Lock()
	from.balance -= n
	to.balance += n
	to.mu.Unlock()
	from.mu.Unlock()
}

func TestBug(t *testing.T) {
	a, b := &account{balance: 10}, &account{balance: 10}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); transfer(a, b, 1) }()
	go func() { defer wg.Done(); transfer(b, a, 2) }()
	wg.Wait()
}

func TestFixed(t *testing.T) {
	a, b := &account{balance: 10}, &account{balance: 10}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); transfer(a, b, 1) }()
	go func() { defer wg.Done(); transfer(a, b, -2) }()
	wg.Wait()
	if a.balance != 11 || b.balance != 9 {
		t.Fatal("money is lost")
	}
}
