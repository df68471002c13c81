package gate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"
)

// function is the text of a declared function. The one that the program begins with says so.
func (w *writer) function(n *ast.FuncDecl) string {
	if n.Body == nil {
		return w.plain(n)
	}
	head := string(w.text[w.offset(n.Pos()):w.offset(n.Body.Pos())])
	isMain := n.Recv == nil && n.Name.Name == w.entry
	switch {
	case n.Recv == nil && n.Name.Name == "TestMain":
		w.testMain = true
	case isMain && n.Type.Params.NumFields() == 0:
		w.prologue[n.Body] = fmt.Sprintf("%s.Main(nil); defer %[1]s.MainEnds();", runtimeName)
	case isMain:
		t := n.Type.Params.List[0]
		name := "cdporT"
		at := w.offset(t.Type.Pos()) - w.offset(n.Pos())
		switch {
		case len(t.Names) == 0:
			head = head[:at] + name + " " + head[at:]
		case t.Names[0].Name == "_":
			before := w.offset(t.Names[0].Pos()) - w.offset(n.Pos())
			head = head[:before] + name + head[before+1:]
		default:
			name = t.Names[0].Name
		}
		w.prologue[n.Body] = fmt.Sprintf("%s.Main(%s.Failed); %[2]s.Cleanup(%[1]s.MainEnds);", runtimeName, name)
	}
	if isMain {
		w.gates++
	}
	return head + w.node(n.Body)
}

// goStatement names the goroutine that is started.
func (w *writer) goStatement(n *ast.GoStmt) string {
	at := w.gate(n.Go)
	if at == "" || !w.inList[n] {
		return w.plain(n)
	}
	p := w.fset.Position(n.Go)
	name := fmt.Sprintf("cdpor%d_%d", p.Line, p.Column)
	if f, ok := n.Call.Fun.(*ast.FuncLit); ok {
		w.prologue[f.Body] = "defer " + name + ".Begin()();"
	} else {
		f, ok := w.functionValue(n.Call)
		if !ok {
			return w.plain(n)
		}
		w.instead[n.Call.Fun] = fmt.Sprintf("%s.Start(%s, %s)", runtimeName, name, f)
	}
	starts, gates := "Go", 0
	for _, a := range n.Call.Args {
		text, more := w.count(func() string { return w.node(a) })
		w.instead[a] = text
		gates += more
	}
	if gates > 0 {
		last := n.Call.Args[len(n.Call.Args)-1]
		if tv := w.file.Info.Types[last]; !tv.IsNil() && tv.Value == nil {
			w.instead[last] = w.call("Before", at, "go", w.instead[last])
			starts = "Named"
		}
	}
	text := w.plain(n)
	return name + " := " + w.call(starts, at, "go") + "; " + text
}

// functionValue is the text of the function of a call as a value; ok says that there is such a value.
func (w *writer) functionValue(n *ast.CallExpr) (text string, ok bool) {
	fun := ast.Unparen(n.Fun)
	if tv := w.file.Info.Types[fun]; tv.IsBuiltin() || tv.IsType() {
		return "", false
	}
	for _, id := range []ast.Expr{fun, selected(fun)} {
		if id, isName := id.(*ast.Ident); isName {
			if _, generic := w.file.Info.Instances[id]; generic {
				return "", false
			}
		}
	}
	return w.node(n.Fun), true
}

func selected(e ast.Expr) ast.Expr {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel
	}
	return nil
}

// deferStatement gates the call at the end of the function. What a function literal does has gates of its own.
func (w *writer) deferStatement(n *ast.DeferStmt) string {
	at := w.gate(n.Defer)
	if _, literal := n.Call.Fun.(*ast.FuncLit); at == "" || literal {
		return w.plain(n)
	}
	if id, ok := n.Call.Fun.(*ast.Ident); ok && w.file.Info.Types[id].IsBuiltin() {
		if id.Name != "close" {
			return w.plain(n)
		}
		return "defer " + w.call("DeferredClose", at, "close", w.node(n.Call.Args[0]))
	}
	f, ok := w.functionValue(n.Call)
	if !ok {
		return w.plain(n)
	}
	run := w.run
	w.instead[n.Call.Fun] = w.call("Deferred", at, "defer", f)
	w.run = run
	return w.plain(n)
}

