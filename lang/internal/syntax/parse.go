package syntax

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// maxDepth bounds the nesting of code, so that no input can exhaust the stack.
const maxDepth = 400

// Keywords cannot be names.
var Keywords = []string{"var", "let", "if", "else", "while", "for", "in", "break", "continue",
	"return", "atomic", "await",
	"lock", "unlock", "trylock", "assert", "assume", "skip", "yield", "true", "false", "null", "self"}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(name string) bool { return slices.Contains(Keywords, name) }

// bailout unwinds the parser to the statement whose error has been reported; it never leaves this file.
type bailout struct{}

type parser struct {
	*Reporter
	toks  []Token
	i     int
	depth int
	bad   map[int]bool // lines whose characters were reported: what else is wrong there only follows
	word  string       // if, while, for, await ... while its condition is parsed; else empty
	first Token        // of the statement that is parsed, for messages
	key   string       // that the condition stands under, for messages
}

func newParser(r *Reporter, code portion) *parser {
	p := &parser{Reporter: r, bad: map[int]bool{}}
	before := r.Count()
	p.toks = Lex(r, code)
	for _, e := range (*r.list)[before:] {
		p.bad[e.Pos.Line] = true
	}
	return p
}

func (p *parser) peek() Token { return p.toks[p.i] }

func (p *parser) peekAt(k int) Token { return p.toks[min(p.i+k, len(p.toks)-1)] }

func (p *parser) next() Token {
	t := p.toks[p.i]
	if t.Kind != TEOF {
		p.i++
	}
	return t
}

func (p *parser) lastEnd() step.Pos {
	if p.i == 0 {
		return p.toks[0].Pos
	}
	return p.toks[p.i-1].End
}

func (p *parser) fail(t Token, hint, format string, args ...any) {
	if !p.bad[t.Pos.Line] {
		if hint == "" {
			p.habit(t)
		}
		p.Report(t.Pos, t.End, hint, format, args...)
	}
	panic(bailout{})
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.Text == text && (t.Kind == tPunct || t.Kind == TName)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

// acceptBelow is accept for a word that goes on with a statement and may begin a line of its own.
func (p *parser) acceptBelow(text string) bool {
	k := 0
	for p.peekAt(k).Kind == TSep && p.peekAt(k).Text == "\n" {
		k++
	}
	if t := p.peekAt(k); t.Kind != TName || t.Text != text {
		return false
	}
	if k > 0 && !IsKeyword(text) && !p.punct(k+1, "{") { // a name
		return false
	}
	p.i += k + 1
	return true
}

func (p *parser) expect(text, where string) Token {
	if !p.is(text) {
		p.fail(p.peek(), "", "expected %s %s, found %s", text, where, p.peek())
	}
	return p.next()
}

func (p *parser) ident(what string) Token {
	t := p.peek()
	if t.Kind != TName {
		p.fail(t, "", "expected %s, found %s", what, t)
	}
	if t.Text[0] == '$' {
		p.fail(t, "letters, digits and _", "%s cannot be %s", t.Text, what)
	}
	if IsKeyword(t.Text) {
		p.fail(t, "", "%s is a word of the language and cannot be %s", t.Text, what)
	}
	return p.next()
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.peek(), "", "the code is nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

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

// end demands that nothing follows.
func (p *parser) finish() {
	for p.peek().Kind == TSep {
		p.next()
	}
	if t := p.peek(); t.Kind != TEOF {
		p.word = "expression"
		p.fail(t, "", "unexpected %s", t)
	}
}

// ParseExpr parses code that is one expression; nil after an error.
func ParseExpr(r *Reporter, code portion) *Expr { return ParseCondition(r, code, "") }

// ParseCondition is ParseExpr for the value of a key, which messages name.
func ParseCondition(r *Reporter, code portion, key string) (e *Expr) {
	before := r.Count()
	p := newParser(r, code)
	p.key = key
	if !p.try(func() { e = p.expr(); p.finish() }) || r.Count() > before {
		return nil
	}
	return e
}

// ParseSignature parses "name(a T, b U) R", the key of a function or procedure; result is nil without R.
func ParseSignature(r *Reporter, code portion) (name string, params []FieldExpr, result *TypeExpr, ok bool) {
	p := newParser(r, code)
	before := r.Count()
	ok = p.try(func() {
		name = p.ident("a name").Text
		p.expect("(", "after the name")
		for !p.is(")") {
			t := p.ident("the name of a parameter")
			params = append(params, FieldExpr{t.Text, t.Pos, p.typ()})
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the parameters")
		if k := p.peek().Kind; k != TEOF && k != TSep {
			result = p.typ()
		}
		p.finish()
	})
	return name, params, result, ok && r.Count() == before
}

// ParseParam parses "name T", a parameter of a thread that is spawned.
func ParseParam(r *Reporter, code portion) (f FieldExpr, ok bool) {
	p := newParser(r, code)
	before := r.Count()
	ok = p.try(func() {
		t := p.ident("the name of a parameter")
		f = FieldExpr{t.Text, t.Pos, p.typ()}
		p.finish()
	})
	return f, ok && r.Count() == before
}

// ParseDecl parses "type" or "type = initial value"; typ is nil after an error.
func ParseDecl(r *Reporter, code portion) (typ *TypeExpr, init *Expr) {
	p := newParser(r, code)
	before := r.Count()
	ok := p.try(func() {
		typ = p.typ()
		if p.accept("=") {
			init = p.expr()
		}
		p.finish()
	})
	if !ok || r.Count() > before {
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
		for p.peek().Kind == TSep {
			p.next()
		}
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
				hint := ""
				if s.Kind == SAwait && p.is("{") {
					hint = "await has no block: write the statements behind it, in atomic { } with it for one step"
				}
				p.fail(t, hint, "expected the end of the statement, found %s", t)
			}
			out = append(out, s)
		})
		if !ok {
			broken = p.toks[start].Text == "if" || p.toks[start].Text == "else" || elseIfs[p.toks[start].Text]
			out = append(out, p.declared(start)...)
			p.skip(start)
		}
	}
}

