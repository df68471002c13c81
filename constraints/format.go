package constraints

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

// sectionComments say behind the name of a section what it has.
var sectionComments = map[string]string{
	"steps":       "those without a label",
	"invariants":  "proved inductive and taken for granted below",
	"assuming":    "in every reachable state, or whenever a thread stands at the step; proved",
	"define":      "what the names in the conditions below stand for",
	"independent": "p and q use the same data and commute in every state",
	"ordered":     "[p, q, ...]: two processes never stand at p and at a q in one state",
}

func section(name string) string { return name + ": # " + sectionComments[name] + "\n" }

// Format writes the canonical file: the same bytes for the same set. Pairs stand in program order; those that are
// independent in every state, and those that never meet, are listed in compact sections of their own. Steps without
// common data are left out: what is written does not change with threads that have nothing to do with it.
func (s *Set) Format() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "cdpor-constraints: %d\n", Version)
	for _, line := range []struct{ key, value string }{
		{"program", s.ProgramName}, {"digest", s.Digest}, {"seal", s.seal}, {"generator", s.Generator},
	} {
		if line.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", line.key, quote(line.value))
		}
	}
	if len(s.statements) > 0 {
		b.WriteString(section("steps"))
		for _, st := range s.statements {
			fmt.Fprintf(&b, "  %s: %s\n", st.name, quote(st.text))
		}
	}
	if len(s.InvariantsUsed) > 0 {
		b.WriteString(section("invariants"))
		for _, text := range s.InvariantsUsed {
			fmt.Fprintf(&b, "  - %s\n", quote(text))
		}
	}
	if len(s.Assumed) > 0 {
		b.WriteString(section("assuming"))
		for _, f := range s.Assumed {
			fmt.Fprintf(&b, "  - %s\n", f)
		}
	}
	if len(s.Definitions) > 0 {
		b.WriteString(section("define"))
		for _, d := range s.Definitions {
			fmt.Fprintf(&b, "  %s: %s\n", d, quote(d.Format(s.Definitions)))
		}
	}
	var open, independent, never []*Pair
	for _, p := range s.ordered() {
		switch {
		case p.Status == Exact && Independent(p.A, p.B): // who reads the file finds that out
		case p.Status == Exact && IsTrue(p.Commute) && IsTrue(p.Uniform):
			independent = append(independent, p)
		case p.Status == Ordered:
			never = append(never, p)
		default:
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		b.WriteString("pairs: []\n")
	} else {
		b.WriteString("pairs:\n")
	}
	for _, p := range open {
		fmt.Fprintf(&b, "  - blocks: [%s, %s]\n", p.A.Name(), p.B.Name())
		fmt.Fprintf(&b, "    commute: %s\n", quote(s.Text(p, p.Commute)))
		fmt.Fprintf(&b, "    uniform: %s\n", quote(s.Text(p, p.Uniform)))
		if len(p.Because) > 0 {
			fmt.Fprintf(&b, "    because: [%s]\n", strings.Join(p.Because, ", "))
		}
		status := string(p.Status)
		if p.Status == Unknown && p.Open {
			status = quote(unknownOpen)
		}
		fmt.Fprintf(&b, "    status: %s\n", status)
		if p.Seal != "" {
			fmt.Fprintf(&b, "    seal: %s\n", p.Seal)
		}
	}
	if len(independent) > 0 {
		b.WriteString(section("independent"))
	}
	for _, p := range independent {
		names := slices.DeleteFunc([]string{p.A.Name(), p.B.Name(), p.Seal}, func(s string) bool { return s == "" })
		fmt.Fprintf(&b, "  - [%s]\n", strings.Join(names, ", "))
	}
	compact(&b, section("ordered"), never)
	return b.Bytes()
}

// compact writes a section that lists pairs, one line for each first step.
func compact(b *bytes.Buffer, head string, pairs []*Pair) {
	if len(pairs) > 0 {
		b.WriteString(head)
	}
	for i := 0; i < len(pairs); {
		a := pairs[i].A
		names := []string{a.Name()}
		for ; i < len(pairs) && pairs[i].A == a; i++ {
			names = append(names, pairs[i].B.Name())
		}
		fmt.Fprintf(b, "  - [%s]\n", strings.Join(names, ", "))
	}
}

// Unused are the definitions of a file that no condition uses.
func (s *Set) Unused() []*lang.Definition {
	return slices.DeleteFunc(slices.Clone(s.Definitions), func(d *lang.Definition) bool { return d.That != nil })
}

func conditionText(e *step.Expr, p *Pair) string {
	switch {
	case IsTrue(e):
		return "true"
	case IsFalse(e):
		return "false"
	}
	return lang.FormatExpr(e, p.A.Template, p.B.Template)
}

// Text is a condition of the pair with all definitions written out.
func (p *Pair) Text(e *step.Expr) string { return conditionText(e, p) }

// ordered is the pairs in program order, each with its steps in program order.
func (s *Set) ordered() []*Pair {
	seen := make(map[*Pair]bool, len(s.Pairs))
	var all []*Pair
	for ab := range PairsOf(s.Program) {
		if len(seen) == len(s.Pairs) {
			break
		}
		p, swapped := s.find(ab[0], ab[1])
		if p == nil || seen[p] {
			continue
		}
		seen[p] = true
		if swapped {
			turned := *p
			turned.A, turned.B, turned.Commute, turned.Uniform = p.B, p.A, Exchanged(p.Commute), Exchanged(p.Uniform)
			p = &turned
		}
		all = append(all, p)
	}
	return all
}

// Exchanged swaps the two processes in a condition.
func Exchanged(e *step.Expr) *step.Expr {
	c := e.With(Exchanged)
	switch e.Of {
	case step.P:
		c.Of = step.Q
	case step.Q:
		c.Of = step.P
	}
	return c
}

// quote writes a one-line scalar so that YAML reads back the same string, in quotes only where a plain scalar would
// not.
func quote(text string) string {
	plain := text != "" && text != "true" && text != "false" && text != "null" &&
		!strings.ContainsRune("!&*[]{}|>'\"%@`,?:-#~0123456789 ", rune(text[0])) &&
		!strings.Contains(text, ": ") && !strings.Contains(text, " #") &&
		!strings.HasSuffix(text, ":") && !strings.HasSuffix(text, " ")
	switch {
	case plain:
		return text
	case !strings.ContainsAny(text, `"\`):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
