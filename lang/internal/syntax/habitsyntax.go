package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cdpor/lang/step"
)

// The syntax of other languages: statements, operators and characters that mean nothing here, see habits.go.

// habitNot reports not c, at whose first word the parser stands.
func habitNot(p *parser, t Token) {
	if after := p.peekAt(1); t.Text == "not" && after.Kind == TName && foreignOperators[after.Text] == "" {
		p.fail(t, "write !", "%s is not an operator of the language", t.Text)
	}
}

// habitStatement reports a statement of another language, at whose first token the parser stands. A statement that
// could be one of this language is left alone: an assignment, a call, a message, a label.
func habitStatement(p *parser) {
	t, after := p.peek(), p.peekAt(1)
	if after.Kind == tPunct && after.Text != "{" && after.Text != "-" && after.Text != ":" {
		if after.Text != "(" || !p.punct(p.pastParens(1), "{") {
			return
		}
	}
	hint := ForeignWords[t.Text]
	if word := strings.ToLower(t.Text); word != t.Text && IsKeyword(word) {
		hint = "write " + word
	}
	switch {
	case t.Text == "with":
		hint = "write with lock m { }"
	case t.Text == "wait" && after.Kind == TName && after.Text == "until", hint != "":
	case after.Kind == TName && !IsKeyword(after.Text) && (IsTypeWord(t.Text) || foreignTypes[t.Text] != ""):
		hint = declarationHint(t.Text, after.Text)
	default:
		return
	}
	p.passHeader()
	p.fail(t, hint, "%s begins no statement of the language", t.Text)
}

// declared are the names that a statement declares which was not understood, so that their uses are not reported.
func declared(p *parser, start int) []*Stmt {
	t, name := p.toks[start], p.toks[min(start+1, len(p.toks)-1)]
	switch {
	case name.Kind == tPunct && name.Text == ":" && t.Kind == TName: // n := 1
		name = t
	case t.Text == "let" && name.Text == "mut":
		name = p.toks[min(start+2, len(p.toks)-1)]
	case t.Text == "var", t.Text == "let", t.Kind == TName && ForeignWords[t.Text] != "",
		IsTypeWord(t.Text), foreignTypes[t.Text] != "":
	default:
		return nil
	}
	if name.Kind != TName || IsKeyword(name.Text) {
		return nil
	}
	return []*Stmt{{Kind: SVar, Pos: t.Pos, End: name.End, HeaderEnd: name.End, Name: name.Text, NameAt: name.Pos}}
}

// habitLabel reports n := 1, where the parser stands at what looks like a label.
func habitLabel(p *parser) {
	name, colon, equals := p.peek(), p.peekAt(1), p.peekAt(2)
	if equals.Kind == tPunct && equals.Text == "=" && equals.Pos == colon.End {
		colon.End = equals.End
		n := name.Text
		hint := fmt.Sprintf("write let %s = value, var %[1]s = value if it changes, or %[1]s = value if it is declared",
			n)
		p.fail(colon, hint,
			"%s is not an operator of the language", ":=")
	}
}

// habitDeclaration reports let mut n and var n: int behind the name.
func habitDeclaration(p *parser, name Token) {
	switch next := p.peek(); {
	case name.Text == "mut" && next.Kind == TName:
		p.fail(name, "write var "+next.Text+" = value", "%s begins no statement of the language", "let mut")
	case p.is(":"):
		p.fail(next, "write var "+name.Text+" TYPE = value", "a declaration without the :")
	}
}

