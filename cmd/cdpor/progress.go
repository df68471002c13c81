package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"cdpor/explore"
)

// A progress line says on stderr that something is going on. It keeps quiet for the first seconds; on a terminal it then
// rewrites one line, elsewhere it writes a new one now and then.
type progress struct {
	env   *environment
	mu    sync.Mutex
	start time.Time
	last  time.Time
	width int       // of the line on the terminal
	first time.Time // when the present pairs were begun
}

const (
	quietFor       = 2 * time.Second
	everyTerminal  = 200 * time.Millisecond
	everyElsewhere = 15 * time.Second
)

func newProgress(env *environment) *progress {
	now := env.now()
	return &progress{env: env, start: now, last: now}
}

func (p *progress) say(line func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, every := p.env.now(), everyElsewhere
	if p.env.terminal {
		every = everyTerminal
	}
	if now.Sub(p.start) < quietFor || now.Sub(p.last) < every && p.last != p.start {
		return
	}
	p.last = now
	text := fmt.Sprintf("%v: %s", now.Sub(p.start).Round(time.Second), line())
	if !p.env.terminal {
		fmt.Fprintln(p.env.stderr, text)
		return
	}
	fmt.Fprintf(p.env.stderr, "\r%-*s", p.width, text)
	p.width = max(p.width, len(text))
}

// exploring is the progress callback of a search.
func (p *progress) exploring(r *explore.Result) {
	p.say(func() string {
		return fmt.Sprintf("%s: %d executions, %d blocked, %d events, %d outcomes, %d violations", r.Algorithm, r.Executions,
			r.Blocked, r.Events, len(r.Outcomes), len(r.Violations))
	})
}

// solving is the progress callback of the synthesis and of proofs.
func (p *progress) solving(done, total int) {
	now := p.env.now()
	if done <= 1 || p.first.IsZero() {
		p.first = now
	}
	p.say(func() string {
		text := fmt.Sprintf("constraints: %d of %s", done, plural(total, "pair"))
		if spent := now.Sub(p.first); done > 1 && done < total {
			left := spent / time.Duration(done-1) * time.Duration(total-done)
			text += ", about " + roughly(left) + " left"
		}
		return text
	})
}

// roughly writes an estimate of time with no more digits than it deserves.
func roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return "1s"
	case d < 2*time.Minute:
		return d.Round(time.Second).String()
	case d < 2*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return strings.TrimSuffix(d.Round(time.Hour).String(), "0m0s")
}

// done removes the line from the terminal.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.env.stderr, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
