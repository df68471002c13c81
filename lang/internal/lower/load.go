package lower

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// maxFile is the largest program text that is looked at.
const maxFile = 4 << 20

// Load reads, checks and lowers a program. The error is a syntax.ErrorList with everything found wrong.
func Load(path string, text []byte, opt Options) (*Result, error) {
	return newLoader(path, opt).source(text)
}

func (l *loader) source(text []byte) (*Result, error) {
	switch path := l.File.Name; {
	case len(text) > maxFile:
		l.Report(step.Pos{}, step.Pos{}, "", "the file has %d bytes; a program may have %d", len(text), maxFile)
	case !utf8.Valid(text):
		line := 1 + bytes.Count(text[:firstInvalid(text)], []byte("\n"))
		l.Report(step.Pos{Line: line, Col: 1}, step.Pos{}, "save it as UTF-8; a program that is built "+
			"is none: name its YAML file, or the folder of a Go package", "the text is not UTF-8")
	case bytes.ContainsAny(text, "\u0085\u2028\u2029\uE000\uE001\uE002\uE003"):
		i := bytes.IndexAny(text, "\u0085\u2028\u2029\uE000\uE001\uE002\uE003")
		l.File = syntax.NewFile(path, text)
		l.Report(step.Pos{Line: 1 + bytes.Count(text[:i], []byte("\n")), Col: 1}, step.Pos{}, "",
			"the line has a character that is not for program text")
	default:
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		l.File = syntax.NewFile(path, text)
		l.load(text)
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	if err := l.prog.Validate(); err != nil {
		l.Report(step.Pos{}, step.Pos{}, "this is a bug of cdpor, not of the program", "internal error: %v", err)
		return nil, l.Err()
	}
	return &Result{Program: l.prog, File: l.File, Expect: l.expect, Findings: l.findings}, nil
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

// load reads the sections in the order in which they depend on each other, whatever their order in the file.
func (l *loader) load(text []byte) {
	root := syntax.ParseYAML(l.Reporter, text)
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		l.At(root, "begin with cdpor: 1", "a program is a map of sections")
		return
	}
	if l.otherFile(root) {
		return
	}
	l.code = sync.OnceValue(func() []syntax.Token { return syntax.Tokens(l.Reporter, root) })
	sections, runs, misnamed := l.sections(root)
	section := func(name string, f func(*yaml.Node)) {
		if n := sections[name]; n != nil {
			f(n)
		}
	}
	l.version(root, sections["cdpor"])
	l.prog.Name = strings.TrimSuffix(filepath.Base(l.prog.Path), filepath.Ext(l.prog.Path))
	section("name", func(n *yaml.Node) {
		if s, ok := l.Scalar(n, "the name"); ok {
			l.prog.Name = s
		}
	})
	section("about", func(n *yaml.Node) { l.prog.About, _ = l.Scalar(n, "the text of about") })
	l.readAtomicity(sections["atomicity"])
	l.readRaces(sections["check"], sections["atomicity"])
	declared := l.parseTypes(sections["types"])
	l.readParams(sections["params"])
	announceSpawned(l, sections["threads"], sections["actors"])
	section("bounds", l.readBounds)
	section("threads", l.countProcesses)
	if runs {
		l.Processes++
	}
	numberIdentities(l)
	l.resolveTypes(declared)
	section("shared", l.announceShared)
	section("functions", l.readFunctions)
	section("shared", l.readShared)
	declareSpawned(l)
	declareMailboxes(l, sections["threads"], sections["main"])
	section("crashes", func(n *yaml.Node) { declareCrashes(l, n, sections["threads"], sections["main"]) })
	section("invariant", l.readInvariants)
	section("procedures", l.readProcedures)
	section("spec", l.readSpec)
	readMethods(l)
	if n := sections["threads"]; (n == nil || syntax.IsNull(n) || n.Kind == yaml.MappingNode && len(n.Content) == 0) &&
		!runs && !misnamed {
		l.At(root, "write for example threads: {t: x = 1}", "the program has no threads")
	}
	readThreads(l, sections["threads"], sections["main"])
	if l.Count() > 0 && len(l.prog.Templates) == 0 {
		return // what follows would only say that the threads are unknown
	}
	section("crashes", func(n *yaml.Node) { addCrasher(l, syntax.NodePos(n)) })
	readObserve(l, sections["observe"])
	section("check", l.readChecks)
	section("expect", l.readExpect)
	if l.Count() == 0 {
		recordOperations(l)
	}
	if l.Count() == 0 && l.races {
		instrument.ForbidRaces(l.prog)
	}
	if l.Count() == 0 {
		instrument.Impose(l.prog, l.duties, l.crowded)
	}
	l.unusedNames(sections)
	idleMailboxes(l.Table, l.findings)
}

// sections are the sections of a program by their names, whether it has a main, and whether one has an unknown name.
func (l *loader) sections(root *yaml.Node) (sections map[string]*yaml.Node, runs, misnamed bool) {
	sections = map[string]*yaml.Node{}
	for _, kv := range l.Entries(root, "a program") {
		if kv[0].Value == "main" {
			runs = true
			l.MentionKey(kv[0], syntax.Mention{What: "thread", Name: "main"}, nil)
		}
	}
	keys := map[string]func(*yaml.Node){}
	for _, name := range []string{"actors", "main", "bounds", "functions", "procedures", "cdpor", "name", "about",
		"params", "types", "shared", "invariant", "atomicity", "threads",
		"observe", "check", "expect", "spec", "crashes"} {
		keys[name] = func(n *yaml.Node) { sections[name] = n }
	}
	unknown := l.Count()
	l.Fields(root, "a program", keys)
	for _, kv := range l.Entries(root, "a program") {
		if syntax.Declares(kv[0].Value, "a program", slices.Sorted(maps.Keys(keys)),
			slices.Collect(maps.Keys(sections))) {
			l.Unsure = true
		}
	}
	return sections, runs, l.Count() > unknown
}

// version checks the version of the language; a key "version" has been reported already.
func (l *loader) version(root, v *yaml.Node) {
	misnamed := slices.ContainsFunc(root.Content, func(n *yaml.Node) bool { return n.Value == "version" })
	switch {
	case v == nil && misnamed:
		l.Unsure = true
	case v == nil:
		l.At(root, "begin with cdpor: 1", "the version of the language is missing")
	case v.Value != "1":
		l.At(v, "write cdpor: 1", "version %q of the language is not known: this is cdpor: 1", v.Value)
	}
}

// unusedNames remarks on parameters and routines that nothing mentions.
func (l *loader) unusedNames(sections map[string]*yaml.Node) {
	for _, name := range []string{"params", "functions", "procedures"} {
		n := sections[name]
		if n == nil || n.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			if word, _, _ := strings.Cut(k.Value, "("); !l.Used[strings.TrimSpace(word)] {
				l.findings.Remark(syntax.NodePos(k), step.Pos{}, "", "nothing uses %s", strings.TrimSpace(word))
			}
		}
	}
}

