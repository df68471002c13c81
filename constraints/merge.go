package constraints

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// What people have done to a file survives when it is written anew: their entries, the names of their definitions, and
// comments.

// A Lost is an entry of a file that does not fit the program any more.
type Lost struct {
	Pos  step.Pos
	Text []string // its lines
	Why  string
	Made bool // by cdpor synth, and not edited

	fact string
}

// LoadParts reads a file like Load, but goes on behind entries that do not fit the program.
func LoadParts(prog *step.Program, path string, text []byte) (*Set, []Lost, error) {
	l := newLoader(prog, path, text)
	l.lenient = true
	if root := l.parse(text); root != nil {
		l.document(root)
	}
	if len(l.errs) > 0 {
		return nil, nil, l.errs
	}
	facts := l.set.facts[:max(l.set.sealed(), 0)]
	for i := range l.lost {
		l.lost[i].Made = l.lost[i].Made || slices.Contains(facts, l.lost[i].fact)
	}
	return l.set, l.lost, nil
}

// entry reads an entry with f. Where a loader is lenient it is lost if there are errors.
func (l *loader) entry(n *yaml.Node, made bool, f func()) {
	before := len(l.errs)
	f()
	if !l.lenient || len(l.errs) == before {
		return
	}
	last := n.Line
	walk(n, func(c *yaml.Node) { last = max(last, c.Line) })
	lines := strings.Split(string(l.text), "\n")
	lost := Lost{Pos: position(n), Why: l.errs[before].Msg, Made: made || l.sealed(n),
		Text: lines[n.Line-1 : min(last, len(lines))]}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 { // it has no seal of its own
		lost.fact = n.Content[0].Value + ": " + quote(n.Content[1].Value)
	}
	l.lost = append(l.lost, lost)
	l.errs = l.errs[:before]
}

// sealed reports whether an entry about steps that are not known fits its seal. One that uses definitions does not:
// without its steps they cannot be written out.
func (l *loader) sealed(n *yaml.Node) bool {
	if n.Kind == yaml.SequenceNode {
		return len(n.Content) == 3 &&
			n.Content[2].Value == sealOf(n.Content[0].Value, n.Content[1].Value, "true", "true", Exact)
	}
	var steps [2]string
	text := map[string]string{"uniform": "false"}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; n.Content[i].Value == "blocks" && len(v.Content) == 2 {
			steps = [2]string{v.Content[0].Value, v.Content[1].Value}
		} else {
			text[n.Content[i].Value] = v.Value
		}
	}
	status := Status(text["status"])
	if status == unknownOpen {
		status = Unknown
	}
	return text["seal"] == sealOf(steps[0], steps[1], text["commute"], text["uniform"], status)
}

func walk(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	for _, c := range n.Content {
		walk(c, f)
	}
}

