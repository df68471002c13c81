package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain, ä → ∀ 日本 🙂\n\tx", "plain, ä → ∀ 日本 🙂\n\tx"},
		{"\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"a\rb\x00\x07\x7f", `a\u000db\u0000\u0007\u007f`},
		{"\u009b31m", `\u009b31m`},
		{"\u202eabc\u2066\u200f", `\u202eabc\u2066\u200f`},
		{"a\u2028b\u200bc\ufeff", `a\u2028b\u200bc\ufeff`},
		{"a\xffb", `a\xffb`},
		{"\U000e0001", `\udb40\udc01`},
		{"क्\u200dष", "क्\u200dष"},
	} {
		if got := Visible(c.text); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRedact(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"nats://boss:secret@host:4222 is gone", "nats://xxxxx@host:4222 is gone"},
		{"nats://token@a,tls://u:p@q@b x@y", "nats://xxxxx@a,tls://xxxxx@b x@y"},
		{`parse "nats://u:p/q@h": bad`, `parse "nats://xxxxx@h": bad`},
		{"http://a/b, c@d", "http://a/b, c@d"},
		{"no URL: a@b", "no URL: a@b"},
	} {
		if got := Redact(c.text); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSinkParts writes a text in all ways of two parts: what comes out is the same, and colour of our own passes.
func TestSinkParts(t *testing.T) {
	text := "é→🙂\u202e\x1b[2J" + Control("\x1b[1m") + "x" + Control("\x1b[0m") + "\xe2\x82"
	want := "é→🙂" + `\u202e\u001b[2J` + "\x1b[1mx\x1b[0m" + `\xe2\x82`
	for cut := range len(text) {
		if at := strings.Index(text, "\x1b{"); cut > at && cut < len(text)-2 {
			continue // a sequence of our own is written at once
		}
		var out bytes.Buffer
		s := &Sink{Writer: &out}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		s.End()
		if out.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, &out, want)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	in := map[string]any{"a\u202e\"\\": []any{"\x1b[31m", "\\", 1.5, nil, "\u2028"}}
	text, err := VisibleJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string][]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	list := out[`a\u202e"\`]
	if len(list) != 5 || list[0] != `\u001b[31m` || list[1] != `\` || list[2] != 1.5 || list[3] != nil ||
		list[4] != `\u2028` {
		t.Errorf("%s is read as %q", text, out)
	}
}
