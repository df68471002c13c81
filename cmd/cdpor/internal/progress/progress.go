package progress

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/synth"
)

// A Progress line says on stderr that something is going on. It keeps quiet for the first seconds; on a terminal it
// then rewrites one line, elsewhere it writes a new one now and then. SIGUSR1 asks for a line of its own at once.
type Progress struct {
	Env    *environment.Environment
	mu     sync.Mutex
	start  time.Time
	last   time.Time
	Width  int         // of the line on the terminal
	first  time.Time   // when the present round over all pairs was begun
	round  solverRound // which one that is
	before int         // pairs that were done then
	pairs  int         // and when last heard of
	search string      // the algorithm that is running
	begun  time.Time   // when it was first heard of
	events int64       // that it had executed then
	heard  int64       // and when last heard of
	guess  forecast

	Earlier time.Duration // that the search had taken before it was interrupted
	// Advise, if there is one, is asked once for advice on a search that has visited many nodes, or is slow.
	Advise func(*explore.Result) []string
}

const (
	quietFor       = 2 * time.Second
	everyTerminal  = 200 * time.Millisecond
	everyElsewhere = 15 * time.Second
	adviseAfter    = 4_000_000 // nodes or states
	adviseFrom     = 10_000    // of them, where the search has gone on for adviseSlow
	adviseSlow     = 5 * time.Second
)

// New is the progress of a command that begins now.
func New(env *environment.Environment) *Progress {
	now := env.Now()
	return &Progress{Env: env, start: now, last: now}
}

// Say writes a line of progress if it is time for one, or if a signal has asked for it.
func (p *Progress) Say(line func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, every := p.Env.Now(), everyElsewhere
	if p.Env.Terminal {
		every = everyTerminal
	}
	asked := p.Env.Asked.Swap(false)
	if !asked && (now.Sub(p.start) < quietFor || now.Sub(p.last) < every && p.last != p.start) {
		return
	}
	text := fmt.Sprintf("%v: %s", now.Sub(p.start).Round(time.Second), line())
	if asked || !p.Env.Terminal {
		p.clear()
		fmt.Fprintln(p.Env.Stderr, text)
	}
	if asked {
		return
	}
	if p.last = now; p.Env.Terminal {
		text = terminal.Visible(text)
		if f := terminal.FileOf(p.Env.Stderr); f != nil {
			if width := terminal.Width(f); width > 0 { // which may have changed
				text, p.Width = fit(text, width-1), min(p.Width, width-1)
			}
		}
		fmt.Fprintf(p.Env.Stderr, "%s%-*s", terminal.Control("\r"), p.Width, text)
		p.Width = max(p.Width, utf8.RuneCountInString(text))
	}
}

// Exploring is the progress callback of a search.
func (p *Progress) Exploring(r *explore.Result) {
	now := p.Env.Now()
	if p.search != r.Algorithm || r.Events < p.heard {
		p.search, p.begun, p.events, p.guess = r.Algorithm, now, r.Events, forecast{}
	}
	p.heard = r.Events
	spent := now.Sub(p.begun)
	nodes := max(r.Nodes, r.States)
	large := nodes >= adviseAfter || nodes >= adviseFrom && spent >= adviseSlow
	if advise := p.Advise; advise != nil && large {
		p.Advise = nil
		for _, text := range advise(r) {
			p.Line("cdpor: advice: " + text)
		}
	}
	steady := p.guess.steady((spent + p.Earlier).Seconds(), r.Share)
	p.Say(func() string { // what matters most stands first: a narrow terminal shows no more
		text := r.Algorithm + ": " + terminal.ShortPlural(r.Executions, "execution")
		if steady {
			text += estimated(spent+p.Earlier, r)
		}
		if n := len(r.Violations); n > 0 { // the simulation may have told of some
			text += ", " + terminal.Plural(n, "violation")
		}
		text += ", " + terminal.Plural(r.Outcomes.Len(), "outcome")
		for i := range r.Growing {
			text += ", " + r.Growing[i].String()
		}
		if r.Workers > 0 { // of a cluster
			text += ", " + terminal.Plural(r.Workers, "worker")
		}
		text += fmt.Sprintf(", %d MB", memory.Taken()>>20)
		if spent > 0 {
			text += fmt.Sprintf(", %s events/s", terminal.Short(float64(r.Events-p.events)/spent.Seconds()))
		}
		if met := r.Revisits + r.Cycles; met > 0 {
			text += fmt.Sprintf("; %s nodes, %s of them met again", terminal.Short(float64(r.Nodes)),
				percent(float64(met)/float64(r.Nodes)))
		}
		if r.Blocked > 0 {
			text += fmt.Sprintf("; %d blocked", r.Blocked)
		}
		if cut := r.Cut + r.Virtual; cut > 0 {
			text += fmt.Sprintf(", %d cut", cut)
		}
		if s := r.Stretch; s.Nodes > 0 {
			text += fmt.Sprintf(", %s of the nodes are new states", percent(float64(s.States)/float64(s.Nodes)))
		}
		return text
	})
}

