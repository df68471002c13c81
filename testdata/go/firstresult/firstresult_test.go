// Package firstresult: replicas are asked, the first answer wins, and the others cannot be delivered.
package firstresult

import (
	"testing"
)

type replica func() int

func ask(answers chan int, replicas ...replica) int {
	for _, r := range replicas {
		go func() { answers <- r() }()
	}
	return <-answers
}

func TestBug(t *testing.T) {
	ask(make(chan int), func() int { return 1 }, func() int { return 2 })
}

func TestFixed(t *testing.T) {
	ask(make(chan int, 2), func() int { return 1 }, func() int { return 2 })
}
