package progress

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
	MaxAnnounced = 10     // groups of violations
	maxHeard     = 10_000 // violations that are looked at for that
)

// An Announcer shows violations, equal ones once.
type Announcer struct {
	progress *Progress
	timer    *time.Timer

	mu      sync.Mutex
	known   map[string]bool // narrator.SameAs
	heard   int
	waiting []string // to be shown when the moment is over
	shows   bool     // it is
	over    bool     // the report shows them
}

// NewAnnouncer is an announcer that holds violations back for the time of the environment.
func NewAnnouncer(p *Progress) *Announcer {
	a := &Announcer{progress: p, known: map[string]bool{}, shows: p.Env.HoldBack == 0}
	a.timer = time.AfterFunc(p.Env.HoldBack, a.Release)
	return a
}

// Release shows what has been found, and from now on shows violations at once.
func (a *Announcer) Release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shows = true
	for _, text := range a.waiting {
		a.say(text)
	}
	a.waiting = nil
}

// End is called before the report is written.
func (a *Announcer) End() {
	a.timer.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

func (a *Announcer) say(text string) {
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

// Found returns explore.Options.Found for a search or a simulation with a report.
func (a *Announcer) Found(r narrator, by string) func(*explore.Violation) (more bool) {
	return func(v *explore.Violation) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.heard++
		if key := r.SameAs(v); !a.known[key] {
			a.known[key] = true
			if text := r.Announcement(a.progress.Env.Colour(a.progress.Env.Stderr), v, by); text != "" {
				a.say(text)
			}
		}
		more := a.heard < maxHeard && len(a.known) < MaxAnnounced
		if !more {
			a.say("cdpor: further violations are in the report at the end\n")
		}
		return more
	}
}
