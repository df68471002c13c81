//go:build go1.23

// Package cdporgate lets the goroutines of a program go on in the order of a schedule that cdpor has explored. Calls of
// it stand before each operation that orders goroutines: gates. A goroutine waits at a gate until its step is the next
// one of the schedule, and all others wait. When the schedule is used up, all gates are open.
package cdporgate

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// A goroutine is one of the program that has a name in the schedule, or has been started behind its end.
type goroutine struct {
	id    string // Go's number of it, empty before it begins
	proc  int    // its number in the schedule; -1: none
	ended bool
	at    string        // the gate where it waits; empty: at none
	pass  chan struct{} // lets it pass
	fire  func()        // of a timer
	again string        // the gate before it takes the lock of a Cond again; empty: it does not
}

const most = 512 // goroutines

var (
	mu    sync.Mutex // guards all that follows
	all   [most]goroutine
	known int // how many of them there are
	next  int // the entry of the schedule whose turn it is
	free  bool
	over  bool                  // the test, or main, has returned
	ended = make(chan struct{}) // closed when the end has been judged
)

// failed reports whether the test has failed.
var failed atomic.Pointer[func() bool]

func init() {
	read()
	go control()
}

// current is the goroutine that calls; nil if it is none of the program.
//
//go:norace
func current() *goroutine {
	id := number()
	for i := known - 1; i >= 0; i-- {
		if all[i].id == id && !all[i].ended {
			return &all[i]
		}
	}
	return nil
}

// number is Go's number of the goroutine that calls.
//
//go:norace
func number() string {
	var buf [64]byte
	n := runtime.Stack(buf[:], false)
	const skip = len("goroutine ")
	for i := skip; i < n; i++ {
		if buf[i] == ' ' {
			return string(buf[skip:i])
		}
	}
	return ""
}

// upcoming is the index of the next entry of a goroutine that has a gate; -1: none.
//
//go:norace
func (g *goroutine) upcoming() int {
	for i := next; i < len(entries); i++ {
		if e := &entries[i]; e.proc == g.proc && !e.inner {
			return i
		}
	}
	return -1
}

// arrive waits at a gate until it is the goroutine's turn. A gate that the schedule does not know there, because what
// follows is no step in that call, is open.
//
//go:norace
func arrive(at string) {
	mu.Lock()
	g := current()
	if g == nil || free || g.proc < 0 {
		mu.Unlock()
		return
	}
	if i := g.upcoming(); i >= 0 && entries[i].at != at {
		mu.Unlock()
		return
	}
	g.at = at
	mu.Unlock()
	<-g.pass
}

// begin names the goroutine that calls.
//
//go:norace
func (g *goroutine) begin() {
	mu.Lock()
	g.id = number()
	mu.Unlock()
}

//go:norace
func (g *goroutine) end() {
	mu.Lock()
	g.ended = true
	mu.Unlock()
}

// add makes a goroutine; mu is locked.
//
//go:norace
func add(proc int) *goroutine {
	if known == most {
		os.Stderr.WriteString("cdpor: more goroutines than gates are made for\n")
		os.Exit(unsupported)
	}
	g := &all[known]
	known++
	g.proc, g.pass = proc, make(chan struct{}, 1)
	return g
}

// started is the goroutine that the calling one starts at a gate: the schedule names it.
//
//go:norace
func started(at string) *goroutine {
	mu.Lock()
	proc := -1
	if g := current(); g != nil && g.proc >= 0 {
		for i := range entries {
			if e := &entries[i]; e.proc == g.proc && e.at == at && e.starts >= 0 && !e.used {
				e.used, proc = true, e.starts
				break
			}
		}
	}
	g := add(proc)
	mu.Unlock()
	return g
}