// uselessHint says what may be meant by an expression that stands alone.
func uselessHint(p *parser, e *Expr) string {
	t := p.peek()
	switch {
	case e.Kind == EBinary && e.Name == "==":
		a, b := p.File.Between(e.Args[0].Pos, e.Args[0].End), p.File.Between(e.Args[1].Pos, e.Args[1].End)
		return fmt.Sprintf("write %s = %s to assign, await %[1]s == %[2]s to wait for it,"+
			" assert %[1]s == %[2]s to check it", a, b)
	case e.Kind == EBinary || e.Kind == EUnary:
		return "write x = ... to keep the value, await ... to wait for a condition, assert ... to check it"
	case p.is(":") && p.first.Kind == TName && p.punct(1, "="):
		return "write let v = recv c"
	case p.is(","):
		return "assign one variable at a time; swap(x, y) exchanges two"
	case t.Kind == tPunct && t.Text == "<-":
		return "write send c, value for a channel, and x = value for a variable"
	case e.Kind == EName && e.Name == "choose":
		return "write x = any(lo..hi) for a value, choose { } or { } for statements"
	case e.Kind == EName && p.is("{") && e.Name == "spawn":
		return spawned
	case e.Kind == EName && e.Name == "timeout":
		return "there is no time: " + noTimeout
	case e.Kind == EName && e.Name == "call" && t.Kind == TName:
		return "write " + t.Text + "() without call"
	case e.Kind == EName && (t.Kind == TSep || t.Kind == TEOF):
		return "write " + e.Name + "() to call a procedure"
	case p.is("{") && e.Kind == EName:
		return "write with lock m { } for a lock m; other blocks begin with if, while, for, atomic, choose or select"
	}
	return ""
}

// habitExpected is the hint where the parser expects a sign and stands at another one.
func habitExpected(p *parser, text string) string {
	switch t := p.peek(); {
	case t.Kind == TSep || t.Kind == TEOF:
	case text == ")" && t.Text == ":":
		return "write R(1, 2), or name the fields: R{a: 1, b: 2}"
	case text == ")" && p.i > 0 && (p.toks[p.i-1].Text == "chan" || p.toks[p.i-1].Text == "map"): // make(chan T)
		return madeShared
	case text == "]" && t.Text == "..":
		return "write xs[lo:hi] for the part from lo to hi - 1"
	case text == ":" && (t.Text == "," || t.Text == "}"):
		return "write a record as R(1, 2), a list or a set as [1, 2]"
	}
	return ""
}

// habitEnd is the hint for what stands behind a statement.
func habitEnd(p *parser, s *Stmt) string {
	t := p.peek()
	switch {
	case s.Kind == SAwait && p.is("{"):
		return "await has no block: write the statements behind it, in atomic { } with it for one step"
	case p.is("{") && p.first.Text == "trylock":
		return "write if trylock m { }"
	case s.Kind == SAssign && s.Value.Kind == EName && s.Value.Name == "receive":
		return "write recv c"
	case s.Kind == SAssign && (p.is(",") || t.Kind == TName && ForeignWords[t.Text] == ""):
		habit(p, t) // which may know better
		return "write one statement after the other, with ; between them"
	}
	return ""
}

// foreignType reports a type of another language.
func foreignType(p *parser) {
	t := p.peek()
	hint := p.typeHint()
	for depth := 0; ; { // to the end of the type
		n := p.next()
		switch {
		case n.Text == "[" || n.Text == "(":
			depth++
		case n.Text == "]" || n.Text == ")":
			depth--
		}
		next := p.peek()
		inside := depth > 0 || p.is("[") || p.is("(") || t.Text == "[" && n.Text == "]"
		if next.Kind == TEOF || next.Kind == TSep || !inside {
			break
		}
	}
	t.End = p.lastEnd()
	p.fail(t, hint, "unknown type %s", p.File.Between(t.Pos, t.End))
}

// lookalikes are characters from word processors and mathematics with what to write instead.
var lookalikes = map[rune]string{
	'−': "-", '–': "-", '—': "-", '≤': "<=", '≥': ">=", '≠': "!=", '∧': "&&", '∨': "||", '¬': "!", '×': "*",
	'÷': "/", '…': "..",
	'“': doubleQuotes, '”': doubleQuotes, '‘': doubleQuotes,
	'’': doubleQuotes}