// ByHand lists the entries that people have written or edited.
func (s *Set) ByHand() []*Pair {
	list := s.Edited()
	for _, p := range s.Pairs {
		if p.Status == Manual && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// Same reports whether two entries about the same steps say the same.
func (p *Pair) Same(q *Pair) bool {
	if p.A != q.A {
		q = q.Exchanged()
	}
	return conditionText(p.Commute, p) == conditionText(q.Commute, q) &&
		conditionText(p.Uniform, p) == conditionText(q.Uniform, q)
}

// DefineAs gives names to parts of the conditions like Define, and keeps those of another file that people may have
// chosen: all of them if one is not as Define would name it, without those that only entries of cdpor synth used.
func (s *Set) DefineAs(old *Set) {
	fresh := &Set{Program: old.Program, Pairs: old.Pairs}
	fresh.Define()
	same := slices.EqualFunc(fresh.Definitions, old.Definitions, func(a, b *lang.Definition) bool {
		return a.Name == b.Name && a.That != nil && b.That != nil
	})
	byHand := old.ByHand()
	if same && len(byHand) == 0 {
		s.Define()
		return
	}
	users := map[string]bool{} // whether an entry by hand is among those that use a name
	for _, p := range old.Pairs {
		hand := slices.Contains(byHand, p)
		for _, m := range word.FindAllStringSubmatch(old.Text(p, p.Commute)+"\n"+old.Text(p, p.Uniform), -1) {
			users[m[2]] = users[m[2]] || hand
		}
	}
	s.define(old.Definitions, func(d *lang.Definition) bool {
		hand, used := users[d.Name]
		return hand || !used
	})
}

// Rewrite is the canonical file with the comments of an old one, with notes above some of the entries and at the end.
func (s *Set) Rewrite(old *Set, notes map[*Pair][]string, end []string) []byte {
	text := s.Format()
	places, ends := s.anchors(text)
	lines := strings.Split(string(text), "\n")
	above, behind := map[int][]string{}, map[int][]string{}
	own := map[string]bool{"# [p, q, ...]: p commutes with each q in every state": true} // as older files have it
	for _, c := range sectionComments {
		own["# "+c] = true
	}
	for _, c := range s.comments(text) {
		own[c.text] = true
	}
	for _, c := range old.comments(old.text) {
		line, known := places[c.at]
		switch {
		case own[c.text]:
		case !known:
			above[len(lines)-1] = append(above[len(lines)-1], strings.Split(c.text, "\n")...)
		case c.where == beside:
			behind[line] = append(behind[line], c.text)
		case c.where == below:
			above[ends[c.at]+1] = append(above[ends[c.at]+1], strings.Split(c.text, "\n")...)
		default:
			above[line] = append(above[line], strings.Split(c.text, "\n")...)
		}
	}
	for p, texts := range notes {
		line, known := places[pairAnchor(p.A.Name(), p.B.Name())]
		if !known {
			line = len(lines) - 1
		}
		for _, text := range texts {
			above[line] = append(above[line], "# "+text)
		}
	}
	for _, text := range end {
		above[len(lines)-1] = append(above[len(lines)-1], "# "+text)
	}
	var b bytes.Buffer
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, c := range above[i] {
			fmt.Fprintf(&b, "%s%s\n", indent, c)
		}
		b.WriteString(line)
		for _, c := range behind[i] {
			b.WriteString(" " + c)
		}
		if i < len(lines)-1 {
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// A comment of a file, and what it is about.
type comment struct {
	at    string // see anchors
	text  string
	where where
}

// where a comment stands: on lines of its own, or behind something on the same line.
type where uint8

const (
	head where = iota
	beside
	below
)

// comments lists the comments of a file, in their order.
func (s *Set) comments(text []byte) (list []comment) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	note := func(at string, n *yaml.Node) {
		for _, c := range []comment{{at, n.HeadComment, head}, {at, n.LineComment, beside}, {at, n.FootComment,
			below}} {
			if c.text != "" {
				list = append(list, c)
			}
		}
	}
	note("", &doc)
	s.anchored(&doc, func(at string, n *yaml.Node) { walk1(n, func(c *yaml.Node) { note(at, c) }) })
	return list
}

// walk1 visits a node, and what it contains if that is all on its line.
func walk1(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	if n.Style&yaml.FlowStyle != 0 {
		for _, c := range n.Content {
			walk1(c, f)
		}
	}
}

// anchors are the first and the last lines, from 0, of what stands in a file: a section, an entry, or a part of an
// entry. Steps have the same name there in whatever order they stand.
func (s *Set) anchors(text []byte) (places, ends map[string]int) {
	places, ends = map[string]int{}, map[string]int{}
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) == nil {
		s.anchored(&doc, func(at string, n *yaml.Node) {
			if _, known := places[at]; !known {
				places[at] = n.Line - 1
			}
			walk(n, func(c *yaml.Node) { ends[at] = max(ends[at], c.Line-1) })
		})
	}
	return places, ends
}

// anchored calls f for each node of a file that something can be said about.
func (s *Set) anchored(doc *yaml.Node, f func(at string, n *yaml.Node)) {
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return
	}
	root := doc.Content[0]
	f("", root)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, section := root.Content[i], root.Content[i+1]
		f(key.Value, key)
		f(key.Value, section)
		if section.Kind == yaml.MappingNode {
			for j := 0; j+1 < len(section.Content); j += 2 { // definitions and steps
				at := key.Value + " " + s.nameNow(section.Content[j].Value)
				f(at, section.Content[j])
				f(at, section.Content[j+1])
			}
			continue
		}
		for _, e := range section.Content {
			at := key.Value + " " + e.Value
			switch {
			case e.Kind == yaml.SequenceNode && len(e.Content) > 1: // also where the pair has an entry of its own now
				at = s.pairAnchor(e.Content[0], e.Content[1])
			case e.Kind == yaml.MappingNode && key.Value == "pairs":
				for j := 0; j+1 < len(e.Content); j += 2 {
					if v := e.Content[j+1]; e.Content[j].Value == "blocks" && len(v.Content) == 2 {
						at = s.pairAnchor(v.Content[0], v.Content[1])
					}
				}
			case e.Kind == yaml.MappingNode && len(e.Content) == 2: // a fact
				at += s.nameNow(e.Content[0].Value) + " " + e.Content[1].Value
			}
			f(at, e)
			for j := 0; e.Kind == yaml.MappingNode && e.Style&yaml.FlowStyle == 0 && j+1 < len(e.Content); j += 2 {
				part := at + " " + s.nameNow(e.Content[j].Value)
				f(part, e.Content[j])
				f(part, e.Content[j+1])
			}
		}
	}
}

func (s *Set) pairAnchor(a, b *yaml.Node) string {
	return pairAnchor(s.nameNow(a.Value), s.nameNow(b.Value))
}

func pairAnchor(a, b string) string { return "pair " + min(a, b) + " " + max(a, b) }
