package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// Habits: what people write who come from Go, C, Python, Java, Rust, Promela or PlusCal. None of it means anything in the language, so
// what is here only words messages: each names the cure, and what belongs to the mistake is passed over, so that it is reported once.

// foreignWords begin a statement elsewhere.
var foreignWords = map[string]string{
	"elif": "write else if", "elseif": "write else if", "elsif": "write else if",
	"go": "threads stand in the section threads; one that is started later is spawned: spawn t()", "async": "threads stand in the section threads; one that is started later is spawned: spawn t()",
	"fork": "threads stand in the section threads; one that is started later is spawned: spawn t()", "run": "threads stand in the section threads; one that is started later is spawned: spawn t()",
	"func": inSections, "def": inSections, "fn": inSections, "function": inSections, "proc": inSections, "procedure": inSections, "void": inSections, "inline": inSections,
	"const": "write let NAME = value", "auto": "write let NAME = value, or var if it changes", "local": "write let NAME = value, or var if it changes",
	"pass": "write skip", "nop": "write skip", "noop": "write skip",
	"do": "write while condition { }, and choose { } or { } for a choice", "loop": "write while true { }", "forever": "write while true { }", "repeat": "write while true { } with break",
	"foreach": "write for x in xs { }", "until": "write while !condition { }, or await condition",
	"switch": "write if { } else if { } else { }", "match": "write if { } else if { } else { }", "either": "write choose { } or { }",
	"synchronized": "write with lock m { }", "wait": "write await condition", "when": "write await condition", "goto": "write a loop with break and continue",
	"print_int": "write print x", "echo": "write print x", "try": faults, "throw": faults, "raise": faults, "panic": faults, "defer": "write with lock m { }, which unlocks at its end",
	"end": "blocks end with }", "endif": "blocks end with }", "done": "blocks end with }", "od": "blocks end with }", "fi": "blocks end with }", "begin": "blocks begin with {",
}

// typeForms are types with what stands in their parentheses.
var typeForms = map[string]string{"sem": "sem(n)", "barrier": "barrier(n)", "chan": "chan[T, n]"}

const (
	inSections = "functions stand in the section functions; code that touches shared data in procedures"
	faults     = "there are no exceptions; say with assert what must hold"
)

// foreignTypes begin a declaration elsewhere, or are names for types.
var foreignTypes = map[string]string{
	"integer": "int", "Int": "int", "Integer": "int", "long": "int", "short": "int16", "byte": "uint8", "char": "uint8", "unsigned": "uint32", "bit": "0..1",
	"i32": "int32", "i64": "int64", "u8": "uint8", "u32": "uint32", "u64": "uint64", "usize": "int", "nat": "0..N", "Nat": "0..N",
	"boolean": "bool", "Boolean": "bool", "Bool": "bool", "float": "int", "double": "int", "real": "int", "string": "enum [a, b]", "str": "enum [a, b]", "String": "enum [a, b]",
	"lock": "mutex", "Lock": "mutex", "Mutex": "mutex", "semaphore": "sem(n)", "Semaphore": "sem(n)", "channel": "chan[T, n]", "Channel": "chan[T, n]",
	"condition": "cond", "Condition": "cond", "struct": "record {a int, b bool}", "tuple": "record {a int, b bool}", "vector": "list[T, n]", "slice": "list[T, n]",
	"dict": "map[K, V, n]", "seq": "list[T, n]", "deque": "queue[T, n]", "fifo": "queue[T, n]",
}

// foreignNames are values elsewhere.
var foreignNames = map[string]string{
	"nil": "null", "None": "null", "NULL": "null", "Null": "null", "nullptr": "null", "undefined": "null", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
	"this": "self", "pid": "self", "_pid": "self", "id": "self", "tid": "self", "me": "self",
}

