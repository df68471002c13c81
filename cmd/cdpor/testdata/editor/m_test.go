package m

import (
	"sync"
	"testing"
)

func TestOrder(t *testing.T) {
	var a, b sync.Mutex
	go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }()
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
}
