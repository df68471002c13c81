package history

import (
	"slices"

	"cdpor/lang/step"
)

// A History lists the operations of an execution, process by process and in the order of each.
type History struct {
	Operations []Operation
}

// An Operation is an operation that has started.
type Operation struct {
	Proc    int     // in Program.Procs
	Op      int     // in Spec.Operations
	Args    []int64 // words of the arguments, one after the other
	Result  []int64 // words of the result; nil while pending
	Pending bool    // it had not completed at the end
	// Before says how many operations each process that performs some had completed when this one started. The
	// processes are those of Reader.Procs.
	Before []int
	Index  int // among the operations of its process
	slot   int // of its process in Before
}

// Precedes reports whether one operation had completed when another one started.
func (h *History) Precedes(a, b int) bool {
	x, y := &h.Operations[a], &h.Operations[b]
	return a != b && !x.Pending && x.Index < y.Before[x.slot]
}

// A Reader takes histories from states. It may be used by several goroutines.
type Reader struct {
	Procs []int   // processes that perform operations
	logs  []log   // of them
	made  []field // words of states that are there for histories alone
}

// A log is the place in which a process records its operations.
type log struct {
	done, first  int // words
	width, count int // words of an entry, entries
	before       []field
	ops          map[int]opFields
}

type field struct{ at, words int }

type opFields struct{ args, result field }

// NewReader returns a reader for a program with a specification.
func NewReader(m *step.Machine) *Reader {
	p := m.Program
	r := &Reader{}
	for _, rec := range p.Recorders {
		t := p.Templates[rec.Template]
		r.made = append(r.made, field{rec.Ended.Offset, rec.Ended.Type.Words()})
		entry := rec.Log.Type.Elem
		at := func(f int) field { return field{entry.FieldAt(f), entry.Fields[f].Type.Words()} }
		for self := range rec.Ended.Type.Len {
			for i, proc := range p.Procs {
				if proc.Template != t || proc.Self != int64(self) {
					continue
				}
				base := m.LocalBase(i)
				for _, v := range []*step.Var{rec.Done, rec.Log, rec.Opening} {
					if v != nil {
						r.made = append(r.made, field{base + v.Offset, v.Type.Words()})
					}
				}
				l := log{done: base + rec.Done.Offset, first: base + rec.Log.Offset, width: entry.Words(),
					count: rec.Log.Type.Len, ops: map[int]opFields{}}
				for _, f := range rec.Before {
					l.before = append(l.before, at(f))
				}
				for k, op := range rec.Ops {
					o := opFields{args: field{entry.FieldAt(rec.Args[k]), 0}}
					for _, v := range p.Spec.Operations[op].Params {
						o.args.words += v.Type.Words()
					}
					if f := rec.Results[k]; f >= 0 {
						o.result = at(f)
					}
					l.ops[op] = o
				}
				r.Procs, r.logs = append(r.Procs, i), append(r.logs, l)
			}
		}
	}
	return r
}

// Erase makes states equal that differ in what is recorded only.
func (r *Reader) Erase(s step.State) {
	for _, f := range r.made {
		clear(s[f.at : f.at+f.words])
	}
}

// Words appends the history of an execution that ends in a state, as words that are equal for equal histories only.
func (r *Reader) Words(words []int64, s step.State) []int64 {
	for i := range r.logs {
		l := &r.logs[i]
		done := int(s[l.done])
		at := len(words)
		words = append(words, 0)
		for k := 0; k < l.count && k <= done; k++ {
			e := s[l.first+k*l.width:][:l.width]
			if e[step.OpField] == 0 {
				break
			}
			words[at]++
			o := l.ops[int(e[step.OpField])-1]
			words = append(words, e[step.OpField]-1, bit(k == done))
			for _, f := range l.before {
				words = append(words, e[f.at:f.at+f.words]...)
			}
			words = append(words, e[o.args.at:o.args.at+o.args.words]...)
			if k < done {
				words = append(words, e[o.result.at:o.result.at+o.result.words]...)
			}
		}
	}
	return words
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Decode is the history of words that Words has made.
func (r *Reader) Decode(words []int64) *History {
	h := &History{}
	take := func(n int) []int64 {
		part := words[:n:n]
		words = words[n:]
		return part
	}
	for slot := range r.logs {
		l := &r.logs[slot]
		for k := range int(take(1)[0]) {
			head := take(2)
			o := Operation{Proc: r.Procs[slot], Op: int(head[0]), Pending: head[1] != 0, Index: k, slot: slot}
			for _, n := range take(len(r.logs)) {
				o.Before = append(o.Before, int(n))
			}
			f := l.ops[o.Op]
			o.Args = take(f.args.words)
			if !o.Pending {
				o.Result = take(f.result.words)
			}
			h.Operations = append(h.Operations, o)
		}
	}
	return h
}

// times are points in time for the starts and the ends of the operations that put them into the order that Precedes
// says, the same for equal histories. What is pending ends last.
//
// What had completed when an operation started grows in the course of an execution. So starts are in the order of how
// much that is, and an operation ends just before the first start that knows of its end.
func (h *History) times() (starts, ends []int64) {
	last := int64(0)
	for i := range h.Operations {
		sum := 0
		for _, n := range h.Operations[i].Before {
			sum += n
		}
		starts = append(starts, 2*int64(sum))
		last = max(last, 2*int64(sum))
	}
	for i := range h.Operations {
		end := last + 1
		if h.Operations[i].Pending {
			end = last + 3
		}
		for k := range h.Operations {
			if h.Precedes(i, k) {
				end = min(end, starts[k]-1)
			}
		}
		ends = append(ends, end)
	}
	return starts, ends
}

// An Event is the start or the end of an operation.
type Event struct {
	Proc   int
	Ends   bool // the operation that the process has started last
	Op     int
	Args   []int64
	Result []int64 // of one that ends
}

// FromEvents is the history of processes 0 to procs-1 in which events happen in an order.
func FromEvents(procs int, events []Event) *History {
	h := &History{}
	done, last := make([]int, procs), make([]int, procs)
	for _, e := range events {
		if e.Ends {
			o := &h.Operations[last[e.Proc]]
			o.Pending, o.Result = false, e.Result
			done[e.Proc]++
			continue
		}
		last[e.Proc] = len(h.Operations)
		h.Operations = append(h.Operations, Operation{Proc: e.Proc, Op: e.Op, Args: e.Args, Pending: true,
			Before: slices.Clone(done), Index: done[e.Proc], slot: e.Proc})
	}
	return h
}
