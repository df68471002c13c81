package printer

import (
	"slices"
	"strings"

	"cdpor/lang/step"
)

// A Definition gives a condition about two steps a name that other conditions use: free, passes(p) or meets(p, q). Of
// are the processes it speaks of, in the order of the head, and Text is its condition, written with p and q. Where
// it is used the processes may be exchanged: meets(q, p), passes(q).
type Definition struct {
	Name string
	Of   []int // step.P, step.Q, both or none
	Text string
	Head step.Pos // of the name in the file
	At   step.Pos // of the text
	// That is its condition where it was first used, between steps of A and B, with p and q exchanged or not; nil
	// as long as nothing uses it.
	That      *step.Expr
	A, B      *step.Template
	Exchanged bool
	canonical string // as soon as it was asked for
	size      int    // nodes of That, then
}

// Canonical is Text as Qualified prints it; empty as long as nothing uses the definition.
func (d *Definition) Canonical() string {
	if d.That == nil {
		return ""
	}
	if d.canonical == "" {
		d.canonical, d.size = Qualified(d.That, d.A, d.B, d.Exchanged), nodes(d.That)
	}
	return d.canonical
}

// Format is Canonical with the names of other definitions in it, or the text of the file where it is not used.
func (d *Definition) Format(defs []*Definition) string {
	if d.That == nil {
		return d.Text
	}
	return (*Texts)(nil).Definition(d, defs)
}

// DefinitionOf reads a head such as meets(p, q); ok is false for anything else.
func DefinitionOf(head string) (d *Definition, ok bool) {
	name, rest, called := strings.Cut(head, "(")
	d = &Definition{Name: strings.TrimSpace(name)}
	if called {
		inner, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
		if !closed {
			return nil, false
		}
		for word := range strings.SplitSeq(inner, ",") {
			of, known := map[string]int{"p": step.P, "q": step.Q}[strings.TrimSpace(word)]
			if !known || slices.Contains(d.Of, of) {
				return nil, false
			}
			d.Of = append(d.Of, of)
		}
	}
	return d, isName(d.Name)
}

func isName(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// String is the head.
func (d *Definition) String() string { return d.Use(false) }

// Use is how a condition names it, with the processes exchanged or not.
func (d *Definition) Use(exchanged bool) string {
	if len(d.Of) == 0 {
		return d.Name
	}
	var words []string
	for _, of := range d.Of {
		words = append(words, map[bool]string{true: "p", false: "q"}[(of == step.P) != exchanged])
	}
	return d.Name + "(" + strings.Join(words, ", ") + ")"
}

// Appended chains the parts of right to left.
func Appended(op step.Op, left, right *step.Expr) *step.Expr {
	if parts := chainOf(right, op); len(parts) > 1 {
		for _, a := range parts {
			left = Appended(op, left, a)
		}
		return left
	}
	return &step.Expr{Op: op, Type: step.BoolType, Of: step.Own, Args: []*step.Expr{left, right}}
}

// chainOf takes a && b && c apart, but no condition that the language has a word for; anything else is one part.
func chainOf(e *step.Expr, op step.Op) []*step.Expr {
	if e.Op != op || op != step.And && op != step.Or {
		return []*step.Expr{e}
	}
	if _, _, is := (&formatter{}).writtenOut(e); is {
		return []*step.Expr{e}
	}
	return append(chainOf(e.Args[0], op), e.Args[1])
}

// Qualified prints a condition about two steps with p. or q. before each local, or with the two exchanged: the same
// text in all pairs whose steps have locals of these names.
func Qualified(e *step.Expr, a, b *step.Template, exchanged bool) string {
	return (&formatter{a: a, b: b, qualified: true, exchanged: exchanged}).format(e)
}

// definition is the use of a definition that stands for an expression, empty if none does.
func (f *formatter) definition(e *step.Expr) string {
	if len(f.defs) == 0 || e.Type.Kind != step.Bool || len(e.Args) == 0 {
		return ""
	}
	size := nodes(e)
	if !f.defines(size) {
		return ""
	}
	may := func(d *Definition) bool { return d != f.except && d.size == size }
	for _, turned := range []bool{false, true} {
		text := f.texts.Qualified(e, f.a, f.b, f.exchanged != turned)
		i := slices.IndexFunc(f.defs, func(d *Definition) bool { return may(d) && d.canonical == text })
		if i >= 0 && (len(f.defs[i].Of) > 0 || !turned) {
			return f.defs[i].Use(turned)
		}
	}
	return ""
}

// defines reports whether some definition may stand for a tree of a size.
func (f *formatter) defines(size int) bool {
	return slices.ContainsFunc(f.defs, func(d *Definition) bool {
		return d != f.except && d.Canonical() != "" && d.size == size
	})
}

// nodes is the size of a tree without negations: parts with the same text have the same, also where one is a negated
// comparison and the other one the opposite comparison.
func nodes(e *step.Expr) int {
	n := 1
	if e.Op == step.Not {
		n = 0
	}
	for _, a := range e.Args {
		n += nodes(a)
	}
	return n
}

// withDefinitions prints a chain of && or || in which some run has a name: the longest one first.
func (f *formatter) withDefinitions(e *step.Expr, prec int) (string, bool) {
	if len(f.defs) == 0 {
		return "", false
	}
	parts := f.texts.Runs(e)
	if len(parts) < 3 {
		return "", false
	}
	var texts []string
	found, before := false, make([]int, len(parts)+1) // nodes of the parts before one, each with what joins it
	for i, part := range parts {
		before[i+1] = before[i] + nodes(part) + 1
	}
	for i := 0; i < len(parts); {
		run, use := 1, ""
		for n := len(parts) - i; n >= 2 && use == ""; n-- {
			if !f.defines(before[i+n] - before[i] - 1) {
				continue
			}
			if use = f.definition(f.texts.Run(e.Op, parts[i:i+n])); use != "" {
				run, found = n, true
			}
		}
		if use == "" {
			least := prec
			if i > 0 {
				least++
			}
			use = f.at(parts[i], least)
		}
		texts = append(texts, use)
		i += run
	}
	return strings.Join(texts, " "+binaryOps[e.Op].text+" "), found
}

// runs are the parts of a chain of && or of ||, of any other condition none.
func runs(e *step.Expr) []*step.Expr {
	if parts := chainOf(e, e.Op); len(parts) > 1 {
		return parts
	}
	return nil
}

// chain chains parts again.
func chain(op step.Op, parts []*step.Expr) *step.Expr {
	e := parts[0]
	for _, a := range parts[1:] {
		e = &step.Expr{Op: op, Type: step.BoolType, Of: step.Own, Args: []*step.Expr{e, a}}
	}
	return e
}
