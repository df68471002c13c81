package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cdpor/lang/step"
)

// An Edit does what a hint says: it puts a text in the place of another, or in between where Pos and End are the same.
// Messages have one only where the hint names a single cure.
type Edit struct {
	Pos, End step.Pos
	Text     string
}

// edit attaches an edit to the message that was reported last.
func (r *reporter) edit(pos, end step.Pos, text string) {
	last := (*r.list)[len(*r.list)-1]
	if last.Edit == nil {
		last.Edit = &Edit{pos, end, text}
	}
}

// replaceable are the messages that mark a word or sign for which the hint names another one: write &&.
var replaceable = []string{"%s is not an operator of the language", "= assigns, and here stands an expression: == compares",
	"unexpected character %q", "unknown name %s", "unknown type %s", "%s begins no statement of the language"}

// ambiguous are signs that may be one or two: x =- 1.
var ambiguous = []string{"=+", "=-", "=!"}

var sign = pattern(`^[-+*/%<>=!&|]+$`)

// editOf is the edit for a message whose hint names a word or sign instead of the marked one; nil if there is none.
func (r *reporter) editOf(pos, end step.Pos, hint, format string, args []any) *Edit {
	if name, asks := strings.CutPrefix(hint, "did you mean "); asks {
		word, name := r.file.word(pos), strings.TrimSuffix(name, "?")
		if word == "" || !plainName(name) || !slices.Contains(args, any(word)) {
			return nil
		}
		return &Edit{pos, behind(pos, word), name}
	}
	text, writes := strings.CutPrefix(hint, "write ")
	isWord := isKeyword(text) || slices.Contains(plainTypes, text) || text == "else if"
	if !writes || !slices.Contains(replaceable, format) || !isWord && !sign().MatchString(text) {
		return nil
	}
	marked := r.file.between(pos, end)
	if marked == "" || strings.Contains(marked, " ") || slices.Contains(ambiguous, marked) {
		return nil
	}
	return &Edit{pos, end, text}
}

// behind is the place behind a word.
func behind(at step.Pos, word string) step.Pos {
	return step.Pos{Line: at.Line, Col: at.Col + utf8.RuneCountInString(word)}
}

var (
	prefixForm = pattern(`^write (lock|unlock|join|trylock|recv|send) [a-z](, value)?$`)
	methodForm = pattern(`^write (?:[a-z]\.)?([a-z]+)\((v?)\)$`)
)

// editMethod attaches an edit to the message about a method of another language that was just reported: m.lock() becomes
// lock m, and xs.len() becomes xs.size().
func (r *reporter) editMethod(e *expr, hint string) {
	if e.pos.Line != e.end.Line {
		return
	}
	args := e.args[1:]
	if m := methodForm().FindStringSubmatch(hint); m != nil && len(m[2]) == len(args) {
		r.edit(e.nameAt, behind(e.nameAt, e.name), m[1])
	}
	m := prefixForm().FindStringSubmatch(hint)
	if m == nil {
		return
	}
	text := func(a *expr) string { return string(r.file.runes(a.pos.Line, a.pos.Col)[:a.end.Col-a.pos.Col]) }
	receiver := text(e.args[0])
	switch {
	case m[2] == "" && len(args) == 0:
		r.edit(e.pos, e.end, m[1]+" "+receiver)
	case m[2] != "" && len(args) == 1:
		r.edit(e.pos, e.end, fmt.Sprintf("%s %s, %s", m[1], receiver, text(args[0])))
	}
}

// editUndeclared attaches an edit to the message about an assignment without a declaration: var count = 1.
func (r *reporter) editUndeclared(s *stmt) {
	var uses func(e *expr) bool
	uses = func(e *expr) bool {
		return e != nil && (e.name == s.place.name || slices.ContainsFunc(slices.Concat(e.args, e.keys), uses))
	}
	if s.op == "" && s.value != nil && !uses(s.value) {
		r.edit(s.place.pos, s.place.pos, "var ")
	}
}

var letBefore = pattern(`\blet +$`)

// editLet attaches an edit to the message about an assignment to what let declares: var in the declaration.
func (r *reporter) editLet(declared step.Pos) {
	if declared == (step.Pos{}) {
		return
	}
	line := []rune(r.file.line(declared.Line))
	before := string(line[:min(declared.Col-1, len(line))])
	if found := letBefore().FindStringIndex(before); found != nil {
		at := step.Pos{Line: declared.Line, Col: utf8.RuneCountInString(before[:found[0]]) + 1}
		r.edit(at, behind(at, "let"), "var")
	}
}
