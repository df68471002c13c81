package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The syntax of types.

// elementsIn is how a type is written that has its elements in < > elsewhere, such as List<int>.
func elementsIn(name string) string {
	name = strings.ToLower(name)
	return cmp.Or(TypeWords[name], foreignTypes[name])
}

func parseType(p *parser) *TypeExpr {
	p.enter()
	defer p.leave()
	t := p.peek()
	ty := &TypeExpr{Pos: t.Pos, depth: 1}
	bracket := t.Kind == TName && p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "["
	switch {
	case t.Kind == TName && (t.Text == "atomic" || ForeignWords[t.Text] == modifier) && p.peekAt(1).Kind == TName:
		p.fail(t, "write "+p.peekAt(1).Text+": each access is atomic", "expected a type, found %s", t)
	case t.Kind == TName && p.punct(1, "<") && elementsIn(t.Text) != "":
		p.fail(p.peekAt(1), "write "+elementsIn(t.Text), "expected %s after %s", "[", t.Text)
	case t.Kind == TName && laterTypes[t.Text]:
		p.fail(t, p.typeHint(), "type %s: not supported yet", t.Text)
	case t.Kind == TName && foreignTypes[t.Text] != "" && (IsKeyword(t.Text) || bracket || p.punct(1, "(")),
		t.Kind == TName && slices.Contains(PlainTypes, t.Text) && (bracket || p.punct(1, "(") && t.Text != "cond"),
		t.Kind == tPunct && t.Text == "[":
		foreignType(p)
	case t.Kind == TName && t.Text == "enum" && bracket:
		enumType(p, ty)
	case t.Kind == TName && t.Text == "array" && bracket:
		arrayType(p, ty)
		return closeType(p, ty) // the ? of array[N] T? belongs to T
	case t.Kind == TName && t.Text == "record" && p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "{":
		recordType(p, ty)
	case t.Kind == TName && t.Text == "chan" && bracket:
		p.next()
		p.next()
		ty.Kind = TyChan
		elementBehind(p, t)
		ty.Elem = parseType(p)
		if p.accept(",") {
			ty.Size = p.expr()
		}
		p.expect("]", "after the capacity")
	case t.Kind == TName && t.Text == "fut" && bracket:
		p.next()
		p.next()
		ty.Kind = TyFuture
		if !p.is("]") {
			ty.Elem = parseType(p)
		}
		p.expect("]", "after the type of the result")
	case t.Kind == TName && (t.Text == "sem" || t.Text == "barrier" || t.Text == "cond") &&
		p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "(":
		syncType(p, ty)
	case t.Kind == TName && slices.Contains([]string{"list", "queue", "set", "bag", "map"}, t.Text) && bracket:
		containerType(p, ty)
	case t.Kind == TName && TypeWords[t.Text] != "":
		open := "["
		switch t.Text {
		case "record":
			open = "{"
		case "sem", "barrier":
			open = "("
		}
		p.fail(t, "write "+cmp.Or(p.bracedEnum(), TypeWords[t.Text]), "expected %s after %s", open, t.Text)
	case p.is("("):
		p.next()
		inner := parseType(p)
		p.expect(")", "to match (")
		*ty = *inner
		ty.Pos = t.Pos
	case t.Kind == TName && !p.rangeFollows():
		namedType(p, ty)
	case t.Kind == TName || t.Kind == tInt || p.is("-"):
		rangeType(p, ty, t)
	case p.is(":"):
		p.fail(t, "write the type without the colon: n int", "expected a type, found %s", t)
	case p.is("{"):
		p.fail(t, "write record {a int, b int}", "expected a type, found %s", t)
	default:
		p.fail(t, "", "expected a type, found %s", t)
	}
	closeType(p, ty)
	for p.is("?") {
		p.next()
		ty = closeType(p, &TypeExpr{Kind: TyOption, Pos: ty.Pos, Elem: ty})
	}
	return ty
}

func arrayType(p *parser, ty *TypeExpr) {
	p.next()
	p.next()
	ty.Kind = TyArray
	ty.Size = p.expr()
	if next := p.peek(); p.is(",") {
		p.fail(next, "write array[N] T, with the type of its elements behind", "expected %s %s, found %s", "]",
			"after the length", next)
	}
	p.expect("]", "after the length")
	if of := p.peek(); elementWords[of.Text] && p.peekAt(1).Kind == TName {
		p.fail(of, "write array[N] "+p.peekAt(1).Text, "expected a type, found %s", of)
	}
	if next := p.peek(); next.Kind == TEOF || next.Kind == TSep {
		p.fail(next, "write array[N] T, with the type of its elements", "expected a type, found %s", next)
	}
	ty.Elem = parseType(p)
}