// before writes a statement behind a gate.
func (w *writer) before(n ast.Stmt, at, kind string) string {
	text := w.plain(n)
	return w.call("At", at, kind) + "; " + text
}

// send gates a send. In a select with one case it is no statement of a list.
func (w *writer) send(n *ast.SendStmt) string {
	at := w.gate(n.Arrow)
	if at == "" {
		return w.plain(n)
	}
	channel, gates := w.count(func() string { return w.node(n.Chan) })
	value, more := w.count(func() string { return w.node(n.Value) })
	if gates+more == 0 && w.inList[n] {
		return w.before(n, at, sends)
	}
	if more > 0 {
		value = w.call("Before", at, sends, value)
	} else {
		channel = w.call("Before", at, sends, channel)
	}
	return channel + " <- " + value
}

// selects gates a select where its last channel is evaluated, and leaves it the case that the schedule takes.
func (w *writer) selects(n *ast.SelectStmt) string {
	at := w.gate(n.Select)
	if at == "" {
		return w.plain(n)
	}
	var cases []*ast.CommClause
	for _, s := range n.Body.List {
		if c := s.(*ast.CommClause); c.Comm != nil {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		if !w.inList[n] {
			return w.plain(n)
		}
		return w.before(n, at, selects)
	}
	for k, c := range cases {
		function, channel := "Receive", ast.Expr(nil)
		switch s := c.Comm.(type) {
		case *ast.SendStmt:
			function, channel = "Send", s.Chan
		case *ast.ExprStmt:
			channel = received(s.X)
		case *ast.AssignStmt:
			channel = received(s.Rhs[0])
		}
		number := fmt.Sprint(k)
		if w.never[at][k] {
			number = "cdporgate.Never"
		}
		w.instead[channel] = w.call(function, at, selects, number, fmt.Sprint(k == len(cases)-1), w.node(channel))
	}
	return w.plain(n)
}

// received is the channel of a receive.
func received(e ast.Expr) ast.Expr { return ast.Unparen(e).(*ast.UnaryExpr).X }

// ranges gates each receive of a range over a channel.
func (w *writer) ranges(n *ast.RangeStmt) string {
	at := w.gate(n.For)
	if t := w.typeOf(n.X); at != "" && t != nil {
		_, channel := t.Underlying().(*types.Chan)
		_, isMap := t.Underlying().(*types.Map)
		switch {
		case channel && version.Compare(w.file.Info.FileVersions[w.file.Syntax], "go1.23") >= 0:
			w.instead[n.X] = w.call("Range", at, ranges, w.node(n.X))
		case channel:
			w.kinds[at] = "a range over a channel before go 1.23"
		case isMap && w.sorted(t) && version.Compare(w.file.Info.FileVersions[w.file.Syntax], "go1.23") >= 0:
			w.instead[n.X] = w.call("RangeMap", at, mapRange, w.node(n.X))
		case isMap:
			w.kinds[at] = mapOrder
		}
	}
	if n.Tok == token.DEFINE {
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				w.instead[e] = w.raw(e)
			}
		}
	} else {
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				w.instead[e] = w.lvalue(e)
			}
		}
	}
	return w.plain(n)
}

const (
	mapRange = "map range"
	mapOrder = "the order of a range over a map whose keys are no integers"
)

// sorted reports whether the keys of a map are integers, which have the same order in a schedule.
func (w *writer) sorted(t types.Type) bool {
	key, ok := t.Underlying().(*types.Map).Key().Underlying().(*types.Basic)
	return ok && key.Info()&types.IsInteger != 0
}

func (w *writer) raw(n ast.Node) string { return string(w.text[w.offset(n.Pos()):w.offset(n.End())]) }

