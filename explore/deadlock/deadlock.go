// Package deadlock explains to people why the processes of a deadlocked state cannot go on: what each waits for,
// what the state says about it, who could bring it about as far as the program text tells, and why that will not
// happen.
//
//	deadlock.go   the explanation as plain data, and Explain, which makes it
//	guard.go      what a false guard waits for: operations of the language are recognised by what they are lowered to
//	enabling.go   which nodes of the program may make a condition true
//	history.go    what the schedule has done to the words that a condition reads
//	circle.go     circles and knots among the waits
//	classes.go    deadlocks that differ only in which thread is which
//	text.go       the explanation in sentences
//	native.go     the same of Go programs, whose nodes say what they wait for
//	gotext.go     and in the words of Go
//
// Nothing is claimed that does not follow from the state, the schedule, or the over-approximation of what processes
// may still do (package future): where a claim would need more than that, it is left out.
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
	// Cycle are processes of which each cannot go on before the next one does; the first is repeated at the end.
	Cycle []string `json:"cycle,omitempty"`
	// Knot, where there is no cycle, are processes of which none can go on before another one of them does.
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

// Native is what people call a process of a Go program, and in which file a line is; empty for others.
type Native struct {
	Goroutine string `json:"goroutine,omitempty"`
	File      string `json:"file,omitempty"`

	place   string // of the line, as people write it
	subject string // the process as it begins a sentence
}

// A Need is what must become true for a process to go on.
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
	// Woke is who was woken by a signal; empty if nobody waited.
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

// Kind is what a condition is about.
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
	Local     Kind = "local"     // variables of the process itself, which nobody else changes
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

// New returns an Explainer for the states of a machine.
func New(m *step.Machine) *Explainer {
	x := &Explainer{m: m, r: m.NewRunner()}
	if m.Program.Spec != nil {
		x.recorded = operations.NewReader(m)
	}
	return x
}

// Explain explains a state in which nothing is enabled. schedule is how it came about, from the initial state; nil
// if that is not known.
func (x *Explainer) Explain(s step.State, schedule []int32) *Explanation {
	h := x.replay(schedule, s)
	out := &Explanation{Waits: []Wait{}, Crashed: Crashed(x.m, s)}
	for p := range x.m.NumProcs() {
		if x.m.StepOf(s, p) != nil && !x.m.Crashed(s, p) {
			out.Waits = append(out.Waits, x.wait(s, p, h))
		}
	}
	ahead := map[int][]future.AheadStep{}
	for _, w := range out.Waits {
		if x.futures == nil {
			x.futures = future.NewAhead(x.m)
		}
		ahead[w.proc] = x.futures.Of(s, w.proc)
	}
	for i := range out.Waits {
		for k := range out.Waits[i].Needs {
			x.foresee(s, out.Waits[i].proc, &out.Waits[i].Needs[k], ahead, h)
		}
	}
	if out.Cycle = x.names(cycle(out.Waits)); out.Cycle == nil {
		out.Knot = x.names(knot(out.Waits))
	}
	return out
}

// Crashed says of each process that has crashed before its end where that was: states may differ in nothing else.
func Crashed(m *step.Machine, s step.State) (list []string) {
	for p, proc := range m.Program.Procs {
		if next := m.StepOf(s, p); next != nil && m.Crashed(s, p) {
			list = append(list, proc.Called()+" has crashed before "+proc.Called()+"."+next.Label)
		}
	}
	return list
}

// Waiting says what the next step of a process, which is not enabled, waits for in any state, without who could
// change that.
func (x *Explainer) Waiting(s step.State, proc int) Wait { return x.wait(s, proc, nil) }

func (x *Explainer) wait(s step.State, proc int, h *history) Wait {
	next := x.m.StepOf(s, proc)
	n := next.Template.Nodes[next.Entry]
	w := Wait{Process: x.name(proc), Step: x.name(proc) + "." + next.Label, Line: n.Pos.Line, Column: n.Pos.Col,
		Text: n.Text, Needs: []Need{}, proc: proc}
	if h != nil {
		w.Since = h.lastOf(proc)
	}
	g := &guard{Explainer: x, s: s, proc: proc, h: h}
	switch cond := n.Guard(); {
	case cond == nil:
	case x.m.Program.Native():
		w.Native, w.waits = x.native(proc, n.Pos), n.Waits
		w.Needs = append(w.Needs, g.native(n, cond))
	default:
		w.Needs = append(w.Needs, g.needs(cond)...)
	}
	return w
}

// foresee finds who could make a need true.
func (x *Explainer) foresee(s step.State, proc int, n *Need, ahead map[int][]future.AheadStep, h *history) {
	n.only = -1
	for p := range x.m.NumProcs() {
		next := x.m.StepOf(s, p)
		if p == proc || next == nil || x.m.Crashed(s, p) {
			continue
		}
		if a, ok := x.action(p, next.Entry, n.Any, ahead[p]); ok {
			n.Could = append(n.Could, a)
		}
	}
	if holder := n.holder(); holder != nil {
		n.Could = slices.DeleteFunc(n.Could, func(a Action) bool { return a.proc != holder.proc })
		if x.m.StepOf(s, holder.proc) != nil && !x.m.Crashed(s, holder.proc) {
			n.only, n.Only = holder.proc, holder.Process
		}
		return
	}
	switch len(n.Could) {
	case 0:
		n.Ended = x.ended(s, n.Any, h)
	case 1:
		n.only, n.Only = n.Could[0].proc, n.Could[0].Process
	}
}

// holder is the process that alone can make the need true; nil if there is no such, or it is not known.
func (n *Need) holder() *Holder {
	if len(n.Any) == 1 && !n.Any[0].stray {
		return n.Any[0].Holder
	}
	return nil
}

// ended lists the processes that have ended, or crashed, and whose code may make a condition true.
func (x *Explainer) ended(s step.State, any []Condition, h *history) (list []Action) {
	for p, proc := range x.m.Program.Procs {
		crashed := x.m.Crashed(s, p)
		if !x.m.Finished(s, p) && !crashed {
			continue
		}
		var all []future.AheadStep
		for k, t := range proc.Template.Steps {
			all = append(all, future.AheadStep{Step: t, Footprint: x.m.AnyFootprint(p, k)})
		}
		if a, ok := x.action(p, proc.Template.Start, any, all); ok {
			if a.crashed = crashed; h != nil && x.m.Finished(s, p) {
				a.Ended = h.lastOf(p)
				a.returned = x.returned(h, p)
			}
			list = append(list, a)
		}
	}
	return list
}

func (x *Explainer) name(proc int) string { return x.m.Program.Procs[proc].Name }

func (x *Explainer) names(procs []int) (list []string) {
	for _, p := range procs {
		list = append(list, x.name(p))
	}
	return list
}