// foreignFunctions are functions elsewhere.
var foreignFunctions = map[string]string{
	"len": "write xs.size()", "length": "write xs.size()", "size": "write xs.size()", "range": "write for i in 0..n-1: both ends belong to lo..hi",
	"sleep": "there is no time: every order of steps is explored", "usleep": "there is no time: every order of steps is explored",
	"printf": "write print x", "println": "write print x", "puts": "write print x", "not": "write !", "rand": "write any(lo..hi): every value is explored",
	"random": "write any(lo..hi): every value is explored", "join": "write join h", "notify": "write c.signal()", "signal": "write c.signal()", "wait": "write await condition, or c.wait(m)",
	"append": "write xs.append(v)", "make": "declare the variable with its type: it has a value from the start", "CAS": "write cas(x, old, new)", "compare_and_swap": "write cas(x, old, new)",
	"recv": "write recv c", "receive": "write recv c", "send": "write send c, value", "close": "write c.close()", "self": "write self", "exit": "write return", "acquire": "write lock m, or s.acquire() for a sem", "release": "write unlock m, or s.release() for a sem",
}

// foreignMethods are methods elsewhere, by what has them: mutex, chan, cond, sem, another primitive, a counted value, or an int.
var foreignMethods = map[string]map[string]string{
	"mutex": {"lock": "write lock m", "unlock": "write unlock m", "acquire": "write lock m", "release": "write unlock m", "trylock": "write trylock m", "try_lock": "write trylock m",
		"Lock": "write lock m", "Unlock": "write unlock m", "wait": "a cond waits: c.wait(m)"},
	"chan": {"send": "write send c, value", "recv": "write recv c", "receive": "write recv c", "put": "write send c, value", "get": "write recv c", "push": "write send c, value", "pop": "write recv c"},
	"cond": {"notify": "write c.signal()", "notify_one": "write c.signal()", "notify_all": "write c.broadcast()", "notifyAll": "write c.broadcast()"},
	"sem":  {"wait": "write s.acquire()", "signal": "write s.release()", "P": "write s.acquire()", "V": "write s.release()", "post": "write s.release()", "down": "write s.acquire()", "up": "write s.release()"},
	"int": {"cas": "write cas(x, old, new)", "compare_exchange": "write cas(x, old, new)", "fetch_add": "write fetch_add(x, n)", "swap": "write swap(x, value)",
		"load": "write x", "store": "write x = value", "get": "write x", "set": "write x = value"},
	"list":  {"push": "a queue has push, a list has append", "add": "write append(v)", "len": "write size()", "length": "write size()", "is_empty": "write empty()", "isEmpty": "write empty()"},
	"queue": {"append": "a queue has push, a list has append", "add": "write push(v)", "put": "write push(v)", "get": "write pop()", "enqueue": "write push(v)", "dequeue": "write pop()", "len": "write size()", "length": "write size()"},
	"tid":   {"join": "write join h", "wait": "write join h"},
}

// foreignKeys are keys of program files, by the map that they stand in.
var foreignKeys = map[string]map[string]string{
	"a program": {"variables": "shared", "vars": "shared", "var": "shared", "globals": "shared", "global": "shared", "state": "shared", "init": "shared", "constants": "params", "const": "params",
		"parameters": "params", "processes": "threads", "process": "threads", "procs": "threads", "thread": "threads", "invariants": "invariant", "properties": "check", "property": "check"},
	"a thread": {"body": "run", "code": "run", "do": "run", "program": "run", "steps": "run", "instances": "count", "replicas": "count", "n": "count", "times": "count"},
	"check":    {"always_any": "always", "invariant": "always", "invariants": "always", "assert": "final", "eventually": "reachable", "end": "final", "never": "unreachable", "forbidden": "unreachable"},
}

// underCheck are keys of check that people write at the left margin.
var underCheck = []string{"final", "final_any", "reachable", "unreachable", "outcomes", "always", "transition", "deadlock", "assert"}

// habitKey is the hint for a key that is not known in a map; declares says that it was to declare names.
func habitKey(key, what string) (hint string, declares bool) {
	if k := foreignKeys[what][key]; k != "" {
		return "write " + k, k == "shared" || k == "params"
	}
	if what == "a program" && slices.Contains(underCheck, key) {
		return fmt.Sprintf("what must hold stands in the section check: check: {%s: ...}", strings.Replace(key, "assert", "final", 1)), false
	}
	return "", false
}

