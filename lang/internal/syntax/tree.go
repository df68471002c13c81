package syntax

import (
	"encoding/json"

	"gopkg.in/yaml.v3"
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
		sections = append(sections, tree{"section": kv[0].Value, "at": NodePos(kv[0]).String(),
			"content": w.section(kv[0].Value, kv[1])})
	}
	return sections
}

// A tree is a part of a file that has parts with names.
type tree map[string]any

type treeWriter struct{ *Reporter }

// parts writes a map of which some values are code; the others are written as they are.
func (w *treeWriter) parts(n *yaml.Node, what string, code map[string]func(*yaml.Node) any) tree {
	t := tree{}
	for _, kv := range w.Entries(n, what) {
		if write := code[kv[0].Value]; write != nil {
			t[kv[0].Value] = write(kv[1])
		} else {
			t[kv[0].Value] = plainValue(kv[1])
		}
	}
	return t
}

// each writes a list of what a map declares.
func (w *treeWriter) each(n *yaml.Node, what string, write func(key, value *yaml.Node) tree) (list []tree) {
	for _, kv := range w.Entries(n, what) {
		list = append(list, write(kv[0], kv[1]))
	}
	return list
}

func (w *treeWriter) section(name string, n *yaml.Node) any {
	switch name {
	case "params":
		return w.each(n, name, func(k, v *yaml.Node) tree { return tree{"name": k.Value, "value": w.value(v)} })
	case "types", "shared":
		return w.declarations(n)
	case "spec":
		return w.parts(n, name, map[string]func(*yaml.Node) any{"state": w.declarations, "operations": w.routines})
	case "functions", "procedures":
		return w.routines(n)
	case "threads":
		return w.each(n, name, w.thread)
	case "main":
		if n.Kind == yaml.MappingNode {
			return w.parts(n, name, map[string]func(*yaml.Node) any{"run": w.body, "mailbox": w.mailbox})
		}
		return w.body(n)
	case "actors":
		return w.each(n, name, w.class)
	case "invariant", "observe":
		return w.conditions(n)
	case "check":
		return w.each(n, name, func(k, v *yaml.Node) tree {
			switch k.Value {
			case "deadlock", "races", "termination", "fairness", "outcomes":
				return tree{"key": k.Value, "value": plainValue(v)}
			}
			return tree{"key": k.Value, "conditions": w.conditions(v)}
		})
	}
	return plainValue(n)
}

func (w *treeWriter) value(n *yaml.Node) any { return w.ValueExpr(n) }

func (w *treeWriter) declarations(n *yaml.Node) any {
	return w.each(n, "declarations", func(k, v *yaml.Node) tree {
		t := tree{"name": k.Value}
		if code, ok := w.Code(v, "a type"); ok {
			typ, value := ParseDecl(w.Reporter, code)
			if t["type"] = typ; value != nil {
				t["value"] = value
			}
		}
		return t
	})
}

// routines are functions, procedures, methods or operations.
func (w *treeWriter) routines(n *yaml.Node) any {
	return w.each(n, "routines", func(k, v *yaml.Node) tree {
		t := tree{}
		if code, ok := w.Code(k, "a head"); ok {
			name, params, result, _ := ParseSignature(w.Reporter, code)
			t["name"], t["params"] = name, append([]FieldExpr{}, params...)
			if result != nil {
				t["result"] = result
			}
		}
		t["body"] = w.body(v)
		return t
	})
}

// thread is a thread by its name.
func (w *treeWriter) thread(k, v *yaml.Node) tree {
	t := tree{"run": nil}
	if v.Kind != yaml.MappingNode {
		t["run"] = w.body(v)
	} else {
		t = w.parts(v, "a thread", map[string]func(*yaml.Node) any{
			"run": w.body, "mailbox": w.mailbox, "count": w.value, "params": w.parameters})
	}
	t["name"] = k.Value
	return t
}

// mailbox is a type of messages, or a map of it and more.
func (w *treeWriter) mailbox(n *yaml.Node) any {
	if n.Kind != yaml.MappingNode {
		return tree{"type": w.typ(n)}
	}
	t := w.parts(n, "a mailbox", map[string]func(*yaml.Node) any{"of": w.typ, "capacity": w.value})
	t["type"] = t["of"]
	delete(t, "of")
	return t
}

func (w *treeWriter) typ(n *yaml.Node) any {
	if code, ok := w.Code(n, "a type"); ok {
		typ, _ := ParseDecl(w.Reporter, code)
		return typ
	}
	return nil
}

