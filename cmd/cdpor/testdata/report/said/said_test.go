package said

import (
	"errors"
	"testing"
)

type point struct{ x, y int }

// TestMade prints what a goroutine has made, which nothing else looks at: it is not known, but for errors.
func TestMade(t *testing.T) {
	points, failed := make(chan *point, 1), make(chan error, 1)
	go func() {
		points <- &point{3, 4}
		failed <- errors.New("no room")
	}()
	t.Errorf("%v, %v", <-points, <-failed)
}

// TestOwn prints what it has made in an earlier step.
func TestOwn(t *testing.T) {
	done, p := make(chan bool), &point{3, 4}
	go close(done)
	<-done
	t.Errorf("%v", p)
}

// TestRead prints what it also reads.
func TestRead(t *testing.T) {
	done, p := make(chan bool), &point{3, 4}
	go close(done)
	<-done
	if p.x+p.y != 8 {
		t.Errorf("%v", p)
	}
}
