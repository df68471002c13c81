package syntax

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

// A Mention is a name that stands in a program text, with what it means there: its declaration is one, too.
type Mention struct {
	Pos, End step.Pos
	// shared variable, parameter, variable, field, type, member, thread, function, procedure, operation, method, class,
	// label or self
	What  string
	Name  string // of a label with its thread in front, as steps are called
	Type  string // of a value; of what is called, its head; for a type, what it stands for
	Value string // of a parameter of the program
	Decl  step.Pos
	Of    *step.Type // of a value, or what a type stands for; nil where that is unknown
}

// NewMentions collects mentions whose types are written as text does.
func NewMentions(text func(*step.Type) string) *mentions {
	return &mentions{seen: map[mentionKey]bool{}, text: text}
}

type mentionKey struct {
	at   step.Pos
	name string
}

// Mention notes what a name means, if it really stands where it is said to: lowering makes code of its own. The type
// may be nil.
func (r *Reporter) Mention(m Mention, t *step.Type) {
	if r.Mentions == nil {
		return
	}
	word := m.Name[strings.LastIndexByte(m.Name, '.')+1:]
	key := mentionKey{m.Pos, m.Name}
	if r.Mentions.seen[key] || r.File.Word(m.Pos) != word {
		return
	}
	r.Mentions.seen[key] = true
	m.End = step.Pos{Line: m.Pos.Line, Col: m.Pos.Col + utf8.RuneCountInString(word)}
	if t != nil {
		m.Type, m.Of = r.Mentions.text(t), t
	}
	r.Mentions.List = append(r.Mentions.List, m)
}

// MentionKey notes a declaration that is a key of the file.
func (r *Reporter) MentionKey(k *yaml.Node, m Mention, t *step.Type) {
	m.Pos = NamePos(k)
	m.Decl = m.Pos
	r.Mention(m, t)
}