// conditionHint is for a map where a condition is expected: {x: 1}.
func conditionHint(n *yaml.Node) string {
	if len(n.Content) != 2 || n.Content[1].Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf("write a condition as code: %s == %s", n.Content[0].Value, n.Content[1].Value)
}

// habitLocal is the hint for a name that only threads know, in a property.
func (x *elab) habitLocal(name string) string {
	s, is := x.scope.(propertyNames)
	if !is {
		return ""
	}
	for _, t := range s.prog.Templates {
		if localOf(t, name, nil) != nil {
			return fmt.Sprintf("write %s.%s for the variable of thread %s", t.Name, name, t.Name)
		}
	}
	return ""
}

// habitNot reports not c, at whose first word the parser stands.
func (p *parser) habitNot(t token) {
	if after := p.peekAt(1); t.text == "not" && after.kind == tName && foreignOperators[after.text] == "" {
		p.fail(t, "write !", "%s is not an operator of the language", t.text)
	}
}

// habitName is the hint for a name that is not known.
func habitName(name string) string {
	if v := foreignNames[name]; v != "" {
		return "write " + v
	}
	return ""
}

// habitStatement reports a statement of another language, at whose first token the parser stands. A statement that could be one of
// this language is left alone: an assignment, a call, a message, a label. It never returns true.
func (p *parser) habitStatement() bool {
	t, after := p.peek(), p.peekAt(1)
	if after.kind == tPunct && after.text != "{" && after.text != "-" && after.text != ":" {
		if after.text != "(" || !p.punct(p.pastParens(1), "{") {
			return false
		}
	}
	hint := foreignWords[t.text]
	if word := strings.ToLower(t.text); word != t.text && isKeyword(word) {
		hint = "write " + word
	}
	switch {
	case t.text == "with":
		hint = "write with lock m { }"
	case t.text == "wait" && after.kind == tName && after.text == "until", hint != "":
	case after.kind == tName && !isKeyword(after.text) && (isTypeWord(t.text) || foreignTypes[t.text] != ""):
		hint = p.declarationHint(t.text, after.text)
	default:
		return false
	}
	p.passHeader()
	p.fail(t, hint, "%s begins no statement of the language", t.text)
	return false
}

// elseIfs are words for else if.
var elseIfs = map[string]bool{"elif": true, "elseif": true, "elsif": true}

func (p *parser) isElse() bool {
	return p.is("else") || p.peek().kind == tName && elseIfs[p.peek().text]
}

// declared are the names that a statement declares which was not understood, so that their uses are not reported as well.
func (p *parser) declared(start int) []*stmt {
	t, name := p.toks[start], p.toks[min(start+1, len(p.toks)-1)]
	switch {
	case name.kind == tPunct && name.text == ":" && t.kind == tName: // n := 1
		name = t
	case t.text == "let" && name.text == "mut":
		name = p.toks[min(start+2, len(p.toks)-1)]
	case t.text == "var", t.text == "let", t.kind == tName && foreignWords[t.text] != "", isTypeWord(t.text), foreignTypes[t.text] != "":
	default:
		return nil
	}
	if name.kind != tName || isKeyword(name.text) {
		return nil
	}
	return []*stmt{{kind: sVar, pos: t.pos, end: name.end, headerEnd: name.end, name: name.text, nameAt: name.pos}}
}

// habitLabel reports n := 1, where the parser stands at what looks like a label.
func (p *parser) habitLabel() {
	name, colon, equals := p.peek(), p.peekAt(1), p.peekAt(2)
	if equals.kind == tPunct && equals.text == "=" && equals.pos == colon.end {
		colon.end = equals.end
		p.fail(colon, fmt.Sprintf("write let %s = value, var %s = value if it changes, or %s = value if it is declared", name.text, name.text, name.text),
			"%s is not an operator of the language", ":=")
	}
}

