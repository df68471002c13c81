// Package maprace: two goroutines count words in one map.
package maprace

import (
	"sync"
	"testing"
)

type counts struct {
	mu sync.Mutex
	m  map[string]int
}

func (c *counts) add(word string) { c.m[word]++ }

func (c *counts) addLocked(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[word]++
}

func run(t *testing.T, add func(c *counts, word string)) {
	c := &counts{m: map[string]int{}}
	var wg sync.WaitGroup
	for _, w := range []string{"a", "b", "a"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			add(c, w)
		}()
	}
	wg.Wait()
	if c.m["a"] != 2 || len(c.m) != 2 {
		t.Error("words are missing")
	}
}

func TestBug(t *testing.T) { run(t, (*counts).add) }

func TestFixed(t *testing.T) { run(t, (*counts).addLocked) }