// skip goes on after an error to the end of the statement, past the braces it opens.
func (p *parser) skip(start int) {
	depth := 0
	for _, t := range p.toks[start:p.i] {
		if t.Kind == tPunct && t.Text == "{" {
			depth++
		} else if t.Kind == tPunct && t.Text == "}" {
			depth--
		}
	}
	for {
		t := p.peek()
		switch {
		case t.Kind == TEOF:
			return
		case t.Kind == TSep && depth <= 0:
			return
		case t.Kind == tPunct && t.Text == "{":
			depth++
		case t.Kind == tPunct && t.Text == "}":
			if depth <= 0 {
				return
			}
			depth--
		}
		p.next()
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
		p.habitLabel()
		p.next()
		p.next()
		for p.peek().Kind == TSep && p.peek().Text == "\n" {
			p.next()
		}
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
	switch t.Text {
	case "var", "let":
		p.declaration(s)
	case "if":
		p.conditional(s, t)
	case "else":
		p.fail(t, "", "else without if")
	case "while":
		p.next()
		s.Kind = SWhile
		s.Cond = p.expr()
		p.body(s, "after the condition of while")
	case "for":
		p.loop(s)
	case "break", "continue", "return", "skip", "yield":
		p.next()
		s.Kind = map[string]StmtKind{"break": SBreak, "continue": SContinue, "return": SReturn, "skip": SSkip,
			"yield": SYield}[t.Text]
		if t.Text == "return" && p.peek().Kind != TSep && p.peek().Kind != TEOF && !p.is("}") {
			s.Value = p.expr()
		}
	case "atomic":
		p.next()
		s.Kind = SAtomic
		p.body(s, "after atomic")
	case "await", "assume":
		p.next()
		s.Kind = map[string]StmtKind{"await": SAwait, "assume": SAssume}[t.Text]
		s.Cond = p.expr()
	case "assert":
		p.next()
		s.Kind = SAssert
		s.Cond = p.expr()
		if p.accept(",") {
			m := p.next()
			if m.Kind != tText {
				p.word = ""
				p.fail(m, "", "expected a message in double quotes, found %s", m)
			}
			s.Text = m.Text
		}
	case "lock", "unlock":
		p.next()
		s.Kind = map[string]StmtKind{"lock": SLock, "unlock": SUnlock}[t.Text]
		s.Place = p.unary()
	case "print":
		p.next()
		s.Kind = SPrint
		s.Value = p.expr()
	default:
		switch {
		case p.contextual(s, t):
		case p.habitStatement():
		case p.isMail():
			p.mail(s)
		default:
			p.simple(s)
		}
	}
}

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
	p.habitDeclaration(name)
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
		s.Type = p.typ()
	}
	if p.accept("=") {
		s.Value = p.expr()
	} else if s.Fixed {
		p.fail(p.peek(), "", "let needs a value: let %s = ...", s.Name)
	}
}

