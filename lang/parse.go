package lang

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// maxDepth bounds the nesting of code, so that no input can exhaust the stack.
const maxDepth = 400

var keywords = []string{"var", "let", "if", "else", "while", "for", "in", "break", "continue", "return", "atomic", "await",
	"lock", "unlock", "trylock", "assert", "assume", "skip", "yield", "true", "false", "null", "self"}

func isKeyword(name string) bool { return slices.Contains(keywords, name) }

// bailout unwinds the parser to the statement whose error has been reported; it never leaves this file.
type bailout struct{}

type parser struct {
	*reporter
	toks  []token
	i     int
	depth int
	bad   map[int]bool // lines whose characters were reported: what else is wrong there only follows
	word  string       // if, while, for, await ... while its condition is parsed; else empty
	first token        // of the statement that is parsed, for messages
}

func newParser(r *reporter, code portion) *parser {
	p := &parser{reporter: r, bad: map[int]bool{}}
	before := r.count()
	p.toks = lex(r, code)
	for _, e := range (*r.list)[before:] {
		p.bad[e.Pos.Line] = true
	}
	return p
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) peekAt(k int) token { return p.toks[min(p.i+k, len(p.toks)-1)] }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tEOF {
		p.i++
	}
	return t
}

func (p *parser) lastEnd() step.Pos {
	if p.i == 0 {
		return p.toks[0].pos
	}
	return p.toks[p.i-1].end
}

func (p *parser) fail(t token, hint, format string, args ...any) {
	if !p.bad[t.pos.Line] {
		if hint == "" {
			p.habit(t)
		}
		p.report(t.pos, t.end, hint, format, args...)
	}
	panic(bailout{})
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tPunct || t.kind == tName)
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
	for p.peekAt(k).kind == tSep && p.peekAt(k).text == "\n" {
		k++
	}
	if t := p.peekAt(k); t.kind != tName || t.text != text {
		return false
	}
	if k > 0 && !isKeyword(text) && !p.punct(k+1, "{") { // a name
		return false
	}
	p.i += k + 1
	return true
}

func (p *parser) expect(text, where string) token {
	if !p.is(text) {
		p.fail(p.peek(), "", "expected %s %s, found %s", text, where, p.peek())
	}
	return p.next()
}

