package gate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// stops are methods that the package of gates has functions for, by their names.
var stops = map[string]string{"(*time.Ticker).Stop": "StopTicker", "(*time.Timer).Stop": "StopTimer"}

// load gates the reading of a variable, or of a part of one.
func (w *writer) load(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if f, ok := w.file.Info.Uses[s.Sel].(*types.Func); ok && stops[f.FullName()] != "" {
			w.gates++
			return fmt.Sprintf("%s.%s(%s)", runtimeName, stops[f.FullName()], w.pointer(s.X))
		}
	}
	text := w.parts(e)
	at := w.gate(place(e))
	if at == "" {
		return text
	}
	tv, known := w.file.Info.Types[e]
	switch e := e.(type) {
	case *ast.Ident:
		v, isVar := w.file.Info.Uses[e].(*types.Var)
		if !isVar || v.IsField() {
			return text
		}
		return w.read(at, "&"+text, v.Type())
	case *ast.StarExpr:
		if known && tv.IsValue() {
			return w.read(at, w.node(e.X), tv.Type)
		}
	case *ast.IndexExpr:
		if t := w.typeOf(e.X); t != nil {
			if _, isMap := t.Underlying().(*types.Map); isMap {
				w.instead[e.X] = w.call("Before", at, "load", w.node(e.X))
				defer delete(w.instead, e.X)
				return w.plain(e)
			}
		}
		if known && tv.Addressable() {
			return w.read(at, "&"+text, tv.Type)
		}
	case *ast.SelectorExpr:
		if known && tv.Addressable() {
			return w.read(at, "&"+text, tv.Type)
		}
	}
	return text
}

// read is the text of what a pointer points to. A value is read before what comes behind it is evaluated; what may be
// there for one of its parts stays a place.
func (w *writer) read(at, pointer string, t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return "(*" + w.call("Place", at, "load", pointer) + ")"
	}
	return w.call("Load", at, "load", pointer)
}

// parts is the text of an expression whose parts are read.
func (w *writer) parts(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return w.raw(e)
	case *ast.SelectorExpr:
		w.instead[e.Sel] = e.Sel.Name
	}
	return w.plain(e)
}

// keyValue leaves the names of fields as they are.
func (w *writer) keyValue(n *ast.KeyValueExpr) string {
	if id, ok := n.Key.(*ast.Ident); ok {
		if v, ok := w.file.Info.Uses[id].(*types.Var); ok && v.IsField() {
			w.instead[n.Key] = id.Name
		}
	}
	return w.plain(n)
}

// unary gates a receive.
func (w *writer) unary(n *ast.UnaryExpr) string {
	at := w.gate(n.OpPos)
	if n.Op != token.ARROW || at == "" {
		return w.plain(n)
	}
	return "<-" + w.call("Before", at, receives, w.node(n.X))
}

// callExpression gates a call behind the evaluation of its arguments, if these have gates, and else before it.
func (w *writer) callExpression(n *ast.CallExpr) string {
	if s := w.special(n); s != nil {
		return w.callSpecial(n, s)
	}
	at := w.gate(n.Lparen)
	w.noteSignals(n, at)
	if at == "" {
		text := w.plain(n)
		if tv := w.file.Info.Types[ast.Unparen(n.Fun)]; !tv.IsBuiltin() && !tv.IsType() {
			w.run++ // there may be gates in the function
		}
		return text
	}
	var last ast.Expr // the last argument with gates
	for _, a := range n.Args {
		text, gates := w.count(func() string { return w.node(a) })
		if w.instead[a] = text; gates > 0 {
			last = a
		}
	}
	builtin := w.file.Info.Types[ast.Unparen(n.Fun)].IsBuiltin()
	if last == nil && builtin && len(n.Args) > 0 {
		last = n.Args[0]
	}
	switch {
	case last != nil:
		if tv := w.file.Info.Types[last]; !tv.IsNil() && !tv.IsType() {
			w.instead[last] = w.call("Before", at, "call", w.instead[last])
		}
		return w.plain(n)
	case builtin:
		return w.plain(n)
	}
	if f, ok := w.functionValue(n); ok {
		w.instead[n.Fun] = w.call("Before", at, "call", f)
	}
	return w.plain(n)
}