// loop parses for.
func (p *parser) loop(s *Stmt) {
	p.habitFor()
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

// operationCall parses f(args).
func (p *parser) operationCall() *Expr {
	name := p.ident("the name of an operation")
	e := p.node(ECall, name.Pos, p.args()...)
	e.Name = name.Text
	return e
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
		for p.peek().Kind == TSep {
			p.next()
		}
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

// isMail reports whether a statement begins with a place, a ! and a message. A message to an actor, o!m(args), is not
// meant: one to a thread that looks like it is told apart when types are known.
func (p *parser) isMail() bool {
	k := p.past(1)
	if !p.punct(k, "!") {
		return false
	}
	k++
	if p.punct(k, "!") { // o!!m() unwraps a reference
		k++
		return p.peekAt(k).Kind == TName && !p.punct(k+1, "(")
	}
	switch t := p.peekAt(k); t.Kind {
	case tInt:
		return true
	case TName:
		return (!IsKeyword(t.Text) || slices.Contains([]string{"true", "false", "null", "self", "await"}, t.Text)) &&
			!p.punct(k+1, "(")
	case tPunct:
		if t.Text == "[" { // not an element of what is unwrapped, which goes on
			k = p.past(k)
			return !p.punct(k, "!") && !p.punct(k, ".")
		}
		return t.Text == "{" || t.Text == "(" || t.Text == "-"
	}
	return false
}

func (p *parser) punct(k int, text string) bool {
	return p.peekAt(k).Kind == tPunct && p.peekAt(k).Text == text
}

// past is the place behind indices in brackets.
func (p *parser) past(k int) int {
	depth := 0
	for ; ; k++ {
		switch {
		case p.peekAt(k).Kind == TEOF:
			return k
		case p.punct(k, "["):
			depth++
		case depth == 0:
			return k
		case p.punct(k, "]"):
			depth--
		}
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
			if t.Text == "else" {
				hint = "write default"
			}
			p.fail(t, hint, "expected case or default, found %s", t)
		}
	})
}

// receivesTwo reports whether the parser stands at the comma of v, ok = recv c.
func (p *parser) receivesTwo() bool {
	for k := 1; p.is(",") && p.peekAt(k).Kind != TSep && p.peekAt(k).Kind != TEOF; k++ {
		if p.punct(k, "=") {
			return p.peekAt(k+1).Kind == TName && p.peekAt(k+1).Text == "recv"
		}
	}
	return false
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
		hint := p.uselessHint(e)
		for left := e; len(left.Args) > 0; left = left.Args[0] {
			if left.Kind == ESend {
				hint = "put a message that only begins with a call into parentheses: t!(f(x) + 1)"
			}
		}
		p.Report(e.Pos, e.End, hint, "this expression does nothing")
		panic(bailout{})
	}
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

// Levels are the binary operators, weakest first. The conditional operator is weaker still.
var Levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "%"}}

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