// estimated is how far a search is and how long it goes on; empty where that says nothing.
func estimated(spent time.Duration, r *explore.Result) string {
	executions, left := float64(r.Executions)/r.Share, spent.Seconds()*(1/r.Share-1)
	if executions > mostExecutions || left > mostLeft.Seconds() {
		return ""
	}
	share := percent(r.Share)
	if r.Share >= 0.01 && r.Share <= 0.99 {
		share = "roughly " + share
	}
	return fmt.Sprintf(", %s of %s, %s left", share, terminal.Short(executions),
		Roughly(time.Duration(left*float64(time.Second))))
}

const (
	mostExecutions = 1e15 // that an estimate promises
	mostLeft       = 1000 * 24 * time.Hour
)

// A forecast is the estimated time of a whole search, in seconds, at two times; the later one is less than twice as
// long ago as the search has begun.
type forecast struct{ at, total, before float64 }

// steady reports whether a search that has done a share of its work after some seconds takes about as long in all as
// was estimated when it had gone on for half as long or less. Estimates of a search that does not end grow as fast as
// it goes on, so they are never steady.
func (f *forecast) steady(spent, share float64) bool {
	if share <= 0 || share >= 1 || spent <= 0 {
		return false
	}
	total := spent / share
	if f.at == 0 || spent >= 2*f.at {
		f.before, f.at, f.total = f.total, spent, total
	}
	return total < 1.8*f.before && f.before < 1.8*total // it grows twice as large where there is no end
}

// fit leaves out the parts at the end of a line for which there is no room.
func fit(text string, most int) string {
	whole := []rune(text)
	if len(whole) <= most {
		return text
	}
	if room := string(whole[:most+1]); strings.ContainsAny(room, ",;") {
		return room[:strings.LastIndexAny(room, ",;")]
	}
	return terminal.Shorten(text, most)
}

func percent(share float64) string {
	switch {
	case share < 0.01:
		return "under 1%"
	case share > 0.99 && share < 1:
		return "over 99%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// Solving is the progress callback of the synthesis and of proofs.
func (p *Progress) Solving(s synth.Stage) {
	now := p.Env.Now()
	if begun := (solverRound{s.Phase, s.Round}); p.first.IsZero() || begun != p.round || s.Done < p.pairs {
		p.first, p.round, p.before = now, begun, s.Done
	}
	p.pairs = s.Done
	p.Say(func() string {
		text := fmt.Sprintf("constraints: %d of %s", s.Done, terminal.Plural(s.Total, "pair"))
		of := ""
		switch s.Phase {
		case synth.Uniform:
			text, of = fmt.Sprintf("uniform parts: round %d, %d of %s", s.Round, s.Done,
				terminal.Plural(s.Total, "pair")), " of the round"
		case synth.Proving:
			text = fmt.Sprintf("proofs: %d of %s", s.Done, terminal.Plural(s.Total, "pair"))
		}
		if spent := now.Sub(p.first); s.Done > p.before && s.Done < s.Total {
			if left := spent / time.Duration(s.Done-p.before) * time.Duration(s.Total-s.Done); left < mostLeft {
				text += ", about " + Roughly(left) + of + " left"
			}
		}
		if s.A != nil {
			text += "; at " + s.A.Name() + " | " + s.B.Name()
		}
		return text
	})
}

// A solverRound is a run over all pairs.
type solverRound struct {
	phase synth.Phase
	round int
}

// Roughly writes an estimate of time with no more digits than it deserves.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return "1s"
	case d < 2*time.Minute:
		return d.Round(time.Second).String()
	case d < 2*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Hour).String(), "0m0s")
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// print writes text that stays, in place of the line.
func (p *Progress) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	terminal.Print(p.Env.Stderr, "%s", text)
}

// Line writes a line that stays.
func (p *Progress) Line(text string) { p.print(text + "\n") }

// Done removes the line from the terminal.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.Width > 0 {
		fmt.Fprintf(p.Env.Stderr, "%s%s%[1]s", terminal.Control("\r"), strings.Repeat(" ", p.Width))
		p.Width = 0
	}
}
