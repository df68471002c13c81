package excerpt

import (
	"slices"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// The mentions of a text are its names, and its names with the token behind them.
type mentions struct {
	words  map[string]bool
	behind map[[2]string]bool
}

// naming is the condition that one of some names is mentioned.
func naming(names ...string) func(*mentions) bool {
	return func(m *mentions) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.words[name] })
	}
}

// before reports whether a name stands in front of one of some tokens.
func (m *mentions) before(name string, tokens ...string) bool {
	return slices.ContainsFunc(tokens, func(t string) bool { return m.behind[[2]string{name, t}] })
}

func (m *mentions) add(list []syntax.Token) {
	for i, t := range list {
		if t.Kind == syntax.TName {
			m.words[t.Text] = true
			if i+1 < len(list) {
				m.behind[[2]string{t.Text, list[i+1].Text}] = true
			}
		}
	}
}

// tokens reads a text that is in no file.
func tokens(code string) []syntax.Token {
	return syntax.Lex(syntax.NewReporter(syntax.NewFile("", nil)), syntax.PortionAt(step.Pos{Line: 1, Col: 1}, code))
}

// tokens has the tokens of the code in a part of the file, as far as they are left.
func (w *writer) tokens(n *yaml.Node) (list []syntax.Token) {
	if n.Kind != yaml.ScalarNode {
		for _, part := range n.Content {
			list = append(list, w.tokens(part)...)
		}
		return list
	}
	if _, known := w.lexed[n]; !known {
		r := syntax.NewReporter(w.file)
		code, ok := r.Code(n, "")
		if !ok { // a text that is no code
			code = syntax.PortionAt(syntax.NodePos(n), n.Value)
		}
		w.lexed[n] = syntax.Lex(r, code)
	}
	for _, t := range w.lexed[n] {
		if t.Kind != syntax.TEOF && !w.gone(t.Pos) {
			list = append(list, t)
		}
	}
	return list
}

// declared is the name that an entry of a section declares, with that of its class in bounds.
func (w *writer) declared(it item) (name string) {
	for _, t := range w.tokens(it.n) {
		if t.Kind != syntax.TName && t.Text != "." {
			break
		}
		name += t.Text
	}
	return name
}

// mentions has the names in all that is there.
func (w *writer) mentions() *mentions {
	m := &mentions{words: map[string]bool{}, behind: map[[2]string]bool{}}
	for _, e := range w.q.Observe {
		m.add(tokens(e))
	}
	item := func(it item) {
		m.add(w.tokens(it.n))
		if it.value != it.n {
			m.add(w.tokens(it.value))
		}
	}
	for _, it := range w.kept {
		item(it)
	}
	var visit func(list []*candidate)
	visit = func(list []*candidate) {
		for _, k := range list {
			if !k.there {
				continue
			}
			if len(k.inner) == 0 {
				item(k.item)
				continue
			}
			m.add(w.tokens(k.n))
			for _, part := range w.items(k.value, k.limit) {
				if !slices.ContainsFunc(k.inner, func(o *candidate) bool { return o.n == part.n }) {
					item(part)
				}
			}
			visit(k.inner)
		}
	}
	visit(w.tree)
	return m
}
