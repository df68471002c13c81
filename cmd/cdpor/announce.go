package main

import (
	"sync"
	"time"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
)

// Violations are shown when they are found, on the standard error output in a short form, whatever form the report has:
// where, what, and how to see it again. The report at the end has them with all their steps. A run that is over in a
// moment has shown them by then, so nothing is said before.

const (
	maxAnnounced = 10     // groups of violations
	maxHeard     = 10_000 // violations that are looked at for that
)

// An announcer shows violations, equal ones once.
type announcer struct {
	progress *progress
	timer    *time.Timer

	mu      sync.Mutex
	known   map[string]bool // narrator.SameAs
	heard   int
	waiting []string // to be shown when the moment is over
	shows   bool     // it is
	over    bool     // the report shows them
}

func newAnnouncer(p *progress) *announcer {
	a := &announcer{progress: p, known: map[string]bool{}, shows: p.env.HoldBack == 0}
	a.timer = time.AfterFunc(p.env.HoldBack, a.release)
	return a
}

// release shows what has been found, and from now on shows violations at once.
func (a *announcer) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shows = true
	for _, text := range a.waiting {
		a.say(text)
	}
	a.waiting = nil
}

// end is called before the report is written.
func (a *announcer) end() {
	a.timer.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

func (a *announcer) say(text string) {
	switch {
	case a.over:
	case !a.shows:
		a.waiting = append(a.waiting, text)
	default:
		a.progress.print(text)
	}
}

// A narrator says which violations are the same, and what one is in short.
type narrator interface {
	SameAs(v *explore.Violation) string
	Announcement(colour terminal.Colour, v *explore.Violation, by string) string
}

// found is what explore.Options.Found is to be for a search or a simulation, of which a report is told.
func (a *announcer) found(r narrator, by string) func(*explore.Violation) (more bool) {
	return func(v *explore.Violation) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.heard++
		if key := r.SameAs(v); !a.known[key] {
			a.known[key] = true
			a.say(r.Announcement(a.progress.env.Colour(a.progress.env.Stderr), v, by))
		}
		more := a.heard < maxHeard && len(a.known) < maxAnnounced
		if !more {
			a.say("cdpor: further violations are in the report at the end\n")
		}
		return more
	}
}
