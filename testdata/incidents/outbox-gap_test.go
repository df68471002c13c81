package incidents

import (
	"sync"
	"testing"
)

// Writers draw a number for their row from a sequence and commit later; a relay publishes the rows behind the last
// number that it has seen. A row that commits after one with a larger number is behind the relay already, and is never
// published. In the repair the relay marks each row that it has published instead.

const rows = 2

type outbox struct {
	mu        sync.Mutex
	sequence  int
	committed [rows]bool
	published [rows]bool
	seen      int
}

func (o *outbox) write() {
	o.mu.Lock()
	mine := o.sequence
	o.sequence++
	o.mu.Unlock()

	o.mu.Lock() // the commit
	o.committed[mine] = true
	o.mu.Unlock()
}

func (o *outbox) relay(mark bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range rows {
		if o.committed[i] && (mark && !o.published[i] || !mark && i >= o.seen) {
			o.published[i], o.seen = true, i+1
		}
	}
}

func publish(t *testing.T, mark bool) {
	o := &outbox{}
	var all sync.WaitGroup
	for range rows {
		all.Go(o.write)
	}
	all.Go(func() { o.relay(mark) })
	all.Wait()
	o.relay(mark)
	if o.published != [rows]bool{true, true} {
		t.Errorf("committed %v, published %v", o.committed, o.published)
	}
}

func TestOutboxGap(t *testing.T) { publish(t, false) }

func TestOutboxGapFixed(t *testing.T) { publish(t, true) }