// parameters are those of a thread: constants, or what it is spawned with.
func (w *treeWriter) parameters(n *yaml.Node) any {
	if n.Kind != yaml.SequenceNode {
		return w.section("params", n)
	}
	list := []FieldExpr{}
	for _, item := range n.Content {
		if code, ok := w.Code(item, "a parameter"); ok {
			if f, ok := ParseParam(w.Reporter, code); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

func (w *treeWriter) class(k, v *yaml.Node) tree {
	t := w.parts(v, "a class", map[string]func(*yaml.Node) any{"fields": w.declarations, "methods": w.routines})
	t["name"] = k.Value
	if name, params, ok := w.Head(k, "a class"); ok {
		t["name"], t["params"] = name, append([]FieldExpr{}, params...)
	}
	return t
}

// conditions are a list of conditions, each code or a map such as {that, message} or {from, to}.
func (w *treeWriter) conditions(n *yaml.Node) (list []tree) {
	for _, item := range Items(n) {
		if item.Kind == yaml.MappingNode {
			list = append(list, w.parts(item, "a condition",
				map[string]func(*yaml.Node) any{"that": w.condition, "from": w.condition, "to": w.condition}))
		} else {
			list = append(list, tree{"that": w.condition(item)})
		}
	}
	return list
}

func (w *treeWriter) condition(n *yaml.Node) any {
	if code, ok := w.Code(n, "a condition"); ok {
		return ParseExpr(w.Reporter, code)
	}
	return nil
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

func (w *treeWriter) body(n *yaml.Node) any {
	if code, ok := w.Code(n, "a body"); ok {
		return ParseBody(w.Reporter, code)
	}
	return nil
}

var exprNames = map[exprKind]string{EName: "name", EInt: "int", EBool: "bool", ENull: "null", EList: "list",
	EUnary: "unary", EBinary: "binary",
	EIn: "in", ECond: "cond", EIndex: "index", EUnwrap: "unwrap", EField: "field", ECall: "call",
	EMethod: "method", ESlice: "slice",
	ERecord: "record", ERecv: "recv", ERange: "range", ESpawn: "spawn", ENew: "new", ESend: "message", EAwait: "await"}

var typeNames = map[typeKind]string{TyNamed: "named", TyRange: "range", TyEnum: "enum", TyArray: "array",
	TyList: "list", TyQueue: "queue",
	TyOption: "optional", TyRecord: "record", TySet: "set", TyBag: "bag", TyMap: "map", TyChan: "chan",
	TyFuture: "future", TyUnion: "union", TySync: "primitive"}

var stmtNames = map[StmtKind]string{SVar: "var", SAssign: "assign", SExpr: "call", SIf: "if", SWhile: "while",
	SForRange: "for", SForEach: "for",
	SBreak: "break", SContinue: "continue", SReturn: "return", SAtomic: "atomic", SBlock: "block",
	SAwait: "await", SLock: "lock",
	SUnlock: "unlock", SAssert: "assert", SAssume: "assume", SSkip: "skip", SYield: "yield", SPrint: "print",
	SWith: "with", SOnce: "once", SSend: "send",
	SChoose: "choose", SSelect: "select", SJoin: "join", SMail: "mail", SReceive: "receive", SOp: "op",
	SClosed: "closed"}

// A node begins the JSON of an expression, a type or a statement.
type node struct {
	Kind string `json:"kind"`
	At   string `json:"at"`
}

// MarshalJSON writes the tree of an expression.
func (e *Expr) MarshalJSON() ([]byte, error) {
	type plain Expr
	p := plain(*e)
	n := struct {
		node
		Value any `json:"value,omitempty"`
		*plain
	}{node: node{exprNames[e.Kind], e.Pos.String()}, plain: &p}
	switch e.Kind {
	case EName, ENull:
	case EInt:
		if n.Value = e.Value; e.Name == BigNumber {
			p.Name, n.Value = "", uint64(e.Value)
		}
	case EBool:
		n.Value = e.Value != 0
	default:
		p.Args = append([]*Expr{}, e.Args...)
	}
	return json.Marshal(n)
}

// MarshalJSON writes the tree of a type.
func (ty *TypeExpr) MarshalJSON() ([]byte, error) {
	type plain TypeExpr
	return json.Marshal(struct {
		node
		*plain
	}{node{typeNames[ty.Kind], ty.Pos.String()}, (*plain)(ty)})
}

// MarshalJSON writes a declared name.
func (f FieldExpr) MarshalJSON() ([]byte, error) {
	return json.Marshal(tree{"name": f.Name, "at": f.At.String(), "type": f.Type})
}

// MarshalJSON writes the tree of a statement.
func (s *Stmt) MarshalJSON() ([]byte, error) {
	type plain Stmt
	n := node{stmtNames[s.Kind], s.Pos.String()}
	if s.Kind == SVar && s.Fixed {
		n.Kind = "let"
	}
	return json.Marshal(struct {
		node
		*plain
	}{n, (*plain)(s)})
}

// MarshalJSON writes a block of choose, or a case.
func (c *Choice) MarshalJSON() ([]byte, error) {
	type plain Choice
	p, after := plain(*c), ""
	if p.Body == nil {
		p.Body = []*Stmt{}
	}
	if c.After {
		after = map[bool]string{false: "nothing matches", true: "any"}[c.Anytime]
	}
	return json.Marshal(struct {
		At    string `json:"at"`
		After string `json:"after,omitempty"`
		*plain
	}{c.Pos.String(), after, &p})
}
