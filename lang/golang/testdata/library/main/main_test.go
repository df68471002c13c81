// Package main_test has variables that TestMain makes, and flags.
package main_test

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	workers = flag.Int("workers", 2, "how many")
	patient = flag.Duration("patient", time.Second, "how long")
	called  string

	db     chan int
	closed bool
)

func init() { flag.StringVar(&called, "called", "main", "by which name") }

func TestMain(m *testing.M) {
	flag.Parse()
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

// ends: well
func TestFlags(t *testing.T) {
	for range *workers {
		go func() { db <- 1 }()
	}
	<-db
	<-db
	if *workers != 2 || *patient != time.Second || called != "main" || !flag.Parsed() || flag.NArg() != 0 {
		t.Error(*workers, *patient, called)
	}
}
