package constraints

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cdpor/lang"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// maxFile is the largest constraint file that is read, in bytes.
const maxFile = 4 << 20

// maxErrors bounds how many errors of one file are reported.
const maxErrors = 20

// Load reads a constraint file for a program. All errors are reported together, as a lang.ErrorList with positions in
// the file. That the file was made for another program is not an error: ask Stale.
func Load(prog *step.Program, path string, text []byte) (*Set, error) {
	l := newLoader(prog, path, text)
	if len(text) > maxFile {
		l.errorf(step.Pos{Line: 1, Col: 1}, "", "constraint file has %d bytes; the limit is %d", len(text), maxFile)
	} else if root := l.parse(text); root != nil {
		l.document(root)
	}
	if len(l.errs) > 0 && l.foreign() {
		l.errs = nil
		l.errorf(l.programAt, "cdpor synth "+prog.Path+" writes constraints for it",
			"the constraints are those of %s, and the program is %s", l.set.ProgramName, prog.Path)
		l.errs[0].End = step.Pos{Line: l.programAt.Line, Col: l.programAt.Col + len([]rune(l.set.ProgramName))}
	}
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	return l.set, nil
}

// foreign reports whether the file says that it was made for another program than this one, or this one before it was
// edited.
func (l *loader) foreign() bool {
	return l.set.ProgramName != "" && filepath.Base(l.set.ProgramName) != filepath.Base(l.prog.Path) &&
		l.set.Digest != "" && l.set.Digest != Digest(l.prog)
}

func newLoader(prog *step.Program, path string, text []byte) *loader {
	file := lang.NewFile(path, text)
	l := &loader{prog: prog, file: file, text: text, set: &Set{Program: prog, File: file, text: text},
		steps: map[string]*step.Step{}}
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			l.steps[s.Name()] = s
			l.names = append(l.names, s.Name())
		}
	}
	return l
}

type loader struct {
	prog  *step.Program
	text  []byte
	file  *lang.File
	set   *Set
	steps map[string]*step.Step
	names []string
	errs  lang.ErrorList
	// programAt is where the file names its program.
	programAt step.Pos
	lenient   bool // entries with errors are lost
	lost      []Lost
}

func (l *loader) errorf(at step.Pos, hint, format string, args ...any) {
	if len(l.errs) < maxErrors {
		l.errs = append(l.errs, &lang.Error{File: l.file, Pos: at, Code: lang.ConstraintFileCode,
			Msg: lang.Bounded(fmt.Sprintf(format, args...)), Hint: lang.Bounded(hint)})
	}
}

