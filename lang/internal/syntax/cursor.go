package syntax

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// A cursor stands at a token of code, and looks at those around it.
type cursor struct {
	toks []Token
	i    int
}

func (c *cursor) peek() Token { return c.toks[c.i] }

func (c *cursor) peekAt(k int) Token { return c.toks[min(c.i+k, len(c.toks)-1)] }

func (c *cursor) next() Token {
	t := c.toks[c.i]
	if t.Kind != TEOF {
		c.i++
	}
	return t
}

func (c *cursor) lastEnd() step.Pos {
	if c.i == 0 {
		return c.toks[0].Pos
	}
	return c.toks[c.i-1].End
}

func (c *cursor) tokenBefore(k int) Token {
	if c.i < k {
		return Token{}
	}
	return c.toks[c.i-k]
}

func (c *cursor) is(text string) bool {
	t := c.peek()
	return t.Text == text && (t.Kind == tPunct || t.Kind == TName)
}

func (c *cursor) punct(k int, text string) bool {
	return c.peekAt(k).Kind == tPunct && c.peekAt(k).Text == text
}

func (c *cursor) accept(text string) bool {
	if c.is(text) {
		c.next()
		return true
	}
	return false
}

// acceptBelow is accept for a word that goes on with a statement and may begin a line of its own.
func (c *cursor) acceptBelow(text string) bool {
	k := 0
	for c.peekAt(k).Kind == TSep && c.peekAt(k).Text == "\n" {
		k++
	}
	if t := c.peekAt(k); t.Kind != TName || t.Text != text {
		return false
	}
	if k > 0 && !IsKeyword(text) && !c.punct(k+1, "{") { // a name
		return false
	}
	c.i += k + 1
	return true
}

// past is the place behind indices in brackets.
func (c *cursor) past(k int) int {
	depth := 0
	for ; ; k++ {
		switch {
		case c.peekAt(k).Kind == TEOF:
			return k
		case c.punct(k, "["):
			depth++
		case depth == 0:
			return k
		case c.punct(k, "]"):
			depth--
		}
	}
}

