package check

import (
	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// Mention is that a name means the class.
func (c *Class) Mention(at step.Pos) syntax.Mention {
	return syntax.Mention{Pos: at, What: "class", Name: c.Name, Type: c.Key.Text, Decl: c.Key.Name}
}

// mentionType notes that a name means a declared type, unless that is faulty.
func (t *Table) mentionType(r *syntax.Reporter, at step.Pos, name string) {
	if typ := t.Types[name]; typ != nil && r.Mentions != nil {
		r.Mention(syntax.Mention{Pos: at, What: "type", Name: name, Type: types.Structure(typ), Of: typ}, nil)
	}
}

// mentionName notes what a plain name means that resolve has found the value of.
func mentionName(x *Checker, e *syntax.Expr, v *step.Expr) {
	m, t := syntax.Mention{Pos: e.Pos, Name: e.Name}, v.Type
	for i := len(x.Bound) - 1; i >= 0; i-- {
		if b := x.Bound[i]; b.Name == e.Name {
			m.What, m.Decl = "variable", b.At
			x.Mention(m, t)
			return
		}
	}
	if l := x.scope.local(e.Name); l.Var != nil {
		m.What, m.Decl, t = "variable", l.At, l.Type
		x.Mention(m, t)
		return
	}
	switch {
	case e.Name == "self":
		m.What = "self"
	case v.Op == step.Index:
		return // a field of the actor, noted there
	case x.SharedVars[e.Name] != nil:
		m.What = "shared variable"
	case x.Params[e.Name] != nil:
		p := x.Params[e.Name]
		m.What, m.Value = "parameter", printer.FormatValue(nil, p.Type, p.Words)
	default:
		m.What = "member"
	}
	x.Mention(m, t)
}
