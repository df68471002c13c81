package syntax

import (
	"regexp"
	"strings"
	"sync"
)

// In {x: array[N] int} YAML ends the plain value at the bracket. The language allows it anyway: before the file is
// given to the YAML library, brackets that follow a word inside {...} or [...], and the commas within them, are
// replaced by characters for private use, one for one, so that all places stay what they are.
const (
	hiddenOpen  = '\uE000'
	hiddenClose = '\uE001'
	hiddenComma = '\uE002'
	hiddenQuery = '\uE003' // the ? of an optional type
)

var blockStart = sync.OnceValue(
	func() *regexp.Regexp { return regexp.MustCompile(`(^|[:\-?]\s+)[|>][+\-0-9]*\s*(#.*)?$`) })

// shield returns the text of the file with those brackets hidden. It follows just enough of YAML to know where flow
// collections are; whatever it gets wrong in odd files, it changes nothing but such brackets.
func shield(f *File) []byte {
	out := make([]string, len(f.Lines))
	flow, hidden := 0, 0
	block := -1 // indentation of the line whose block of text is being skipped
	var quote rune
	for n, runes := range f.Lines {
		line := string(runes)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 {
			if indent > block || strings.TrimSpace(line) == "" {
				out[n] = line
				continue
			}
			block = -1
		}
		text := []rune(line)
		prev := ' ' // the last character that is not blank; after it a word continues
		if flow > 0 {
			prev = ','
		}
		for i := 0; i < len(text); i++ {
			c := text[i]
			blank := i == 0 || text[i-1] == ' '
			before := ":-?"
			if flow > 0 {
				before = ",[{:"
			}
			startsValue := strings.ContainsRune(before, prev) && (blank || flow > 0) || i <= indent
			switch {
			case quote != 0:
				if c == '\\' && quote == '"' {
					i++
				} else if c == quote {
					quote = 0
				}
			case (c == '"' || c == '\'') && startsValue && hidden == 0:
				quote = c
			case c == '#' && blank:
				i = len(text)
				continue
			case flow == 0:
				if (c == '{' || c == '[') && startsValue {
					flow++
				}
			case c == '[' && (hidden > 0 || !startsValue):
				hidden++
				text[i] = hiddenOpen
			case c == ']' && hidden > 0:
				hidden--
				text[i] = hiddenClose
			case c == '?' && !startsValue && !blank:
				text[i] = hiddenQuery
			case c == ',' && hidden > 0:
				text[i] = hiddenComma
			case (c == '{' || c == '[') && hidden == 0:
				flow++
			case (c == '}' || c == ']') && hidden == 0:
				flow--
			}
			if c != ' ' {
				prev = c
			}
		}
		hidden = 0
		out[n] = string(text)
		if flow == 0 && quote == 0 && blockStart().MatchString(line) {
			block = indent
		}
	}
	return []byte(strings.Join(out, "\n"))
}

var unshielder = strings.NewReplacer(string(hiddenOpen), "[", string(hiddenClose), "]", string(hiddenComma), ",",
	string(hiddenQuery), "?")

func unshield(s string) string { return unshielder.Replace(s) }