func (l *loader) add(err error) {
	var list lang.ErrorList
	var one *lang.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			if len(l.errs) < maxErrors {
				l.errs = append(l.errs, e)
			}
		}
	case errors.As(err, &one):
		if len(l.errs) < maxErrors {
			l.errs = append(l.errs, one)
		}
	default:
		l.errorf(step.Pos{Line: 1, Col: 1}, "", "%v", err)
	}
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): `) })

// parse returns the top mapping, nil after an error.
func (l *loader) parse(text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		at, msg := step.Pos{Line: 1, Col: 1}, strings.TrimPrefix(err.Error(), "yaml: ")
		if errors.Is(err, io.EOF) {
			msg = "the constraint file is empty"
		} else if m := yamlLine().FindStringSubmatch(msg); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			msg = strings.Replace(msg, m[0], "", 1)
		}
		l.errorf(at, "", "%s", msg)
		return nil
	}
	var second yaml.Node
	if decoder.Decode(&second) == nil {
		l.errorf(position(&second), "", "a constraint file has one document")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || !l.clean(doc.Content[0]) {
		return nil
	}
	return doc.Content[0]
}

// clean refuses what makes YAML text mean something else than it shows.
func (l *loader) clean(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		l.errorf(position(n), "", "anchors and aliases are not allowed here")
		return false
	}
	if n.Style&yaml.TaggedStyle != 0 {
		l.errorf(position(n), "a condition that begins with ! must be quoted: \"!x\"", "tags are not allowed here")
		return false
	}
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return !l.clean(c) })
}

func position(n *yaml.Node) step.Pos { return step.Pos{Line: max(n.Line, 1), Col: max(n.Column, 1)} }

// fields calls f for each entry of a mapping, refusing unknown and duplicate keys.
func (l *loader) fields(n *yaml.Node, what string, known []string, f func(key string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		l.errorf(position(n), "", "%s must be a mapping with the keys %s", what, strings.Join(known, ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			l.errorf(position(key), lang.DidYouMean(key.Value, known), "unknown key %q; %s has the keys %s", key.Value,
				what, strings.Join(known, ", "))
		case seen[key.Value]:
			l.errorf(position(key), "", "duplicate key %q", key.Value)
		default:
			seen[key.Value] = true
			f(key.Value, n.Content[i+1])
		}
	}
}

func (l *loader) document(root *yaml.Node) {
	if l.otherFile(root) {
		return
	}
	version := false
	known := []string{"cdpor-constraints", "program", "digest", "seal", "generator", "steps", "invariants", "assuming",
		"define", "pairs", "independent", "ordered"}
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 { // wherever they stand
		switch v := root.Content[i+1]; root.Content[i].Value {
		case "define":
			if l.set.Definitions == nil {
				l.define(v)
			}
		case "steps":
			if l.set.statements == nil {
				l.statements(v)
			}
		}
	}
	l.fields(root, "a constraint file", known, func(key string, v *yaml.Node) {
		switch key {
		case "cdpor-constraints":
			version = true
			if v.Value != strconv.Itoa(Version) {
				l.errorf(position(v), "", "constraint file version %q is not supported; this is version %d",
					v.Value, Version)
			}
		case "program":
			l.set.ProgramName, l.programAt = l.scalar(v, key), position(v)
		case "digest":
			l.set.Digest = l.scalar(v, key)
		case "seal":
			l.set.seal = l.scalar(v, key)
		case "generator":
			l.set.Generator = l.scalar(v, key)
		case "invariants":
			for _, e := range l.list(v, key) {
				l.entry(e, true, func() {
					l.set.InvariantsUsed = append(l.set.InvariantsUsed, l.scalar(e, "an invariant"))
					if that, at := l.condition(e, nil, nil); that != nil {
						l.set.Invariants = append(l.set.Invariants, &Fact{That: that, Pos: at})
					}
				})
			}
		case "assuming":
			for _, e := range l.list(v, key) {
				facts := len(l.set.Assumed)
				l.entry(e, false, func() { l.fact(e) })
				if len(l.set.Assumed) > facts {
					l.set.facts = append(l.set.facts, l.set.textIn(l.set.Assumed[facts]))
				} else if len(e.Content) == 2 {
					l.set.facts = append(l.set.facts, e.Content[0].Value+": "+quote(e.Content[1].Value))
				}
			}
		case "pairs":
			for _, e := range l.list(v, key) {
				l.entry(e, false, func() { l.pair(e) })
			}
		case "independent":
			for _, e := range l.list(v, key) {
				l.entry(e, false, func() { l.listed(e, key, "commutes with", Exact) })
			}
		case "ordered":
			for _, e := range l.list(v, key) {
				l.entry(e, true, func() { l.listed(e, key, "never meets", Ordered) })
			}
		}
	})
	if !version && root.Kind == yaml.MappingNode {
		l.errorf(position(root), "", "this is not a constraint file: the key cdpor-constraints is missing")
	}
}

// otherFile reports a program or a replay file where a constraint file is expected.
func (l *loader) otherFile(root *yaml.Node) bool {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		what := map[string]string{"cdpor": "program", "cdpor-replay": "replay file"}[root.Content[i].Value]
		if what != "" {
			l.errorf(position(root.Content[i]), "cdpor synth writes constraint files",
				"this is a %s, not a constraint file", what)
			return true
		}
	}
	return false
}

func (l *loader) scalar(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode {
		l.errorf(position(n), "", "%s must be text on one line", what)
		return ""
	}
	return n.Value
}

func (l *loader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
			return nil
		}
		l.errorf(position(n), "", "%s must be a list", what)
		return nil
	}
	return n.Content
}

func (l *loader) step(n *yaml.Node) *step.Step {
	name := l.scalar(n, "a step")
	s := l.steps[name]
	if now, known := l.set.now[name]; known {
		if s = now; s == nil {
			l.errorf(position(n), "a step with a label keeps its name",
				"the program no longer has the step %q as it was", name)
			return nil
		}
	}
	if s != nil || n.Kind != yaml.ScalarNode {
		return s
	}
	hint, meant := lang.DidYouMean(name, l.names), ""
	if hint == "" {
		hint = "the steps of the program are " + strings.Join(l.names, ", ")
	} else {
		meant = strings.TrimSuffix(strings.TrimPrefix(hint, "did you mean "), "?")
	}
	at, before := position(n), len(l.errs)
	l.errorf(at, hint, "unknown step %q", name)
	if meant != "" && len(l.errs) > before && n.Style == 0 { // the name stands there as it is, without quotes
		end := step.Pos{Line: at.Line, Col: at.Col + len([]rune(name))}
		l.errs[before].Edit = &lang.Edit{Pos: at, End: end, Text: meant}
	}
	return nil
}

func (l *loader) insert(p *Pair) {
	switch other, _ := l.set.find(p.A, p.B); {
	case other != nil:
		l.errorf(p.Pos, "", "the pair %s, %s stands already at line %d", p.A.Name(), p.B.Name(), other.Pos.Line)
	case p.A.Template == p.B.Template && p.A.Template.Count < 2 && p.A.Template.Multi && !l.lenient:
		// with other parameters there are several; here it says nothing
	case p.A.Template == p.B.Template && p.A.Template.Count < 2:
		l.errorf(p.Pos, "", "%s and %s are steps of one thread, which has no second instance", p.A.Name(), p.B.Name())
	default:
		l.set.Pairs = append(l.set.Pairs, p)
		l.set.index[[2]*step.Step{p.A, p.B}] = p
	}
}

func (l *loader) pair(n *yaml.Node) {
	p := &Pair{Pos: position(n), Status: Manual}
	var commute, uniform *yaml.Node
	fields := []string{"blocks", "commute", "uniform", "because", "status", "seal"}
	l.fields(n, "a pair", fields, func(key string, v *yaml.Node) {
		switch key {
		case "blocks":
			blocks := l.list(v, key)
			if len(blocks) != 2 {
				l.errorf(position(v), "", "blocks must name two steps, as in [a.1, b.1]")
				return
			}
			p.A, p.B = l.step(blocks[0]), l.step(blocks[1])
		case "commute":
			commute = v
		case "uniform":
			uniform = v
		case "because":
			for _, third := range l.list(v, key) {
				p.Because = append(p.Because, l.scalar(third, "a step"))
			}
		case "seal":
			p.Seal = l.scalar(v, key)
		case "status":
			if p.Status = Status(l.scalar(v, key)); p.Status == unknownOpen {
				p.Status, p.Open = Unknown, true
			}
			if !slices.Contains(Statuses, p.Status) {
				l.errorf(position(v), "", "unknown status %q; it is exact, partial, unknown or manual", v.Value)
			}
		}
	})
	if n.Kind != yaml.MappingNode {
		return
	}
	if p.A == nil || p.B == nil {
		if len(l.errs) == 0 {
			l.errorf(p.Pos, "", "a pair needs blocks: [a.1, b.1]")
		}
		return
	}
	if commute == nil {
		l.errorf(p.Pos, "", "the pair %s, %s has no commute condition", p.A.Name(), p.B.Name())
		return
	}
	p.Commute, p.CommutePos = l.condition(commute, p.A, p.B)
	p.Uniform, p.UniformPos = Truth(false), p.CommutePos
	if uniform != nil {
		p.Uniform, p.UniformPos = l.condition(uniform, p.A, p.B)
	}
	if p.Commute != nil && p.Uniform != nil {
		l.insert(p)
	}
}

// condition parses a condition; nil after an error.
func (l *loader) condition(n *yaml.Node, a, b *step.Step) (*step.Expr, step.Pos) {
	at := position(n)
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 ||
		strings.ContainsAny(n.Value, "\n\t") {
		l.errorf(at, "", "a condition must be one expression on one line")
		return nil, at
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		at.Col++
	}
	switch n.Value {
	case "true":
		return Truth(true), at
	case "false":
		return Truth(false), at
	}
	e, err := lang.ParseCondition(l.prog, l.file, at, n.Value, a, b, l.definitions(b)...)
	if err != nil {
		l.add(err)
		return nil, at
	}
	return e, at
}

// definitions are those that a condition may use: of a pair all, of what is assumed none.
func (l *loader) definitions(b *step.Step) []*lang.Definition {
	if b == nil {
		return nil
	}
	return l.set.Definitions
}

// statements reads what a file says of steps without a label. Where the program may have changed since, they are looked
// for.
func (l *loader) statements(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!null" {
			l.errorf(position(n), "", "steps must be a mapping from steps to statements, as in t.2: x += 1")
		}
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if seen[name] {
			l.errorf(position(n.Content[i]), "leave one of them out", "%s stands twice under steps", name)
		}
		seen[name] = true
		l.set.statements = append(l.set.statements, statement{name, l.scalar(n.Content[i+1], "a statement")})
	}
	if l.lenient {
		l.set.now = foundAgain(l.set.statements, l.prog)
		l.set.was = map[*step.Step]string{}
		for name, now := range l.set.now {
			l.set.was[now] = name
		}
	}
}

// define reads entries such as "meets(p, q): p.i == q.i". What they stand for is checked where it is used.
func (l *loader) define(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!null" {
			l.errorf(position(n), "", "define must be a mapping from names to conditions, as in "+
				"meets(p, q): p.i == q.i")
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := position(key)
		d, ok := lang.DefinitionOf(key.Value)
		if !ok {
			l.errorf(at, "write free, passes(p) or meets(p, q)", "%q is not the head of a definition", key.Value)
			continue
		}
		if value.Kind != yaml.ScalarNode || value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 ||
			strings.ContainsAny(value.Value, "\n\t") || value.Value == "" {
			l.errorf(position(value), "", "what a definition stands for must be one expression on one line")
			continue
		}
		other := slices.IndexFunc(l.set.Definitions, func(o *lang.Definition) bool { return o.Name == d.Name })
		if means := lang.NameMeans(l.prog, d.Name); means != "" {
			l.errorf(at, "take another name", "%s is %s already", d.Name, means)
			continue
		} else if other >= 0 {
			l.errorf(at, "leave one of them out, or take another name", "%s is defined already at line %d", d.Name,
				l.set.Definitions[other].Head.Line)
			continue
		}
		d.Head, d.At, d.Text = at, position(value), value.Value
		if value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			d.At.Col++
		}
		l.set.Definitions = append(l.set.Definitions, d)
	}
}

// fact reads an entry such as "t.1: i < 3", "t.1, u.1: n >= 2" or "always: x >= 0".
func (l *loader) fact(n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		l.errorf(position(n), "", "an entry of assuming names a step, or always, and a condition, as in a.1: i < 3")
		return
	}
	f := &Fact{Pos: position(n.Content[1])}
	if at := *n.Content[0]; at.Value != "always" {
		name, other, two := strings.Cut(at.Value, ", ")
		at.Value = name
		if f.At = l.step(&at); f.At == nil {
			return
		}
		if at.Value, at.Column = other, at.Column+len(name)+2; two {
			if f.With = l.step(&at); f.With == nil {
				return
			}
		}
	}
	if f.That, f.Pos = l.condition(n.Content[1], f.At, nil); f.That != nil {
		l.set.Assumed = append(l.set.Assumed, f)
	}
}

// listed reads an entry of the lists of pairs that need no conditions: those that are always independent, or never
// considered to be.
func (l *loader) listed(n *yaml.Node, section, meaning string, status Status) {
	names, seal := l.list(n, "an entry of "+section), ""
	if last := len(names) - 1; last >= 0 && isSeal(names[last].Value) {
		names, seal = names[:last], names[last].Value
	}
	if n.Kind == yaml.SequenceNode && len(names) < 2 {
		l.errorf(position(n), "", "an entry of %s names a step and those it %s, as in [a.1, b.1]", section, meaning)
		return
	}
	var a *step.Step
	for i, name := range names {
		s := l.step(name)
		if i == 0 {
			a = s
		} else if a != nil && s != nil {
			at, is := position(name), status == Exact
			l.insert(&Pair{A: a, B: s, Commute: Truth(is), Uniform: Truth(is), Status: status, Seal: seal, Pos: at,
				CommutePos: at, UniformPos: at})
		}
	}
}

//go:embed constraints.schema.json
var fileSchema string

// Schema is a JSON Schema (draft 7) of constraint files, for editors and other tools. Conditions and steps are text to
// it.
func Schema() string { return fileSchema }
