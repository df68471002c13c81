package names

import "testing"

// TestNames has a channel of functions, two goroutines of one line, and a second channel of the same name.
func TestNames(t *testing.T) {
	todo, sum := make(chan func() int, 2), make(chan int)
	for range 2 {
		go func() { sum <- (<-todo)() }()
	}
	todo <- func() int { return 1 }
	{
		todo := make(chan int, 1)
		todo <- 2
		<-todo
	}
	if got := <-sum; got != 2 {
		t.Errorf("sum is %d", got)
	}
}
