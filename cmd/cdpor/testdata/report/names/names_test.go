package names

import (
	"errors"
	"testing"
)

var errSum = errors.New("the sum is wrong")

// TestNames has a channel of functions, two goroutines of one line, a second channel of the same name, and an error
// that the library has made.
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
		t.Errorf("sum is %d: %v", got, errSum)
	}
}
