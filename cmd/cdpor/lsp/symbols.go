package lsp

import (
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
)

type symbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          span      `json:"range"`
	SelectionRange span      `json:"selectionRange"`
	Children       []*symbol `json:"children,omitempty"`
}

// symbolKinds are the kinds of the protocol: Module 2, Class 5, Method 6, Field 8, Function 12, Variable 13, Constant
// 14, Struct 23, Event 24.
var symbolKinds = map[string]int{"shared variable": 13, "parameter": 14, "variable": 13, "field": 8, "type": 23,
	"thread": 2, "function": 12, "procedure": 12, "method": 6, "class": 5, "label": 24}

// symbols are the declarations of a program: threads, procedures, functions, classes and methods with what they
// contain.
func (s *server) symbols(d *document) []*symbol {
	top := []*symbol{}
	type open struct {
		*symbol
		last int // line
	}
	var around []open
	var last step.Pos
	for _, m := range s.analyse(d).mentions {
		kind := symbolKinds[m.What]
		if m.Pos != m.Decl || m.Pos == last || kind == 0 {
			continue
		}
		last = m.Pos
		end := m.Pos.Line
		if contains(m.What) {
			end = d.lastOf(m.Pos)
		}
		beside := slices.Contains([]string{"thread", "function", "procedure", "class"}, m.What)
		for len(around) > 0 && (around[len(around)-1].last < m.Pos.Line || beside) {
			around = around[:len(around)-1]
		}
		sym := &symbol{Name: m.Name[strings.LastIndexByte(m.Name, '.')+1:], Kind: kind,
			SelectionRange: d.span(m.Pos, m.End),
			Range:          d.span(m.Pos, step.Pos{Line: end, Col: 1 << 30})}
		if m.What != "label" {
			sym.Detail = m.Type
		}
		if !contains(m.What) {
			sym.Range = sym.SelectionRange
		}
		if len(around) == 0 || m.What == "shared variable" || m.What == "parameter" || m.What == "type" {
			top = append(top, sym)
		} else {
			in := around[len(around)-1]
			in.Children = append(in.Children, sym)
		}
		if contains(m.What) {
			around = append(around, open{sym, end})
		}
	}
	return top
}

// contains reports whether declarations may stand inside of one.
func contains(what string) bool {
	return slices.Contains([]string{"thread", "function", "procedure", "method", "class"}, what)
}

// lastOf is the last line of what a key has: up to a line that is not indented more.
func (d *document) lastOf(key step.Pos) int {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	last, own := key.Line, indent(d.lines[key.Line-1])
	for n := key.Line + 1; n <= len(d.lines); n++ {
		switch line := d.lines[n-1]; {
		case strings.TrimSpace(line) == "":
		case indent(line) <= own:
			return last
		default:
			last = n
		}
	}
	return last
}

// A symbolInformation is a symbol for clients that know no others.
type symbolInformation struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
	Within   string   `json:"containerName,omitempty"`
}

func flat(d *document, within string, list []*symbol) []symbolInformation {
	all := []symbolInformation{}
	for _, s := range list {
		all = append(all, symbolInformation{s.Name, s.Kind, location{d.uri, s.Range}, within})
		all = append(all, flat(d, s.Name, s.Children)...)
	}
	return all
}

// visible reports whether what is declared at a place can be meant at another: variables are known in their thread,
// procedure, function or method, fields in their class.
func (d *document) visible(all []lang.Mention, m lang.Mention, at step.Pos) bool {
	if m.What != "variable" && m.What != "field" {
		return true
	}
	for _, c := range slices.Backward(all) {
		before := c.Pos.Line < m.Pos.Line || c.Pos.Line == m.Pos.Line && c.Pos.Col < m.Pos.Col
		if c.Pos != c.Decl || !before || !contains(c.What) || (c.What == "class") != (m.What == "field") {
			continue
		}
		if last := d.lastOf(c.Pos); m.Pos.Line <= last {
			return c.Pos.Line <= at.Line && at.Line <= last
		}
	}
	return true
}
