// Package dap is a debug adapter: it steps forwards and backwards through a schedule that was recorded, and runs
// nothing.
//
//	recording.go  what it steps through
//	server.go     a session with an editor
//	requests.go   what is asked of the present moment: threads, places, values
package dap

import (
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/explore/replay"
)

// A Recording is a schedule with all that is to be seen on its way. Paths of files are absolute.
type Recording struct {
	Threads []string // their names
	Steps   []Step
	Wrong   []string // what is wrong at the end
	// At is the moment after some steps.
	At func(taken int) *Moment
	// Changed is a file that has changed since, and Text what it was.
	Changed, Text string
}

// A Step is a step of the schedule, of one of the threads.
type Step struct {
	Of int
	findings.Step
}

// A Moment is the state between two steps, as a debugger shows it.
type Moment struct {
	Threads []Thread // those of the recording
	Shared  []replay.Value
	// Races are those between the next steps of threads that can go on; a constraint may remove one. nil: not known.
	Races []replay.Value
}

// A Thread is the position of a thread.
type Thread struct {
	Gone bool // it has not started, or is at its end
	findings.Place
	Step   string // the next one, or where it is
	Status string // why it cannot go on, empty: it can
	Locals []replay.Value
}
