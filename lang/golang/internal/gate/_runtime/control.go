//go:build go1.23

package cdporgate

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Exit codes of a program that is held to a schedule.
const (
	stuck       = 3 // a deadlock or a leak
	unsupported = 4
)

// control lets one goroutine go on after the other.
//
//go:norace
func control() {
	raceOff()
	missed, first := 0, 0
	for {
		quiet := rest()
		mu.Lock()
		if known > 0 && next == len(entries) || !quiet {
			mu.Unlock()
			break
		}
		if known > 0 {
			for next < len(entries) && !step() {
				if e := &entries[next]; !e.inner {
					if missed++; missed == 1 {
						first = next
					}
				}
				next++
			}
		}
		mu.Unlock()
	}
	raceOn() // for what the library does from here on
	if missed > 0 {
		e := &entries[first]
		say("Go did not come to %d steps of the schedule, first step %d, %s in %s", missed, first+1, e.at,
			name(e.proc))
	}
	raceOff()
	mu.Lock()
	free = true
	for i := range known {
		all[i].wake()
	}
	mu.Unlock()
	quiet := rest()
	raceOn()
	judge(quiet)
}

// say prints a line.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "cdpor: "+format+"\n", args...)
}

//go:norace
func (g *goroutine) wake() {
	if g.at != "" {
		g.at = ""
		g.pass <- struct{}{}
	}
}

// step takes the next entry if it can, so that a goroutine goes on. mu is locked.
//
//go:norace
func step() bool {
	e := &entries[next]
	for i := range known {
		g := &all[i]
		switch {
		case g.proc != e.proc:
		case e.fires && g.fire != nil:
			next++
			g.fire()
			return true
		case !e.inner && g.at == e.at:
			next++
			g.wake()
			return true
		}
	}
	return false
}

func name(proc int) string {
	if proc >= 0 && proc < len(names) {
		return names[proc]
	}
	return "a goroutine"
}

// patience is how long a program may take to come to rest.
const patience = 10 * time.Second

// rest waits until no goroutine can move; false: they do not come to rest.
//
//go:norace
func rest() bool {
	begun := time.Now()
	for n := 0; ; n++ {
		for range 10 {
			runtime.Gosched()
		}
		if resting(dump()) {
			return true
		}
		if time.Since(begun) > patience {
			return false
		}
		if n > 5 {
			time.Sleep(time.Duration(min(n, 20)) * 50 * time.Microsecond)
		}
	}
}

var space = make([]byte, 1<<16)

// dump is the stacks of all goroutines, the calling one first.
//
//go:norace
func dump() string {
	for {
		if n := runtime.Stack(space, true); n < len(space) {
			return string(space[:n])
		}
		space = make([]byte, 2*len(space))
	}
}

// resting reports whether all other goroutines of a dump wait for each other.
//
//go:norace
func resting(dump string) bool {
	for i, g := range strings.Split(dump, "\n\n") {
		if i == 0 {
			continue
		}
		_, state, _ := strings.Cut(g, "[")
		if end := strings.IndexAny(state, ",]"); end >= 0 {
			state = state[:end]
		}
		state, _, _ = strings.Cut(state, " (scan")
		switch {
		case state == "syscall" && strings.Contains(g, "os/signal.signal_recv"):
		case state == "running", state == "runnable", state == "syscall", state == "sleep", state == "copystack",
			state == "preempted", strings.HasPrefix(state, "GC "):
			return false
		}
	}
	return true
}

// judge says how the program has ended, if it has not said so itself.
//
//go:norace
func judge(quiet bool) {
	mu.Lock()
	left := 0
	for i := range known {
		if g := &all[i]; g.id != "" && !g.ended {
			left++
		}
	}
	what := ""
	switch {
	case !quiet:
		what = "the program goes on"
	case !over:
		what = "deadlock"
	case left > 0:
		what = "leak"
	}
	if f := failed.Load(); f != nil && *f != nil && (*f)() {
		say("the test has failed")
	}
	if what != "" {
		say("%s", what)
		text := dump()
		for i := range known {
			g := &all[i]
			if at, state := place(text, g.id); g.id != "" && !g.ended && at != "" {
				say("%s waits at %s [%s]", name(g.proc), at, state)
			}
		}
		os.Stderr.WriteString("\n" + text + "\n")
		os.Exit(stuck)
	}
	mu.Unlock()
	close(ended)
}

// place is where in the program a goroutine of a dump stands, and what it does there.
func place(dump, id string) (at, state string) {
	for _, g := range strings.Split(dump, "\n\n") {
		head, rest, _ := strings.Cut(g, "\n")
		if !strings.HasPrefix(head, "goroutine "+id+" ") {
			continue
		}
		_, state, _ = strings.Cut(strings.TrimRight(head, "]:"), "[")
		lines := strings.Split(rest, "\n")
		for i := 0; i+1 < len(lines); i += 2 {
			file, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			if !strings.HasPrefix(file, runtime.GOROOT()+"/") && !strings.Contains(file, "/cdporgate/") {
				return file, state
			}
		}
	}
	return "", ""
}
