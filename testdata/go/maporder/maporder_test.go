// Package maporder: the first key of a range over a map is taken for the smallest.
package maporder

import (
	"testing"
)

func first(m map[int]string) int {
	for k := range m {
		return k
	}
	return 0
}

func smallest(m map[int]string) int {
	least := 0
	for k := range m {
		if least == 0 || k < least {
			least = k
		}
	}
	return least
}

func TestBug(t *testing.T) {
	if first(map[int]string{1: "a", 2: "b"}) != 1 {
		t.Error("not the smallest key")
	}
}

func TestFixed(t *testing.T) {
	if smallest(map[int]string{1: "a", 2: "b"}) != 1 {
		t.Error("not the smallest key")
	}
}
