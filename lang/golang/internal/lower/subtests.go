package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cdpor/lang/step"
)

// Names of subtests. They are made of the name of the test around them and the text that Run was given. Where one of
// these is not known, the name is not.

// subtestName emits the name of a subtest. earlier is how many subtests before it have the same.
func subtestName(c *code, parent, name, earlier *step.Expr) *step.Expr {
	parent, name, earlier = c.settleAny(parent), c.settleAny(name), c.settleAny(c.word(earlier))
	names := piece{value: name}
	for k, s := range c.l.texts.all[:c.l.ownTexts] {
		if name.Op != step.Const || name.Words[0] == int64(k) {
			names.add(int64(k), s)
		}
	}
	parents := c.l.testNames[:min(len(c.l.testNames), mostTogether/mostNumbered/max(1, len(names.texts)))]
	made := c.Const(stringType, unknownText)
	for i, s := range names.texts {
		around, number := piece{value: parent}, piece{value: earlier}
		for _, p := range parents {
			text := p + "/" + rewriteName(s)
			around.add(c.l.text(p), text)
			if !slices.Contains(c.l.testNames, text) {
				c.l.testNames = append(c.l.testNames, text)
			}
		}
		for n := range mostNumbered {
			suffix := ""
			if n > 0 || s == "" {
				suffix = fmt.Sprintf("#%02d", n)
			}
			number.add(int64(n), suffix)
		}
		is := c.Bool(step.Eq, name, c.Number(names.numbers[i]))
		made = c.Expr(step.Cond, stringType, is, together(c, "", []piece{around, number}), made)
	}
	return c.settleAny(made)
}

// sameName is whether two subtests have the same name, as far as their names are known.
func sameName(c *code, name, other *step.Expr) *step.Expr {
	rewritten := func(e *step.Expr) *step.Expr {
		e = c.settleAny(e)
		is := e
		for k, s := range c.l.texts.all[:c.l.ownTexts] {
			if to := rewriteName(s); to != s {
				is = c.Expr(step.Cond, stringType, c.Bool(step.Eq, e, c.Number(int64(k))),
					c.Const(stringType, c.l.text(to)), is)
			}
		}
		return is
	}
	name = c.settleAny(rewritten(name))
	return c.Bool(step.And, c.Bool(step.Ge, name, c.Number(0)), c.Bool(step.Eq, name, rewritten(other)))
}

// rewriteName is how Go writes the name of a subtest.
func rewriteName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('_')
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
