package printer

import (
	"slices"

	"cdpor/lang/step"
)

// Texts keeps how conditions and their parts are printed, for those who print the same ones again and again while
// definitions are looked for. The conditions must not change. A nil one keeps nothing.
type Texts struct {
	qualified map[qualifiedKey]string
	runs      map[runKey][]run
	chains    map[*step.Expr][]*step.Expr
}

type qualifiedKey struct {
	e         *step.Expr
	a, b      *step.Template
	exchanged bool
}

type runKey struct {
	op          step.Op
	first, last *step.Expr
	n           int
}

// A run is parts of a chain, chained again.
type run struct {
	parts []*step.Expr
	e     *step.Expr
}

// NewTexts makes one that keeps nothing yet.
func NewTexts() *Texts {
	return &Texts{map[qualifiedKey]string{}, map[runKey][]run{}, map[*step.Expr][]*step.Expr{}}
}

// Qualified is the function of that name.
func (t *Texts) Qualified(e *step.Expr, a, b *step.Template, exchanged bool) string {
	if t == nil {
		return Qualified(e, a, b, exchanged)
	}
	key := qualifiedKey{e, a, b, exchanged}
	text, known := t.qualified[key]
	if !known {
		text = Qualified(e, a, b, exchanged)
		t.qualified[key] = text
	}
	return text
}

// Defined reports whether a definition stands for just this condition.
func (t *Texts) Defined(e *step.Expr, a, b *step.Template, defs []*Definition) bool {
	if len(defs) == 0 {
		return false
	}
	f := &formatter{a: a, b: b, defs: defs, texts: t}
	return f.definition(e) != ""
}

// Condition prints a condition about two steps as FormatExpr does, with the names of definitions for the parts that
// they stand for.
func (t *Texts) Condition(e *step.Expr, a, b *step.Template, defs []*Definition) string {
	f := &formatter{a: a, b: b, defs: defs, texts: t}
	return f.format(e)
}

// Definition is the condition that a definition stands for, with the names of others in it.
func (t *Texts) Definition(d *Definition, defs []*Definition) string {
	f := &formatter{a: d.A, b: d.B, qualified: true, exchanged: d.Exchanged, defs: defs, except: d, texts: t}
	return f.format(d.That)
}

// Runs are the parts of a chain of && or of ||, of any other condition none.
func (t *Texts) Runs(e *step.Expr) []*step.Expr {
	if t == nil {
		return runs(e)
	}
	parts, known := t.chains[e]
	if !known {
		parts = runs(e)
		t.chains[e] = parts
	}
	return parts
}

// Run chains parts again.
func (t *Texts) Run(op step.Op, parts []*step.Expr) *step.Expr {
	if t == nil {
		return chain(op, parts)
	}
	key := runKey{op, parts[0], parts[len(parts)-1], len(parts)}
	for _, r := range t.runs[key] {
		if slices.Equal(r.parts, parts) {
			return r.e
		}
	}
	e := chain(op, parts)
	t.runs[key] = append(t.runs[key], run{parts, e})
	return e
}
