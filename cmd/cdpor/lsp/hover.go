package lsp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// A page is text for people that becomes Markdown, or plain text for editors that know no other.
type page struct {
	strings.Builder
	markdown bool
}

func (p *page) code(text string) {
	p.paragraph()
	if p.markdown {
		fmt.Fprintf(p, "```\n%s\n```\n", text)
	} else {
		fmt.Fprintln(p, text)
	}
}

func (p *page) text(format string, args ...any) {
	p.paragraph()
	fmt.Fprintf(p, format+"\n", args...)
}

func (p *page) paragraph() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

// hover says what the name at a place means: of a label, the constraints of its steps. The result is nil if there is
// nothing to say.
func (s *server) hover(d *document, at step.Pos) *hover {
	a := s.analyse(d)
	p := &page{markdown: s.markdown}
	if a.about != "" {
		if named, from := definitionAt(d, at, a.set); named != nil {
			p.code(named.String() + ": " + named.Text)
			return s.page(p, d.span(from, step.Pos{Line: from.Line, Col: from.Col + len(named.Name)}))
		}
		st, from := stepAt(d, at, a.program)
		if st == nil {
			return nil
		}
		p.code(st.Name() + ": " + st.Template.Nodes[st.Entry].Text)
		return s.page(p, d.span(from, step.Pos{Line: from.Line, Col: from.Col + len([]rune(st.Name()))}))
	}
	var first *lang.Mention
	var steps []*step.Step
	for _, m := range mentionsAt(a.mentions, at) {
		if first == nil {
			first = &m
		}
		if m.What == "label" && a.program != nil {
			steps = append(steps, stepsOf(a.program, m.Name)...)
		}
	}
	if first == nil {
		return nil
	}
	p.code(describe(first))
	if first.What == "label" && a.program != nil {
		s.constraints(p, d, a.program, steps)
	}
	return s.page(p, d.span(first.Pos, first.End))
}

func (s *server) page(p *page, of span) *hover {
	kind := "plaintext"
	if p.markdown {
		kind = "markdown"
	}
	return &hover{markup{kind, p.String()}, of}
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.\d+$`) })

// stepsOf are the steps under a label: thread.label, thread.label.2 and so on.
func stepsOf(prog *step.Program, label string) (list []*step.Step) {
	for _, t := range prog.Templates {
		for _, st := range t.Steps {
			if rest, ok := strings.CutPrefix(st.Name(), label); ok && (rest == "" || numbered().MatchString(rest)) {
				list = append(list, st)
			}
		}
	}
	return list
}

// constraints writes under which conditions steps commute with others, if a constraint file says so.
func (s *server) constraints(p *page, d *document, prog *step.Program, steps []*step.Step) {
	path, set := s.constraintsOf(d, prog)
	if set == nil {
		p.text("No constraints: cdpor synth writes them to %s.", path)
		return
	}
	if set.Stale() {
		p.text("The constraint file was made for another version of the program.")
	}
	var lines []string
	for _, pair := range set.Pairs {
		if slices.Contains(steps, pair.A) || slices.Contains(steps, pair.B) {
			lines = append(lines, describePair(pair))
		}
	}
	if len(lines) == 0 {
		p.text("The constraint file says nothing about this step.")
		return
	}
	p.code(strings.Join(lines, "\n"))
}

func describePair(p *constraints.Pair) string {
	name := p.A.Name() + " | " + p.B.Name()
	commute := lang.FormatExpr(p.Commute, p.A.Template, p.B.Template)
	uniform := lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template)
	switch {
	case commute == "true" && uniform == "true":
		return name + ": commute always"
	case commute == "false":
		return name + ": never known to commute"
	case commute == uniform:
		return fmt.Sprintf("%s: commute if %s", name, commute)
	}
	return fmt.Sprintf("%s: commute if %s; uniform: %s", name, commute, uniform)
}
