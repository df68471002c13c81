// Package main_test has variables that TestMain makes.
package main_test

import (
	"os"
	"testing"
)

var (
	db     chan int
	closed bool
)

func TestMain(m *testing.M) {
	db = make(chan int, 1)
	code := m.Run()
	closed = true
	os.Exit(code)
}

// ends: well
func TestMade(t *testing.T) {
	go func() { db <- 1 }()
	if v := <-db; v != 1 || closed {
		t.Error(v)
	}
}

// ends: deadlock
func TestEmpty(t *testing.T) { <-db }

// ends: the test fails
func TestFails(t *testing.T) {
	go func() { db <- 1 }()
	if v := <-db; v == 1 {
		t.Error(v)
	}
}

// ends: the test fails
func TestExits(t *testing.T) {
	if db != nil {
		os.Exit(1)
	}
}