// backslashes are operators of TLA+ that are words behind a backslash.
var backslashes = map[string]string{
	"A": forElements, "E": forElements, "in": "write x in lo..hi, or xs.has(x) for a set", "union": "write xs.add(v)",
	"notin": "write !(x in lo..hi), or !xs.has(x) for a set", "cup": "write xs.add(v)", "div": "write x / y",
	"land": "write &&", "lor": "write ||", "lnot": "write !", "neg": "write !", "leq": "write <=", "geq": "write >=",
}

const forElements = "write xs.all(v, condition) or xs.any(v, condition) for a condition about elements"

// habitCharacters reports characters that other languages use, and how many of them there are; as stands for them,
// unless it is TEOF.
func habitCharacters(r *Reporter, l codeLine, text []rune, i int) (n int, as Token) {
	at := func(k int) step.Pos { return step.Pos{Line: l.line, Col: l.col + k} }
	two := string(text[i:min(i+2, len(text))])
	switch c := text[i]; {
	case two == `/\` || two == `\/`:
		as = Token{Kind: tPunct, Text: map[string]string{`/\`: "&&", `\/`: "||"}[two], Pos: at(i), End: at(i + 2)}
		r.Report(as.Pos, as.End, "write "+as.Text, "%s is not an operator of the language", two)
		return 2, as
	case two == "~>":
		r.Report(at(i), at(i+2), "write "+temporalKeys[two]+" in the section check",
			"%s is not an operator of the language", two)
		return len(text) - i, Token{Kind: TEOF}
	case c == '\\' && i+1 < len(text) && unicode.IsLetter(text[i+1]):
		for n = 1; i+n < len(text) && unicode.IsLetter(text[i+n]); n++ {
		}
		word := string(text[i : i+n])
		r.Report(at(i), at(i+n), backslashes[word[1:]], "%s is not an operator of the language", word)
		return len(text) - i, Token{Kind: TEOF}
	case c == '\'' && i > 0 && (unicode.IsLetter(text[i-1]) || unicode.IsDigit(text[i-1])):
		r.Report(at(i), at(i+1), "write x = value: what stands on the right is the value before; under transition "+
			"old(x) is the value before, and x the one after", "%s is not an operator of the language", "'")
		return 1, Token{Kind: TEOF}
	case c == '\'':
		for n = 1; i+n < len(text) && text[i+n] != '\''; n++ {
		}
		n = min(n+1, len(text)-i)
		r.Report(at(i), at(i+n), "write a message in double quotes", "unexpected character %q", c)
		return n, Token{Kind: tText, Pos: at(i), End: at(i + n)}
	case lookalikes[c] != "":
		r.Report(at(i), at(i+1), "write "+lookalikes[c], "unexpected character %q", c)
		if c == '“' || c == '‘' {
			for n = 1; i+n < len(text) && text[i+n] != '”' && text[i+n] != '’'; n++ {
			}
			return min(n+1, len(text)-i), Token{Kind: tText, Pos: at(i), End: at(i + n)}
		}
		return 1, Token{Kind: tPunct, Text: lookalikes[c], Pos: at(i), End: at(i + 1)}
	case c == '^' || c == '~':
		hint := "there are no operators on bits"
		if c == '~' {
			hint = "write !x for not; " + hint
		}
		r.Report(at(i), at(i+1), hint, "%s is not an operator of the language", string(c))
		return 1, Token{Kind: TEOF}
	}
	return 0, as
}

func declarationHint(typ, name string) string {
	isNumber := strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint")
	if slices.Contains(PlainTypes, typ) && (typ == "bool" || isNumber) {
		return fmt.Sprintf("write var %s %s, or let %s = value if it does not change", name, typ, name)
	}
	if to := foreignTypes[typ]; to == "int" || to == "bool" {
		return fmt.Sprintf("write var %s %s, or let %s = value if it does not change", name, to, name)
	}
	return fmt.Sprintf("declare it in the section shared: %s: %s", name, cmp.Or(foreignTypes[typ], typeForms[typ], typ))
}

// habitFor reports the loops of C and Go, at whose word for the parser stands.
func habitFor(p *parser) {
	first, k := p.peekAt(1), 2
	foreign := p.punct(1, "(") || p.punct(1, "{")
	for _, sign := range []string{":", "=", ",", "<"} {
		foreign = foreign || p.punct(k, sign)
	}
	if !foreign {
		return
	}
	p.passHeader()
	p.fail(first, "write for i in lo..hi { }, where both ends belong to it, or for x in xs { }; "+
		"else while condition { }",
		"a for loop of another language")
}

// habit reports what another language is known for, where the parser expects something else than t. It returns if
// there is nothing to say.
func habit(p *parser, t Token) {
	before := p.tokenBefore(1)
	habitTemporal(p, t)
	habitPrefix(p, t, before)
	if t.Kind == tPunct && before.Kind == tPunct && before.End == t.Pos {
		from, sign := before, before.Text+t.Text
		first := p.tokenBefore(2)
		if first.Kind == tPunct && first.End == before.Pos && foreignOperators[first.Text+sign] != "" {
			from, sign = first, first.Text+sign
		}
		if hint := foreignOperators[sign]; hint != "" {
			from.End = t.End
			p.fail(from, hint, "%s is not an operator of the language", sign)
		}
	}
	if next := p.peekAt(1); t.Kind == tPunct && p.peek().Pos == t.Pos && next.Kind == tPunct && next.Pos == t.End {
		sign := t.Text + next.Text
		if hint := cmp.Or(comparisons[sign], foreignOperators[sign]); hint != "" {
			t.End = next.End
			p.fail(t, hint, "%s is not an operator of the language", sign)
		}
	}
	habitInStatement(p, t, before)
	switch {
	case t.Text == ":" && t.Kind == tPunct && p.peek().Pos == t.Pos && p.punct(1, "=") && p.peekAt(1).Pos == t.End:
		t.End = p.peekAt(1).End
		p.passHeader()
		p.fail(t, "declare it in a statement before this one: let n = value",
			"%s is not an operator of the language", ":=")
	case t.Kind == TName && foreignOperators[t.Text] != "":
		p.fail(t, foreignOperators[t.Text], "%s is not an operator of the language", t.Text)
	case t.Text == "=" && t.Kind == tPunct && p.word == "=":
		p.fail(t, "write == to compare, or assign one after the other",
			"= assigns, and here stands an expression: == compares")
	case t.Text == "=" && t.Kind == tPunct && p.word != "" && p.word != "print" && p.word != "case":
		p.fail(t, "write ==", "= assigns, and here stands an expression: == compares")
	case t.Text == "<-" && t.Kind == tPunct:
		p.fail(t, "write send c, value and recv c for channels, x = value for variables",
			"%s is not an operator of the language", t.Text)
	case t.Text == "--" && t.Kind == tPunct:
		p.fail(t, "write x-- as a statement of its own, or x - 1; a comment begins with //",
			"%s is not an operator of the language", t.Text)
	case t.Text == "++" && t.Kind == tPunct:
		p.fail(t, "write x++ as a statement of its own, or x + 1", "%s is not an operator of the language", t.Text)
	case (t.Text == "elif" || t.Text == "elseif" || t.Text == "elsif") && t.Kind == TName:
		p.fail(t, "write else if", "%s begins no statement of the language", t.Text)
	case atBlock(p, t) && t.Kind == TSep && p.punct(1, "{"):
		p.next()
		p.fail(t, "put the { here", "a block stands in braces, and this is %s", t)
	case atBlock(p, t):
		head := strings.Replace(p.word+" ...", "atomic ...", "atomic", 1)
		p.fail(t, "write "+head+" { }, with braces around what belongs to it",
			"a block stands in braces, and this is %s", t)
	case t.Text == "if" && t.Kind == TName && (p.word == "" || p.word == "="):
		p.fail(t, "write condition ? a : b", "%s is not an operator of the language", t.Text)
	}
}

// prefixes are words that stand before a value elsewhere.
var prefixes = map[string]string{
	"forall": forElements, "exists": forElements, "all": forElements, "len": "write xs.size()",
	"sizeof": "write xs.size()", "typeof": "values have the type of their declaration",
}

const noPointers = "there are no pointers: write the variable itself"

// habitPrefix reports casts, pointers, words of other languages before a value, and operations in a condition, where
// the parser expects something else than t.
func habitPrefix(p *parser, t, before Token) {
	begins := t.Kind == TName && !IsKeyword(t.Text) || t.Kind == tInt || t.Kind == tPunct && t.Text == "("
	typ, open := p.tokenBefore(2), p.tokenBefore(3)
	isType := typ.Kind == TName && (IsTypeWord(typ.Text) || foreignTypes[typ.Text] != "" || p.TypeNames[typ.Text])
	switch call := p.tokenBefore(2); {
	case begins && isType && before.Text == ")" && open.Text == "(":
		open.End = before.End
		p.fail(open, castHint(typ.Text), "%s is not an operator of the language", "("+typ.Text+")")
	case t.Kind == tPunct && (t.Text == "&" || t.Text == "*" && before.Text != "/") &&
		p.punct(0, t.Text) && p.peekAt(1).Kind == TName:
		hint := noPointers
		if before.Text == "(" && ForeignFunction(call.Text) != "" {
			p.fail(call, ForeignFunction(call.Text), "unknown function %s", call.Text)
		}
		p.fail(t, hint, "%s is not an operator of the language", t.Text)
	case begins && before.Kind == TName && prefixes[before.Text] != "":
		p.fail(before, prefixes[before.Text], "%s is not an operator of the language", before.Text)
	case p.key != "" && t.Text == "assert" && t.Kind == TName:
		p.fail(t, "write the condition alone", "expected an expression, found %s", t)
	case t.Kind == TName && p.word != "" && (t.Text == "lock" || t.Text == "unlock"):
		m := p.peekAt(1).Text
		hint := "write trylock " + m + ", which says whether it was free"
		if p.word == "await" && t.Text == "lock" {
			hint = fmt.Sprintf("write await ..., and lock %s behind it; for one step write "+
				"atomic { await ... && %[1]s.free(); let took = trylock %[1]s }", m)
		} else if t.Text == "unlock" {
			hint = "write unlock " + m + " as a statement of its own"
		}
		p.fail(t, hint, "expected an expression, found %s", t)
	case joinsStatements(p, t, before):
		p.fail(t, "write one statement after the other, with ; between them", "unexpected %s", t)
	}
}

// joinsStatements reports whether a token stands behind a whole statement, where another one is to follow in the same
// breath: lock a && lock b.
func joinsStatements(p *parser, t, before Token) bool {
	if t.Kind == TName && (t.Text == "lock" || t.Text == "unlock") && before.Kind == tPunct {
		return p.first.Kind == TName
	}
	if !slices.Contains([]string{"&&", "||", ",", "&", "and", "or"}, t.Text) || t.Kind == tText {
		return false
	}
	return slices.Contains([]string{"lock", "unlock", "send", "join"}, p.first.Text) && t.Text != "," ||
		p.word == "=" && t.Text == "," && p.statementFollows(1)
}

// castHint says how the language converts to a type of a cast.
func castHint(typ string) string {
	switch to := cmp.Or(foreignTypes[typ], typ); {
	case to == "bool":
		return "write x != 0"
	case to == "int" || strings.HasPrefix(to, "int") || strings.HasPrefix(to, "uint"):
		return "write " + to + "(x): a conversion is a call of the type"
	}
	return "write the value without it: values are converted by int(x), uint8(x) and the like only"
}

// comparisons are how other languages write <=, >= and !=.
var comparisons = map[string]string{
	"=>": "write >= to compare, and !a || b for a implies b; a condition about elements is xs.any(v, condition)",
	"=<": "write <=", "=!": "write !="}

// incomplete are statements with what they need.
var incomplete = map[string]string{
	"lock": "lock m", "unlock": "unlock m", "await": "await condition", "assert": "assert condition",
	"assume": "assume condition", "join": "join h",
	"print": "print x"}

// habitInStatement reports what is known of a kind of statement, where the parser expects something else than t.
func habitInStatement(p *parser, t, before Token) {
	word := p.first.Text
	hint := ""
	switch {
	case p.first.Kind != TName:
	case t.Text == "," && (word == "var" || word == "let"):
		hint = "declare one variable at a time"
	case t.Text == "," && word == "print":
		hint = "print one value at a time"
	case word == "await" && t.Text == "," && p.peekAt(1).Kind == TName && !slices.Contains(limits, p.peekAt(1).Text):
		hint = "write await a && b for both, a || b for one of them"
	case word == "await" && (t.Text == "," || t.Kind == TName && slices.Contains(limits, t.Text) ||
		t.Text == "or" && slices.Contains(limits, p.peekAt(1).Text)):
		hint = "there is no time: await has no limit; " + noTimeout
	case t.Text == "," && word == "lock":
		hint = "lock one after the other: lock a; lock b"
	case t.Text == "," && word == "unlock":
		hint = "unlock one after the other: unlock a; unlock b"
	case t.Text == "," && word == "with":
		hint = "write with lock a { with lock b { } }"
	case word == "assert" && (t.Kind == tText || t.Text == ":" && t.Kind == tPunct):
		hint = "write assert condition, \"message\""
	case t.Text == "." && word == "atomic":
		hint = "write fetch_add(x, n), cas(x, old, new) or swap(x, value); x = value is one step already"
	case t.Text == "/=" && p.word != "":
		hint = "write !="
	case t.Text == "{" && word == "lock":
		hint = "write with lock m { }"
	case before.Text == "any" && before.Kind == TName:
		hint = "write any(lo..hi) or any(xs)"
	case t.Text == "(" && slices.Contains([]string{"skip", "yield", "break", "continue"}, before.Text),
		t.Text == ")" && word == "return":
		hint = "write " + word + " alone"
	case (t.Kind == TSep || t.Kind == TEOF) && before.Pos == p.first.Pos && incomplete[word] != "":
		p.fail(t, "write "+incomplete[word], "expected an expression, found %s", t)
	}
	goesOn := slices.Contains([]string{"+", "*", "/", "%", "&&", "||", ".", "?"}, t.Text)
	if p.first.Kind == tPunct && t.Pos == p.first.Pos && before.Kind == TSep && before.Text == "\n" && goesOn {
		hint = "a statement goes on behind an operator at the end of a line, or in parentheses"
	}
	if hint != "" {
		p.fail(t, hint, "unexpected %s", t)
	}
}

// atBlock reports whether a token stands where the block of if, while, for or else begins.
func atBlock(p *parser, t Token) bool {
	if t.Text == "(" && p.word == "atomic" {
		return true
	}
	return slices.Contains([]string{"if", "while", "for", "else", "atomic", "case"}, p.word) &&
		(t.Text == ":" && t.Kind == tPunct || t.Kind == TName && !IsKeyword(t.Text) || t.Kind == TSep)
}

// limits are words that give a wait an end elsewhere.
var limits = []string{"timeout", "for", "within", "until", "before", "after"}

const noTimeout = "default { } is for when nothing is ready, choose { } or { } for what may happen at any time"

// doubleQuotes is for quotes that look better.
const doubleQuotes = `a message in "double quotes"`
