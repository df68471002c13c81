package ordinary

import (
	"testing"
	_ "unsafe"
)

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname cheaprand runtime.cheaprand
func cheaprand() uint32

// How often something is sent depends on the clock and on the random numbers of the runtime.
func TestLinked(t *testing.T) {
	c := make(chan int, 64)
	done := make(chan bool)
	go func() {
		for i := range nanotime()/1000&15 + int64(cheaprand()&15) {
			c <- int(i)
		}
		close(c)
		done <- true
	}()
	sum := 0
	for i := range c {
		sum += i
	}
	if <-done; sum < 0 {
		t.Error(sum)
	}
}