func (p *parser) ident(what string) token {
	t := p.peek()
	if t.kind != tName {
		p.fail(t, "", "expected %s, found %s", what, t)
	}
	if t.text[0] == '$' {
		p.fail(t, "letters, digits and _", "%s cannot be %s", t.text, what)
	}
	if isKeyword(t.text) {
		p.fail(t, "", "%s is a word of the language and cannot be %s", t.text, what)
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
	for p.peek().kind == tSep {
		p.next()
	}
	if t := p.peek(); t.kind != tEOF {
		p.word = "expression"
		p.fail(t, "", "unexpected %s", t)
	}
}

// parseExpr parses code that is one expression; nil after an error.
func parseExpr(r *reporter, code portion) (e *expr) {
	p := newParser(r, code)
	before := r.count()
	if !p.try(func() { e = p.expr(); p.finish() }) || r.count() > before {
		return nil
	}
	return e
}

// parseSignature parses "name(a T, b U) R", the key of a function or procedure; result is nil without R.
func parseSignature(r *reporter, code portion) (name string, params []fieldExpr, result *typeExpr, ok bool) {
	p := newParser(r, code)
	before := r.count()
	ok = p.try(func() {
		name = p.ident("a name").text
		p.expect("(", "after the name")
		for !p.is(")") {
			t := p.ident("the name of a parameter")
			params = append(params, fieldExpr{t.text, t.pos, p.typ()})
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the parameters")
		if k := p.peek().kind; k != tEOF && k != tSep {
			result = p.typ()
		}
		p.finish()
	})
	return name, params, result, ok && r.count() == before
}

// parseParam parses "name T", a parameter of a thread that is spawned.
func parseParam(r *reporter, code portion) (f fieldExpr, ok bool) {
	p := newParser(r, code)
	before := r.count()
	ok = p.try(func() {
		t := p.ident("the name of a parameter")
		f = fieldExpr{t.text, t.pos, p.typ()}
		p.finish()
	})
	return f, ok && r.count() == before
}

// parseDecl parses "type" or "type = initial value"; typ is nil after an error.
func parseDecl(r *reporter, code portion) (typ *typeExpr, init *expr) {
	p := newParser(r, code)
	before := r.count()
	ok := p.try(func() {
		typ = p.typ()
		if p.accept("=") {
			init = p.expr()
		}
		p.finish()
	})
	if !ok || r.count() > before {
		return nil, nil
	}
	return typ, init
}

// parseBody parses the statements of a thread; what is faulty is reported and left out.
func parseBody(r *reporter, code portion) []*stmt {
	p := newParser(r, code)
	var out []*stmt
	for {
		out = append(out, p.stmts()...)
		t := p.peek()
		if t.kind == tEOF {
			return out
		}
		p.report(t.pos, t.end, "there is no { for it", "unexpected %s", t)
		p.next()
	}
}

// stmts parses up to a closing brace or the end.
func (p *parser) stmts() []*stmt {
	var out []*stmt
	broken := false // an if is not understood: its else has nothing to do with the mistake
	for {
		for p.peek().kind == tSep {
			p.next()
		}
		if p.peek().kind == tEOF || p.is("}") {
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
			if t := p.peek(); t.kind != tSep && t.kind != tEOF && !p.is("}") {
				p.fail(t, "", "expected the end of the statement, found %s", t)
			}
			out = append(out, s)
		})
		if !ok {
			broken = p.toks[start].text == "if" || p.toks[start].text == "else" || elseIfs[p.toks[start].text]
			out = append(out, p.declared(start)...)
			p.skip(start)
		}
	}
}

// skip goes on after an error to the end of the statement, past the braces it opens.
func (p *parser) skip(start int) {
	depth := 0
	for _, t := range p.toks[start:p.i] {
		if t.kind == tPunct && t.text == "{" {
			depth++
		} else if t.kind == tPunct && t.text == "}" {
			depth--
		}
	}
	for {
		t := p.peek()
		switch {
		case t.kind == tEOF:
			return
		case t.kind == tSep && depth <= 0:
			return
		case t.kind == tPunct && t.text == "{":
			depth++
		case t.kind == tPunct && t.text == "}":
			if depth <= 0 {
				return
			}
			depth--
		}
		p.next()
	}
}

func (p *parser) block(where string) []*stmt {
	return p.rest(p.expect("{", where))
}

// rest parses a block behind its brace.
func (p *parser) rest(open token) []*stmt {
	p.word = ""
	body := p.stmts()
	if !p.is("}") {
		p.fail(open, "close it with } where its block ends", "this { is not closed")
	}
	p.next()
	return body
}

func (p *parser) stmt() *stmt {
	p.enter()
	defer p.leave()
	t := p.peek()
	if t.kind == tName && !isKeyword(t.text) && p.peekAt(1).kind == tPunct && p.peekAt(1).text == ":" {
		p.habitLabel()
		p.next()
		p.next()
		for p.peek().kind == tSep && p.peek().text == "\n" {
			p.next()
		}
		s := p.stmt()
		if s.label != "" {
			p.fail(t, "", "two labels on one statement")
		}
		s.label, s.labelAt = t.text, t.pos
		return s
	}
	s := &stmt{pos: t.pos}
	p.bare(s)
	s.end = p.lastEnd()
	if s.headerEnd == (step.Pos{}) {
		s.headerEnd = s.end
	}
	return s
}

func (p *parser) body(s *stmt, where string) {
	s.headerEnd = p.lastEnd()
	s.body = p.rest(p.expect("{", where))
}

func (p *parser) bare(s *stmt) {
	t := p.peek()
	p.word, p.first = "", t
	if slices.Contains([]string{"if", "while", "for", "await", "assert", "assume", "atomic", "print"}, t.text) {
		p.word = t.text
	}
	if t.kind != tName {
		if p.is("{") {
			s.kind = sBlock
			p.body(s, "")
			return
		}
		p.simple(s)
		return
	}
	switch t.text {
	case "var", "let":
		p.next()
		s.kind, s.fixed = sVar, t.text == "let"
		name := p.ident("the name of a variable")
		s.name, s.nameAt = name.text, name.pos
		p.habitDeclaration(name)
		if !p.is("=") {
			if p.peek().kind == tSep || p.peek().kind == tEOF {
				p.fail(p.peek(), "write var "+s.name+" int, or var "+s.name+" int = 0", "expected a type or a value for %s", s.name)
			}
			s.typ = p.typ()
		}
		if p.accept("=") {
			s.value = p.expr()
		} else if s.fixed {
			p.fail(p.peek(), "", "let needs a value: let %s = ...", s.name)
		}
	case "if":
		if p.peekAt(1).kind == tSep && p.punct(2, ":") {
			p.passHeader()
			p.fail(t, "write if condition { } else { }, or choose { } or { } for a choice", "%s begins no statement of the language", "if ::")
		}
		p.next()
		s.kind = sIf
		s.cond = p.expr()
		p.body(s, "after the condition of if")
		if p.acceptBelow("else") {
			if p.is("if") {
				s.orelse = []*stmt{p.stmt()}
			} else {
				p.word = "else"
				s.orelse = p.block("after else")
			}
		}
	case "else":
		p.fail(t, "", "else without if")
	case "while":
		p.next()
		s.kind = sWhile
		s.cond = p.expr()
		p.body(s, "after the condition of while")
	case "for":
		p.habitFor()
		p.next()
		name := p.ident("the name of the loop variable")
		s.name, s.nameAt, s.fixed = name.text, name.pos, true
		p.expect("in", "after the loop variable")
		s.kind = sForEach
		s.value = p.expr()
		if p.accept("..") {
			s.kind = sForRange
			s.to = p.expr()
		}
		p.body(s, "after the range of for")
	case "break", "continue", "return", "skip", "yield":
		p.next()
		s.kind = map[string]stmtKind{"break": sBreak, "continue": sContinue, "return": sReturn, "skip": sSkip, "yield": sYield}[t.text]
		if t.text == "return" && p.peek().kind != tSep && p.peek().kind != tEOF && !p.is("}") {
			s.value = p.expr()
		}
	case "atomic":
		p.next()
		s.kind = sAtomic
		p.body(s, "after atomic")
	case "await", "assume":
		p.next()
		s.kind = map[string]stmtKind{"await": sAwait, "assume": sAssume}[t.text]
		s.cond = p.expr()
	case "assert":
		p.next()
		s.kind = sAssert
		s.cond = p.expr()
		if p.accept(",") {
			m := p.next()
			if m.kind != tText {
				p.word = ""
				p.fail(m, "", "expected a message in double quotes, found %s", m)
			}
			s.text = m.text
		}
	case "lock", "unlock":
		p.next()
		s.kind = map[string]stmtKind{"lock": sLock, "unlock": sUnlock}[t.text]
		s.place = p.unary()
	case "print":
		p.next()
		s.kind = sPrint
		s.value = p.expr()
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

// contextual parses the statements whose first word is a name elsewhere. It reports whether it was one.
func (p *parser) contextual(s *stmt, t token) bool {
	follows := p.peekAt(1)
	word, brace := follows.kind == tName, follows.kind == tPunct && follows.text == "{"
	switch {
	case t.text == "with" && word && follows.text == "lock", t.text == "once" && word:
		p.next()
		s.kind = sOnce
		if t.text == "with" {
			p.next()
			s.kind = sWith
		}
		s.place = p.unary()
		p.body(s, "after what is "+map[stmtKind]string{sWith: "locked", sOnce: "done once"}[s.kind])
	case t.text == "op" && word && p.operation(s):
	case t.text == "join" && word:
		p.next()
		s.kind = sJoin
		s.place = p.unary()
	case t.text == "send" && word:
		p.next()
		s.kind = sSend
		s.place = p.unary()
		p.expect(",", "after the channel: send c, value")
		s.value = p.expr()
	case t.text == "choose" && brace:
		p.next()
		s.kind, s.headerEnd = sChoose, p.lastEnd()
		before := p.count()
		for {
			c := &choice{pos: p.peek().pos}
			c.body = p.block("in choose { } or { }")
			c.end = p.lastEnd()
			s.cases = append(s.cases, c)
			if !p.acceptBelow("or") {
				break
			}
		}
		if len(s.cases) < 2 && p.count() == before {
			p.fail(t, "write choose { } or { }", "a choice of one")
		}
	case t.text == "select" && brace:
		p.next()
		s.kind, s.headerEnd = sSelect, p.lastEnd()
		p.selectCases(s)
	case t.text == "receive" && brace:
		p.next()
		s.kind, s.headerEnd = sReceive, p.lastEnd()
		p.receiveCases(s)
	case t.text == "receive" && word:
		p.fail(follows, "write receive { case m { } }", "expected { after receive, found %s", follows)
	default:
		return false
	}
	return true
}

// operation parses op f(args) { } and op r = f(args) { }. It reports whether it was one, and not the call of a procedure.
func (p *parser) operation(s *stmt) bool {
	start := p.i
	p.next()
	var result *expr
	if p.peekAt(1).kind == tPunct && p.peekAt(1).text == "=" {
		name := p.ident("the variable for the result")
		result = p.node(eName, name.pos)
		result.name = name.text
		p.next()
	}
	if !p.punct(1, "(") {
		if result != nil {
			p.fail(p.peek(), "", "expected an operation: op %s = f(x) { }", result.name)
		}
		p.i = start
		return false
	}
	call := p.operationCall()
	if !p.is("{") {
		if result != nil {
			p.fail(p.peek(), "write "+result.name+" = op "+call.name+"(...) to call a procedure", "expected { after the operation, found %s", p.peek())
		}
		p.i = start
		return false
	}
	s.kind, s.place, s.value = sOp, result, call
	p.body(s, "after the operation")
	return true
}

// operationCall parses f(args).
func (p *parser) operationCall() *expr {
	name := p.ident("the name of an operation")
	e := p.node(eCall, name.pos, p.args()...)
	e.name = name.text
	return e
}

// receiveCases parses { case m if c { } case m { } after { } }, where after may be after any.
func (p *parser) receiveCases(s *stmt) {
	open := p.expect("{", "after receive")
	for {
		for p.peek().kind == tSep {
			p.next()
		}
		if p.accept("}") {
			break
		}
		t := p.next()
		c := &choice{pos: t.pos}
		switch {
		case t.kind == tName && t.text == "after":
			c.after, c.anytime = true, p.accept("any")
		case t.kind == tName && t.text == "case":
			if !p.is("{") {
				name := p.ident("the name of a message")
				c.name, c.nameAt = name.text, name.pos
			}
			if p.accept("if") {
				c.cond = p.expr()
			}
		case t.kind == tEOF:
			p.fail(open, "", "this { is not closed")
		default:
			p.fail(t, "", "expected case or after, found %s", t)
		}
		c.end = p.lastEnd()
		p.word = "case"
		c.body = p.block("after the " + t.text)
		s.cases = append(s.cases, c)
	}
}

// isMail reports whether a statement begins with a place, a ! and a message. A message to an actor, o!m(args), is not meant: one
// to a thread that looks like it is told apart when types are known.
func (p *parser) isMail() bool {
	k := p.past(1)
	if !p.punct(k, "!") {
		return false
	}
	k++
	if p.punct(k, "!") { // o!!m() unwraps a reference
		k++
		return p.peekAt(k).kind == tName && !p.punct(k+1, "(")
	}
	switch t := p.peekAt(k); t.kind {
	case tInt:
		return true
	case tName:
		return (!isKeyword(t.text) || slices.Contains([]string{"true", "false", "null", "self", "await"}, t.text)) && !p.punct(k+1, "(")
	case tPunct:
		if t.text == "[" { // not an element of what is unwrapped, which goes on
			k = p.past(k)
			return !p.punct(k, "!") && !p.punct(k, ".")
		}
		return t.text == "{" || t.text == "(" || t.text == "-"
	}
	return false
}

func (p *parser) punct(k int, text string) bool {
	return p.peekAt(k).kind == tPunct && p.peekAt(k).text == text
}

// past is the place behind indices in brackets.
func (p *parser) past(k int) int {
	depth := 0
	for ; ; k++ {
		switch {
		case p.peekAt(k).kind == tEOF:
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
func (p *parser) mail(s *stmt) {
	s.kind = sMail
	name := p.ident("the name of a thread")
	s.place = p.node(eName, name.pos)
	s.place.name = name.text
	for p.accept("[") {
		index := p.expr()
		p.expect("]", "after the index")
		s.place = p.node(eIndex, name.pos, s.place, index)
	}
	p.expect("!", "before the message")
	s.value = p.expr()
}

// selectCases parses { case send c, v { } case let v = recv c { } default { } }.
func (p *parser) selectCases(s *stmt) {
	open := p.expect("{", "after select")
	for {
		for p.peek().kind == tSep {
			p.next()
		}
		if p.accept("}") {
			break
		}
		t := p.next()
		c := &choice{pos: t.pos}
		switch {
		case t.kind == tName && t.text == "default":
		case t.kind == tName && t.text == "case":
			c.comm = &stmt{pos: p.peek().pos}
			p.bare(c.comm)
			c.comm.end = p.lastEnd()
			c.comm.headerEnd = c.comm.end
		case t.kind == tEOF:
			p.fail(open, "", "this { is not closed")
		default:
			hint := ""
			if t.text == "else" {
				hint = "write default"
			}
			p.fail(t, hint, "expected case or default, found %s", t)
		}
		c.end = p.lastEnd()
		p.word = "case"
		c.body = p.block("after the case")
		s.cases = append(s.cases, c)
	}
}

// simple parses an assignment or a call.
func (p *parser) simple(s *stmt) {
	e := p.expr()
	t := p.peek()
	if t.kind == tPunct {
		switch t.text {
		case "=", "+=", "-=", "*=", "/=", "%=":
			p.next()
			p.word = "="
			s.kind, s.place, s.op = sAssign, e, strings.TrimSuffix(t.text, "=")
			s.value = p.expr()
			return
		case "++", "--":
			p.next()
			s.kind, s.place, s.op = sAssign, e, t.text[:1]
			s.value = p.node(eInt, t.pos)
			s.value.value = 1
			return
		}
	}
	s.kind, s.value = sExpr, e
	if e.kind == eUnary && e.name == "trylock" {
		return
	}
	if !slices.Contains([]exprKind{eCall, eMethod, eRecv, eSpawn, eNew, eSend}, e.kind) {
		hint := p.uselessHint(e)
		for left := e; len(left.args) > 0; left = left.args[0] {
			if left.kind == eSend {
				hint = "put a message that only begins with a call into parentheses: t!(f(x) + 1)"
			}
		}
		p.report(e.pos, e.end, hint, "this expression does nothing")
		panic(bailout{})
	}
}

func (p *parser) node(kind exprKind, pos step.Pos, args ...*expr) *expr {
	e := &expr{kind: kind, pos: pos, end: p.lastEnd(), args: args, depth: 1}
	for _, a := range args {
		if a != nil {
			e.depth = max(e.depth, a.depth+1)
		}
	}
	if e.depth > maxDepth {
		p.fail(p.peek(), "", "the expression is too long")
	}
	return e
}

// Binary operators, weakest first. The conditional operator is weaker still.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) expr() *expr {
	p.enter()
	defer p.leave()
	e := p.binary(0)
	if !p.accept("?") {
		return e
	}
	a := p.expr()
	if t := p.peek(); !p.is(":") {
		p.fail(t, "a value that depends is condition ? a : b; to receive from a channel write x = recv c", "expected %s %s, found %s", ":", "between the two values of ?:", t)
	}
	p.expect(":", "between the two values of ?:")
	b := p.expr()
	return p.node(eCond, e.pos, e, a, b)
}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	e := p.binary(level + 1)
	for {
		t := p.peek()
		if !(t.kind == tPunct || t.kind == tName) || !slices.Contains(levels[level], t.text) {
			if t.kind == tPunct && level == 0 && (t.text == "&" || t.text == "|") {
				p.fail(t, "write "+t.text+t.text, "%s is not an operator of the language", t.text)
			}
			return e
		}
		p.next()
		right := p.binary(level + 1)
		if t.text == "in" {
			if t := p.peek(); !p.is("..") {
				p.fail(t, "write x in lo..hi, xs.has(x) for a set, or xs.contains(x) for a list or an array", "expected %s %s, found %s", "..", "in a test for a range", t)
			}
			p.next()
			e = p.node(eIn, e.pos, e, right, p.binary(level+1))
			continue
		}
		e = p.node(eBinary, e.pos, e, right)
		e.name = t.text
	}
}

func (p *parser) unary() *expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	if !p.is("-") && !p.is("!") && !p.is("trylock") {
		return p.postfix()
	}
	p.next()
	if t.text == "-" && p.peek().kind == tInt {
		// A negative literal; only here may it be -9223372036854775808.
		n := p.next()
		e := p.node(eInt, t.pos)
		if n.value > 1<<63 {
			p.fail(n, "", "-%s is too small", n.text)
		}
		e.value = -int64(n.value)
		if p.is(".") || p.is("[") {
			p.fail(p.peek(), "", "a number has no parts")
		}
		return e
	}
	e := p.node(eUnary, t.pos, p.unary())
	e.name = t.text
	return e
}

func (p *parser) postfix() *expr {
	e := p.primary()
	for {
		switch {
		case p.accept("["):
			var lo, hi *expr
			if !p.is(":") {
				lo = p.expr()
			}
			if !p.accept(":") {
				p.expect("]", "after the index")
				e = p.node(eIndex, e.pos, e, lo)
				break
			}
			if !p.is("]") {
				hi = p.expr()
			}
			p.expect("]", "after the bounds")
			e = p.node(eSlice, e.pos, e, lo, hi)
		case p.accept("."):
			name := p.next()
			if name.kind != tName {
				hint := ""
				if name.kind == tInt {
					hint = "numbers are integers"
				}
				p.fail(name, hint, "expected a name after the point, found %s", name)
			}
			if p.is("(") {
				args := append([]*expr{e}, p.args()...)
				e = p.node(eMethod, e.pos, args...)
			} else {
				e = p.node(eField, e.pos, e)
			}
			e.name, e.nameAt = name.text, name.pos
		case p.is("!"):
			p.next()
			if n := p.peek(); n.kind == tName && !isKeyword(n.text) {
				e = p.message(e)
				break
			}
			e = p.node(eUnwrap, e.pos, e)
		default:
			return e
		}
	}
}

func (p *parser) args() []*expr {
	p.expect("(", "")
	var args []*expr
	for !p.is(")") {
		a := p.expr()
		if p.accept("..") {
			a = p.node(eRange, a.pos, a, p.expr())
		}
		args = append(args, a)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the arguments")
	return args
}

// bigNumber as the name of an eInt says that it is a value of uint64 which no int can have.
const bigNumber = "uint64"

func (p *parser) primary() *expr {
	t := p.peek()
	switch t.kind {
	case tInt:
		p.next()
		e := p.node(eInt, t.pos)
		e.value = int64(t.value)
		if t.value >= 1<<63 {
			e.name = bigNumber
		}
		return e
	case tText:
		hint := "for data use an enum"
		if p.word == "print" || foreignFunctions[p.toks[max(0, p.i-2)].text] == "write print x" {
			hint = "write print x: the trace shows the expression with its value"
		} else if p.word == "assert" {
			hint = "write assert condition, \"message\""
		}
		p.fail(t, hint, "strings are only messages, not values")
	case tPunct:
		switch t.text {
		case "(":
			p.next()
			e := p.expr()
			if c := p.peek(); p.is(",") && p.word == "assert" {
				p.fail(c, "write assert condition, \"message\", without parentheses around both", "expected %s %s, found %s", ")", "to match (", c)
			}
			p.expect(")", "to match (")
			return e
		case "[":
			p.next()
			var args []*expr
			for !p.is("]") {
				args = append(args, p.expr())
				if !p.accept(",") {
					break
				}
			}
			p.expect("]", "after the elements")
			return p.node(eList, t.pos, args...)
		case "{":
			return p.record(t.pos, "")
		}
	case tName:
		switch t.text {
		case "true", "false":
			p.next()
			e := p.node(eBool, t.pos)
			if t.text == "true" {
				e.value = 1
			}
			return e
		case "null":
			p.next()
			return p.node(eNull, t.pos)
		}
		if t.text == "await" {
			p.next()
			return p.node(eAwait, t.pos, p.unary())
		}
		if isKeyword(t.text) && t.text != "self" {
			break
		}
		p.habitNot(t)
		p.next()
		if t.text == "recv" && p.peek().kind == tName && !isKeyword(p.peek().text) {
			return p.node(eRecv, t.pos, p.unary())
		}
		if (t.text == "spawn" || t.text == "new") && p.peek().kind == tName && !isKeyword(p.peek().text) {
			return p.creation(t)
		}
		if t.text == "op" && p.peek().kind == tName && (!isKeyword(p.peek().text) || p.is("self")) {
			e := p.postfix()
			if e.kind != eCall && e.kind != eMethod || e.op {
				p.report(e.pos, e.end, "write op push(1)", "op is followed by the call of a procedure")
				panic(bailout{})
			}
			e.op = true
			return e
		}
		if p.is("(") {
			args := p.args()
			e := p.node(eCall, t.pos, args...)
			e.name = t.text
			return e
		}
		if p.is("{") && p.typeNames[t.text] {
			return p.record(t.pos, t.text)
		}
		e := p.node(eName, t.pos)
		e.name = t.text
		return e
	}
	p.fail(t, "", "expected an expression, found %s", t)
	return nil
}

// creation parses spawn t(args) and new A(args) after the first word.
func (p *parser) creation(t token) *expr {
	name := p.next()
	if !p.is("(") {
		p.fail(name, "write "+t.text+" "+name.text+"()", "expected ( after %s %s", t.text, name.text)
	}
	kind := map[string]exprKind{"spawn": eSpawn, "new": eNew}[t.text]
	e := p.node(kind, t.pos, p.args()...)
	e.name, e.nameAt = name.text, name.pos
	return e
}

// message parses m(args) after the ! of o!m(args).
func (p *parser) message(to *expr) *expr {
	name := p.next()
	if !p.is("(") {
		p.fail(p.peek(), "", "expected ( after the message %s", name.text)
	}
	e := p.node(eSend, to.pos, append([]*expr{to}, p.args()...)...)
	e.name, e.nameAt = name.text, name.pos
	return e
}

// record parses {key: value, ...}: a record, or a map.
func (p *parser) record(pos step.Pos, typ string) *expr {
	p.enter()
	defer p.leave()
	lines := func() {
		for p.peek().kind == tSep && p.peek().text == "\n" {
			p.next()
		}
	}
	p.expect("{", "")
	var keys, args []*expr
	for lines(); !p.is("}"); lines() {
		keys = append(keys, p.expr())
		p.expect(":", "after the key: {key: value}")
		args = append(args, p.expr())
		lines()
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the values")
	e := p.node(eRecord, pos, args...)
	e.keys, e.name = keys, typ
	return e
}

var laterTypes = map[string]bool{"ref": true, "string": true}

// typeWords begin types with brackets.
var typeWords = map[string]string{"array": "array[N] T", "list": "list[T, capacity]", "queue": "queue[T, capacity]",
	"enum": "enum [a, b]", "set": "set[T, capacity]", "bag": "bag[T, capacity]", "map": "map[K, V, capacity]",
	"chan": "chan[T, capacity], or chan[T] for a rendezvous", "record": "record {a T, b U}",
	"fut": "fut[T], or fut[] for a method without a result",
	"sem": "sem(n), with the initial count", "barrier": "barrier(n), with the number of threads"}

// plainTypes are the types of the language without parameters.
var plainTypes = []string{"int", "bool", "mutex", "rwlock", "cond", "once", "waitgroup", "tid",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}

func isTypeWord(name string) bool {
	return typeWords[name] != "" || slices.Contains(plainTypes, name) || laterTypes[name]
}

func (p *parser) typ() *typeExpr {
	p.enter()
	defer p.leave()
	t := p.peek()
	ty := &typeExpr{pos: t.pos, depth: 1}
	bracket := t.kind == tName && p.peekAt(1).kind == tPunct && p.peekAt(1).text == "["
	switch {
	case t.kind == tName && laterTypes[t.text]:
		p.fail(t, p.typeHint(), "type %s: not supported yet", t.text)
	case t.kind == tName && foreignTypes[t.text] != "" && (isKeyword(t.text) || bracket || p.punct(1, "(")),
		t.kind == tName && slices.Contains(plainTypes, t.text) && (bracket || p.punct(1, "(") && t.text != "cond"), t.kind == tPunct && t.text == "[":
		p.foreignType()
	case t.kind == tName && t.text == "enum" && bracket:
		p.next()
		p.next()
		ty.kind = tyEnum
		for known := map[string]bool{}; !p.is("]"); {
			m := p.ident("a member of the enum")
			if known[m.text] {
				p.fail(m, "", "%s is twice in the enum", m.text)
			}
			known[m.text] = true
			ty.names = append(ty.names, m.text)
			if !p.accept(",") {
				break
			}
		}
		p.expect("]", "after the members")
		if len(ty.names) == 0 {
			p.fail(t, "", "an enum needs members")
		}
	case t.kind == tName && t.text == "array" && bracket:
		p.next()
		p.next()
		ty.kind = tyArray
		ty.size = p.expr()
		p.expect("]", "after the length")
		ty.elem = p.typ()
		return p.closeType(ty) // the ? of array[N] T? belongs to T
	case t.kind == tName && t.text == "record" && p.peekAt(1).kind == tPunct && p.peekAt(1).text == "{":
		p.recordType(ty)
	case t.kind == tName && t.text == "chan" && bracket:
		p.next()
		p.next()
		ty.kind = tyChan
		ty.elem = p.typ()
		if p.accept(",") {
			ty.size = p.expr()
		}
		p.expect("]", "after the capacity")
	case t.kind == tName && t.text == "fut" && bracket:
		p.next()
		p.next()
		ty.kind = tyFuture
		if !p.is("]") {
			ty.elem = p.typ()
		}
		p.expect("]", "after the type of the result")
	case t.kind == tName && (t.text == "sem" || t.text == "barrier" || t.text == "cond") && p.peekAt(1).kind == tPunct && p.peekAt(1).text == "(":
		p.next()
		p.next()
		ty.kind, ty.name = tySync, t.text
		if t.text == "cond" {
			if w := p.next(); w.text != "spurious" {
				p.fail(w, "", "a cond is cond, or cond(spurious) when it may wake up by itself")
			}
			ty.spurious = true
		} else {
			ty.size = p.expr()
		}
		p.expect(")", "after the number")
	case t.kind == tName && slices.Contains([]string{"list", "queue", "set", "bag", "map"}, t.text) && bracket:
		p.next()
		p.next()
		ty.kind = map[string]typeKind{"list": tyList, "queue": tyQueue, "set": tySet, "bag": tyBag, "map": tyMap}[t.text]
		ty.elem = p.typ()
		if ty.kind == tyMap {
			p.expect(",", "after the type of the keys")
			ty.key, ty.elem = ty.elem, p.typ()
		}
		if !p.accept(",") {
			p.fail(p.peek(), "write "+typeWords[t.text], "a %s needs a capacity", t.text)
		}
		ty.size = p.expr()
		p.expect("]", "after the capacity")
	case t.kind == tName && typeWords[t.text] != "":
		open := "["
		switch t.text {
		case "record":
			open = "{"
		case "sem", "barrier":
			open = "("
		}
		p.fail(t, "write "+typeWords[t.text], "expected %s after %s", open, t.text)
	case p.is("("):
		p.next()
		inner := p.typ()
		p.expect(")", "to match (")
		*ty = *inner
		ty.pos = t.pos
	case t.kind == tName && !p.rangeFollows():
		name := p.ident("a type")
		ty.kind, ty.name = tyNamed, name.text
		for p.accept("|") {
			if ty.kind = tyUnion; ty.names == nil {
				ty.names = []string{name.text}
			}
			ty.names = append(ty.names, p.ident("the name of a class").text)
		}
	case t.kind == tName || t.kind == tInt || p.is("-"):
		ty.kind = tyRange
		ty.lo = p.binary(3)
		if end := p.peek().kind; end == tEOF || end == tSep {
			p.fail(t, "write the type, and the value behind =: int = "+t.text, "expected a type, found %s", t)
		}
		p.expect("..", "in a range type: lo..hi")
		ty.hi = p.binary(3)
	case p.is(":"):
		p.fail(t, "write the type without the colon: n int", "expected a type, found %s", t)
	default:
		p.fail(t, "", "expected a type, found %s", t)
	}
	p.closeType(ty)
	for p.is("?") {
		p.next()
		ty = p.closeType(&typeExpr{kind: tyOption, pos: ty.pos, elem: ty})
	}
	return ty
}

// recordType parses record {a T, b U}; fields may also stand on lines of their own.
func (p *parser) recordType(ty *typeExpr) {
	t := p.next()
	p.next()
	ty.kind = tyRecord
	for {
		for p.peek().kind == tSep || p.is(",") {
			p.next()
		}
		if p.accept("}") {
			break
		}
		name := p.ident("the name of a field")
		for _, f := range ty.fields {
			if f.name == name.text {
				p.fail(name, "", "%s is twice in the record", name.text)
			}
		}
		f := fieldExpr{name.text, name.pos, p.typ()}
		ty.fields = append(ty.fields, f)
		ty.depth = max(ty.depth, f.typ.depth+1)
	}
	if len(ty.fields) == 0 {
		p.fail(t, "", "a record needs fields")
	}
}

// rangeFollows tells LO..HI and N-1..N from a type name.
func (p *parser) rangeFollows() bool {
	n := p.peekAt(1)
	return n.kind == tPunct && slices.Contains([]string{"..", "+", "-", "*", "/", "%"}, n.text)
}

func (p *parser) closeType(ty *typeExpr) *typeExpr {
	ty.end = p.lastEnd()
	for _, part := range []*typeExpr{ty.elem, ty.key} {
		if part != nil {
			ty.depth = max(ty.depth, part.depth+1)
		}
	}
	if ty.depth > maxDepth {
		p.fail(p.peek(), "", "the type is nested too deeply")
	}
	return ty
}

// head is a name with parameters in parentheses, or without any.
func (r *reporter) head(k *yaml.Node, what string) (name string, params []fieldExpr, ok bool) {
	code, ok := r.code(k, "the head of "+what)
	if !ok {
		return "", nil, false
	}
	if !strings.Contains(k.Value, "(") {
		return k.Value, nil, r.declared(k, what)
	}
	name, params, result, ok := parseSignature(r, code)
	if ok && result != nil {
		r.at(k, "", "a class has no result")
	}
	return name, params, ok
}