// BigNumber as the name of an EInt says that it is a value of uint64 which no int can have.
const BigNumber = "uint64"

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
		} else if p.word == "assert" {
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
	p.noExpression(t)
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
	p.habitNot(t)
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

// noExpression fails at a token that begins no expression, or has been read as the beginning of one.
func (p *parser) noExpression(t Token) {
	hint := ""
	switch {
	case t.Kind == TName && p.peekAt(1).Text == ":":
		hint = t.Text + " is a word of the language: a label needs another name"
	case p.is("?"):
		hint = "write x == null ? value : x!"
	}
	p.fail(t, hint, "expected an expression, found %s", t)
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

// record parses {key: value, ...}: a record, or a map.
func (p *parser) record(pos step.Pos, typ string) *Expr {
	p.enter()
	defer p.leave()
	lines := func() {
		for p.peek().Kind == TSep && p.peek().Text == "\n" {
			p.next()
		}
	}
	p.expect("{", "")
	var keys, args []*Expr
	for lines(); !p.is("}"); lines() {
		keys = append(keys, p.expr())
		if t := p.peek(); typ != "" && (p.is(",") || p.is("}")) {
			p.fail(t, "write "+typ+"(1, 2), or name the fields: "+typ+"{a: 1, b: 2}", "expected %s %s, found %s", ":",
				"after the key: {key: value}", t)
		}
		p.expect(":", "after the key: {key: value}")
		args = append(args, p.expr())
		lines()
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the values")
	e := p.node(ERecord, pos, args...)
	e.Keys, e.Name = keys, typ
	return e
}

var laterTypes = map[string]bool{"ref": true, "string": true}

// TypeWords begin types with brackets.
var TypeWords = map[string]string{"array": "array[N] T", "list": "list[T, capacity]", "queue": "queue[T, capacity]",
	"enum": "enum [a, b]", "set": "set[T, capacity]", "bag": "bag[T, capacity]", "map": "map[K, V, capacity]",
	"chan": "chan[T, capacity], or chan[T] for a rendezvous", "record": "record {a T, b U}",
	"fut": "fut[T], or fut[] for a method without a result",
	"sem": "sem(n), with the initial count", "barrier": "barrier(n), with the number of threads"}

// PlainTypes are the types of the language without parameters.
var PlainTypes = []string{"int", "bool", "mutex", "rwlock", "cond", "once", "waitgroup", "tid",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}

// IsTypeWord reports whether a name begins a type.
func IsTypeWord(name string) bool {
	return TypeWords[name] != "" || slices.Contains(PlainTypes, name) || laterTypes[name]
}

func (p *parser) typ() *TypeExpr {
	p.enter()
	defer p.leave()
	t := p.peek()
	ty := &TypeExpr{Pos: t.Pos, depth: 1}
	bracket := t.Kind == TName && p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "["
	switch {
	case t.Kind == TName && laterTypes[t.Text]:
		p.fail(t, p.typeHint(), "type %s: not supported yet", t.Text)
	case t.Kind == TName && foreignTypes[t.Text] != "" && (IsKeyword(t.Text) || bracket || p.punct(1, "(")),
		t.Kind == TName && slices.Contains(PlainTypes, t.Text) && (bracket || p.punct(1, "(") && t.Text != "cond"),
		t.Kind == tPunct && t.Text == "[":
		p.foreignType()
	case t.Kind == TName && t.Text == "enum" && bracket:
		p.enumType(ty)
	case t.Kind == TName && t.Text == "array" && bracket:
		p.arrayType(ty)
		return p.closeType(ty) // the ? of array[N] T? belongs to T
	case t.Kind == TName && t.Text == "record" && p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "{":
		p.recordType(ty)
	case t.Kind == TName && t.Text == "chan" && bracket:
		p.next()
		p.next()
		ty.Kind = TyChan
		ty.Elem = p.typ()
		if p.accept(",") {
			ty.Size = p.expr()
		}
		p.expect("]", "after the capacity")
	case t.Kind == TName && t.Text == "fut" && bracket:
		p.next()
		p.next()
		ty.Kind = TyFuture
		if !p.is("]") {
			ty.Elem = p.typ()
		}
		p.expect("]", "after the type of the result")
	case t.Kind == TName && (t.Text == "sem" || t.Text == "barrier" || t.Text == "cond") &&
		p.peekAt(1).Kind == tPunct && p.peekAt(1).Text == "(":
		p.syncType(ty)
	case t.Kind == TName && slices.Contains([]string{"list", "queue", "set", "bag", "map"}, t.Text) && bracket:
		p.containerType(ty)
	case t.Kind == TName && TypeWords[t.Text] != "":
		open := "["
		switch t.Text {
		case "record":
			open = "{"
		case "sem", "barrier":
			open = "("
		}
		p.fail(t, "write "+TypeWords[t.Text], "expected %s after %s", open, t.Text)
	case p.is("("):
		p.next()
		inner := p.typ()
		p.expect(")", "to match (")
		*ty = *inner
		ty.Pos = t.Pos
	case t.Kind == TName && !p.rangeFollows():
		p.namedType(ty)
	case t.Kind == TName || t.Kind == tInt || p.is("-"):
		p.rangeType(ty, t)
	case p.is(":"):
		p.fail(t, "write the type without the colon: n int", "expected a type, found %s", t)
	default:
		p.fail(t, "", "expected a type, found %s", t)
	}
	p.closeType(ty)
	for p.is("?") {
		p.next()
		ty = p.closeType(&TypeExpr{Kind: TyOption, Pos: ty.Pos, Elem: ty})
	}
	return ty
}

func (p *parser) arrayType(ty *TypeExpr) {
	p.next()
	p.next()
	ty.Kind = TyArray
	ty.Size = p.expr()
	p.expect("]", "after the length")
	if next := p.peek(); next.Kind == TEOF || next.Kind == TSep {
		p.fail(next, "write array[N] T, with the type of its elements", "expected a type, found %s", next)
	}
	ty.Elem = p.typ()
}

// namedType parses the name of a type, or those of the classes of a union.
func (p *parser) namedType(ty *TypeExpr) {
	name := p.ident("a type")
	ty.Kind, ty.Name = TyNamed, name.Text
	for p.accept("|") {
		if ty.Kind = TyUnion; ty.Names == nil {
			ty.Names = []string{name.Text}
		}
		ty.Names = append(ty.Names, p.ident("the name of a class").Text)
	}
}

// rangeType parses lo..hi, which begins with t.
func (p *parser) rangeType(ty *TypeExpr, t Token) {
	ty.Kind = TyRange
	ty.Lo = p.binary(3)
	if end := p.peek().Kind; end == TEOF || end == TSep {
		p.fail(t, "write the type, and the value behind =: int = "+t.Text, "expected a type, found %s", t)
	}
	p.expect("..", "in a range type: lo..hi")
	ty.Hi = p.binary(3)
}

// enumType parses enum [a, b].
func (p *parser) enumType(ty *TypeExpr) {
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

// syncType parses sem(n), barrier(n), cond(spurious).
func (p *parser) syncType(ty *TypeExpr) {
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

// containerType parses list[T, n] and the like.
func (p *parser) containerType(ty *TypeExpr) {
	t := p.next()
	p.next()
	ty.Kind = map[string]typeKind{"list": TyList, "queue": TyQueue, "set": TySet, "bag": TyBag, "map": TyMap}[t.Text]
	if n, end, elem := p.peek(), p.peekAt(1), p.peekAt(2); n.Kind == tInt && end.Text == "]" && elem.Kind == TName {
		p.fail(n, fmt.Sprintf("write %s[%s, %s]", t.Text, elem.Text, n.Text), "expected a type, found %s", n)
	}
	ty.Elem = p.typ()
	if ty.Kind == TyMap {
		p.expect(",", "after the type of the keys")
		ty.Key, ty.Elem = ty.Elem, p.typ()
	}
	if !p.accept(",") {
		p.fail(p.peek(), "write "+TypeWords[t.Text], "a %s needs a capacity", t.Text)
	}
	ty.Size = p.expr()
	p.expect("]", "after the capacity")
}

// recordType parses record {a T, b U}; fields may also stand on lines of their own.
func (p *parser) recordType(ty *TypeExpr) {
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
		f := FieldExpr{name.Text, name.Pos, p.typ()}
		ty.Fields = append(ty.Fields, f)
		ty.depth = max(ty.depth, f.Type.depth+1)
	}
	if len(ty.Fields) == 0 {
		p.fail(t, "", "a record needs fields")
	}
}

// rangeFollows tells LO..HI and N-1..N from a type name.
func (p *parser) rangeFollows() bool {
	n := p.peekAt(1)
	return n.Kind == tPunct && slices.Contains([]string{"..", "+", "-", "*", "/", "%"}, n.Text)
}

func (p *parser) closeType(ty *TypeExpr) *TypeExpr {
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
