package incidents

import (
	"sync"
	"testing"
)

// A request takes a connection from the pool, and then a second one for a transaction inside the first. When every
// request holds one, none is left, and all wait for ever. In the repair the inner transaction runs on the connection
// that is there.

type pool chan struct{}

func (p pool) get() { p <- struct{}{} }
func (p pool) put() { <-p }

func request(p pool, nested bool) {
	p.get()
	defer p.put()
	if nested {
		p.get()
		defer p.put()
	}
}

func serve(nested bool) {
	p := make(pool, 2)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { request(p, nested) })
	}
	all.Wait()
}

func TestNestedTransactions(t *testing.T) { serve(true) }

func TestNestedTransactionsFixed(t *testing.T) { serve(false) }
