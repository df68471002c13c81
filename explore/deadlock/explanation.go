package deadlock

import (
	"slices"

	operations "cdpor/explore/history"
	"cdpor/explore/internal/future"
	"cdpor/lang/step"
)

// An Explanation says why nothing can run in a state although not everybody has finished.
type Explanation struct {
	Waits []Wait `json:"waits"` // of all processes that have not ended, in the order of the program
	// Cycle are processes that cannot go on, each before the next one does; the first is repeated at the end.
	Cycle []string `json:"cycle,omitempty"`
	// Knot, where there is no cycle, are processes that cannot go on before another one of them does.
	Knot []string `json:"knot,omitempty"`
	// Crashed says of each process that has crashed before its end where that was.
	Crashed []string `json:"crashed,omitempty"`
}

// A Wait is a process that cannot take its next step.
type Wait struct {
	Process string `json:"process"`
	Native
	Step   string `json:"step"` // process.label
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`            // the statement
	Since  int    `json:"since,omitempty"` // the step of the schedule, from 1, that led here; 0: none, or unknown
	Needs  []Need `json:"needs"`           // all of them must come true

	proc  int
	waits []step.Wait // of a Go program: the operations
}

// Native names a process of a Go program as people do, and the file of a line; empty for others.
type Native struct {
	Goroutine string `json:"goroutine,omitempty"`
	File      string `json:"file,omitempty"`

	place   string // of the line, as people write it
	subject string // the process as it begins a sentence
}

// A Need must become true for a process to go on.
type Need struct {
	Any []Condition `json:"any"` // one of them is enough, and all are false
	// Could are the unfinished processes whose code, from where they are, may make one of the conditions true.
	Could []Action `json:"could,omitempty"`
	// Ended are processes that have ended and whose code may do so; listed where Could is empty.
	Ended []Action `json:"ended,omitempty"`
	// Only is the process without which the need cannot come true; empty if several could, or none.
	Only string `json:"only,omitempty"`

	only int // -1: none
}

// A Condition is false, and waited for.
type Condition struct {
	Kind  Kind   `json:"kind"`
	What  string `json:"what"`  // the name of the mutex, channel, ..., or the condition as it is written
	State string `json:"state"` // why it is false, in a few words
	// Holder is who has what is waited for: a lock, the body of a once, an actor; for End who has to end.
	Holder *Holder `json:"holder,omitempty"`
	// Last is the last step that changed what the condition reads, where that is one variable; nil if none did.
	Last *Event `json:"last,omitempty"`
	// Signals are the signals and broadcasts at a condition variable that did not wake the process.
	Signals []Event `json:"signals,omitempty"`
	// Began is the step of the schedule with which the process began to wait for a signal.
	Began int `json:"began,omitempty"`

	condition
}

// A Holder is a process that has what is waited for.
type Holder struct {
	Process string `json:"process"`
	Native
	Taken *Event `json:"taken,omitempty"` // how it got it; nil if the schedule is not known, or for End
	Ended int    `json:"ended,omitempty"` // the step of the schedule with which it ended; 0: it has not
	Self  bool   `json:"self,omitempty"`  // it is the process that waits
	// Waits says that it has it not yet: a writer that keeps new readers out while it waits for others to leave.
	Waits bool `json:"waits,omitempty"`

	proc    int
	crashed bool
}

// An Event is a step of the schedule.
type Event struct {
	Number  int    `json:"number"` // in the schedule, from 1
	Process string `json:"process"`
	Native
	Line int    `json:"line"`
	Text string `json:"text"`
	// Woke is who was woken by a signal; empty if no process waited.
	Woke string `json:"woke,omitempty"`
}

// An Action is a place in the code of a process that may make a condition true.
type Action struct {
	Process string `json:"process"`
	Native
	Line int    `json:"line"`
	Text string `json:"text"`
	// Started is the thread or method whose code it is if the process would have to start that.
	Started string `json:"started,omitempty"`
	Ended   int    `json:"ended,omitempty"` // the step with which the process ended; 0: it has not, or it is unknown

	proc     int
	deed     step.Deed // of a Go program
	crashed  bool
	returned string // the place where it returned, as people write it; empty: not known
}

// Kind is the subject of a condition.
type Kind string

const (
	Lock      Kind = "lock"      // a mutex, or the writer of an rwlock, to become free
	Reader    Kind = "reader"    // a reader of an rwlock to leave
	Signal    Kind = "signal"    // a signal or broadcast at a condition variable
	Semaphore Kind = "semaphore" // a release
	Barrier   Kind = "barrier"   // others to come
	Group     Kind = "waitgroup" // the count to become 0
	Once      Kind = "once"      // the body to be done
	Receive   Kind = "receive"   // a value in a channel, or its end
	Send      Kind = "send"      // room in a channel
	Taken     Kind = "taken"     // the own value to be received
	Message   Kind = "message"   // a message that is wanted
	End       Kind = "end"       // the end of a process
	Actor     Kind = "actor"     // a task of the same actor to give it up
	Data      Kind = "data"      // shared variables
	Local     Kind = "local"     // variables that only the process itself changes
)

// An Explainer explains deadlocks of a machine. It is for one goroutine.
type Explainer struct {
	m        *step.Machine
	r        *step.Runner
	futures  *future.Ahead // made when it is first needed
	covering *step.Machine // made when it is first needed, for where processes returned
	// recorded finds what is recorded of operations; nil if there is no specification.
	recorded *operations.Reader
}

func (x *Explainer) name(proc int) string { return x.m.Program.Procs[proc].Name }

func (x *Explainer) names(procs []int) (list []string) {
	for _, p := range procs {
		list = append(list, x.name(p))
	}
	return list
}

// condition is the subject of a Condition, inside the program.
type condition struct {
	locs  []int       // that it reads
	roots []*step.Var // of them
	empty []*step.Var // those of them from which nothing can be taken before something is put there
	own   *step.Var   // that has the mutex, channel, ...; nil for Data and Local
	// stray says that other variables decide which mutex, channel, ... is meant: the condition may also come true
	// because they change.
	stray bool
	// deed is the operation that waits, of a Go program; nowhere says that it is at a nil channel.
	deed    step.Deed
	nowhere bool
	missing int64 // how many Done a wait group waits for
	// holds says whether a condition over one word would hold with another value in it; nil for others.
	holds func(v int64) bool
}

// native names a process and a place as people do; empty unless it is a Go program.
func (x *Explainer) native(proc int, pos step.Pos) Native { return nativeOf(x.m.Program, proc, pos) }

func nativeOf(prog *step.Program, proc int, pos step.Pos) (n Native) {
	if !prog.Native() {
		return n
	}
	n.Goroutine, n.File = prog.Procs[proc].Called(), pos.File
	n.place, n.subject = prog.Place(pos), Subject(prog, proc)
	return n
}

// Subject is a process as the subject of a sentence: of a goroutine that is called as the place where it was started,
// it says so.
func Subject(prog *step.Program, proc int) string {
	p := prog.Procs[proc]
	if !prog.Native() || p.Template.Pool == nil || p.Task() != "" {
		return p.Called()
	}
	return step.StartedAt(p.Called())
}

// cycle finds a shortest cycle of processes that cannot go on, each before the next one does, the first repeated
// at the end; nil if there is none.
func cycle(waits []Wait) (best []int) {
	next := map[int][]int{}
	for _, w := range waits {
		for _, n := range w.Needs {
			if n.only >= 0 && !slices.Contains(next[w.proc], n.only) {
				next[w.proc] = append(next[w.proc], n.only)
			}
		}
	}
	for _, w := range waits {
		from := map[int]int{} // breadth first
		for queue := []int{w.proc}; len(queue) > 0; queue = queue[1:] {
			for _, q := range next[queue[0]] {
				if _, seen := from[q]; !seen {
					from[q] = queue[0]
					queue = append(queue, q)
				}
			}
		}
		if _, back := from[w.proc]; !back {
			continue
		}
		path := []int{w.proc}
		for p := from[w.proc]; p != w.proc; p = from[p] {
			path = append(path, p)
		}
		path = append(path, w.proc)
		slices.Reverse(path)
		if best == nil || len(path) < len(best) {
			best = path
		}
	}
	return best
}

// knot finds a smallest set of processes, each of which has a need that only others of the set could make true; nil
// if there is none.
func knot(waits []Wait) (best []int) {
	others := map[int][]int{}
	for _, w := range waits {
		for _, n := range w.Needs {
			if len(n.Could) == 0 { // it waits for ever, whatever the others do
				others[w.proc] = nil
				break
			}
			if others[w.proc] == nil {
				for _, a := range n.Could {
					others[w.proc] = append(others[w.proc], a.proc)
				}
			}
		}
	}
	for _, w := range waits {
		set, closed := []int{w.proc}, true
		for i := 0; i < len(set) && closed; i++ {
			closed = len(others[set[i]]) > 0
			for _, q := range others[set[i]] {
				if !slices.Contains(set, q) {
					set = append(set, q)
				}
			}
		}
		if closed && (best == nil || len(set) < len(best)) {
			best = set
		}
	}
	slices.Sort(best)
	return best
}