// pastParens is the place behind the parentheses that begin k tokens ahead.
func (c *cursor) pastParens(k int) int {
	for depth := 0; ; k++ {
		switch {
		case c.peekAt(k).Kind == TEOF:
			return k
		case c.punct(k, "("):
			depth++
		case c.punct(k, ")"):
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
}

// passHeader goes on to the block of a statement that is not understood, or to the end of its line. Alternatives of
// Promela are passed over up to the od or fi.
func (c *cursor) passHeader() {
	if c.peekAt(1).Kind == TSep && c.punct(2, ":") && c.punct(3, ":") {
		end := "od"
		if c.peek().Text == "if" {
			end = "fi"
		}
		for c.peek().Kind != TEOF && !c.is(end) && !c.is("}") {
			c.next()
		}
		c.accept(end)
		return
	}
	line := c.peek().Pos.Line
	for t := c.peek(); t.Kind != TEOF && t.Pos.Line == line; t = c.peek() {
		if t.Kind == tPunct && (t.Text == "{" || t.Text == "}") || t.Kind == TSep && t.Text == "\n" {
			return
		}
		c.next()
	}
}

// skip goes on after an error to the end of the statement, past the braces it opens.
func (c *cursor) skip(start int) {
	depth := 0
	for _, t := range c.toks[start:c.i] {
		if t.Kind == tPunct && t.Text == "{" {
			depth++
		} else if t.Kind == tPunct && t.Text == "}" {
			depth--
		}
	}
	for {
		t := c.peek()
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
		c.next()
	}
}

// rangeFollows tells LO..HI and N-1..N from a type name.
func (c *cursor) rangeFollows() bool {
	n := c.peekAt(1)
	return n.Kind == tPunct && slices.Contains([]string{"..", "+", "-", "*", "/", "%"}, n.Text)
}

// receivesTwo reports whether the parser stands at the comma of v, ok = recv c.
func (c *cursor) receivesTwo() bool {
	for k := 1; c.is(",") && c.peekAt(k).Kind != TSep && c.peekAt(k).Kind != TEOF; k++ {
		if c.punct(k, "=") {
			return c.peekAt(k+1).Kind == TName && c.peekAt(k+1).Text == "recv"
		}
	}
	return false
}

// isMail reports whether a statement begins with a place, a ! and a message. A message to an actor, o!m(args), is not
// meant: one to a thread that looks like it is told apart when types are known.
func (c *cursor) isMail() bool {
	k := c.past(1)
	if !c.punct(k, "!") {
		return false
	}
	k++
	if c.punct(k, "!") { // o!!m() unwraps a reference
		k++
		return c.peekAt(k).Kind == TName && !c.punct(k+1, "(")
	}
	switch t := c.peekAt(k); t.Kind {
	case tInt:
		return true
	case TName:
		return (!IsKeyword(t.Text) || slices.Contains([]string{"true", "false", "null", "self", "await"}, t.Text)) &&
			!c.punct(k+1, "(")
	case tPunct:
		if t.Text == "[" { // not an element of what is unwrapped, which goes on
			k = c.past(k)
			return !c.punct(k, "!") && !c.punct(k, ".")
		}
		return t.Text == "{" || t.Text == "(" || t.Text == "-"
	}
	return false
}

// separators goes on behind the ends of statements, lines behind those of lines.
func (c *cursor) separators() {
	for c.peek().Kind == TSep {
		c.next()
	}
}

func (c *cursor) lines() {
	for c.peek().Kind == TSep && c.peek().Text == "\n" {
		c.next()
	}
}

func (c *cursor) isElse() bool {
	return c.is("else") || c.peek().Kind == TName && elseIfs[c.peek().Text]
}

// statementFollows reports whether an assignment begins some tokens ahead.
func (c *cursor) statementFollows(k int) bool {
	for ; c.peekAt(k).Kind != TSep && c.peekAt(k).Kind != TEOF; k++ {
		if c.punct(k, "=") {
			return true
		}
	}
	return false
}

// typeHint is the cure for a type of another language, at which the parser stands.
func (c *cursor) typeHint() string {
	t, after := c.peek(), c.peekAt(1)
	size := c.peekAt(2).Text
	switch to := foreignTypes[t.Text]; {
	case t.Text == "[":
		elem, n := c.peekAt(c.past(0)).Text, after.Text
		if elem == "" {
			elem = "int"
		}
		if n == "]" {
			n = "N"
		}
		return fmt.Sprintf("write array[%s] %s, or list[%s, n] if the length varies", n, elem, elem)
	case after.Kind == tPunct && after.Text == "[" && to == "":
		return fmt.Sprintf("write array[%s] %s, or list[%s, n] if the length varies", size, t.Text, t.Text)
	case t.Text == "waitgroup":
		return "write waitgroup: it counts from 0, and wg.add(n) adds to it"
	case after.Kind == tPunct && after.Text == "(" && to == "":
		return "write " + t.Text + "; a range of integers is lo..hi"
	}
	return HabitType(t.Text)
}

// leadsTo reports whether a condition says that something happens after something else: p -> <> q.
func (c *cursor) leadsTo() bool {
	implies, later := false, false
	for k, t := range c.toks {
		operator, _ := c.temporalAt(k)
		sign := t.Text + c.peekAt(k-c.i+1).Text
		implies = implies || sign == "->" || sign == "=>" || t.Text == "implies"
		later = later || operator == "<>"
	}
	return implies && later
}

// temporalAt is the operator that begins at a token, and the place of the token behind it; it is empty if there is
// none. The code is wrong, so that names of variables are rarely taken for operators.
func (c *cursor) temporalAt(k int) (operator string, end int) {
	at := func(k int) Token { return c.toks[max(0, min(k, len(c.toks)-1))] }
	t, next, before := at(k), at(k+1), at(k-1)
	ended := k > 0 && (before.Kind == TName || before.Kind == tPunct && strings.Contains(")]", before.Text))
	sign := ""
	if t.Kind == tPunct && next.Kind == tPunct && t.End == next.Pos {
		sign = t.Text + next.Text
	}
	word := temporalWords[t.Text]
	after := ""
	if word != "" && next.Kind == tPunct {
		after, _ = c.temporalAt(k + 1)
	}
	switch {
	case sign == "[]" && (at(k+2).Kind == TName && at(k+2).Text != "in" || strings.Contains("(![<", at(k+2).Text)),
		sign == "<>" && (!ended || before.Text == "]" && at(k-2).Text == "["):
		return sign, k + 2
	case t.Kind != TName || word == "":
	case ended && !IsKeyword(before.Text), next.Kind == TName && next.Text != "in" && foreignOperators[next.Text] == "",
		next.Text == "!" && next.Pos != t.End, after != "":
		return word, k + 1
	}
	return "", k
}
