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
	width int // of the line on the terminal
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
	p.say(func() string { return fmt.Sprintf("constraints: %d of %d", done, total) })
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
