package syntax

import "gopkg.in/yaml.v3"

// An allParser parses all code of a program, and reports what cannot be parsed.
type allParser struct{ *Reporter }

// parseAll parses all code below a root.
func parseAll(r *Reporter, root *yaml.Node) {
	w := allParser{r}
	for _, kv := range r.Entries(root, "a program") {
		if kv[0].Value == "types" {
			for _, d := range r.Entries(kv[1], "types") {
				r.TypeNames[d[0].Value] = true
			}
		}
		w.section(kv[0].Value, kv[1])
	}
}

func (w allParser) section(name string, n *yaml.Node) {
	switch name {
	case "params":
		w.each(n, name, func(_, v *yaml.Node) { w.ValueExpr(v) })
	case "types", "shared":
		w.declarations(n)
	case "spec":
		w.parts(n, name, map[string]func(*yaml.Node){"state": w.declarations, "operations": w.routines})
	case "functions", "procedures":
		w.routines(n)
	case "threads":
		w.each(n, name, func(_, v *yaml.Node) { w.thread(v) })
	case "main":
		w.thread(n)
	case "actors":
		w.each(n, name, w.class)
	case "invariant", "observe":
		w.conditions(n)
	case "check":
		w.each(n, name, func(k, v *yaml.Node) {
			switch k.Value {
			case "deadlock", "races", "termination", "fairness", "outcomes":
			default:
				w.conditions(v)
			}
		})
	}
}

// each parses what a map declares.
func (w allParser) each(n *yaml.Node, what string, parse func(key, value *yaml.Node)) {
	for _, kv := range w.Entries(n, what) {
		parse(kv[0], kv[1])
	}
}

// parts parses a map with some values that are code.
func (w allParser) parts(n *yaml.Node, what string, code map[string]func(*yaml.Node)) {
	w.each(n, what, func(k, v *yaml.Node) {
		if parse := code[k.Value]; parse != nil {
			parse(v)
		}
	})
}

func (w allParser) value(n *yaml.Node) { w.ValueExpr(n) }

func (w allParser) declarations(n *yaml.Node) {
	w.each(n, "declarations", func(_, v *yaml.Node) { w.typ(v) })
}

// routines are functions, procedures, methods or operations.
func (w allParser) routines(n *yaml.Node) {
	w.each(n, "routines", func(k, v *yaml.Node) {
		if code, ok := w.Code(k, "a head"); ok {
			ParseSignature(w.Reporter, code)
		}
		w.body(v)
	})
}

// thread is code, or a map of it and more.
func (w allParser) thread(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		w.body(n)
		return
	}
	w.parts(n, "a thread", map[string]func(*yaml.Node){"run": w.body, "mailbox": w.mailbox, "count": w.value,
		"params": w.parameters})
}

// mailbox is a type of messages, or a map of it and more.
func (w allParser) mailbox(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		w.typ(n)
		return
	}
	w.parts(n, "a mailbox", map[string]func(*yaml.Node){"of": w.typ, "capacity": w.value})
}

func (w allParser) typ(n *yaml.Node) {
	if code, ok := w.Code(n, "a type"); ok {
		ParseDecl(w.Reporter, code)
	}
}

// parameters are those of a thread: constants, or what it is spawned with.
func (w allParser) parameters(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		w.section("params", n)
		return
	}
	for _, item := range n.Content {
		if code, ok := w.Code(item, "a parameter"); ok {
			ParseParam(w.Reporter, code)
		}
	}
}

func (w allParser) class(k, v *yaml.Node) {
	w.parts(v, "a class", map[string]func(*yaml.Node){"fields": w.declarations, "methods": w.routines})
	w.Head(k, "a class")
}

// conditions are a list of conditions, each code or a map such as {that, message} or {from, to}.
func (w allParser) conditions(n *yaml.Node) {
	for _, item := range Items(n) {
		if item.Kind == yaml.MappingNode {
			w.parts(item, "a condition",
				map[string]func(*yaml.Node){"that": w.condition, "from": w.condition, "to": w.condition})
		} else {
			w.condition(item)
		}
	}
}

func (w allParser) condition(n *yaml.Node) {
	if code, ok := w.Code(n, "a condition"); ok {
		ParseExpr(w.Reporter, code)
	}
}

func (w allParser) body(n *yaml.Node) {
	if code, ok := w.Code(n, "a body"); ok {
		ParseBody(w.Reporter, code)
	}
}
