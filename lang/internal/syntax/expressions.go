package syntax

import (
	"slices"
	"strings"

	"cdpor/lang/step"
)

// The syntax of expressions.

// Levels are the binary operators, weakest first. The conditional operator is weaker still.
var Levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "%"}}

// BigNumber as the name of an EInt says that it is a value of uint64 which no int can have.
const BigNumber = "uint64"

func (p *parser) expr() *Expr {
	p.enter()
	defer p.leave()
	e := p.binary(0)
	if !p.accept("?") {
		return e
	}
	a := p.expr()
	if t := p.peek(); !p.is(":") {
		p.fail(t, "a value that depends is condition ? a : b; to receive from a channel write x = recv c",
			"expected %s %s, found %s", ":", "between the two values of ?:", t)
	}
	p.expect(":", "between the two values of ?:")
	b := p.expr()
	return p.node(ECond, e.Pos, e, a, b)
}

func (p *parser) binary(level int) *Expr {
	if level == len(Levels) {
		return p.unary()
	}
	e := p.binary(level + 1)
	for {
		t := p.peek()
		if !(t.Kind == tPunct || t.Kind == TName) || !slices.Contains(Levels[level], t.Text) {
			if t.Kind == tPunct && level == 0 && (t.Text == "&" || t.Text == "|") {
				hint := "write " + t.Text + t.Text + " between conditions; there are no operators on bits"
				if p.peekAt(1).Kind == tInt {
					hint = "there are no operators on bits: x % 2 is the last one of x"
				}
				p.fail(t, hint, "%s is not an operator of the language", t.Text)
			}
			return e
		}
		p.next()
		right := p.binary(level + 1)
		if t.Text == "in" {
			if t := p.peek(); !p.is("..") {
				p.fail(t, "write x in lo..hi, xs.has(x) for a set, or xs.contains(x) for a list or an array",
					"expected %s %s, found %s", "..", "in a test for a range", t)
			}
			p.next()
			e = p.node(EIn, e.Pos, e, right, p.binary(level+1))
			continue
		}
		e = p.node(EBinary, e.Pos, e, right)
		e.Name = t.Text
	}
}

func (p *parser) unary() *Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	if !p.is("-") && !p.is("!") && !p.is("trylock") {
		return p.postfix()
	}
	p.next()
	if t.Text == "-" && p.peek().Kind == tInt {
		// A negative literal; only here may it be -9223372036854775808.
		n := p.next()
		e := p.node(EInt, t.Pos)
		if n.value > 1<<63 {
			p.fail(n, "", "-%s is too small", n.Text)
		}
		e.Value = -int64(n.value)
		if p.is(".") || p.is("[") {
			p.fail(p.peek(), "", "a number has no parts")
		}
		return e
	}
	e := p.node(EUnary, t.Pos, p.unary())
	e.Name = t.Text
	return e
}

func (p *parser) postfix() *Expr {
	e := p.primary()
	for {
		switch {
		case p.accept("["):
			var lo, hi *Expr
			if !p.is(":") {
				lo = p.expr()
			}
			if !p.accept(":") {
				p.expect("]", "after the index")
				e = p.node(EIndex, e.Pos, e, lo)
				break
			}
			if !p.is("]") {
				hi = p.expr()
			}
			p.expect("]", "after the bounds")
			e = p.node(ESlice, e.Pos, e, lo, hi)
		case p.accept("."):
			name := p.next()
			if name.Kind != TName {
				hint := ""
				if name.Kind == tInt {
					hint = "numbers are integers"
				}
				p.fail(name, hint, "expected a name after the point, found %s", name)
			}
			if p.is("(") {
				args := append([]*Expr{e}, p.args()...)
				e = p.node(EMethod, e.Pos, args...)
				args[0].Call = e
			} else {
				e = p.node(EField, e.Pos, e)
			}
			e.Name, e.NameAt = name.Text, name.Pos
		case p.is("!"):
			p.next()
			if n := p.peek(); n.Kind == TName && !IsKeyword(n.Text) {
				e = p.message(e)
				break
			}
			e = p.node(EUnwrap, e.Pos, e)
		default:
			return e
		}
	}
}

func (p *parser) primary() *Expr {
	t := p.peek()
	switch t.Kind {
	case tInt:
		p.next()
		e := p.node(EInt, t.Pos)
		e.Value = int64(t.value)
		if t.value >= 1<<63 {
			e.Name = BigNumber
		}
		return e
	case tText:
		hint := "for data use an enum"
		if p.word == "print" || foreignFunctions[p.toks[max(0, p.i-2)].Text] == "write print x" {
			hint = "write print x: the trace shows the expression with its value"
		} else if p.word == "assert" || strings.EqualFold(p.toks[max(0, p.i-2)].Text, "panic") {
			hint = "write assert condition, \"message\""
		}
		p.fail(t, hint, "strings are only messages, not values")
	case tPunct:
		switch t.Text {
		case "(":
			p.next()
			e := p.expr()
			if c := p.peek(); p.is(",") && p.word == "assert" {
				p.fail(c, "write assert condition, \"message\", without parentheses around both",
					"expected %s %s, found %s", ")", "to match (", c)
			}
			p.expect(")", "to match (")
			return e
		case "[":
			p.next()
			var args []*Expr
			for !p.is("]") {
				args = append(args, p.expr())
				if !p.accept(",") {
					break
				}
			}
			p.expect("]", "after the elements")
			return p.node(EList, t.Pos, args...)
		case "{":
			return p.record(t.Pos, "")
		}
	case TName:
		if e := p.worded(t); e != nil {
			return e
		}
	}
	noExpression(p, t)
	return nil
}

