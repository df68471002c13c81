package lang

import (
	"slices"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// LoadMentions is Load for editors, which want to know what the names in the text mean even if it has errors. The mentions are sorted
// by place. At one place there may be several: a procedure is written out for every call.
func LoadMentions(path string, text []byte, opt Options) (*Source, []Mention, error) {
	l := newLoader(path, opt)
	l.Mentions = syntax.NewMentions(types.String)
	src, err := l.source(text)
	list := l.Mentions.List
	// What is declared by a key of the file has its place from there.
	declared := map[[2]string]step.Pos{}
	for _, m := range list {
		if m.Pos == m.Decl {
			declared[[2]string{m.What, m.Name}] = m.Pos
		}
	}
	for i := range list {
		switch m := &list[i]; m.What {
		case "shared variable", "parameter", "thread", "type":
			m.Decl = declared[[2]string{m.What, m.Name}]
		case "member":
			m.Decl = declared[[2]string{"type", m.Type}]
		}
	}
	slices.SortStableFunc(list, func(a, b Mention) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	return src, list, err
}

// mention is that a name means the class.
func (c *class) mention(at step.Pos) Mention {
	return Mention{Pos: at, What: "class", Name: c.name, Type: c.key.Text, Decl: c.key.Name}
}

// mentionBounds notes what the keys of bounds mean.
func (l *loader) mentionBounds(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		at, p := syntax.NamePos(n.Content[i]), l.identitiesOf(n.Content[i].Value)
		switch {
		case p == nil:
		case p.class == nil:
			l.Mention(Mention{Pos: at, What: "thread", Name: p.name}, nil)
		default:
			l.Mention(p.class.mention(at), nil)
			if p.method != nil {
				at.Col += utf8.RuneCountInString(p.class.name) + 1
				l.Mention(Mention{Pos: at, What: "method", Name: p.method.name, Type: p.key.Text, Decl: p.key.Name}, nil)
			}
		}
	}
}

// mentionType notes that a name means a declared type, unless that is faulty.
func (t *table) mentionType(r *syntax.Reporter, at step.Pos, name string) {
	if typ := t.types[name]; typ != nil && r.Mentions != nil {
		r.Mention(Mention{Pos: at, What: "type", Name: name, Type: types.Structure(typ), Of: typ}, nil)
	}
}

// mentionName notes what a plain name means that resolve has found the value of.
func (x *checker) mentionName(e *syntax.Expr, v *step.Expr) {
	m, t := Mention{Pos: e.Pos, Name: e.Name}, v.Type
	for i := len(x.bound) - 1; i >= 0; i-- {
		if b := x.bound[i]; b.name == e.Name {
			m.What, m.Decl = "variable", b.at
			x.Mention(m, t)
			return
		}
	}
	if l := x.scope.local(e.Name); l.Var != nil {
		m.What, m.Decl, t = "variable", l.at, l.Type
		x.Mention(m, t)
		return
	}
	switch {
	case e.Name == "self":
		m.What = "self"
	case v.Op == step.Index:
		return // a field of the actor, noted there
	case x.sharedVars[e.Name] != nil:
		m.What = "shared variable"
	case x.params[e.Name] != nil:
		p := x.params[e.Name]
		m.What, m.Value = "parameter", printer.FormatValue(nil, p.Type, p.Words)
	default:
		m.What = "member"
	}
	x.Mention(m, t)
}
