package incidents

import (
	"sync"
	"testing"
)

// A saga reserves money by a try, and takes that back by a cancel when its time is over. The network may deliver the
// cancel first: it finds nothing, and the try that comes later reserves money for ever. In the repair a cancel that
// finds nothing is written down, and the late try is refused.

type bank struct {
	mu        sync.Mutex
	reserved  bool
	cancelled bool
	remembers bool
}

func (b *bank) try() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.remembers || !b.cancelled {
		b.reserved = true
	}
}

func (b *bank) cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved, b.cancelled = false, true
}

func saga(t *testing.T, remembers bool) {
	b := &bank{remembers: remembers}
	var delivered sync.WaitGroup
	delivered.Go(b.try)
	delivered.Go(b.cancel)
	delivered.Wait()
	if b.reserved {
		t.Error("what was cancelled is reserved")
	}
}

func TestSagaCancelFirst(t *testing.T) { saga(t, false) }

func TestSagaCancelFirstFixed(t *testing.T) { saga(t, true) }
