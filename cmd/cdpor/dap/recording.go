// Package dap is a debug adapter: it steps forwards and backwards through a schedule that was recorded, and runs
// nothing.
//
//	recording.go  what it steps through
//	server.go     a session with an editor
//	requests.go   what is asked of the present moment: threads, places, values
package dap

import "encoding/json"

// A Recording is a schedule with all that is to be seen on its way.
type Recording struct {
	Threads []string // their names
	Steps   []Step
	Wrong   []string // what is wrong at the end
	// At is what there is when some steps have been taken.
	At func(taken int) (*Moment, error)
	// Text has the text of files that have changed since, by path.
	Text map[string]string
}

// A Step is a step of the schedule.
type Step struct {
	Thread int
	Place
	Text string // what it did, in a line
}

// A Place is in a file; the path is absolute, or empty.
type Place struct {
	Path         string
	Line, Column int
}

// A Moment is what there is between two steps.
type Moment struct {
	Threads []Thread // those of the recording
	Shared  []Value
	// Races are those between the next steps of threads that can go on; a constraint may remove one.
	Races []Value
}

// A Thread is where a thread stands.
type Thread struct {
	Gone bool // it has not started, or is at its end
	Place
	Step   string // the next one, or where it is
	Status string // can run, why it waits, is at its end
	Locals []Value
}

// A Value has a name; JSON is the value in that form, from which its parts are made, nil: it has none.
type Value struct {
	Name, Text string
	JSON       json.RawMessage
}