// noteSignals notes a gate before a call of os/signal: when a signal comes is not decided by gates.
func (w *writer) noteSignals(n *ast.CallExpr, at string) {
	if f, ok := typeutil.Callee(w.file.Info, n).(*types.Func); ok && at != "" && f.Pkg() != nil {
		w.signals[at] = f.Pkg().Path() == "os/signal"
	}
}

// A special is a function that the package of gates has one of its own for: it starts a goroutine, among them timers,
// or needs more than one gate.
type special struct {
	name string
	form form
	use  string // a type of the same package, which keeps its import in use
}

// A form is how the call of a special is written.
type form uint8

const (
	instead  form = iota // with the same arguments
	function             // with the function itself before them
	method               // with a pointer to the receiver before them
	around               // with the call as the argument
)

var specials = map[string]special{
	"(*sync.WaitGroup).Go":     {name: "GoOf", form: function},
	"(*sync.Cond).Wait":        {name: "Wait", form: method},
	"(*testing.T).Run":         {name: "Run", form: method},
	"(*testing.M).Run":         {name: "Finish", form: around},
	"(*time.Timer).Reset":      {name: "Reset", form: method},
	"(*time.Ticker).Reset":     {name: "ResetTicker", form: method},
	"time.After":               {name: "After", use: "Duration"},
	"time.AfterFunc":           {name: "AfterFunc", use: "Duration"},
	"time.NewTimer":            {name: "NewTimer", use: "Duration"},
	"time.NewTicker":           {name: "NewTicker", use: "Duration"},
	"time.Tick":                {name: "Tick", use: "Duration"},
	"time.Sleep":               {name: "Sleep", use: "Duration"},
	"context.WithTimeout":      {name: "WithTimeout", use: "Context"},
	"context.WithDeadline":     {name: "WithDeadline", use: "Context"},
	"math/rand.Intn":           {name: "Random", form: function},
	"math/rand.Int31n":         {name: "Random", form: function},
	"math/rand.Int63n":         {name: "Random", form: function},
	"(*math/rand.Rand).Intn":   {name: "Random", form: function},
	"(*math/rand.Rand).Int31n": {name: "Random", form: function},
	"(*math/rand.Rand).Int63n": {name: "Random", form: function},
}

// special is the function of the package of gates that a call goes to; nil: there is none.
func (w *writer) special(n *ast.CallExpr) *special {
	if f, ok := typeutil.Callee(w.file.Info, n).(*types.Func); ok {
		if s, ok := specials[f.FullName()]; ok {
			return &s
		}
	}
	return nil
}

// callSpecial writes the call of a function of the package of gates.
func (w *writer) callSpecial(n *ast.CallExpr, s *special) string {
	var args []string
	switch fun, selects := n.Fun.(*ast.SelectorExpr); s.form {
	case instead:
		if selects {
			w.uses[w.raw(fun.X)+"."+s.use] = true
		}
	case function:
		args = append(args, w.node(n.Fun))
	case method:
		args = append(args, w.pointer(fun.X))
	case around:
		w.gates++
		return fmt.Sprintf("%s.%s(%s)", runtimeName, s.name, w.plain(n))
	}
	for _, a := range n.Args {
		args = append(args, w.node(a))
	}
	kind := "go"
	if s.name == "Wait" {
		kind = waits
	}
	return w.call(s.name, w.at(n.Lparen), kind, args...)
}

// pointer is a pointer to what an expression is, or points to.
func (w *writer) pointer(x ast.Expr) string {
	if t := w.typeOf(x); t != nil {
		if _, is := t.Underlying().(*types.Pointer); is {
			return w.node(x)
		}
	}
	return "&" + w.node(x)
}
