package native

import (
	"fmt"
	"path/filepath"
	"strings"

	"cdpor/lang/golang/native"
)

// An Account tells an execution to people.
type Account struct {
	Events []Line
	Waits  []string // who waits for good, at what, since when somebody else holds it
}

// A Line is an event of the program. What testing does for the test is left out.
type Line struct {
	Number    int
	Goroutine string
	File      string
	Line      string
	What      string
}

// accounting is what is known of goroutines on the way.
type accounting struct {
	dir     string
	started map[int]string // where
	next    map[int]*native.Change
	over    map[int]bool
	holds   map[int32]holder
	test    string
}

type holder struct {
	proc  int
	place string
}

// Tell tells an execution of a test, of which places are known, in files named from a folder.
func Tell(r *native.Record, width int, test, dir string) *Account {
	a := &accounting{dir: dir, started: map[int]string{}, next: map[int]*native.Change{}, over: map[int]bool{},
		holds: map[int32]holder{}, test: test}
	account := &Account{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if i > 0 {
			a.event(account, i, int(s.Action)/width, int(s.Action)%width)
		}
		for k := range s.Changes {
			c := &s.Changes[k]
			if a.over[c.Proc] = c.Over; !c.Op.None() {
				a.next[c.Proc] = c
			}
		}
	}
	for proc := 2; proc < len(r.Names)/2+2; proc++ {
		if c := a.next[proc]; c != nil && !a.over[proc] && a.place(c) != "" {
			account.Waits = append(account.Waits, a.waits(proc, c))
		}
	}
	return account
}

// place is where an operation stands in the program, "" for one of what is around it.
func (a *accounting) place(c *native.Change) string {
	first, _, _ := strings.Cut(c.Place, "\n")
	at, _, _ := strings.Cut(first, " ")
	if rel, err := filepath.Rel(a.dir, at); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return at
}

func (a *accounting) name(proc int) string {
	switch at := a.started[proc]; {
	case proc == 2:
		return a.test
	case at != "":
		return "goroutine started at " + at
	}
	return fmt.Sprintf("goroutine %d", proc)
}

// event notes what a goroutine does.
func (a *accounting) event(account *Account, number, proc, choice int) {
	if proc == 0 {
		account.Events = append(account.Events, Line{Number: number, Goroutine: "the clock", What: "time passes"})
		return
	}
	c := a.next[proc]
	if c == nil {
		return
	}
	place := a.place(c)
	if started := c.Op.Starts(); started >= 0 {
		a.started[started] = place
	}
	if id, takes, gives := c.Op.Holds(); takes {
		a.holds[id] = holder{proc, place}
	} else if gives {
		delete(a.holds, id)
	}
	if place == "" {
		return
	}
	file, line, _ := strings.Cut(place, ":")
	what := c.Op.Name()
	if c.Op.Selects() {
		what += fmt.Sprintf(", case %d", choice+1)
	}
	account.Events = append(account.Events, Line{number, a.name(proc), file, line, what})
}

// waits says what a goroutine waits for.
func (a *accounting) waits(proc int, c *native.Change) string {
	text := fmt.Sprintf("%s waits at %s in %s", a.name(proc), a.place(c), c.Op.Name())
	for _, id := range c.Op.Objects {
		if h, ok := a.holds[id]; ok {
			who := a.name(h.proc)
			if h.proc == proc {
				who = "itself"
			}
			text += fmt.Sprintf(", which %s has held since %s", who, h.place)
		}
	}
	return text
}
