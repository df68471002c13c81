package syntax

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"cdpor/lang/step"
)

// Indentation: where a file that is not YAML is indented wrongly. The YAML library notices that at the next key at the
// earliest, and says where it was, not what is wrong.

var (
	keyLine     = pattern(`^(- +)*("[^"]*"|'[^']*'|[^\s#'"{}\[\]|>&*!%@-][^#]*?)\s*:(\s|$)`)
	opensLevel  = pattern(`:\s*(#.*)?$`)
	listItems   = pattern(`^(- +)+`)
	assignLine  = pattern(`^[\pL_][\pL\pN_]*\s*:?=[^=]`)
	typedHead   = pattern(`^\s*[\pL_][\pL\pN_]*\([^()]*:[^()]*\)[^:]*:`)
	secondColon = pattern(`^\s*(?:- +)*[^\s'"{}\[\]|>#:][^:{}\[\]'"]*:\s+([^\s'"{}\[\]|>#][^#'"]*?:\s.*)$`)
)

// pattern compiles a regular expression when it is first needed: only for files that are not YAML.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// An indentation lists the blocks that are open where a line of a file stands.
type indentation struct {
	levels []int // columns, from 0, of the keys around, outermost first
	lines  []int // where the levels begin
	opened bool  // the line above ends with its colon, or begins a list
	flow   int   // brackets that are open
	assign bool  // the line above begins a level, and is no key but an assignment
	header int   // of the block of text that the line may belong to: how far its key is indented; -1: there is none
	block  int   // how far the block is indented, 0 before its first line
}

// misplaced finds the first line whose indentation fits no other, with a cause and a cure; no cause: there is none.
func (f *File) misplaced() (at, end step.Pos, hint, cause string) {
	in := &indentation{header: -1}
	for n := range f.Lines {
		text := f.Line(n + 1)
		trimmed := strings.TrimLeft(text, " \t")
		if trimmed == "" {
			continue
		}
		indent := len(text) - len(trimmed)
		hint, cause = in.line(n+1, text[:indent], trimmed)
		if cause != "" {
			col := len([]rune(text[:indent])) + 1
			at = step.Pos{Line: n + 1, Col: col}
			end = step.Pos{Line: n + 1, Col: col + len([]rune(strings.TrimRight(trimmed, " ")))}
			return at, end, hint, cause
		}
	}
	return at, end, "", ""
}

// line takes the next line in; blanks is its indentation.
func (in *indentation) line(n int, blanks, text string) (hint, cause string) {
	indent := len(blanks)
	if tab := strings.IndexByte(blanks, '\t'); tab >= 0 && (in.header < 0 || in.block == 0 || tab < in.block) {
		return "indent with blanks, not tabs", "the line begins with a tab"
	}
	if in.header >= 0 {
		isKey := keyLine().MatchString(text) || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "- ") ||
			text == "---"
		switch {
		case in.block == 0 && indent > in.header:
			in.block = indent
			return "", ""
		case in.block > 0 && indent >= in.block:
			return "", ""
		case in.block > 0 && (indent > in.header || !isKey):
			return fmt.Sprintf("indent it with at least %d blanks", in.block),
				fmt.Sprintf("the line is indented with %s, and the block of code above with %d",
					Plural(indent, "blank"), in.block)
		}
		in.header = -1
	}
	if strings.HasPrefix(text, "#") {
		return "", ""
	}
	if in.flow == 0 {
		if hint, cause = in.key(n, indent, text); cause != "" {
			return hint, cause
		}
	}
	in.flow = max(0, in.flow+brackets(text))
	if in.flow == 0 && blockStart().MatchString(text) {
		in.header, in.block = in.levels[len(in.levels)-1], 0
	}
	return "", ""
}

// key takes in a line outside of blocks and brackets.
func (in *indentation) key(n, indent int, text string) (hint, cause string) {
	left := 0
	for len(in.levels) > 0 && in.levels[len(in.levels)-1] > indent {
		left = in.levels[len(in.levels)-1]
		in.levels, in.lines = in.levels[:len(in.levels)-1], in.lines[:len(in.lines)-1]
	}
	last := -1
	if len(in.levels) > 0 {
		last = in.levels[len(in.levels)-1]
	}
	isKey, assigned := keyLine().MatchString(text), in.assign
	in.assign = last != indent && assignLine().MatchString(text)
	switch {
	case last == indent && isKey && assigned:
		return "write NAME: VALUE there, and NAME: int = VALUE for a variable",
			fmt.Sprintf("line %d above it has an = and no colon", n-1)
	case last == indent:
	case left > 0 && isKey:
		return fmt.Sprintf("indent it with %d blanks, or with %d", left, max(last, 0)),
			fmt.Sprintf("the line is indented with %s, and no key above is", Plural(indent, "blank"))
	case last >= 0 && !in.opened && isKey:
		return fmt.Sprintf("indent it with %s, like line %d", Plural(last, "blank"), in.lines[len(in.lines)-1]),
			fmt.Sprintf("the line is indented with %s, but the key above it has a value already",
				Plural(indent, "blank"))
	default:
		in.levels, in.lines = append(in.levels, indent), append(in.lines, n)
	}
	in.opened = opensLevel().MatchString(text)
	if items := listItems().FindString(text); items != "" {
		in.opened = true
		if rest := text[len(items):]; keyLine().MatchString(rest) {
			in.levels, in.lines = append(in.levels, indent+len(items)), append(in.lines, n)
			in.opened = opensLevel().MatchString(rest)
		}
	}
	return "", ""
}

// brackets is how many more brackets a line opens than it closes, outside of quotes and comments.
func brackets(text string) (n int) {
	var quote rune
	prev := ' '
	for _, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.ContainsRune(" ,[{:", prev):
			quote = c
		case c == '#' && prev == ' ':
			return n
		case strings.ContainsRune("{[", c):
			n++
		case strings.ContainsRune("}]", c):
			n--
		}
		prev = c
	}
	return n
}

// colonInValue is where the value of a line begins that has a key and a colon in its value as well; 0: nowhere.
func (f *File) colonInValue(line int) (from, to int) {
	text := f.Line(line)
	if m := secondColon().FindStringSubmatchIndex(text); m != nil {
		return len([]rune(text[:m[2]])) + 1, len([]rune(text)) + 1
	}
	return 0, 0
}
