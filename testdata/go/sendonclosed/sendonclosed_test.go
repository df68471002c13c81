// Package sendonclosed: a channel is closed while somebody still sends.
package sendonclosed

import "testing"

func TestBug(t *testing.T) {
	jobs, done := make(chan int, 2), make(chan bool)
	go func() {
		jobs <- 1
		done <- true
	}()
	close(jobs)
	<-done
}

func TestFixed(t *testing.T) {
	jobs := make(chan int, 2)
	go func() {
		jobs <- 1
		jobs <- 2
		close(jobs)
	}()
	sum := 0
	for j := range jobs {
		sum += j
	}
	if sum != 3 {
		t.Fatal("a job is lost")
	}
}
