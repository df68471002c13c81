package syntax

import (
	"encoding/json"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// AST is the syntax tree of a program file as JSON, for tools: the sections in the order of the file, with embedded
// code as trees. Every node of code has a kind and a place, "line:column". Names and types are not checked; a text that
// cannot be parsed gives an ErrorList.
//
// Expressions have the kinds name, int, bool, null, list, record, unary, binary, in, cond, index, slice, unwrap, field,
// call, method, recv and range. Statements are called like their words: var, let, assign, call, if, while, for, break,
// continue, return, atomic, block, await, lock, unlock, assert, assume, skip, with, once, send, choose, select, join,
// mail, receive and op.
func AST(path string, text []byte) ([]byte, error) {
	r := NewReporter(NewFile(path, text))
	root := ParseYAML(r, text)
	if root != nil && root.Kind != yaml.MappingNode {
		r.At(root, "begin with cdpor: 1", "a program is a map of sections")
	}
	if r.Count() > 0 {
		return nil, r.Err()
	}
	sections := trees(r, root)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return json.MarshalIndent(tree{"cdpor-ast": 1, "file": path, "sections": sections}, "", "  ")
}

// trees parses all code below a root, and reports what cannot be parsed.
func trees(r *Reporter, root *yaml.Node) (sections []tree) {
	w := &treeWriter{r}
	for _, kv := range r.Entries(root, "a program") {
		if kv[0].Value == "types" {
			for _, d := range r.Entries(kv[1], "types") {
				r.TypeNames[d[0].Value] = true
			}
		}
		sections = append(sections, tree{"section": kv[0].Value, "at": at(NodePos(kv[0])),
			"content": w.section(kv[0].Value, kv[1])})
	}
	return sections
}

// A tree is a node of the JSON.
type tree map[string]any

type treeWriter struct{ *Reporter }

func at(p step.Pos) string { return p.String() }

func (w *treeWriter) section(name string, n *yaml.Node) any {
	each := func(f func(key, value *yaml.Node) tree) (list []tree) {
		for _, kv := range w.Entries(n, name) {
			list = append(list, f(kv[0], kv[1]))
		}
		return list
	}
	switch name {
	case "params":
		return each(func(k, v *yaml.Node) tree { return tree{"name": k.Value, "value": w.expr(w.ValueExpr(v))} })
	case "types", "shared":
		return each(func(k, v *yaml.Node) tree {
			t := tree{"name": k.Value}
			if code, ok := w.Code(v, "a type"); ok {
				typ, init := ParseDecl(w.Reporter, code)
				t["type"] = w.typ(typ)
				if init != nil {
					t["value"] = w.expr(init)
				}
			}
			return t
		})
	case "spec":
		t := tree{}
		for _, kv := range w.Entries(n, "spec") {
			t[kv[0].Value] = w.section(map[string]string{"state": "shared", "operations": "procedures"}[kv[0].Value],
				kv[1])
		}
		return t
	case "functions", "procedures":
		return each(func(k, v *yaml.Node) tree {
			t := tree{}
			if code, ok := w.Code(k, "a head"); ok {
				name, params, result, _ := ParseSignature(w.Reporter, code)
				t["name"], t["params"] = name, w.fields(params)
				if result != nil {
					t["result"] = w.typ(result)
				}
			}
			t["body"] = w.body(v)
			return t
		})
	case "threads":
		return each(w.thread)
	case "main":
		if n.Kind == yaml.MappingNode {
			t := tree{}
			for _, kv := range w.Entries(n, "main") {
				if kv[0].Value == "run" {
					t["run"] = w.body(kv[1])
				} else {
					t["mailbox"] = w.mailbox(kv[1])
				}
			}
			return t
		}
		return w.body(n)
	case "actors":
		return each(w.class)
	case "invariant", "observe":
		return w.conditions(n)
	case "check":
		return each(func(k, v *yaml.Node) tree {
			switch k.Value {
			case "deadlock", "races", "termination", "fairness", "outcomes":
				return tree{"key": k.Value, "value": plainValue(v)}
			case "leads_to":
				return tree{"key": k.Value, "conditions": w.leadsTo(v)}
			}
			return tree{"key": k.Value, "conditions": w.conditions(v)}
		})
	}
	return plainValue(n)
}

// thread is a thread by its name.
func (w *treeWriter) thread(k, v *yaml.Node) tree {
	t := tree{"name": k.Value}
	if v.Kind != yaml.MappingNode {
		t["run"] = w.body(v)
		return t
	}
	for _, kv := range w.Entries(v, "a thread") {
		switch kv[0].Value {
		case "run":
			t["run"] = w.body(kv[1])
		case "mailbox":
			t["mailbox"] = w.mailbox(kv[1])
		case "daemon":
			t["daemon"] = plainValue(kv[1])
		case "count":
			t["count"] = w.expr(w.ValueExpr(kv[1]))
		case "params":
			if kv[1].Kind == yaml.SequenceNode {
				t["params"] = w.parameters(kv[1])
			} else {
				t["params"] = w.section("params", kv[1])
			}
		}
	}
	return t
}

// mailbox is a type of messages, or a map of it and more.
func (w *treeWriter) mailbox(n *yaml.Node) tree {
	t, of := tree{}, n
	if n.Kind == yaml.MappingNode {
		of = nil
		for _, kv := range w.Entries(n, "a mailbox") {
			switch kv[0].Value {
			case "of":
				of = kv[1]
			case "capacity":
				t["capacity"] = w.expr(w.ValueExpr(kv[1]))
			case "order":
				t["order"] = kv[1].Value
			}
		}
	}
	if of != nil {
		if code, ok := w.Code(of, "a type"); ok {
			typ, _ := ParseDecl(w.Reporter, code)
			t["type"] = w.typ(typ)
		}
	}
	return t
}

// parameters writes the parameters of a thread that is spawned.
func (w *treeWriter) parameters(n *yaml.Node) []tree {
	var list []FieldExpr
	for _, item := range n.Content {
		if code, ok := w.Code(item, "a parameter"); ok {
			if f, ok := ParseParam(w.Reporter, code); ok {
				list = append(list, f)
			}
		}
	}
	return w.fields(list)
}

func (w *treeWriter) class(k, v *yaml.Node) tree {
	t := tree{"name": k.Value}
	if name, params, ok := w.Head(k, "a class"); ok {
		t["name"], t["params"] = name, w.fields(params)
	}
	for _, kv := range w.Entries(v, "a class") {
		switch kv[0].Value {
		case "fields":
			t["fields"] = w.section("shared", kv[1])
		case "methods":
			t["methods"] = w.section("procedures", kv[1])
		}
	}
	return t
}

// leadsTo is a list of {from, to, message}.
func (w *treeWriter) leadsTo(n *yaml.Node) (list []tree) {
	for _, item := range Items(n) {
		t := tree{}
		for _, kv := range w.Entries(item, "leads_to") {
			if kv[0].Value == "message" {
				t["message"] = kv[1].Value
			} else if code, ok := w.Code(kv[1], "a condition"); ok {
				t[kv[0].Value] = w.expr(ParseExpr(w.Reporter, code))
			}
		}
		list = append(list, t)
	}
	return list
}

// conditions are a list of conditions, each code or {that, message}.
func (w *treeWriter) conditions(n *yaml.Node) (list []tree) {
	for _, item := range Items(n) {
		t, that := tree{}, item
		if item.Kind == yaml.MappingNode {
			that = nil
			for _, kv := range w.Entries(item, "a condition") {
				if kv[0].Value == "that" {
					that = kv[1]
				} else {
					t[kv[0].Value] = kv[1].Value
				}
			}
		}
		if that != nil {
			if code, ok := w.Code(that, "a condition"); ok {
				t["that"] = w.expr(ParseExpr(w.Reporter, code))
			}
		}
		list = append(list, t)
	}
	return list
}

// plainValue is YAML without code.
func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := tree{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plainValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plainValue(c))
		}
		return list
	}
	return n.Value
}

