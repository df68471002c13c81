package syntax

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// try runs f and reports whether it came through without an error.
func (p *parser) try(f func()) (ok bool) {
	depth := p.depth
	defer func() {
		if x := recover(); x != nil {
			if _, mine := x.(bailout); !mine {
				panic(x)
			}
			p.depth, ok = depth, false
		}
	}()
	f()
	return true
}

// whole parses a portion, of which nothing is left, and reports whether it came through without an error.
func whole(r *Reporter, code portion, parse func(p *parser)) (ok bool) {
	before := r.Count()
	p := newParser(r, code)
	ok = p.try(func() { parse(p); p.finish() })
	return ok && r.Count() == before
}

// finish demands that nothing follows.
func (p *parser) finish() {
	p.separators()
	if t := p.peek(); t.Kind != TEOF {
		p.word = "expression"
		p.fail(t, "", "unexpected %s", t)
	}
}

// ParseExpr parses code that is one expression; nil after an error.
func ParseExpr(r *Reporter, code portion) *Expr { return ParseCondition(r, code, "") }

// ParseCondition is ParseExpr for the value of a key, which messages name.
func ParseCondition(r *Reporter, code portion, key string) (e *Expr) {
	if !whole(r, code, func(p *parser) { p.key = key; e = p.expr() }) {
		return nil
	}
	return e
}