// worded parses an expression that begins with a word; nil if none does with this one.
func (p *parser) worded(t Token) *Expr {
	switch t.Text {
	case "true", "false":
		p.next()
		e := p.node(EBool, t.Pos)
		if t.Text == "true" {
			e.Value = 1
		}
		return e
	case "null":
		p.next()
		return p.node(ENull, t.Pos)
	}
	if t.Text == "await" {
		p.next()
		return p.node(EAwait, t.Pos, p.unary())
	}
	if IsKeyword(t.Text) && t.Text != "self" {
		return nil
	}
	habitNot(p, t)
	p.next()
	if t.Text == "recv" && p.peek().Kind == TName && !IsKeyword(p.peek().Text) {
		return p.node(ERecv, t.Pos, p.unary())
	}
	if (t.Text == "spawn" || t.Text == "new") && p.peek().Kind == TName && !IsKeyword(p.peek().Text) {
		return p.creation(t)
	}
	if t.Text == "op" && p.peek().Kind == TName && (!IsKeyword(p.peek().Text) || p.is("self")) {
		e := p.postfix()
		if e.Kind != ECall && e.Kind != EMethod || e.Op {
			p.Report(e.Pos, e.End, "write op push(1)", "op is followed by the call of a procedure")
			panic(bailout{})
		}
		e.Op = true
		return e
	}
	if p.is("(") {
		args := p.args()
		e := p.node(ECall, t.Pos, args...)
		e.Name = t.Text
		return e
	}
	if p.is("{") && p.TypeNames[t.Text] {
		return p.record(t.Pos, t.Text)
	}
	e := p.node(EName, t.Pos)
	e.Name = t.Text
	return e
}

// record parses {key: value, ...}: a record, or a map.
func (p *parser) record(pos step.Pos, typ string) *Expr {
	p.enter()
	defer p.leave()
	p.expect("{", "")
	var keys, args []*Expr
	for p.lines(); !p.is("}"); p.lines() {
		keys = append(keys, p.expr())
		if t := p.peek(); typ != "" && (p.is(",") || p.is("}")) {
			p.fail(t, "write "+typ+"(1, 2), or name the fields: "+typ+"{a: 1, b: 2}", "expected %s %s, found %s", ":",
				"after the key: {key: value}", t)
		}
		p.expect(":", "after the key: {key: value}")
		args = append(args, p.expr())
		p.lines()
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the values")
	e := p.node(ERecord, pos, args...)
	e.Keys, e.Name = keys, typ
	return e
}

func (p *parser) args() []*Expr {
	p.expect("(", "")
	var args []*Expr
	for !p.is(")") {
		a := p.expr()
		if p.accept("..") {
			a = p.node(ERange, a.Pos, a, p.expr())
		}
		args = append(args, a)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the arguments")
	return args
}

// creation parses spawn t(args) and new A(args) after the first word.
func (p *parser) creation(t Token) *Expr {
	name := p.next()
	if !p.is("(") {
		p.fail(name, "write "+t.Text+" "+name.Text+"()", "expected ( after %s %s", t.Text, name.Text)
	}
	kind := map[string]exprKind{"spawn": ESpawn, "new": ENew}[t.Text]
	e := p.node(kind, t.Pos, p.args()...)
	e.Name, e.NameAt = name.Text, name.Pos
	return e
}

// message parses m(args) after the ! of o!m(args).
func (p *parser) message(to *Expr) *Expr {
	name := p.next()
	if !p.is("(") {
		p.fail(p.peek(), "", "expected ( after the message %s", name.Text)
	}
	e := p.node(ESend, to.Pos, append([]*Expr{to}, p.args()...)...)
	e.Name, e.NameAt = name.Text, name.Pos
	return e
}

// operationCall parses f(args).
func (p *parser) operationCall() *Expr {
	name := p.ident("the name of an operation")
	e := p.node(ECall, name.Pos, p.args()...)
	e.Name = name.Text
	return e
}

func (p *parser) node(kind exprKind, pos step.Pos, args ...*Expr) *Expr {
	e := &Expr{Kind: kind, Pos: pos, End: p.lastEnd(), Args: args, Depth: 1}
	for _, a := range args {
		if a != nil {
			e.Depth = max(e.Depth, a.Depth+1)
		}
	}
	if e.Depth > maxDepth {
		p.fail(p.peek(), "", "the expression is too long")
	}
	return e
}

// noExpression fails at a token that begins no expression, or has been read as the beginning of one.
func noExpression(p *parser, t Token) {
	hint := ""
	switch {
	case t.Kind == TName && p.peekAt(1).Text == ":":
		hint = t.Text + " is a word of the language: a label needs another name"
	case p.is("atomic"):
		hint = "atomic has no value: write var x int = 0 before it, and x = ... inside"
	case p.is("?"):
		hint = "write x == null ? value : x!"
	}
	p.fail(t, hint, "expected an expression, found %s", t)
}
