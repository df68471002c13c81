package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cdpor/explore/replay"
	"cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// An Account tells an execution to people: as a schedule of what is read off the text is told.
type Account struct {
	Program *step.Program // its goroutines, by name
	Steps   []replay.Step // of the program; what testing does for the test is left out
	Waits   []string      // who waits for good, at what, since when somebody else holds it
}

// Switches is how often another goroutine goes on.
func (a *Account) Switches() (n int) {
	for i := range a.Steps {
		if i > 0 && a.Steps[i].Proc != a.Steps[i-1].Proc {
			n++
		}
	}
	return n
}

// accounting is what is known of goroutines on the way.
type accounting struct {
	dir     string
	started map[int]string // where, and as which one there
	starts  map[string]int // how many, by place
	next    map[int]*native.Change
	names   []int32 // as in the record
	over    map[int]bool
	holds   map[int32]holder
	test    string
	texts   map[string][][]byte // lines of files
	last    map[int]int         // the step of a goroutine, in the account
	gates   map[int][]gate      // that a goroutine has passed, up to a data race
	*Account
}

type holder struct {
	proc  int
	place string
}

// Tell tells an execution of a test, of which places are known, in files named from a folder.
func Tell(r *native.Record, width int, test, dir string) *Account {
	a := &accounting{dir: dir, started: map[int]string{}, starts: map[string]int{},
		next: map[int]*native.Change{}, over: map[int]bool{}, names: r.Names,
		holds: map[int32]holder{}, test: test, texts: map[string][][]byte{}, last: map[int]int{},
		gates:   map[int][]gate{2: {{row: -1}}},
		Account: &Account{Program: &step.Program{Path: dir, From: test}}}
	for i := range r.Steps {
		s := &r.Steps[i]
		if i > 0 {
			a.event(int(s.Action)/width, int(s.Action)%width)
		}
		for k := range s.Changes {
			c := &s.Changes[k]
			if a.over[c.Proc] = c.Over; !c.Op.None() {
				a.next[c.Proc] = c
			}
		}
		if s.Raced {
			a.race(s, Accesses(r.Said, dir))
		}
	}
	for proc := range len(r.Names)/2 + 2 {
		a.Program.Procs = append(a.Program.Procs, &step.Proc{Index: proc, Name: a.name(proc), Shown: a.started[proc]})
		if c := a.next[proc]; proc > 1 && c != nil && !a.over[proc] && a.place(c) != "" {
			a.Waits = append(a.Waits, a.waits(proc, c))
			if i, moved := a.last[proc]; moved {
				a.Steps[i].Then = "waits at " + a.place(c) + " in " + c.Op.Name()
			}
		}
	}
	for file := range a.texts {
		a.Program.Files = append(a.Program.Files, step.File{Path: file, Called: file})
	}
	return a.Account
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
	case proc == 0:
		return "the clock"
	case proc == 2:
		return a.test
	case at != "":
		return step.StartedAt(at)
	case proc > 2 && a.names[2*(proc-2)] == 0: // started by the clock, as which one
		return fmt.Sprintf("function of timer %d", a.names[2*(proc-2)+1]+1)
	}
	return fmt.Sprintf("goroutine %d", proc)
}

// event notes what a goroutine does. What it does at one line without anybody else in between is one step.
func (a *accounting) event(proc, choice int) {
	c := a.next[proc]
	switch at := len(a.Steps) - 1; {
	case proc == 0 && at >= 0: // told beside what came before it
		a.Steps = append(a.Steps, replay.Step{Text: "time passes", Goroutine: a.name(0), File: a.Steps[at].File,
			Line: a.Steps[at].Line})
		return
	case c == nil:
		return
	}
	place := a.place(c)
	if started := c.Op.Starts(); started >= 0 {
		a.starts[place]++
		if a.started[started] = place; a.starts[place] > 1 {
			a.started[started] += fmt.Sprint("#", a.starts[place])
		}
	}
	if id, takes, gives := c.Op.Holds(); takes {
		a.holds[id] = holder{proc, place}
	} else if gives {
		delete(a.holds, id)
	}
	if place == "" {
		return
	}
	file, line := splitPlace(place)
	at := len(a.Steps) - 1
	if at < 0 || a.Steps[at].Proc != proc || a.Steps[at].File != file || a.Steps[at].Line != line {
		at++
		a.Steps = append(a.Steps, replay.Step{Proc: proc, Goroutine: a.name(proc), File: file, Line: line,
			Step: place, Text: a.text(file, line)})
	}
	a.last[proc] = at
	a.gates[proc] = append(a.gates[proc], gate{at, file, line})
	if started := c.Op.Starts(); started >= 0 {
		a.gates[started] = []gate{{row: at}}
	}
	if c.Op.Chooses() {
		a.Steps[at].Takes = append(a.Steps[at].Takes, a.alternative(&c.Op, file, line, choice))
	}
}

// text is a line of a file.
func (a *accounting) text(file string, line int) string {
	lines, known := a.texts[file]
	if !known {
		path := file
		if !filepath.IsAbs(path) {
			path = filepath.Join(a.dir, file)
		}
		text, err := os.ReadFile(path)
		if err == nil {
			lines = bytes.Split(text, []byte("\n"))
		}
		a.texts[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	text := string(bytes.TrimSpace(lines[line-1]))
	if strings.Trim(text, "}()") == "" { // a function ends
		return "deferred calls"
	}
	return text
}

// alternative is what a select takes, as the text has it.
func (a *accounting) alternative(op *native.Operation, file string, line, choice int) string {
	sends, number := op.Alternative(choice)
	if number < 0 {
		return "default"
	}
	for _, text := range casesAt(a.texts[file], line) {
		if text.sends == sends {
			if number == 0 {
				return text.text
			}
			number--
		}
	}
	return fmt.Sprintf("alternative %d", choice+1)
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
