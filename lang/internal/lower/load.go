package lower

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/instrument"
	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/internal/vet"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
)

// Options change a program without editing it.
type Options struct {
	Params    map[string]string // overrides NAME=VALUE of parameters, values in expression syntax
	Atomicity string            // "", "statement" or "access": overrides the file's
}

// A Result is a loaded program: the checked step form plus what only the surface knows.
type Result struct {
	Program  *step.Program
	File     *syntax.File // the text, for messages
	Expect   []*Expect    // the expect section
	Findings *vet.Findings
}

// maxFile is the largest program text that is looked at.
const maxFile = 4 << 20

// maxProcs bounds the number of running threads.
const maxProcs = 1000

// Load reads, checks and lowers a program. The error is a syntax.ErrorList with everything found wrong.
func Load(path string, text []byte, opt Options) (*Result, error) {
	return newLoader(path, opt).source(text)
}

func newLoader(path string, opt Options) *loader {
	return &loader{Reporter: syntax.NewReporter(syntax.NewFile(path, nil)), Table: check.NewTable(), opt: opt,
		prog: &step.Program{Path: path}, performed: map[*step.Template]*instrument.Performed{},
		findings: &vet.Findings{Asked: map[step.Pos]bool{}}, recursion: defaultRecursion,
		bodies: map[*check.Routine]*yaml.Node{}, fields: map[*check.Class]*yaml.Node{},
		started: map[*check.Identities]*threadDecl{}}
}

