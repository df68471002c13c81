package lsp

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cdpor/lang"
	"cdpor/lang/step"
)

type completion struct {
	Label         string `json:"label"`
	Kind          int    `json:"kind"`
	Detail        string `json:"detail,omitempty"`
	Documentation string `json:"documentation,omitempty"`
}

// completionKinds are the kinds of the protocol.
var completionKinds = map[string]int{"method": 2, "function": 3, "procedure": 3, "field": 5, "variable": 6,
	"shared variable": 6, "class": 7, "thread": 9, "section": 10, "keyword": 14, "member": 20,
	"parameter": 21, "type": 22}

var (
	beforeCursor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:[\pL_][\pL\pN_]*(?:\[[^\[\]]*\])?\.)*)([\pL_][\pL\pN_]*)?$`)
	})
	index   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\[\]]*\]`) })
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\s)(#|//)`) })
)

// completions are the words that may stand at a place: sections of the file at the margin, fields and methods behind a
// dot, and else what is declared and visible, and words of the language. A text that is being written may not be
// readable; the names are then those of the last text that was.
func (s *server) completions(d *document, at step.Pos) []completion {
	list := []completion{}
	if at.Line < 1 || !s.files.IsProgram(d.text) {
		return list
	}
	line := []rune(d.lines[at.Line-1])
	before := string(line[:min(at.Col-1, len(line))])
	if comment().MatchString(before) {
		return list
	}
	found := beforeCursor().FindStringSubmatch(before)
	chain, word := found[1], found[2]
	mentions := s.analyse(d).mentions
	if len(mentions) == 0 {
		mentions = s.last[d.uri]
	}
	switch {
	case chain != "":
		list = s.behindDot(d, mentions, strings.Split(strings.TrimSuffix(chain, "."), "."), at)
	case before == word:
		for _, w := range lang.Sections() {
			list = append(list, completion{Label: w.Name, Kind: completionKinds[w.What], Documentation: w.Type})
		}
	default:
		list = s.inCode(d, mentions, at)
	}
	return slices.DeleteFunc(list, func(c completion) bool { return !strings.HasPrefix(c.Label, word) })
}

// behindDot are the parts of a value: x.y[1]. for the chain x, y[1].
func (s *server) behindDot(d *document, mentions []lang.Mention, chain []string, at step.Pos) (list []completion) {
	t, thread := headOf(d, mentions, chain[0], at)
	if thread.What != "" && len(chain) == 1 { // in checks
		for _, m := range mentions {
			if m.What == "variable" && m.Pos == m.Decl && thread.Pos.Line <= m.Pos.Line &&
				m.Pos.Line <= d.lastOf(thread.Pos) {
				list = append(list, completion{Label: m.Name, Kind: completionKinds[m.What], Detail: m.Type})
			}
		}
		return unique(list)
	}
	for _, name := range chain[1:] {
		if t == nil || t.Kind != step.Record {
			return nil
		}
		i := slices.IndexFunc(t.Fields, func(f step.Field) bool { return f.Name == index().ReplaceAllString(name, "") })
		if i < 0 {
			return nil
		}
		t = elementOf(t.Fields[i].Type, name)
	}
	for _, w := range lang.Parts(t) {
		if w.What != "member" {
			list = append(list, completion{Label: w.Name, Kind: completionKinds[w.What], Detail: w.Type})
		}
	}
	return list
}

// headOf is the type of the value with which a chain begins, or the thread.
func headOf(d *document, mentions []lang.Mention, head string, at step.Pos) (t *step.Type, thread lang.Mention) {
	name := index().ReplaceAllString(head, "")
	for _, m := range mentions {
		if m.Name != name || m.Pos != m.Decl || m.Pos.Line > at.Line && m.What == "variable" ||
			!d.visible(mentions, m, at) {
			continue
		}
		if m.What == "thread" {
			thread = m
		} else if m.Of != nil {
			t = elementOf(m.Of, head)
		}
	}
	return t, thread
}

// elementOf is the type of a part of a chain: of a[1] the type of the elements.
func elementOf(t *step.Type, part string) *step.Type {
	for range strings.Count(part, "[") {
		if t == nil {
			return nil
		}
		t = t.Elem
	}
	return t
}

// inCode are the names that are declared, and words of the language.
func (s *server) inCode(d *document, mentions []lang.Mention, at step.Pos) (list []completion) {
	for _, m := range mentions {
		if m.Pos == m.Decl && m.What != "label" && m.What != "method" && d.visible(mentions, m, at) {
			list = append(list, completion{Label: m.Name, Kind: completionKinds[m.What], Detail: describe(&m)})
		}
		for _, w := range lang.Parts(m.Of) {
			if w.What == "member" {
				list = append(list, completion{Label: w.Name, Kind: completionKinds[w.What], Detail: w.Type})
			}
		}
	}
	for _, w := range lang.Vocabulary() {
		list = append(list, completion{Label: w.Name, Kind: completionKinds[w.What], Detail: w.Type})
	}
	return unique(list)
}

// unique sorts by name; of several with the same name the first stays.
func unique(list []completion) []completion {
	slices.SortStableFunc(list, func(a, b completion) int { return cmp.Compare(a.Label, b.Label) })
	return slices.CompactFunc(list, func(a, b completion) bool { return a.Label == b.Label })
}
