package native

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// An End says how an execution has ended.
type End int32

const (
	Ended    End = iota // all goroutines have come to their end
	Stuck               // some wait for good
	Cut                 // after too many events
	Diverged            // what was to be taken was not possible
	Crashed             // the process has died
	Dropped             // the last event is none that Go takes, so this is no execution
)

// A Record has the steps of an execution and its end.
type Record struct {
	Steps   []Step // the first one is what there is before the first event
	End     End
	Failed  bool
	Timed   bool // a timer was made
	Failing bool // the test was marked as failed, and not because of a data race
	Asked   bool // it was asked which goroutines there are, which has no gate
	Beside  bool // a bubble of testing/synctest was not alone
	Left    bool // an object is in use when it is met first, perhaps by who has been left by an earlier execution
	Races   int
	Text    string // what the test has said, or the process before it died
	Said    string // of the process, if it has reported races
	Exit    int    // of a process that has died
	Blocked int    // the event from which on all that was possible slept, -1
	Names   []int32
	Known   int // how many of them were there before
	Width   int // more actions than this one's a goroutine needs; 0: it has enough

	names []int32 // new ones: pairs
	used  bool    // somebody holds an object when it is met first
}

// A Step is an event with what has come of it.
type Step struct {
	Action  int32 // of the event
	Proc    int   // that it is one of
	Changes []Change
	Kept    bool // it has left its object as it was
	Raced   bool // the first data race is reported behind it
	Joins   []Join
	Objects []Object // new ones
	Lengths []Length // of channels of timers
	Others  []int32  // by turns: actions that are next in line behind the one that is taken next
}

// A Change says what a goroutine is about to do, or that it is about to do nothing: it waits for others or is over.
type Change struct {
	Proc    int
	Place   string
	Library bool // something of the library does it, such as a cache of fmt
	Over    bool
	Op      Operation
}

// A Join says that what a goroutine does next comes behind an event of another one, of which that is number Index.
type Join struct{ Proc, With, Index int }

// A Length is that of the channel of a timer, which the clock has changed.
type Length struct {
	Object int32
	Length int
}

// decode reads what a process has written, about so many steps, and changes names of files as moved does. The record
// holds on to a copy of it.
func decode(words []int32, steps int, moved *strings.Replacer) (r *Record, err error) {
	words = slices.Clone(words)
	r = &Record{Blocked: -1, Steps: make([]Step, 1, steps+1)}
	changes := make([]Change, 0, steps+steps/2+8) // of which each step has a part
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("what the test process has written down cannot be read")
		}
	}()
	next := func() int32 { w := words[0]; words = words[1:]; return w }
	list := func() []int32 { n := next(); l := words[:n:n]; words = words[n:]; return l }
	text := func() string {
		n := int(next())
		if n == 0 {
			return ""
		}
		s := string(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n))
		words = words[(n+3)/4:]
		return moved.Replace(s)
	}
	for len(words) > 0 {
		s := &r.Steps[len(r.Steps)-1]
		switch next() {
		case 'N':
			r.names = append(r.names, next(), next())
		case 'O':
			o := Object{size: int(next()), length: int(next()), closed: next() != 0, timer: next() != 0,
				held: next() != 0, count: int(next()), done: next() != 0, readers: int(next())}
			o.sent, o.announced = o.length, o.held
			r.used = r.used || o.length > 0 && !o.timer || o.held || o.count != 0 || o.readers > 0
			s.Objects = append(s.Objects, o)
		case 'A':
			c := Change{Proc: int(next()), Op: Operation{Kind: Kind(next()), Blocks: next() != 0, Sends: int(next()),
				Number: int(next()), Objects: list()}}
			if c.Op.Kind == opExit {
				c.Over, c.Op.Kind = true, opNone
			}
			if len(changes) == cap(changes) {
				changes = append(make([]Change, 0, 2*cap(changes)), s.Changes...)
			}
			changes = append(changes, c)
			s.Changes = changes[len(changes)-len(s.Changes)-1:]
		case 'S':
			next()
			c := &s.Changes[len(s.Changes)-1]
			place := text()
			c.Place = strings.TrimLeft(place, "~")
			c.Library = len(c.Place) < len(place)
		case 'J':
			s.Joins = append(s.Joins, Join{int(next()), int(next()), int(next())})
		case 'L':
			s.Lengths = append(s.Lengths, Length{next(), int(next())})
		case 'C':
			s.Others = list()
		case 'W':
			r.Width = int(next())
		case 'U':
			s.Kept = true
		case 'R':
			s.Raced = true
		case 'T':
			r.Timed = true
		case 'F':
			r.Failing = true
		case 'G':
			r.Asked = true
		case 'V':
			r.Beside = true
		case 'B':
			r.Blocked = len(r.Steps) - 1
		case 'E':
			r.Steps = append(r.Steps, Step{Action: next()})
		case 'Z':
			r.End, r.Failed, r.Races, r.Text = End(next()), next() != 0, int(next()), text()
		default:
			panic("unknown")
		}
	}
	return r, nil
}

// Returned reports whether the test has returned, though others may wait for good.
func (r *Record) Returned() bool {
	over := false
	for i := range r.Steps {
		for _, c := range r.Steps[i].Changes {
			if c.Proc == 1 {
				over = c.Over
			}
		}
	}
	return over
}

// Entangled reports whether goroutines wait for each other at mutexes that they hold: then they wait for good, though
// the execution was cut while others went on.
func (r *Record) Entangled() bool {
	next, holder := map[int]*Operation{}, map[int32]int{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if op := next[s.Proc]; i > 0 && op != nil {
			if id, takes, gives := op.Holds(); takes && op.Kind != opReadLock {
				holder[id] = s.Proc
			} else if gives && op.Kind != opReadUnlock {
				delete(holder, id)
			}
			delete(next, s.Proc)
		}
		for k := range s.Changes {
			if c := &s.Changes[k]; !c.Op.None() {
				next[c.Proc] = &c.Op
			}
		}
	}
	for first := range next {
		at := first
		for range next { // to who holds what it waits for
			op := next[at]
			if op == nil {
				break
			}
			by, held := holder[op.awaited()]
			if !held {
				break
			}
			if at = by; at == first {
				return true
			}
		}
	}
	return false
}

// Rename calls the goroutines that the process has named in this execution as another list of names does, which it
// returns, with these behind it if they are not in it. Each goroutine has so many actions.
func (r *Record) Rename(names []int32, width int) []int32 {
	if len(r.Names) == r.Known { // none
		r.Names = names
		return names
	}
	to := make([]int32, 0, len(r.Names)/2+2)
	for id := range r.Known/2 + 2 {
		to = append(to, int32(id))
	}
	for i := r.Known; i < len(r.Names); i += 2 {
		pair := [2]int32{to[r.Names[i]], r.Names[i+1]}
		at := r.Known
		for at < len(names) && [2]int32(names[at:at+2]) != pair {
			at += 2
		}
		if at == len(names) {
			names = append(slices.Clip(names), pair[:]...)
		}
		to = append(to, int32(at/2+2))
	}
	r.Names = names
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Proc = int(to[s.Proc])
		s.Action = int32(s.Proc*width) + s.Action%int32(width)
		for k := range s.Changes {
			c := &s.Changes[k]
			if c.Proc = int(to[c.Proc]); c.Op.Kind == opGo {
				c.Op.Number = int(to[c.Op.Number])
			}
		}
		for k := range s.Joins {
			s.Joins[k].Proc, s.Joins[k].With = int(to[s.Joins[k].Proc]), int(to[s.Joins[k].With])
		}
	}
	return names
}
