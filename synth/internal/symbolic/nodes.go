package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// plain runs a node that steps and functions have in common, and says where it goes on; exec runs the others.
func (x *interpreter) plain(n *step.Node) (next int) {
	x.Oracle.Spend(1)
	next = n.Next
	switch n.Kind {
	case step.Nop, step.Await, step.Assume, step.Choose, step.Spawn:
	case step.Assign:
		x.assign(n)
	case step.Branch:
		if !x.truth(n.Cond) {
			next = n.Else
		}
	case step.Check:
		if !slices.Contains(x.assumed, n.Property) && !x.truth(n.Cond) {
			x.raise(n.Fault)
		}
	case step.Append, step.PopHead, step.PopTail:
		x.change(n)
	default:
		panic(unsupported.Reason("the step does something unknown"))
	}
	return next
}

func (x *interpreter) mustPlace(e *step.Expr) term.Place {
	p, ok := x.place(e)
	if !ok {
		panic(unsupported.Reason("an assignment to no place"))
	}
	return p
}

func (x *interpreter) assign(n *step.Node) {
	if changesInPlace(n) {
		x.changeByKey(n)
		return
	}
	if n.Dst.Type.Sorted() && n.Src.Op == step.Const && n.Src.Words[0] == 0 && x.Concrete == nil {
		x.empty(x.mustPlace(n.Dst))
		return
	}
	words := x.stored(n.Dst.Type, n.Src)
	if x.Fault != step.NoFault {
		return
	}
	x.store(x.mustPlace(n.Dst), words)
}

// change runs a node that changes the length of a list or queue.
func (x *interpreter) change(n *step.Node) {
	var value []term.Form
	if n.Kind == step.Append {
		value = x.stored(n.Dst.Type.Elem, n.Src)
	}
	if x.Fault != step.NoFault {
		return
	}
	list := x.mustPlace(n.Dst)
	if x.Fault != step.NoFault {
		return
	}
	size, elem, limit := x.Reduce(x.Read(list)), list.Typ.Elem, list.Typ.Len
	if n.Kind == step.Append {
		if x.AtMost(term.Constant(int64(limit)), size) {
			x.raise(step.Full)
			return
		}
		x.store(list.Sub(1, elem, x.Reduce(size)), value)
		x.write(list, size.Plus(1, term.Constant(1)))
		return
	}
	if x.zero(size) {
		x.raise(step.Empty)
		return
	}
	last := size.Minus(term.Constant(1))
	if n.Kind == step.PopHead {
		if limit*elem.Words() > maxWords {
			panic(unsupported.Reason("a list is too large"))
		}
		count := 1
		for count < limit && !x.Equal(size, term.Constant(int64(count))) {
			count++
		}
		last = term.Constant(int64(count - 1))
		for i := range count - 1 {
			x.store(list.Sub(1, elem, term.Constant(int64(i))), x.all(list.Sub(1, elem, term.Constant(int64(i+1)))))
		}
	}
	x.store(list.Sub(1, elem, last), make([]term.Form, elem.Words()))
	x.write(list, last)
}

// maxNodes bounds the nodes of one run of a step: loops that go on longer are not analysed.
const maxNodes = 400
