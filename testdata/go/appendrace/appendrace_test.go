// Package appendrace: two goroutines append to one slice.
package appendrace

import (
	"sync"
	"testing"
)

func TestBug(t *testing.T) {
	var list []int
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			list = append(list, i)
		}()
	}
	wg.Wait()
	if len(list) != 2 {
		t.Error("an element is lost")
	}
}

func TestFixed(t *testing.T) {
	list := make([]int, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			list[i] = i + 1
		}()
	}
	wg.Wait()
	if list[0]+list[1] != 3 {
		t.Error("an element is lost")
	}
}