func (w *treeWriter) body(n *yaml.Node) []tree {
	code, ok := w.Code(n, "a body")
	if !ok {
		return nil
	}
	return w.stmts(ParseBody(w.Reporter, code))
}

var exprNames = map[exprKind]string{EName: "name", EInt: "int", EBool: "bool", ENull: "null", EList: "list",
	EUnary: "unary", EBinary: "binary",
	EIn: "in", ECond: "cond", EIndex: "index", EUnwrap: "unwrap", EField: "field", ECall: "call",
	EMethod: "method", ESlice: "slice",
	ERecord: "record", ERecv: "recv", ERange: "range", ESpawn: "spawn", ENew: "new", ESend: "message", EAwait: "await"}

func (w *treeWriter) expr(e *Expr) tree {
	if e == nil {
		return nil
	}
	t := tree{"kind": exprNames[e.Kind], "at": at(e.Pos)}
	switch e.Kind {
	case EInt:
		t["value"] = e.Value
		if e.Name == BigNumber {
			t["value"] = uint64(e.Value)
		}
		return t
	case EBool:
		t["value"] = e.Value != 0
		return t
	case ENull:
		return t
	}
	if e.Name != "" {
		t["name"] = e.Name
	}
	if e.Kind == ERecord {
		t["keys"] = w.exprs(e.Keys)
	}
	if e.Kind != EName {
		t["args"] = w.exprs(e.Args)
	}
	return t
}