// habitDeclaration reports let mut n and var n: int behind the name.
func (p *parser) habitDeclaration(name token) {
	switch next := p.peek(); {
	case name.text == "mut" && next.kind == tName:
		p.fail(name, "write var "+next.text+" = value", "%s begins no statement of the language", "let mut")
	case p.is(":"):
		p.fail(next, "write var "+name.text+" TYPE = value", "a declaration without the :")
	}
}

// uselessHint says what may be meant by an expression that stands alone.
func (p *parser) uselessHint(e *expr) string {
	t := p.peek()
	switch {
	case e.kind == eBinary && e.name == "==":
		a, b := p.file.between(e.args[0].pos, e.args[0].end), p.file.between(e.args[1].pos, e.args[1].end)
		return fmt.Sprintf("write %s = %s to assign, await %s == %s to wait for it, assert %s == %s to check it", a, b, a, b, a, b)
	case e.kind == eBinary || e.kind == eUnary:
		return "write x = ... to keep the value, await ... to wait for a condition, assert ... to check it"
	case p.is(":") && p.first.kind == tName && p.punct(1, "="):
		return "write let v = recv c"
	case p.is(","):
		return "assign one variable at a time; swap(x, y) exchanges two"
	case t.kind == tPunct && t.text == "<-":
		return "write send c, value for a channel, and x = value for a variable"
	}
	return ""
}

// habitMethod is the hint for a method that a type does not have.
func habitMethod(t *step.Type, name string) string {
	of := t.Sync
	switch {
	case of != "":
	case t.Kind == step.Mutex:
		of = "mutex"
	case t.Ref == "tid":
		of = "tid"
	case t.Kind == step.List:
		of = "list"
	case t.Kind == step.Queue:
		of = "queue"
	case t.Kind <= step.Enum || t.Kind == step.Sized:
		of = "int"
	}
	return foreignMethods[of][name]
}

// foreignType reports a type of another language.
func (p *parser) foreignType() {
	t := p.peek()
	hint := p.typeHint()
	for depth := 0; ; { // to the end of the type
		n := p.next()
		switch {
		case n.text == "[" || n.text == "(":
			depth++
		case n.text == "]" || n.text == ")":
			depth--
		}
		next := p.peek()
		if next.kind == tEOF || next.kind == tSep || depth <= 0 && !p.is("[") && !p.is("(") && !(t.text == "[" && n.text == "]") {
			break
		}
	}
	t.end = p.lastEnd()
	p.fail(t, hint, "unknown type %s", p.file.between(t.pos, t.end))
}

// typeHint is what to write for a type of another language, at which the parser stands.
func (p *parser) typeHint() string {
	t, after := p.peek(), p.peekAt(1)
	size := p.peekAt(2).text
	switch to := foreignTypes[t.text]; {
	case t.text == "[":
		elem := p.peekAt(p.past(0)).text
		if elem == "" {
			elem = "int"
		}
		return fmt.Sprintf("write array[%s] %s, or list[%s, n] if the length varies", after.text, elem, elem)
	case after.kind == tPunct && after.text == "[" && to == "":
		return fmt.Sprintf("write array[%s] %s, or list[%s, n] if the length varies", size, t.text, t.text)
	case t.text == "waitgroup":
		return "write waitgroup: it counts from 0, and wg.add(n) adds to it"
	case after.kind == tPunct && after.text == "(" && to == "":
		return "write " + t.text + "; a range of integers is lo..hi"
	}
	return habitType(t.text)
}

// habitType is the hint for the name of a type of another language.
func habitType(name string) string {
	switch to := foreignTypes[name]; {
	case to == "":
		return ""
	case strings.HasPrefix(to, "sem"):
		return "write sem(n), with the initial count"
	case name == "float" || name == "double" || name == "real":
		return "write int: numbers are integers"
	default:
		return "write " + to
	}
}

// lookalikes are characters from word processors and mathematics with what to write instead.
var lookalikes = map[rune]string{'−': "-", '–': "-", '—': "-", '≤': "<=", '≥': ">=", '≠': "!=", '∧': "&&", '∨': "||", '¬': "!", '×': "*", '÷': "/", '…': "..",
	'“': `a message in "double quotes"`, '”': `a message in "double quotes"`, '‘': `a message in "double quotes"`, '’': `a message in "double quotes"`}