// ParseSignature parses "name(a T, b U) R", the key of a function or procedure; result is nil without R.
func ParseSignature(r *Reporter, code portion) (name string, params []FieldExpr, result *TypeExpr, ok bool) {
	ok = whole(r, code, func(p *parser) {
		name = p.ident("a name").Text
		p.expect("(", "after the name")
		for !p.is(")") {
			t := p.ident("the name of a parameter")
			params = append(params, FieldExpr{t.Text, t.Pos, parseType(p)})
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the parameters")
		if k := p.peek().Kind; k != TEOF && k != TSep {
			result = parseType(p)
		}
	})
	return name, params, result, ok
}

// ParseParam parses "name T", a parameter of a thread that is spawned.
func ParseParam(r *Reporter, code portion) (f FieldExpr, ok bool) {
	ok = whole(r, code, func(p *parser) {
		t := p.ident("the name of a parameter")
		f = FieldExpr{t.Text, t.Pos, parseType(p)}
	})
	return f, ok
}

// ParseDecl parses "type" or "type = initial value"; typ is nil after an error.
func ParseDecl(r *Reporter, code portion) (typ *TypeExpr, init *Expr) {
	if !whole(r, code, func(p *parser) {
		if typ = parseType(p); p.accept("=") {
			init = p.expr()
		}
	}) {
		return nil, nil
	}
	return typ, init
}

// ParseBody parses the statements of a thread; what is faulty is reported and left out.
func ParseBody(r *Reporter, code portion) []*Stmt {
	p := newParser(r, code)
	var out []*Stmt
	for {
		out = append(out, p.stmts()...)
		t := p.peek()
		if t.Kind == TEOF {
			return out
		}
		p.Report(t.Pos, t.End, "there is no { for it", "unexpected %s", t)
		p.next()
	}
}

// stmts parses up to a closing brace or the end.
func (p *parser) stmts() []*Stmt {
	var out []*Stmt
	broken := false // an if is not understood: its else has nothing to do with the mistake
	for {
		p.separators()
		if p.peek().Kind == TEOF || p.is("}") {
			return out
		}
		start := p.i
		if broken = broken && p.isElse(); broken {
			p.passHeader()
			p.skip(start)
			continue
		}
		ok := p.try(func() {
			s := p.stmt()
			if t := p.peek(); t.Kind != TSep && t.Kind != TEOF && !p.is("}") {
				p.fail(t, habitEnd(p, s), "expected the end of the statement, found %s", t)
			}
			out = append(out, s)
		})
		if !ok {
			broken = p.toks[start].Text == "if" || p.toks[start].Text == "else" || elseIfs[p.toks[start].Text]
			out = append(out, declared(p, start)...)
			p.skip(start)
		}
	}
}

func (p *parser) block(where string) []*Stmt {
	return p.rest(p.expect("{", where))
}

// rest parses a block behind its brace.
func (p *parser) rest(open Token) []*Stmt {
	p.word = ""
	body := p.stmts()
	if !p.is("}") {
		p.fail(open, "close it with } where its block ends", "this { is not closed")
	}
	p.next()
	return body
}

func (p *parser) stmt() *Stmt {
	p.enter()
	defer p.leave()
	t := p.peek()
	if t.Kind == TName && !IsKeyword(t.Text) && p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == ":" {
		habitLabel(p)
		p.next()
		p.next()
		p.lines()
		s := p.stmt()
		if s.Label != "" {
			p.fail(t, "", "two labels on one statement")
		}
		s.Label, s.LabelAt = t.Text, t.Pos
		return s
	}
	s := &Stmt{Pos: t.Pos}
	p.bare(s)
	s.End = p.lastEnd()
	if s.HeaderEnd == (step.Pos{}) {
		s.HeaderEnd = s.End
	}
	return s
}

func (p *parser) body(s *Stmt, where string) {
	s.HeaderEnd = p.lastEnd()
	if t := p.peek(); p.is(":") && (s.Kind == SWith || s.Kind == SOnce) {
		p.fail(t, "put braces around the block: { }", "expected %s %s, found %s", "{", where, t)
	}
	s.Body = p.rest(p.expect("{", where))
}

func (p *parser) bare(s *Stmt) {
	t := p.peek()
	p.word, p.first = "", t
	if slices.Contains([]string{"if", "while", "for", "await", "assert", "assume", "atomic", "print"}, t.Text) {
		p.word = t.Text
	}
	if t.Kind != TName {
		if p.is("{") {
			s.Kind = SBlock
			p.body(s, "")
			return
		}
		p.simple(s)
		return
	}
	if kind, fixed := fixedKinds[t.Text]; fixed {
		p.next()
		s.Kind = kind
	}
	switch t.Text {
	case "var", "let":
		p.declaration(s)
	case "if":
		p.conditional(s, t)
	case "else":
		p.fail(t, "", "else without if")
	case "while":
		s.Cond = p.expr()
		p.body(s, "after the condition of while")
	case "for":
		p.loop(s)
	case "break", "continue", "skip", "yield":
	case "return":
		if p.peek().Kind != TSep && p.peek().Kind != TEOF && !p.is("}") {
			s.Value = p.expr()
		}
	case "atomic":
		p.body(s, "after atomic")
	case "await", "assume":
		s.Cond = p.expr()
	case "assert":
		s.Cond = p.expr()
		if p.accept(",") {
			m := p.next()
			if m.Kind != tText {
				p.word = ""
				p.fail(m, "write the message in double quotes; a report has the values of the condition anyway",
					"expected a message in double quotes, found %s", m)
			}
			s.Text = m.Text
		}
	case "lock", "unlock":
		s.Place = p.unary()
	case "print":
		s.Value = p.expr()
	default:
		if p.contextual(s, t) {
			return
		}
		if habitStatement(p); p.isMail() {
			p.mail(s)
		} else {
			p.simple(s)
		}
	}
}

// fixedKinds are the kinds of the statements that begin with a keyword of their own.
var fixedKinds = map[string]StmtKind{"while": SWhile, "break": SBreak, "continue": SContinue, "return": SReturn,
	"skip": SSkip, "yield": SYield, "atomic": SAtomic, "await": SAwait, "assume": SAssume, "assert": SAssert,
	"lock": SLock, "unlock": SUnlock, "print": SPrint}

// conditional parses if.
func (p *parser) conditional(s *Stmt, t Token) {
	if p.peekAt(1).Kind == TSep && p.punct(2, ":") {
		p.passHeader()
		p.fail(t, "write if condition { } else { }, or choose { } or { } for a choice",
			"%s begins no statement of the language", "if ::")
	}
	p.next()
	s.Kind = SIf
	s.Cond = p.expr()
	p.body(s, "after the condition of if")
	if p.acceptBelow("else") {
		if p.is("if") {
			s.Orelse = []*Stmt{p.stmt()}
		} else {
			p.word = "else"
			s.Orelse = p.block("after else")
		}
	}
}

// declaration parses var or let.
func (p *parser) declaration(s *Stmt) {
	s.Kind, s.Fixed = SVar, p.next().Text == "let"
	name := p.ident("the name of a variable")
	s.Name, s.NameAt = name.Text, name.Pos
	habitDeclaration(p, name)
	if p.receivesTwo() {
		p.next()
		ok := p.ident("the name of a variable")
		s.Ok = &Stmt{Kind: SVar, Fixed: s.Fixed, Pos: ok.Pos, End: ok.End, HeaderEnd: ok.End, Name: ok.Text,
			NameAt: ok.Pos}
	}
	if !p.is("=") {
		if p.peek().Kind == TSep || p.peek().Kind == TEOF {
			p.fail(p.peek(), "write var "+s.Name+" int, or var "+s.Name+" int = 0",
				"expected a type or a value for %s", s.Name)
		}
		s.Type = parseType(p)
	}
	if p.accept("=") {
		s.Value = p.expr()
	} else if s.Fixed {
		p.fail(p.peek(), "", "let needs a value: let %s = ...", s.Name)
	}
}

// loop parses for.
func (p *parser) loop(s *Stmt) {
	habitFor(p)
	p.next()
	name := p.ident("the name of the loop variable")
	s.Name, s.NameAt, s.Fixed = name.Text, name.Pos, true
	p.expect("in", "after the loop variable")
	s.Kind = SForEach
	s.Value = p.expr()
	if p.accept("..") {
		s.Kind = SForRange
		s.To = p.expr()
	}
	p.body(s, "after the range of for")
}

// contextual parses the statements whose first word is a name elsewhere. It reports whether it was one.
func (p *parser) contextual(s *Stmt, t Token) bool {
	follows := p.peekAt(1)
	word, brace := follows.Kind == TName, follows.Kind == tPunct && follows.Text == "{"
	switch {
	case t.Text == "with" && word && follows.Text == "lock", t.Text == "once" && word:
		p.next()
		s.Kind = SOnce
		if t.Text == "with" {
			p.next()
			s.Kind = SWith
		}
		s.Place = p.unary()
		p.body(s, "after what is "+map[StmtKind]string{SWith: "locked", SOnce: "done once"}[s.Kind])
	case t.Text == "op" && word && p.operation(s):
	case t.Text == "join" && word:
		p.next()
		s.Kind = SJoin
		s.Place = p.unary()
	case t.Text == "send" && word:
		p.next()
		s.Kind = SSend
		s.Place = p.unary()
		p.expect(",", "after the channel: send c, value")
		s.Value = p.expr()
	case t.Text == "choose" && brace:
		p.next()
		s.Kind, s.HeaderEnd = SChoose, p.lastEnd()
		before := p.Count()
		for {
			c := &Choice{Pos: p.peek().Pos}
			c.Body = p.block("in choose { } or { }")
			c.End = p.lastEnd()
			s.Cases = append(s.Cases, c)
			if !p.acceptBelow("or") {
				break
			}
		}
		if len(s.Cases) < 2 && p.Count() == before {
			p.fail(t, "write choose { } or { }", "a choice of one")
		}
	case t.Text == "select" && brace:
		p.next()
		s.Kind, s.HeaderEnd = SSelect, p.lastEnd()
		p.selectCases(s)
	case t.Text == "receive" && brace:
		p.next()
		s.Kind, s.HeaderEnd = SReceive, p.lastEnd()
		p.receiveCases(s)
	case t.Text == "receive" && word:
		p.fail(follows, "write receive { case m { } }", "expected { after receive, found %s", follows)
	default:
		return false
	}
	return true
}

// operation parses op f(args) { } and op r = f(args) { }. It reports whether it was one, and not the call of a
// procedure.
func (p *parser) operation(s *Stmt) bool {
	start := p.i
	p.next()
	var result *Expr
	if p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "=" {
		name := p.ident("the variable for the result")
		result = p.node(EName, name.Pos)
		result.Name = name.Text
		p.next()
	}
	if !p.punct(1, "(") {
		if result != nil {
			p.fail(p.peek(), "", "expected an operation: op %s = f(x) { }", result.Name)
		}
		p.i = start
		return false
	}
	call := p.operationCall()
	if !p.is("{") {
		if result != nil {
			p.fail(p.peek(), "write "+result.Name+" = op "+call.Name+"(...) to call a procedure",
				"expected { after the operation, found %s", p.peek())
		}
		p.i = start
		return false
	}
	s.Kind, s.Place, s.Value = SOp, result, call
	p.body(s, "after the operation")
	return true
}

// receiveCases parses { case m if c { } case m { } after { } }, where after may be after any.
func (p *parser) receiveCases(s *Stmt) {
	p.cases(s, "after receive", func(c *Choice, t Token) {
		switch {
		case t.Kind == TName && t.Text == "after":
			c.After, c.Anytime = true, p.accept("any")
		case t.Kind == TName && t.Text == "case":
			if !p.is("{") {
				name := p.ident("the name of a message")
				c.Name, c.NameAt = name.Text, name.Pos
			}
			if p.accept("if") {
				c.Cond = p.expr()
			}
		default:
			p.fail(t, "", "expected case or after, found %s", t)
		}
	})
}

// cases parses alternatives with a block each, in braces; head parses what stands in front of a block, behind the first
// token.
func (p *parser) cases(s *Stmt, where string, head func(c *Choice, first Token)) {
	open := p.expect("{", where)
	for {
		p.separators()
		if p.accept("}") {
			return
		}
		t := p.next()
		if t.Kind == TEOF {
			p.fail(open, "", "this { is not closed")
		}
		c := &Choice{Pos: t.Pos}
		head(c, t)
		c.End = p.lastEnd()
		p.word = "case"
		c.Body = p.block("after the " + t.Text)
		s.Cases = append(s.Cases, c)
	}
}

// mail parses thread!message.
func (p *parser) mail(s *Stmt) {
	s.Kind = SMail
	name := p.ident("the name of a thread")
	s.Place = p.node(EName, name.Pos)
	s.Place.Name = name.Text
	for p.accept("[") {
		index := p.expr()
		p.expect("]", "after the index")
		s.Place = p.node(EIndex, name.Pos, s.Place, index)
	}
	p.expect("!", "before the message")
	s.Value = p.expr()
}

// selectCases parses { case send c, v { } case let v = recv c { } case closed c { } default { } }.
func (p *parser) selectCases(s *Stmt) {
	p.cases(s, "after select", func(c *Choice, t Token) {
		switch {
		case t.Kind == TName && t.Text == "default":
		case t.Kind == TName && t.Text == "case":
			c.Communication = &Stmt{Pos: p.peek().Pos}
			if p.is("closed") && p.peekAt(1).Kind == TName && !IsKeyword(p.peekAt(1).Text) {
				p.next()
				c.Communication.Kind, c.Communication.Place = SClosed, p.unary()
			} else {
				p.bare(c.Communication)
			}
			c.Communication.End = p.lastEnd()
			c.Communication.HeaderEnd = c.Communication.End
		default:
			hint := ""
			switch t.Text {
			case "else":
				hint = "write default"
			case "recv", "send", "closed", "let":
				hint = "write case in front"
			}
			p.fail(t, hint, "expected case or default, found %s", t)
		}
	})
}

// simple parses an assignment or a call.
func (p *parser) simple(s *Stmt) {
	e := p.expr()
	if p.receivesTwo() {
		p.next()
		ok := p.expr()
		s.Ok = &Stmt{Kind: SAssign, Pos: ok.Pos, End: ok.End, HeaderEnd: ok.End, Place: ok}
	}
	t := p.peek()
	if t.Kind == tPunct {
		switch t.Text {
		case "=", "+=", "-=", "*=", "/=", "%=":
			p.next()
			p.word = "="
			s.Kind, s.Place, s.Op = SAssign, e, strings.TrimSuffix(t.Text, "=")
			s.Value = p.expr()
			return
		case "++", "--":
			p.next()
			s.Kind, s.Place, s.Op = SAssign, e, t.Text[:1]
			s.Value = p.node(EInt, t.Pos)
			s.Value.Value = 1
			return
		}
	}
	s.Kind, s.Value = SExpr, e
	if e.Kind == EUnary && e.Name == "trylock" {
		return
	}
	if !slices.Contains([]exprKind{ECall, EMethod, ERecv, ESpawn, ENew, ESend}, e.Kind) {
		hint := uselessHint(p, e)
		for left := e; len(left.Args) > 0; left = left.Args[0] {
			if left.Kind == ESend {
				hint = "put a message that only begins with a call into parentheses: t!(f(x) + 1)"
			}
		}
		p.Report(e.Pos, e.End, hint, "this expression does nothing")
		panic(bailout{})
	}
}

// Head is a name with parameters in parentheses, or without any.
func (r *Reporter) Head(k *yaml.Node, what string) (name string, params []FieldExpr, ok bool) {
	code, ok := r.Code(k, "the head of "+what)
	if !ok {
		return "", nil, false
	}
	if !strings.Contains(k.Value, "(") {
		return k.Value, nil, r.Declared(k, what)
	}
	name, params, result, ok := ParseSignature(r, code)
	if ok && result != nil {
		r.At(k, "", "a class has no result")
	}
	return name, params, ok
}