func (w *treeWriter) exprs(list []*Expr) []tree {
	out := []tree{}
	for _, e := range list {
		out = append(out, w.expr(e))
	}
	return out
}

var typeNames = map[typeKind]string{TyNamed: "named", TyRange: "range", TyEnum: "enum", TyArray: "array",
	TyList: "list", TyQueue: "queue",
	TyOption: "optional", TyRecord: "record", TySet: "set", TyBag: "bag", TyMap: "map", TyChan: "chan",
	TyFuture: "future", TyUnion: "union", TySync: "primitive"}

func (w *treeWriter) typ(ty *TypeExpr) tree {
	if ty == nil {
		return nil
	}
	t := tree{"kind": typeNames[ty.Kind], "at": at(ty.Pos)}
	if ty.Name != "" {
		t["name"] = ty.Name
	}
	if ty.Names != nil {
		t["members"] = ty.Names
	}
	for key, e := range map[string]*Expr{"lo": ty.Lo, "hi": ty.Hi, "size": ty.Size} {
		if e != nil {
			t[key] = w.expr(e)
		}
	}
	for key, part := range map[string]*TypeExpr{"elem": ty.Elem, "key": ty.Key} {
		if part != nil {
			t[key] = w.typ(part)
		}
	}
	if ty.Fields != nil {
		t["fields"] = w.fields(ty.Fields)
	}
	if ty.Spurious {
		t["spurious"] = true
	}
	return t
}

func (w *treeWriter) fields(list []FieldExpr) []tree {
	out := []tree{}
	for _, f := range list {
		out = append(out, tree{"name": f.Name, "at": at(f.At), "type": w.typ(f.Type)})
	}
	return out
}

var stmtNames = map[StmtKind]string{SVar: "var", SAssign: "assign", SExpr: "call", SIf: "if", SWhile: "while",
	SForRange: "for", SForEach: "for",
	SBreak: "break", SContinue: "continue", SReturn: "return", SAtomic: "atomic", SBlock: "block",
	SAwait: "await", SLock: "lock",
	SUnlock: "unlock", SAssert: "assert", SAssume: "assume", SSkip: "skip", SYield: "yield", SPrint: "print",
	SWith: "with", SOnce: "once", SSend: "send",
	SChoose: "choose", SSelect: "select", SJoin: "join", SMail: "mail", SReceive: "receive", SOp: "op",
	SClosed: "closed"}

func (w *treeWriter) stmts(list []*Stmt) []tree {
	out := []tree{}
	for _, s := range list {
		out = append(out, w.stmt(s))
	}
	return out
}

func (w *treeWriter) stmt(s *Stmt) tree {
	t := tree{"kind": stmtNames[s.Kind], "at": at(s.Pos)}
	if s.Kind == SVar && s.Fixed {
		t["kind"] = "let"
	}
	for key, text := range map[string]string{"label": s.Label, "name": s.Name, "operator": s.Op, "message": s.Text} {
		if text != "" {
			t[key] = text
		}
	}
	for key, e := range map[string]*Expr{"place": s.Place, "condition": s.Cond, "value": s.Value, "to": s.To} {
		if e != nil {
			t[key] = w.expr(e)
		}
	}
	if s.Type != nil {
		t["type"] = w.typ(s.Type)
	}
	if s.Ok != nil {
		t["ok"] = w.stmt(s.Ok)
	}
	if s.Body != nil {
		t["body"] = w.stmts(s.Body)
	}
	if s.Orelse != nil {
		t["else"] = w.stmts(s.Orelse)
	}
	if s.Cases == nil {
		return t
	}
	cases := []tree{}
	for _, c := range s.Cases {
		one := tree{"at": at(c.Pos), "body": w.stmts(c.Body)}
		if c.Communication != nil {
			one["case"] = w.stmt(c.Communication)
		}
		if c.Name != "" {
			one["name"] = c.Name
		}
		if c.Cond != nil {
			one["condition"] = w.expr(c.Cond)
		}
		if c.After {
			one["after"] = map[bool]string{false: "nothing matches", true: "any"}[c.Anytime]
		}
		cases = append(cases, one)
	}
	t["cases"] = cases
	return t
}
