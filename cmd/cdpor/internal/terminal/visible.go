package terminal

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text from programs, file names and flags may hold characters that act on a terminal or change the order in which text
// is read (CVE-2021-42574, "Trojan Source"). Whoever reads the output sees them written out, as JSON writes them:
// \u001b, \u202e. So JSON that goes through a sink keeps its meaning.

// hidden reports whether a character acts on the display instead of being seen: control characters (C0 without tab and
// line feed, DEL, C1), format characters (directions, zero width), separators of lines and paragraphs. The two joiners,
// which some scripts are written with, are no such characters.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible writes hidden characters out, and bytes that are no UTF-8 as \xff.
func Visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		switch r, n = utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+n])
		}
	}
	return b.String()
}

// OneLine writes foreign text as a part of one line.
func OneLine(s string) string { return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(s) }

// plain reports whether a text is ASCII without hidden characters, as nearly all of a long list of outcomes is.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// VisibleJSON is data as JSON in whose strings hidden characters are written out: they are seen even after decoding.
func VisibleJSON(data any) (json.RawMessage, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i := 0; i < len(text); i++ {
		start := i
		if text[i] != '"' {
			out.WriteByte(text[i])
			continue
		}
		for i++; text[i] != '"'; i++ { // inside a string, \ takes the next character along
			if text[i] == '\\' {
				i++
			}
		}
		var s string
		if err := json.Unmarshal(text[start:i+1], &s); err != nil {
			return nil, err
		}
		again := text[start : i+1]
		if seen := Visible(s); seen != s {
			if again, err = json.Marshal(seen); err != nil {
				return nil, err
			}
		}
		out.Write(again)
	}
	return out.Bytes(), nil
}

// ControlMark stands before and after a control sequence of cdpor itself. It cannot be written into a program or
// a file name: it is another one each time.
var ControlMark = sync.OnceValue(func() string { return "\x1b{" + rand.Text() + "}" })

// Control is a control sequence of this program's own, which passes a sink as it is.
func Control(sequence string) string { return ControlMark() + sequence + ControlMark() }

// shown is the text that a sink writes, and the rest: the beginning of a character whose end is still to come.
func shown(p []byte) (text, rest []byte) {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if tail := p[len(p)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				p, rest = p[:len(p)-back], bytes.Clone(tail)
			}
			break
		}
	}
	if !bytes.Contains(p, []byte(ControlMark())) {
		return []byte(Visible(string(p))), rest
	}
	parts := strings.Split(string(p), ControlMark())
	for i := 0; i < len(parts); i += 2 {
		parts[i] = Visible(parts[i])
	}
	return []byte(strings.Join(parts, "")), rest
}
