package random

import "strings"

// Shrink makes the text of a program smaller as long as failing says that the result still shows what it is about: it
// leaves out lines (whole threads, declarations, steps) and then statements within a line, until nothing more can go.
func Shrink(text string, failing func(text string) bool) string {
	for {
		smaller, ok := shrinkOnce(text, failing)
		if !ok {
			return text
		}
		text = smaller
	}
}

func shrinkOnce(text string, failing func(string) bool) (string, bool) {
	shorter := func(s string) bool { return len(s) < len(text) && failing(s) }
	lines := strings.SplitAfter(text, "\n")
	for size := len(lines) / 2; size >= 1; size-- { // large pieces first
		for at := 0; at+size <= len(lines); at++ {
			if s := strings.Join(lines[:at], "") + strings.Join(lines[at+size:], ""); shorter(s) {
				return s, true
			}
		}
	}
	for i, line := range lines {
		for _, variant := range simpler(line) {
			if s := strings.Join(lines[:i], "") + variant + strings.Join(lines[i+1:], ""); shorter(s) {
				return s, true
			}
		}
	}
	return text, false
}

// simpler lists variants of a line with less in it: without one of the statements that semicolons separate, without a
// block in braces and the word before it, or with nothing but the content of a block.
func simpler(line string) (variants []string) {
	body := strings.TrimSpace(line)
	add := func(s string) { variants = append(variants, line[:len(line)-len(strings.TrimLeft(line, " "))]+s+"\n") }
	for i := range body {
		switch body[i] {
		case '{':
			end := i + endOf(body[i+1:], "}") + 1
			if end >= len(body) {
				continue
			}
			add(strings.TrimSpace(body[i+1 : end]))
			add(strings.TrimSuffix(strings.TrimSpace(body[:i]), "else") + body[end+1:])
		case ';':
			add(body[:i] + body[i+1+endOf(body[i+1:], ";}"):])
			add(strings.TrimSpace(body[i+1:]))
		}
	}
	for i := range body { // the first statement of a block
		if strings.HasPrefix(body[i:], "{ ") {
			if end := endOf(body[i+2:], ";"); i+2+end < len(body) {
				add(body[:i+2] + strings.TrimSpace(body[i+3+end:]))
			}
		}
	}
	return
}

// endOf is the index of the first of the given characters outside nested braces, or the length.
func endOf(s, chars string) int {
	depth := 0
	for i := range s {
		switch {
		case depth == 0 && strings.IndexByte(chars, s[i]) >= 0:
			return i
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		}
	}
	return len(s)
}