// habitCharacters reports characters that other languages use, and how many of them there are; as stands for them, unless it is
// tEOF.
func habitCharacters(r *reporter, l codeLine, text []rune, i int) (n int, as token) {
	at := func(k int) step.Pos { return step.Pos{Line: l.line, Col: l.col + k} }
	two := string(text[i:min(i+2, len(text))])
	switch c := text[i]; {
	case two == `/\` || two == `\/`:
		as = token{kind: tPunct, text: map[string]string{`/\`: "&&", `\/`: "||"}[two], pos: at(i), end: at(i + 2)}
		r.report(as.pos, as.end, "write "+as.text, "%s is not an operator of the language", two)
		return 2, as
	case c == '\'':
		for n = 1; i+n < len(text) && text[i+n] != '\''; n++ {
		}
		n = min(n+1, len(text)-i)
		r.report(at(i), at(i+n), "write a message in double quotes", "unexpected character %q", c)
		return n, token{kind: tText, pos: at(i), end: at(i + n)}
	case lookalikes[c] != "":
		r.report(at(i), at(i+1), "write "+lookalikes[c], "unexpected character %q", c)
		if c == '“' || c == '‘' {
			for n = 1; i+n < len(text) && text[i+n] != '”' && text[i+n] != '’'; n++ {
			}
			return min(n+1, len(text)-i), token{kind: tText, pos: at(i), end: at(i + n)}
		}
		return 1, token{kind: tPunct, text: lookalikes[c], pos: at(i), end: at(i + 1)}
	case c == '^' || c == '~':
		r.report(at(i), at(i+1), "there are no operators on bits", "%s is not an operator of the language", string(c))
		return 1, token{kind: tEOF}
	}
	return 0, as
}

func (p *parser) declarationHint(typ, name string) string {
	if typeWords[typ] == "" && slices.Contains(plainTypes, typ) && (typ == "int" || typ == "bool" || strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint")) {
		return fmt.Sprintf("write var %s %s, or let %s = value if it does not change", name, typ, name)
	}
	if to := foreignTypes[typ]; to == "int" || to == "bool" {
		return fmt.Sprintf("write var %s %s, or let %s = value if it does not change", name, to, name)
	}
	return fmt.Sprintf("declare it in the section shared: %s: %s", name, cmp.Or(foreignTypes[typ], typeForms[typ], typ))
}

// pastParens is the place behind the parentheses that begin k tokens ahead.
func (p *parser) pastParens(k int) int {
	for depth := 0; ; k++ {
		switch {
		case p.peekAt(k).kind == tEOF:
			return k
		case p.punct(k, "("):
			depth++
		case p.punct(k, ")"):
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
}

// passHeader goes on to the block of a statement that is not understood, or to the end of its line. Alternatives of Promela
// are passed over up to the od or fi.
func (p *parser) passHeader() {
	if p.peekAt(1).kind == tSep && p.punct(2, ":") && p.punct(3, ":") {
		end := "od"
		if p.peek().text == "if" {
			end = "fi"
		}
		for p.peek().kind != tEOF && !p.is(end) && !p.is("}") {
			p.next()
		}
		p.accept(end)
		return
	}
	line := p.peek().pos.Line
	for t := p.peek(); t.kind != tEOF && t.pos.Line == line && !(t.kind == tPunct && (t.text == "{" || t.text == "}")) && !(t.kind == tSep && t.text == "\n"); t = p.peek() {
		p.next()
	}
}

// habitFor reports the loops of C and Go, at whose word for the parser stands.
func (p *parser) habitFor() {
	first, k := p.peekAt(1), 2
	if first.text == "(" && first.kind == tPunct {
		k = 3
		if p.peekAt(2).kind == tName && isTypeWord(p.peekAt(2).text) {
			k = 4
		}
	}
	if p.punct(k, "in") || !(first.text == "(" && first.kind == tPunct || p.punct(k, ":") || p.punct(k, "=") || p.punct(k, ",") || p.punct(k, "<") || p.punct(1, "{") || p.punct(1, ";")) {
		return
	}
	p.passHeader()
	p.fail(first, "write for i in lo..hi { }, where both ends belong to it, or for x in xs { }; while condition { } for other loops",
		"a for loop of another language")
}

// foreignOperators are operators elsewhere.
var foreignOperators = map[string]string{"and": "write &&", "or": "write ||", "not": "write !", "mod": "write %", "div": "write /", "is": "write ==", "xor": "write !=",
	"**": "write x * x", "<>": "write !=", "===": "write ==", "<<": "multiply by a power of 2", ">>": "divide by a power of 2", "=+": "write +=", "=-": "write -=", "..=": "both ends belong to lo..hi",
	"..<": "both ends belong to lo..hi: write lo..hi-1", "...": "both ends belong to lo..hi", "/*": "a comment begins with // and ends with the line", "->": "write the type or the statement without it",
	"//": "write /"}

// habit reports what another language is known for, where the parser expects something else than t, and returns if there is
// nothing to say about it.
func (p *parser) habit(t token) {
	before := p.tokenBefore(1)
	if t.kind == tPunct && before.kind == tPunct && before.end == t.pos {
		from, sign := before, before.text+t.text
		if first := p.tokenBefore(2); first.kind == tPunct && first.end == before.pos && foreignOperators[first.text+sign] != "" {
			from, sign = first, first.text+sign
		}
		if hint := foreignOperators[sign]; hint != "" {
			from.end = t.end
			p.fail(from, hint, "%s is not an operator of the language", sign)
		}
	}
	if next := p.peekAt(1); t.kind == tPunct && p.peek().pos == t.pos && next.kind == tPunct && next.pos == t.end && comparisons[t.text+next.text] != "" {
		sign := t.text + next.text
		t.end = next.end
		p.fail(t, comparisons[sign], "%s is not an operator of the language", sign)
	}
	p.habitInStatement(t, before)
	switch {
	case t.text == ":" && t.kind == tPunct && p.peek().pos == t.pos && p.punct(1, "=") && p.peekAt(1).pos == t.end:
		t.end = p.peekAt(1).end
		p.passHeader()
		p.fail(t, "declare it in a statement before this one: let n = value", "%s is not an operator of the language", ":=")
	case t.kind == tName && foreignOperators[t.text] != "":
		p.fail(t, foreignOperators[t.text], "%s is not an operator of the language", t.text)
	case t.text == "=" && t.kind == tPunct && p.word == "=":
		p.fail(t, "write == to compare, or assign one after the other", "= assigns, and here stands an expression: == compares")
	case t.text == "=" && t.kind == tPunct && p.word != "" && p.word != "print" && p.word != "case":
		p.fail(t, "write ==", "= assigns, and here stands an expression: == compares")
	case t.text == "<-" && t.kind == tPunct:
		p.fail(t, "write send c, value and recv c for channels, x = value for variables", "%s is not an operator of the language", t.text)
	case t.text == "--" && t.kind == tPunct:
		p.fail(t, "write x-- as a statement of its own, or x - 1; a comment begins with //", "%s is not an operator of the language", t.text)
	case t.text == "++" && t.kind == tPunct:
		p.fail(t, "write x++ as a statement of its own, or x + 1", "%s is not an operator of the language", t.text)
	case (t.text == "elif" || t.text == "elseif" || t.text == "elsif") && t.kind == tName:
		p.fail(t, "write else if", "%s begins no statement of the language", t.text)
	case p.block1(t) && t.kind == tSep && p.punct(1, "{"):
		p.next()
		p.fail(t, "put the { here", "a block stands in braces, and this is %s", t)
	case p.block1(t):
		p.fail(t, strings.Replace("write "+p.word+" ... { }, with braces around what belongs to it", "atomic ...", "atomic", 1), "a block stands in braces, and this is %s", t)
	case t.text == "if" && t.kind == tName && (p.word == "" || p.word == "="):
		p.fail(t, "write condition ? a : b", "%s is not an operator of the language", t.text)
	}
}

// comparisons are how other languages write <=, >= and !=.
var comparisons = map[string]string{"=>": "write >= to compare; a condition about elements is xs.any(v, condition)", "=<": "write <=", "=!": "write !="}

// incomplete are statements with what they need.
var incomplete = map[string]string{"lock": "lock m", "unlock": "unlock m", "await": "await condition", "assert": "assert condition", "assume": "assume condition", "join": "join h",
	"print": "print x"}

// habitInStatement reports what is known of a kind of statement, where the parser expects something else than t.
func (p *parser) habitInStatement(t, before token) {
	word := p.first.text
	hint := ""
	switch {
	case p.first.kind != tName:
	case t.text == "," && (word == "var" || word == "let"):
		hint = "declare one variable at a time"
	case t.text == "," && word == "print":
		hint = "print one value at a time"
	case t.text == "," && word == "await":
		hint = "there is no time: await has no limit"
	case word == "assert" && (t.kind == tText || t.text == ":" && t.kind == tPunct):
		hint = "write assert condition, \"message\""
	case t.text == "/=" && p.word != "":
		hint = "write !="
	case t.text == "{" && word == "lock":
		hint = "write with lock m { }"
	case before.text == "any" && before.kind == tName:
		hint = "write any(lo..hi) or any(xs)"
	case t.text == "(" && slices.Contains([]string{"skip", "yield", "break", "continue"}, before.text), t.text == ")" && word == "return":
		hint = "write " + word + " alone"
	case (t.kind == tSep || t.kind == tEOF) && before.pos == p.first.pos && incomplete[word] != "":
		p.fail(t, "write "+incomplete[word], "expected an expression, found %s", t)
	}
	if p.first.kind == tPunct && t.pos == p.first.pos && before.kind == tSep && before.text == "\n" && slices.Contains([]string{"+", "*", "/", "%", "&&", "||", ".", "?"}, t.text) {
		hint = "a statement goes on behind an operator at the end of a line, or in parentheses"
	}
	if hint != "" {
		p.fail(t, hint, "unexpected %s", t)
	}
}

// block1 reports whether a token stands where the block of if, while, for or else begins.
func (p *parser) block1(t token) bool {
	if t.text == "(" && p.word == "atomic" {
		return true
	}
	return slices.Contains([]string{"if", "while", "for", "else", "atomic", "case"}, p.word) && (t.text == ":" && t.kind == tPunct || t.kind == tName && !isKeyword(t.text) || t.kind == tSep)
}

func (p *parser) tokenBefore(k int) token {
	if p.i < k {
		return token{}
	}
	return p.toks[p.i-k]
}

// decimals is the hint for a number that is not decimal.
func decimals(word string) string {
	if v, err := strconv.ParseUint(word, 0, 64); err == nil {
		return fmt.Sprintf("write %d", v)
	}
	return ""
}

// mapHint says how a map is written where something else stands.
func mapHint(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "write NAME: value for each, without - and [ ]"
	}
	if k := strings.IndexByte(n.Value, ':'); k > 0 && n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("write a blank behind the colon: %s: %s", n.Value[:k], n.Value[k+1:])
	}
	return ""
}

// otherFile reports a file of cdpor that is no program.
func (l *loader) otherFile(root *yaml.Node) bool {
	for _, kv := range l.entries(root, "a program") {
		switch kv[0].Value {
		case "cdpor-replay":
			l.at(kv[0], "cdpor replay "+l.prog.Path+" follows its schedule", "this is a replay file, not a program")
		case "cdpor-constraints":
			l.at(kv[0], "name the program, and give this file with --constraints", "this is a constraint file, not a program")
		default:
			continue
		}
		return true
	}
	return false
}

// habitValue is the hint for a value of one type where another is needed.
func habitValue(is, needed *step.Type) string {
	switch {
	case is.Kind == step.Option && fits(needed, is.Elem):
		return "write x! for its value, which must not be null then"
	case needed.Kind == step.Bool && is.Numeric():
		return "write true or false, or compare it: x != 0"
	case needed.Numeric() && is.Kind == step.Bool:
		return "write a number: x ? 1 : 0"
	}
	return ""
}