// expressionStatement gates a call, or a receive, that is a statement.
func (w *writer) expressionStatement(n *ast.ExprStmt) string {
	switch x := ast.Unparen(n.X).(type) {
	case *ast.CallExpr:
		at := w.gate(x.Lparen)
		w.noteSignals(x, at)
		if at == "" || !w.inList[n] || w.special(x) != nil {
			break
		}
		text, gates := w.count(func() string { return w.plain(x) })
		if gates > 0 {
			break
		}
		return w.call("At", at, "call") + "; " + text
	case *ast.UnaryExpr:
		at := w.gate(x.OpPos)
		if x.Op != token.ARROW || at == "" || !w.inList[n] {
			break
		}
		text, gates := w.count(func() string { return w.plain(x) })
		if gates > 0 {
			break
		}
		return w.call("At", at, receives) + "; " + text
	}
	return w.plain(n)
}

// place is where an access to memory stands.
func place(e ast.Expr) token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Pos()
	case *ast.SelectorExpr:
		return e.Sel.Pos()
	case *ast.StarExpr:
		return e.Star
	case *ast.IndexExpr:
		return e.Lbrack
	}
	return token.NoPos
}

// lvalue is the text of what is assigned to: its parts are read, it is not.
func (w *writer) lvalue(e ast.Expr) string { return w.plain(e) }

// assign gates stores, behind the evaluation of what is stored.
func (w *writer) assign(n *ast.AssignStmt) string {
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		return w.update(n, n.Lhs[0], strings.TrimSuffix(n.Tok.String(), "="), n.Rhs[0])
	}
	var stores []string
	gates := 0
	for _, e := range n.Lhs {
		id, isName := e.(*ast.Ident)
		if isName && w.file.Info.Defs[id] != nil {
			w.instead[e] = w.raw(e)
			continue
		}
		text, more := w.count(func() string { return w.lvalue(e) })
		w.instead[e] = text
		gates += more
		if at := w.gate(place(e)); at != "" {
			stores = append(stores, at)
		}
	}
	if len(stores) == 0 {
		return w.plain(n)
	}
	for _, e := range n.Rhs {
		text, more := w.count(func() string { return w.node(e) })
		w.instead[e] = text
		gates += more
	}
	if gates == 0 && w.inList[n] {
		text := w.plain(n)
		for i := len(stores) - 1; i >= 0; i-- {
			text = w.call("At", stores[i], "store") + "; " + text
		}
		return text
	}
	last := n.Rhs[len(n.Rhs)-1]
	if tv := w.file.Info.Types[last]; len(n.Lhs) == len(n.Rhs) && tv.Value == nil && !tv.IsNil() {
		for _, at := range stores {
			w.instead[last] = w.call("Before", at, "store", w.instead[last])
		}
	}
	return w.plain(n)
}

// update gates the read and the write of x op= y, each by a gate of its own.
func (w *writer) update(n ast.Stmt, x ast.Expr, op, y any) string {
	at := w.gate(place(x))
	text := func() string {
		if e, ok := y.(ast.Expr); ok {
			return w.node(e)
		}
		return y.(string)
	}
	if at == "" || !pure(x) {
		return w.plain(n)
	}
	to := w.lvalue(x)
	from := w.load(x)
	value := fmt.Sprintf("%s %s (%s)", from, op, text())
	written := at + write
	w.gates++
	w.kinds[at] = updated
	w.kinds[written] = "store"
	return fmt.Sprintf("%s = %s.Before(%q, %s)", to, runtimeName, written, value)
}

// Gates of an operation behind its first one.
const (
	write   = "#write"
	relock  = "#lock"
	updated = "update"
	waits   = "wait"
)

// Kinds of operations that may take two steps.
const (
	sends    = "send"
	receives = "receive"
	ranges   = "range"
	selects  = "select"
)

func (w *writer) incDec(n *ast.IncDecStmt) string {
	return w.update(n, n.X, n.Tok.String()[:1], "1")
}

// pure reports whether an expression can be evaluated twice.
func pure(e ast.Expr) bool {
	is := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			is = false
		case *ast.UnaryExpr:
			is = is && n.Op != token.ARROW
		}
		return is
	})
	return is
}
