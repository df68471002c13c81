package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cdpor/lang/step"
)

// edit attaches an edit to the message that was reported last.
func (r *Reporter) edit(pos, end step.Pos, text string) {
	last := (*r.list)[len(*r.list)-1]
	if last.Edit == nil {
		last.Edit = &Edit{pos, end, text}
	}
}

// replaceable are the messages that mark a word or sign for which the hint names another one: write &&.
var replaceable = []string{"%s is not an operator of the language",
	"= assigns, and here stands an expression: == compares",
	"unexpected character %q", "unknown name %s", "unknown type %s", "%s begins no statement of the language"}

// ambiguous are signs that may be one or two: x =- 1.
var ambiguous = []string{"=+", "=-", "=!"}

var sign = pattern(`^[-+*/%<>=!&|]+$`)

// editOf is the edit for a message whose hint names a word or sign instead of the marked one; nil if there is none.
func (r *Reporter) editOf(pos, end step.Pos, hint, format string, args []any) *Edit {
	if name, asks := strings.CutPrefix(hint, "did you mean "); asks {
		word, name := r.File.Word(pos), strings.TrimSuffix(name, "?")
		if word == "" || !PlainName(name) || !slices.Contains(args, any(word)) {
			return nil
		}
		return &Edit{pos, behind(pos, word), name}
	}
	text, writes := strings.CutPrefix(hint, "write ")
	isWord := IsKeyword(text) || slices.Contains(PlainTypes, text) || text == "else if"
	if !writes || !slices.Contains(replaceable, format) || !isWord && !sign().MatchString(text) {
		return nil
	}
	marked := r.File.Between(pos, end)
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

// EditMethod attaches an edit to the message about a method of another language that was just reported: m.lock()
// becomes lock m, and xs.len() becomes xs.size().
func (r *Reporter) EditMethod(e *Expr, hint string) {
	if e.Pos.Line != e.End.Line {
		return
	}
	args := e.Args[1:]
	if m := methodForm().FindStringSubmatch(hint); m != nil && len(m[2]) == len(args) {
		r.edit(e.NameAt, behind(e.NameAt, e.Name), m[1])
	}
	m := prefixForm().FindStringSubmatch(hint)
	if m == nil {
		return
	}
	text := func(a *Expr) string { return string(r.File.Runes(a.Pos.Line, a.Pos.Col)[:a.End.Col-a.Pos.Col]) }
	receiver := text(e.Args[0])
	switch {
	case m[2] == "" && len(args) == 0:
		r.edit(e.Pos, e.End, m[1]+" "+receiver)
	case m[2] != "" && len(args) == 1:
		r.edit(e.Pos, e.End, fmt.Sprintf("%s %s, %s", m[1], receiver, text(args[0])))
	}
}

// EditUndeclared attaches an edit to the message about an assignment without a declaration: var count = 1.
func (r *Reporter) EditUndeclared(s *Stmt) {
	var uses func(e *Expr) bool
	uses = func(e *Expr) bool {
		return e != nil && (e.Name == s.Place.Name || slices.ContainsFunc(slices.Concat(e.Args, e.Keys), uses))
	}
	if s.Op == "" && s.Value != nil && !uses(s.Value) {
		r.edit(s.Place.Pos, s.Place.Pos, "var ")
	}
}

var letBefore = pattern(`\blet +$`)

// EditLet attaches an edit to the message about an assignment to what let declares: var in the declaration.
func (r *Reporter) EditLet(declared step.Pos) {
	if declared == (step.Pos{}) {
		return
	}
	line := []rune(r.File.Line(declared.Line))
	before := string(line[:min(declared.Col-1, len(line))])
	if found := letBefore().FindStringIndex(before); found != nil {
		at := step.Pos{Line: declared.Line, Col: utf8.RuneCountInString(before[:found[0]]) + 1}
		r.edit(at, behind(at, "let"), "var")
	}
}
