// Package rwreentry: a read lock is taken twice, with a writer waiting in between.
package rwreentry

import (
	"sync"
	"testing"
)

type table struct {
	mu   sync.RWMutex
	rows int
}

func (t *table) count() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows
}

func (t *table) report() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows + t.count()
}

func (t *table) reportFixed() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows + t.rows
}

func (t *table) insert() {
	t.mu.Lock()
	t.rows++
	t.mu.Unlock()
}

func run(report func() int, insert func()) {
	done := make(chan bool)
	go func() {
		insert()
		done <- true
	}()
	report()
	<-done
}

func TestBug(t *testing.T) {
	x := &table{}
	run(x.report, x.insert)
}

func TestFixed(t *testing.T) {
	x := &table{}
	run(x.reportFixed, x.insert)
	if x.count() != 1 {
		t.Fatal("a row is lost")
	}
}