func (l *loader) readAtomicity(n *yaml.Node) {
	l.findings.SaysStep = n != nil || l.opt.Atomicity != ""
	if n != nil {
		switch n.Value {
		case "access":
			l.access = true
		case "statement":
		default:
			l.At(n, syntax.DidYouMean(n.Value, []string{"statement", "access"}),
				"atomicity is statement or access, not %q", n.Value)
		}
	}
	switch l.opt.Atomicity {
	case "":
	case "access", "statement":
		l.access = l.opt.Atomicity == "access"
	default:
		l.Report(step.Pos{}, step.Pos{}, "", "atomicity is statement or access, not %q", l.opt.Atomicity)
	}
}

// readRaces reads races of check, if it is there, before code is read: with forbidden each access is a step.
func (l *loader) readRaces(n, atomicity *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "races" {
			continue
		}
		switch v := n.Content[i+1]; v.Value {
		case "forbidden":
			l.races, l.access = true, true
			at, hint := v, "leave out --atomicity, or races"
			if atomicity != nil && atomicity.Value == "statement" {
				at, hint = atomicity, "leave it out, or races: forbidden"
			}
			if l.opt.Atomicity == "statement" || at != v {
				l.At(at, hint, "to find data races each access must be a step")
			}
		case "allowed":
		default:
			l.At(v, syntax.DidYouMean(v.Value, []string{"forbidden", "allowed"}),
				"races is forbidden or allowed, not %q", v.Value)
		}
	}
}

// otherFile reports a file of cdpor that is no program.
func (l *loader) otherFile(root *yaml.Node) bool {
	for _, kv := range l.Entries(root, "a program") {
		switch kv[0].Value {
		case "cdpor-replay":
			l.At(kv[0], "cdpor run "+l.prog.Path+" follows its schedule", "this is a replay file, not a program")
		case "cdpor-constraints":
			l.At(kv[0], "cdpor run PROGRAM --constraints "+l.prog.Path+" uses it",
				"this is a constraint file, not a program")
		default:
			continue
		}
		return true
	}
	return false
}

// LoadMentions is Load for editors, which want to know what the names in the text mean even if it has errors. The
// mentions are sorted by place. At one place there may be several: a procedure is written out for every call.
func LoadMentions(path string, text []byte, opt Options) (*Result, []syntax.Mention, error) {
	l := newLoader(path, opt)
	l.Mentions = syntax.NewMentions(types.String)
	src, err := l.source(text)
	list := l.Mentions.List
	// What is declared by a key of the file has its place from there.
	declared := map[[2]string]step.Pos{}
	for _, m := range list {
		if m.Pos == m.Decl {
			declared[[2]string{m.What, m.Name}] = m.Pos
		}
	}
	for i := range list {
		switch m := &list[i]; m.What {
		case "shared variable", "parameter", "thread", "type":
			m.Decl = declared[[2]string{m.What, m.Name}]
		case "member":
			m.Decl = declared[[2]string{"type", m.Type}]
		}
	}
	slices.SortStableFunc(list, func(a, b syntax.Mention) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	return src, list, err
}
