package syntax

// maxDepth bounds the nesting of code, so that no input can exhaust the stack.
const maxDepth = 400

// bailout unwinds the parser to the statement whose error has been reported; it never leaves this file.
type bailout struct{}

type parser struct {
	*Reporter
	cursor
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

func (p *parser) fail(t Token, hint, format string, args ...any) {
	if !p.bad[t.Pos.Line] {
		if hint == "" {
			habit(p, t)
		}
		p.Report(t.Pos, t.End, hint, format, args...)
	}
	panic(bailout{})
}

func (p *parser) expect(text, where string) Token {
	if !p.is(text) {
		p.fail(p.peek(), habitExpected(p, text), "expected %s %s, found %s", text, where, p.peek())
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