func (l *loader) source(text []byte) (*Result, error) {
	switch path := l.File.Name; {
	case len(text) > maxFile:
		l.Report(step.Pos{}, step.Pos{}, "", "the file has %d bytes; a program may have %d", len(text), maxFile)
	case !utf8.Valid(text):
		line := 1 + bytes.Count(text[:firstInvalid(text)], []byte("\n"))
		l.Report(step.Pos{Line: line, Col: 1}, step.Pos{}, "", "the text is not UTF-8")
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

// A loader holds a program while its sections are read.
type loader struct {
	*syntax.Reporter
	*check.Table
	opt        Options
	prog       *step.Program
	access     bool
	races      bool // are forbidden
	expect     []*Expect
	findings   *vet.Findings
	recursion  int // calls of functions inside each other
	inlining   int // calls of one procedure inside each other; 0: none
	duties     []*instrument.Duty
	operations int // of one process at most, as bounds say; 0: they do not
	performed  map[*step.Template]*instrument.Performed
	performs   map[string]string             // the heads of the operations of the specification, by name
	code       func() []syntax.Token         // of the whole program
	bodies     map[*check.Routine]*yaml.Node // what is declared, as it stands in the file
	fields     map[*check.Class]*yaml.Node
	started    map[*check.Identities]*threadDecl
	crashes    int // in one execution, at most
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

// readBounds reads how deep calls may go, and how many threads, actors and tasks there may be.
func (l *loader) readBounds(n *yaml.Node) {
	bound := func(to *int) func(*yaml.Node) {
		return func(n *yaml.Node) {
			const most = 1000
			v, ok := l.Number(n, "a bound")
			if ok && (v < 1 || v > most) {
				l.At(n, "", "a bound must be from 1 to %d, not %d", most, v)
			} else if ok {
				*to = int(v)
			}
		}
	}
	keys := map[string]func(*yaml.Node){"recursion": bound(&l.recursion), "procedures": bound(&l.inlining),
		"operations": bound(&l.operations)}
	identityBounds(l.Reporter, l.Table, keys)
	l.Fields(n, "bounds", keys)
	mentionBounds(l.Reporter, l.Table, n)
}

// countProcesses finds out how many threads there will be, since some types have a part for each. What is wrong with
// the counts is reported when the threads are read.
func (l *loader) countProcesses(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(n.Content); i += 2 {
		if l.IdentitiesOf(n.Content[i-1].Value) != nil {
			continue
		}
		count, _ := l.instancesOf(n.Content[i])
		l.Processes += count
	}
	l.Processes = min(l.Processes, maxProcs)
}

// instancesOf finds out how many instances of a thread there are, and whether that is said.
func (l *loader) instancesOf(d *yaml.Node) (count int, said bool) {
	if d.Kind != yaml.MappingNode {
		return 1, false
	}
	n := int64(1)
	for k := 0; k+1 < len(d.Content); k += 2 {
		if d.Content[k].Value != "count" {
			continue
		}
		r := l.Silent()
		if e := r.ValueExpr(d.Content[k+1]); e != nil {
			n, _ = check.ConstInt(l.Checker(r, check.ConstNames{}), e, "")
		}
		said = true
	}
	return int(min(max(n, 0), maxProcs)), said
}

// announceShared makes the names of shared variables known before their types are.
func (l *loader) announceShared(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		l.Unsure = true
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		l.SharedVars[n.Content[i].Value] = &step.Var{Name: n.Content[i].Value, Shared: true}
	}
}

type namedType struct {
	name string
	key  *yaml.Node
	typ  *syntax.TypeExpr
}

// parseTypes reads the syntax of the declared types, and makes the enums, which parameters may have as values.
func (l *loader) parseTypes(n *yaml.Node) (list []namedType) {
	if n == nil {
		return nil
	}
	for _, kv := range l.Entries(n, "types") {
		if !l.Declared(kv[0], "a type") {
			continue
		}
		if name := kv[0].Value; syntax.IsTypeWord(name) {
			l.At(kv[0], "", "%s is a type of the language", name)
			continue
		}
		l.Types[kv[0].Value] = nil
		l.TypeNames[kv[0].Value] = true
		code, ok := l.Code(kv[1], "a type")
		if !ok {
			continue
		}
		ty, init := syntax.ParseDecl(l.Reporter, code)
		if init != nil {
			l.Report(init.Pos, init.End, "", "a type has no initial value")
		}
		if ty != nil {
			list = append(list, namedType{kv[0].Value, kv[0], ty})
			if ty.Kind == syntax.TyEnum {
				t := l.Enum(ty.Names)
				if t.Name == "" {
					t.Name = kv[0].Value
				}
				l.Types[kv[0].Value] = t
			}
		}
	}
	return list
}

// resolveTypes gives the names their types; a type may use those before it.
func (l *loader) resolveTypes(list []namedType) {
	declared := maps.Clone(l.Types)
	clear(l.Types)
	for _, d := range list {
		if d.typ.Kind == syntax.TyEnum {
			l.Types[d.name] = declared[d.name]
			l.MentionKey(d.key, syntax.Mention{What: "type", Name: d.name, Type: types.Structure(declared[d.name]),
				Of: declared[d.name]}, nil)
			continue
		}
		t := l.ResolveType(l.Reporter, d.typ)
		if t != nil {
			named := *t
			named.Name = d.name
			if c := l.Lengths[t]; c != nil {
				l.Lengths[&named] = c
			}
			t = &named
			l.MentionKey(d.key, syntax.Mention{What: "type", Name: d.name, Type: types.Structure(t), Of: t}, nil)
		}
		l.Types[d.name] = t
	}
	for name := range declared {
		if _, ok := l.Types[name]; !ok {
			l.Types[name] = nil
		}
	}
}

// readParams reads the parameters, whose types are those of their values, and applies the overrides.
func (l *loader) readParams(n *yaml.Node) {
	var names []string
	if n != nil {
		for _, kv := range l.Entries(n, "params") {
			name := kv[0].Value
			if !l.Declared(kv[0], "a parameter") {
				continue
			}
			names = append(names, name)
			v := l.paramValue(l.Reporter, l.ValueExpr(kv[1]), nil)
			if text, ok := l.opt.Params[name]; ok {
				r := l.In(syntax.NewFile("-p "+name, []byte(text)))
				var t *step.Type
				if v != nil {
					t = v.Type
				}
				v = l.paramValue(r, syntax.ParseExpr(r, syntax.PortionAt(step.Pos{Line: 1, Col: 1}, text)), t)
			}
			if v == nil {
				// Known, so that its uses are not reported as well.
				l.Params[name] = &step.Param{Name: name, Type: step.IntType, Words: []int64{1}}
				continue
			}
			p := &step.Param{Name: name, Type: v.Type, Words: v.Words, Pos: syntax.NodePos(kv[0])}
			l.Params[name] = p
			l.prog.Params = append(l.prog.Params, p)
			l.MentionKey(kv[0], syntax.Mention{What: "parameter", Name: name,
				Value: printer.FormatValue(nil, p.Type, p.Words)}, p.Type)
		}
	}
	var over []string
	for name := range l.opt.Params {
		over = append(over, name)
	}
	slices.Sort(over)
	for _, name := range over {
		if !slices.Contains(names, name) {
			l.Report(step.Pos{}, step.Pos{}, syntax.DidYouMean(name, names), "the program has no parameter %s", name)
		}
	}
}

// paramValue evaluates a parameter; an override must have the kind of type of the value it replaces.
func (l *loader) paramValue(r *syntax.Reporter, e *syntax.Expr, t *step.Type) *step.Expr {
	if e == nil {
		return nil
	}
	want := t
	if t != nil && t.Kind == step.List {
		want = nil // the number of elements may change
	}
	if e.Kind == syntax.EList && len(e.Args) == 0 {
		return check.Constant(e, &step.Type{Kind: step.List, Elem: step.IntType}, 0)
	}
	v := l.Checker(r, check.ConstNames{}).Value(e, want)
	if v == nil {
		return nil
	}
	vt := v.Type
	if vt.Numeric() {
		vt = step.IntType
	}
	switch {
	case vt.Kind == step.List && vt.Elem.Kind != step.Int:
		r.Report(e.Pos, e.End, "", "a parameter is an int, a bool, a member of an enum or a list of ints")
		return nil
	case t != nil && (vt.Kind != t.Kind || vt.Kind == step.Enum && !types.Comparable(vt, t)):
		r.Report(e.Pos, e.End, "", "the parameter is %s, and this is %s", types.String(t), types.String(vt))
		return nil
	}
	words, err := check.Evaluate(v, 0)
	if err != nil {
		r.Report(e.Pos, e.End, "", "%v", err)
		return nil
	}
	return check.Constant(e, vt, words...)
}

func (l *loader) readShared(n *yaml.Node) {
	for _, kv := range l.Entries(n, "shared") {
		if !l.Declared(kv[0], "a shared variable") {
			continue
		}
		name := kv[0].Value
		// Declared even if faulty, so that its uses are not reported as well.
		v := &step.Var{Name: name, Pos: syntax.NodePos(kv[0]), Shared: true, Offset: l.prog.SharedWords}
		if l.Params[name] != nil {
			l.At(kv[0], "", "%s is already a parameter", name)
			continue
		}
		l.SharedVars[name] = v
		code, ok := l.Code(kv[1], "the type of "+name)
		if !ok {
			continue
		}
		ty, init := syntax.ParseDecl(l.Reporter, code)
		t := l.ResolveType(l.Reporter, ty)
		if t == nil {
			continue
		}
		if types.ReferenceIn(t, "tid") != nil {
			l.Report(ty.Pos, ty.End, "keep it in a variable of a thread", "a tid cannot be shared")
			continue
		}
		v.Type = t
		l.MentionKey(kv[0], syntax.Mention{What: "shared variable", Name: name}, t)
		words := l.initial(t, init)
		addShared(l.prog, v, words)
		if l.prog.SharedWords > check.MaxWords {
			l.At(kv[0], "", "the shared variables take more than %d words", check.MaxWords)
			return
		}
	}
}

// initial evaluates the initial value of a shared variable; one value for an array is given to all its elements.
func (l *loader) initial(t *step.Type, init *syntax.Expr) []int64 {
	if init == nil {
		return primitive.Initial(t)
	}
	x := l.Checker(l.Reporter, check.ConstNames{})
	if types.Pinned(t) {
		hint := "leave the value out"
		if t.Sync == "waitgroup" {
			hint = "it counts from 0: say wg.add(n) before the threads are spawned; to wait for n threads that run " +
				"from the start use barrier(n)"
		}
		l.Report(init.Pos, init.End, hint, "a %s is free at the start and has no initial value", types.PinnedWord(t))
		return primitive.Initial(t)
	}
	if t.Kind == step.Array && init.Kind != syntax.EList {
		if probe := l.Checker(l.Silent(), check.ConstNames{}).Value(init, nil); probe == nil ||
			!types.Fits(t, probe.Type) {
			elem := l.initial(t.Elem, init)
			return slices.Repeat(elem, t.Len)
		}
	}
	if words := check.ConstWords(x, init, t, 0); words != nil {
		return words
	}
	return primitive.Initial(t)
}

// otherFile reports a file of cdpor that is no program.
func (l *loader) otherFile(root *yaml.Node) bool {
	for _, kv := range l.Entries(root, "a program") {
		switch kv[0].Value {
		case "cdpor-replay":
			l.At(kv[0], "cdpor replay "+l.prog.Path+" follows its schedule", "this is a replay file, not a program")
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
