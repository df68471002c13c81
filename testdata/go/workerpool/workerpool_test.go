// Package workerpool: the workers are waited for while nobody receives their results.
package workerpool

import (
	"sync"
	"testing"
)

type task struct {
	id   int
	done chan int
}

func worker(tasks chan *task, wg *sync.WaitGroup) {
	defer wg.Done()
	for t := range tasks {
		t.done <- 2 * t.id
	}
}

func TestBug(t *testing.T) {
	tasks := make(chan *task)
	var wg sync.WaitGroup
	wg.Add(2)
	go worker(tasks, &wg)
	go worker(tasks, &wg)
	a := &task{id: 1, done: make(chan int)}
	b := &task{id: 2, done: make(chan int)}
	tasks <- a
	tasks <- b
	wg.Wait()
	close(tasks)
}

func TestFixed(t *testing.T) {
	tasks := make(chan *task)
	var wg sync.WaitGroup
	wg.Add(2)
	go worker(tasks, &wg)
	go worker(tasks, &wg)
	a := &task{id: 1, done: make(chan int, 1)}
	b := &task{id: 2, done: make(chan int, 1)}
	tasks <- a
	tasks <- b
	close(tasks)
	wg.Wait()
	if x, y := <-a.done, <-b.done; x+y != 6 {
		t.Fatal("a result is wrong")
	}
}
