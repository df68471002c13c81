package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Functions touch nothing but their own variables, so a call runs like a step: in a slot of its own, which is forgotten
// when the call is over.

// maxCalls is how many calls inside each other are analysed.
const maxCalls = 6

// call is the value of a call.
func (x *interpreter) call(e *step.Expr) (result []term.Form) {
	f := e.Func
	caller, slot := x.Own, frames+x.calls
	args := make([][]term.Form, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.stored(f.Params[i].Type, a)
	}
	nothing := make([]term.Form, f.Result.Type.Words())
	if x.Fault != step.NoFault {
		return nothing
	}
	if x.calls == 0 && e.Type.Kind == step.Bool {
		x.Names.Calling(term.Call{Func: f, Args: args})
	}
	if x.calls >= f.Depth {
		x.raise(step.TooDeep)
		return nothing
	}
	if x.calls >= maxCalls {
		panic(unsupported.Reason("too many calls of functions are inside each other"))
	}
	x.calls++
	x.Own = slot
	defer func() { x.calls, x.Own = x.calls-1, caller }() // also when the path ends here
	for _, v := range f.Locals {
		term.PlaceOf(slot, v).WordsOf(func(w term.Place) { x.write(w, term.Form{}) })
	}
	for i, words := range args {
		v := f.Params[i]
		x.store(term.PlaceOf(slot, v), words)
	}
	x.body(f)
	if x.Fault == step.NoFault {
		result = x.all(term.PlaceOf(slot, f.Result))
	} else {
		result = nothing
	}
	x.Store.forget(slot)
	return result
}

// body runs the code of a function in the present slot, up to a fault.
func (x *interpreter) body(f *step.Func) {
	at := f.Start
	for range maxNodes {
		if at == step.End || x.Fault != step.NoFault {
			return
		}
		switch n := f.Nodes[at]; n.Kind {
		case step.Await, step.Assume, step.Choose, step.Spawn:
			panic(unsupported.Reason("a function does something unknown"))
		default:
			at = x.plain(n)
		}
	}
	panic(unsupported.Reason("a loop has no small bound"))
}

// forget removes what a store has of a slot.
func (s *Store) forget(slot int) {
	kept := s.mems[:0]
	for _, m := range s.mems {
		if m.key.Slot != slot {
			kept = append(kept, m)
		}
	}
	s.mems = kept
	s.changes = slices.DeleteFunc(slices.Clone(s.changes), func(c change) bool { return c.at.Slot == slot })
}
