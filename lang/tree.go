package lang

import (
	"encoding/json"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// AST is the syntax tree of a program file as JSON, for tools: the sections in the order of the file, with embedded code as trees.
// Every node of code has a kind and a place, "line:column". Names and types are not checked; a text that cannot be
// parsed gives an ErrorList.
//
// Expressions have the kinds name, int, bool, null, list, record, unary, binary, in, cond, index, slice, unwrap, field, call,
// method, recv and range. Statements are called like their words: var, let, assign, call, if, while, for, break, continue,
// return, atomic, block, await, lock, unlock, assert, assume, skip, with, once, send, choose, select, join, mail, receive and op.
func AST(path string, text []byte) ([]byte, error) {
	r := newReporter(NewFile(path, text))
	root := parseYAML(r, text)
	if root != nil && root.Kind != yaml.MappingNode {
		r.at(root, "begin with cdpor: 1", "a program is a map of sections")
	}
	if r.count() > 0 {
		return nil, r.err()
	}
	w := &treeWriter{r}
	var sections []tree
	for _, kv := range r.entries(root, "a program") {
		if kv[0].Value == "types" {
			for _, d := range r.entries(kv[1], "types") {
				r.typeNames[d[0].Value] = true
			}
		}
		sections = append(sections, tree{"section": kv[0].Value, "at": at(nodePos(kv[0])), "content": w.section(kv[0].Value, kv[1])})
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return json.MarshalIndent(tree{"cdpor-ast": 1, "file": path, "sections": sections}, "", "  ")
}

// A tree is a node of the JSON.
type tree map[string]any

type treeWriter struct{ *reporter }

func at(p step.Pos) string { return p.String() }

func (w *treeWriter) section(name string, n *yaml.Node) any {
	each := func(f func(key, value *yaml.Node) tree) (list []tree) {
		for _, kv := range w.entries(n, name) {
			list = append(list, f(kv[0], kv[1]))
		}
		return list
	}
	switch name {
	case "params":
		return each(func(k, v *yaml.Node) tree { return tree{"name": k.Value, "value": w.expr(w.valueExpr(v))} })
	case "types", "shared":
		return each(func(k, v *yaml.Node) tree {
			t := tree{"name": k.Value}
			if code, ok := w.code(v, "a type"); ok {
				typ, init := parseDecl(w.reporter, code)
				t["type"] = w.typ(typ)
				if init != nil {
					t["value"] = w.expr(init)
				}
			}
			return t
		})
	case "spec":
		t := tree{}
		for _, kv := range w.entries(n, "spec") {
			t[kv[0].Value] = w.section(map[string]string{"state": "shared", "operations": "procedures"}[kv[0].Value], kv[1])
		}
		return t
	case "functions", "procedures":
		return each(func(k, v *yaml.Node) tree {
			t := tree{}
			if code, ok := w.code(k, "a head"); ok {
				name, params, result, _ := parseSignature(w.reporter, code)
				t["name"], t["params"] = name, w.fields(params)
				if result != nil {
					t["result"] = w.typ(result)
				}
			}
			t["body"] = w.body(v)
			return t
		})
	case "threads":
		return each(func(k, v *yaml.Node) tree {
			t := tree{"name": k.Value}
			if v.Kind != yaml.MappingNode {
				t["run"] = w.body(v)
				return t
			}
			for _, kv := range w.entries(v, "a thread") {
				switch kv[0].Value {
				case "run":
					t["run"] = w.body(kv[1])
				case "mailbox":
					t["mailbox"] = w.mailbox(kv[1])
				case "count":
					t["count"] = w.expr(w.valueExpr(kv[1]))
				case "params":
					if kv[1].Kind == yaml.SequenceNode {
						t["params"] = w.parameters(kv[1])
					} else {
						t["params"] = w.section("params", kv[1])
					}
				}
			}
			return t
		})
	case "main":
		if n.Kind == yaml.MappingNode {
			t := tree{}
			for _, kv := range w.entries(n, "main") {
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
			case "deadlock", "termination", "fairness", "outcomes":
				return tree{"key": k.Value, "value": plainValue(v)}
			case "leads_to":
				return tree{"key": k.Value, "conditions": w.leadsTo(v)}
			}
			return tree{"key": k.Value, "conditions": w.conditions(v)}
		})
	}
	return plainValue(n)
}

// mailbox is a type of messages, or a map of it and more.
func (w *treeWriter) mailbox(n *yaml.Node) tree {
	t, of := tree{}, n
	if n.Kind == yaml.MappingNode {
		of = nil
		for _, kv := range w.entries(n, "a mailbox") {
			switch kv[0].Value {
			case "of":
				of = kv[1]
			case "capacity":
				t["capacity"] = w.expr(w.valueExpr(kv[1]))
			case "order":
				t["order"] = kv[1].Value
			}
		}
	}
	if of != nil {
		if code, ok := w.code(of, "a type"); ok {
			typ, _ := parseDecl(w.reporter, code)
			t["type"] = w.typ(typ)
		}
	}
	return t
}

// parameters are those of a thread that is spawned.
func (w *treeWriter) parameters(n *yaml.Node) []tree {
	var list []fieldExpr
	for _, item := range n.Content {
		if code, ok := w.code(item, "a parameter"); ok {
			if f, ok := parseParam(w.reporter, code); ok {
				list = append(list, f)
			}
		}
	}
	return w.fields(list)
}

func (w *treeWriter) class(k, v *yaml.Node) tree {
	t := tree{"name": k.Value}
	if name, params, ok := w.head(k, "a class"); ok {
		t["name"], t["params"] = name, w.fields(params)
	}
	for _, kv := range w.entries(v, "a class") {
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
	for _, item := range items(n) {
		t := tree{}
		for _, kv := range w.entries(item, "leads_to") {
			if kv[0].Value == "message" {
				t["message"] = kv[1].Value
			} else if code, ok := w.code(kv[1], "a condition"); ok {
				t[kv[0].Value] = w.expr(parseExpr(w.reporter, code))
			}
		}
		list = append(list, t)
	}
	return list
}

// conditions are a list of conditions, each code or {that, message}.
func (w *treeWriter) conditions(n *yaml.Node) (list []tree) {
	for _, item := range items(n) {
		t, that := tree{}, item
		if item.Kind == yaml.MappingNode {
			that = nil
			for _, kv := range w.entries(item, "a condition") {
				if kv[0].Value == "that" {
					that = kv[1]
				} else {
					t[kv[0].Value] = kv[1].Value
				}
			}
		}
		if that != nil {
			if code, ok := w.code(that, "a condition"); ok {
				t["that"] = w.expr(parseExpr(w.reporter, code))
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
	code, ok := w.code(n, "a body")
	if !ok {
		return nil
	}
	return w.stmts(parseBody(w.reporter, code))
}

var exprNames = map[exprKind]string{eName: "name", eInt: "int", eBool: "bool", eNull: "null", eList: "list", eUnary: "unary", eBinary: "binary",
	eIn: "in", eCond: "cond", eIndex: "index", eUnwrap: "unwrap", eField: "field", eCall: "call", eMethod: "method", eSlice: "slice",
	eRecord: "record", eRecv: "recv", eRange: "range", eSpawn: "spawn", eNew: "new", eSend: "message", eAwait: "await"}

func (w *treeWriter) expr(e *expr) tree {
	if e == nil {
		return nil
	}
	t := tree{"kind": exprNames[e.kind], "at": at(e.pos)}
	switch e.kind {
	case eInt:
		t["value"] = e.value
		if e.name == bigNumber {
			t["value"] = uint64(e.value)
		}
		return t
	case eBool:
		t["value"] = e.value != 0
		return t
	case eNull:
		return t
	}
	if e.name != "" {
		t["name"] = e.name
	}
	if e.kind == eRecord {
		t["keys"] = w.exprs(e.keys)
	}
	if e.kind != eName {
		t["args"] = w.exprs(e.args)
	}
	return t
}

func (w *treeWriter) exprs(list []*expr) []tree {
	out := []tree{}
	for _, e := range list {
		out = append(out, w.expr(e))
	}
	return out
}

var typeNames = map[typeKind]string{tyNamed: "named", tyRange: "range", tyEnum: "enum", tyArray: "array", tyList: "list", tyQueue: "queue",
	tyOption: "optional", tyRecord: "record", tySet: "set", tyBag: "bag", tyMap: "map", tyChan: "chan", tyFuture: "future", tyUnion: "union", tySync: "primitive"}

func (w *treeWriter) typ(ty *typeExpr) tree {
	if ty == nil {
		return nil
	}
	t := tree{"kind": typeNames[ty.kind], "at": at(ty.pos)}
	if ty.name != "" {
		t["name"] = ty.name
	}
	if ty.names != nil {
		t["members"] = ty.names
	}
	for key, e := range map[string]*expr{"lo": ty.lo, "hi": ty.hi, "size": ty.size} {
		if e != nil {
			t[key] = w.expr(e)
		}
	}
	for key, part := range map[string]*typeExpr{"elem": ty.elem, "key": ty.key} {
		if part != nil {
			t[key] = w.typ(part)
		}
	}
	if ty.fields != nil {
		t["fields"] = w.fields(ty.fields)
	}
	if ty.spurious {
		t["spurious"] = true
	}
	return t
}

func (w *treeWriter) fields(list []fieldExpr) []tree {
	out := []tree{}
	for _, f := range list {
		out = append(out, tree{"name": f.name, "at": at(f.at), "type": w.typ(f.typ)})
	}
	return out
}

var stmtNames = map[stmtKind]string{sVar: "var", sAssign: "assign", sExpr: "call", sIf: "if", sWhile: "while", sForRange: "for", sForEach: "for",
	sBreak: "break", sContinue: "continue", sReturn: "return", sAtomic: "atomic", sBlock: "block", sAwait: "await", sLock: "lock",
	sUnlock: "unlock", sAssert: "assert", sAssume: "assume", sSkip: "skip", sYield: "yield", sPrint: "print", sWith: "with", sOnce: "once", sSend: "send",
	sChoose: "choose", sSelect: "select", sJoin: "join", sMail: "mail", sReceive: "receive", sOp: "op"}

func (w *treeWriter) stmts(list []*stmt) []tree {
	out := []tree{}
	for _, s := range list {
		out = append(out, w.stmt(s))
	}
	return out
}

func (w *treeWriter) stmt(s *stmt) tree {
	t := tree{"kind": stmtNames[s.kind], "at": at(s.pos)}
	if s.kind == sVar && s.fixed {
		t["kind"] = "let"
	}
	for key, text := range map[string]string{"label": s.label, "name": s.name, "operator": s.op, "message": s.text} {
		if text != "" {
			t[key] = text
		}
	}
	for key, e := range map[string]*expr{"place": s.place, "condition": s.cond, "value": s.value, "to": s.to} {
		if e != nil {
			t[key] = w.expr(e)
		}
	}
	if s.typ != nil {
		t["type"] = w.typ(s.typ)
	}
	if s.body != nil {
		t["body"] = w.stmts(s.body)
	}
	if s.orelse != nil {
		t["else"] = w.stmts(s.orelse)
	}
	if s.cases == nil {
		return t
	}
	cases := []tree{}
	for _, c := range s.cases {
		one := tree{"at": at(c.pos), "body": w.stmts(c.body)}
		if c.comm != nil {
			one["case"] = w.stmt(c.comm)
		}
		if c.name != "" {
			one["name"] = c.name
		}
		if c.cond != nil {
			one["condition"] = w.expr(c.cond)
		}
		if c.after {
			one["after"] = map[bool]string{false: "nothing matches", true: "any"}[c.anytime]
		}
		cases = append(cases, one)
	}
	t["cases"] = cases
	return t
}
