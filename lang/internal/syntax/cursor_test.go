package syntax

import (
	"strings"
	"testing"

	"cdpor/lang/step"
)

func reporter(code string) (*Reporter, portion) {
	return NewReporter(NewFile("t.yaml", []byte(code))), PortionAt(step.Pos{Line: 1, Col: 1}, code)
}

func cursorOf(code string) *cursor {
	r, text := reporter(code)
	return &cursor{toks: Lex(r, text)}
}

// TestCursor: what a statement is, told by the tokens in front of the cursor.
func TestCursor(t *testing.T) {
	for _, c := range []struct {
		code string
		mail bool
		two  bool
		temp string // the operator of temporal logic
	}{
		{code: "t!x", mail: true},
		{code: "t[i + 1] ! x", mail: true},
		{code: "t[i] = x"},
		{code: "t != x"},
		{code: ", ok = recv c", two: true},
		{code: ", 1"},
		{code: "[] p", temp: "[]"},
		{code: "<> p", temp: "<>"},
		{code: "p < q"},
	} {
		k := cursorOf(c.code)
		if got := k.isMail(); got != c.mail {
			t.Errorf("%s: mail %v", c.code, got)
		}
		if got := k.receivesTwo(); got != c.two {
			t.Errorf("%s: receives two %v", c.code, got)
		}
		if got, _ := k.temporalAt(0); got != c.temp {
			t.Errorf("%s: temporal operator %q", c.code, got)
		}
	}
}

// TestSkip: after an error the parser goes on behind the statement, past the blocks that it opens.
func TestSkip(t *testing.T) {
	for _, c := range []struct {
		code  string
		taken int // tokens before the error
		rest  string
	}{
		{"x = ; y", 2, "y"},
		{"while x { a; b }; y", 2, "y"},
		{"while x { a; b }; y", 4, "y"},
		{"a ) b } c", 1, "} c"},
	} {
		k := cursorOf(c.code)
		for range c.taken {
			k.next()
		}
		k.skip(0)
		var rest []string
		for ; k.peek().Kind != TEOF; k.next() {
			if k.peek().Kind != TSep {
				rest = append(rest, k.peek().Text)
			}
		}
		if got := strings.Join(rest, " "); got != c.rest {
			t.Errorf("%s after %d tokens: %q is left, not %q", c.code, c.taken, got, c.rest)
		}
	}
}

// TestPrecedence: operators bind as in Levels, and the conditional operator is weaker than all of them.
func TestPrecedence(t *testing.T) {
	for code, want := range map[string]string{
		"a || b && c":       "(a || (b && c))",
		"a + b * c - d":     "((a + (b * c)) - d)",
		"a == b + 1":        "(a == (b + 1))",
		"a && b ? c : d":    "((a && b) ? c : d)",
		"!a && b":           "((! a) && b)",
		"-a * b":            "((- a) * b)",
		"a < b || c < d":    "((a < b) || (c < d))",
		"a ? b : c ? d : e": "(a ? b : (c ? d : e))",
	} {
		r, text := reporter(code)
		e := ParseExpr(r, text)
		if e == nil {
			t.Fatalf("%s: %v", code, r.Err())
		}
		if got := bracketed(e); got != want {
			t.Errorf("%s is %s, not %s", code, got, want)
		}
	}
}

func bracketed(e *Expr) string {
	switch e.Kind {
	case EUnary:
		return "(" + e.Name + " " + bracketed(e.Args[0]) + ")"
	case EBinary:
		return "(" + bracketed(e.Args[0]) + " " + e.Name + " " + bracketed(e.Args[1]) + ")"
	case ECond:
		return "(" + bracketed(e.Args[0]) + " ? " + bracketed(e.Args[1]) + " : " + bracketed(e.Args[2]) + ")"
	case EInt:
		return "1"
	}
	return e.Name
}