func closeType(p *parser, ty *TypeExpr) *TypeExpr {
	ty.End = p.lastEnd()
	for _, part := range []*TypeExpr{ty.Elem, ty.Key} {
		if part != nil {
			ty.depth = max(ty.depth, part.depth+1)
		}
	}
	if ty.depth > maxDepth {
		p.fail(p.peek(), "", "the type is nested too deeply")
	}
	return ty
}

// containerType parses list[T, n] and the like.
func containerType(p *parser, ty *TypeExpr) {
	t := p.next()
	p.next()
	ty.Kind = map[string]typeKind{"list": TyList, "queue": TyQueue, "set": TySet, "bag": TyBag, "map": TyMap}[t.Text]
	elementBehind(p, t)
	ty.Elem = parseType(p)
	if ty.Kind == TyMap {
		p.expect(",", "after the type of the keys")
		ty.Key, ty.Elem = ty.Elem, parseType(p)
	}
	if !p.accept(",") {
		p.fail(p.peek(), "write "+TypeWords[t.Text], "a %s needs a capacity", t.Text)
	}
	ty.Size = p.expr()
	p.expect("]", "after the capacity")
}

// elementBehind fails at the length in kind[3] int, which only arrays are written like.
func elementBehind(p *parser, kind Token) {
	if n, end, elem := p.peek(), p.peekAt(1), p.peekAt(2); n.Kind == tInt && end.Text == "]" && elem.Kind == TName {
		p.fail(n, fmt.Sprintf("write %s[%s, %s]", kind.Text, elem.Text, n.Text), "expected a type, found %s", n)
	}
}

// enumType parses enum [a, b].
func enumType(p *parser, ty *TypeExpr) {
	t := p.next()
	p.next()
	ty.Kind = TyEnum
	for known := map[string]bool{}; !p.is("]"); {
		m := p.ident("a member of the enum")
		if known[m.Text] {
			p.fail(m, "", "%s is twice in the enum", m.Text)
		}
		known[m.Text] = true
		ty.Names = append(ty.Names, m.Text)
		if !p.accept(",") {
			break
		}
	}
	p.expect("]", "after the members")
	if len(ty.Names) == 0 {
		p.fail(t, "", "an enum needs members")
	}
}

// bracedEnum is how an enum is written whose members stand in other brackets; empty for anything else.
func (p *parser) bracedEnum() string {
	if open := p.peekAt(1).Text; p.peek().Text != "enum" || open != "{" && open != "(" {
		return ""
	}
	var names []string
	for i := 2; p.peekAt(i).Kind == TName; i += 2 {
		if names = append(names, p.peekAt(i).Text); p.peekAt(i+1).Text != "," {
			break
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "enum [" + strings.Join(names, ", ") + "]"
}

// rangeType parses lo..hi, which begins with t.
func rangeType(p *parser, ty *TypeExpr, t Token) {
	ty.Kind = TyRange
	ty.Lo = p.binary(3)
	if end := p.peek().Kind; end == TEOF || end == TSep {
		p.fail(t, "write the type, and the value behind =: int = "+t.Text, "expected a type, found %s", t)
	}
	p.expect("..", "in a range type: lo..hi")
	ty.Hi = p.binary(3)
}

// recordType parses record {a T, b U}; fields may also stand on lines of their own.
func recordType(p *parser, ty *TypeExpr) {
	t := p.next()
	p.next()
	ty.Kind = TyRecord
	for {
		for p.peek().Kind == TSep || p.is(",") {
			p.next()
		}
		if p.accept("}") {
			break
		}
		name := p.ident("the name of a field")
		for _, f := range ty.Fields {
			if f.Name == name.Text {
				p.fail(name, "", "%s is twice in the record", name.Text)
			}
		}
		f := FieldExpr{name.Text, name.Pos, parseType(p)}
		ty.Fields = append(ty.Fields, f)
		ty.depth = max(ty.depth, f.Type.depth+1)
	}
	if len(ty.Fields) == 0 {
		p.fail(t, "", "a record needs fields")
	}
}

// syncType parses sem(n), barrier(n), cond(spurious).
func syncType(p *parser, ty *TypeExpr) {
	t := p.next()
	p.next()
	ty.Kind, ty.Name = TySync, t.Text
	if t.Text == "cond" {
		if w := p.next(); w.Text != "spurious" {
			p.fail(w, "", "a cond is cond, or cond(spurious) when it may wake up by itself")
		}
		ty.Spurious = true
	} else {
		ty.Size = p.expr()
	}
	p.expect(")", "after the number")
}

// namedType parses the name of a type, or those of the classes of a union.
func namedType(p *parser, ty *TypeExpr) {
	name := p.ident("a type")
	ty.Kind, ty.Name = TyNamed, name.Text
	for p.accept("|") {
		if ty.Kind = TyUnion; ty.Names == nil {
			ty.Names = []string{name.Text}
		}
		ty.Names = append(ty.Names, p.ident("the name of a class").Text)
	}
}
