package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"cdpor/lang/step"
)

func nodeEnd(n *yaml.Node) step.Pos {
	if n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "\n") {
		return step.Pos{}
	}
	width := len([]rune(n.Value))
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		width += 2
	}
	return step.Pos{Line: n.Line, Col: n.Column + max(1, width)}
}

// A Key is a key of the file with its places, for messages about what it declares.
type Key struct {
	Text     string
	Pos, End step.Pos // no End: of several lines
	Name     step.Pos // where the name in it begins
}

// KeyOf is a key as plain data.
func KeyOf(n *yaml.Node) Key { return Key{n.Value, NodePos(n), nodeEnd(n), NamePos(n)} }

// At reports an error about a node.
func (r *Reporter) At(n *yaml.Node, hint, format string, args ...any) {
	r.Report(NodePos(n), nodeEnd(n), hint, format, args...)
}

// ParseYAML reads a file into a tree of plain nodes: what the language does not use of YAML is reported. The result is
// nil if there is no tree to look at.
func ParseYAML(r *Reporter, text []byte) *yaml.Node {
	doc, next, err := decode(shield(r.File))
	if err != nil {
		r.yamlError(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		const cure = "cdpor init writes a program to begin with"
		if strings.TrimSpace(r.File.Text()) == "" {
			r.Report(step.Pos{}, step.Pos{}, cure, "the file is empty")
		} else {
			r.Report(step.Pos{}, step.Pos{}, cure, "the file has only comments")
		}
		return nil
	}
	if next != nil {
		at := NodePos(next)
		for at.Line > 1 && !strings.HasPrefix(r.File.Line(at.Line), "---") {
			at = step.Pos{Line: at.Line - 1, Col: 1}
		}
		r.Report(at, step.Pos{Line: at.Line, Col: at.Col + 3}, "write each program in a file of its own",
			"a second YAML document begins here, and a program is one")
	}
	root := doc.Content[0]
	before := r.Count()
	r.plain(root)
	if r.Count() > before && root.Kind != yaml.MappingNode {
		return nil
	}
	return root
}

// decode reads the first document of a text, and the second one if there is one. It keeps a panic of the YAML library
// from reaching our callers.
func decode(text []byte) (doc, next *yaml.Node, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("yaml: %v", x)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	doc, next = &yaml.Node{}, &yaml.Node{}
	if err := decoder.Decode(doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if err := decoder.Decode(next); err != nil {
		if errors.Is(err, io.EOF) {
			return doc, nil, nil
		}
		return nil, nil, err
	}
	return doc, next, nil
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`) })

var parserMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^did not find expected (',' or|key|'-' indicator|<|node content)`)
})

// yamlError turns the library's message into one with a place and advice.
func (r *Reporter) yamlError(err error) {
	m := yamlLine().FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	if m == nil {
		r.Report(step.Pos{}, step.Pos{}, "", "not valid YAML: %v", err)
		return
	}
	if at, end, hint, cause := r.File.misplaced(); cause != "" {
		r.Report(at, end, hint, "not valid YAML: %s", cause)
		return
	}
	line, _ := strconv.Atoi(m[1])
	if parserMessage().MatchString(m[2]) {
		line++ // the library's parser, unlike its scanner, counts from 0
	}
	line = min(line, len(r.File.Lines))
	if from, to := r.File.colonInValue(line); from > 0 && strings.Contains(m[2], "mapping values are not allowed") {
		hint := "a value with a colon in it stands in quotes, or in a block after |; = joins a type and " +
			"its value, == compares"
		if typedHead().MatchString(r.File.Line(line)) {
			hint = "types stand behind names without a colon: f(k int) int: code"
		}
		r.Report(step.Pos{Line: line, Col: from}, step.Pos{Line: line, Col: to}, hint,
			"not valid YAML: %s", "a colon in the value makes it look like another key")
		return
	}
	hint := ""
	switch msg := m[2]; {
	case strings.Contains(msg, "mapping values are not allowed"):
		hint = `code with ": " in it must stand in quotes, or in a block after |`
	case strings.Contains(msg, "did not find expected"), strings.Contains(msg, "could not find expected"):
		hint = "look for a missing bracket, quote or colon here or on the line before; quote code " +
			"that YAML misunderstands"
	case strings.Contains(msg, "cannot start any token"):
		hint = "indent with blanks, and quote what begins with % @ or `"
	case strings.Contains(msg, "control characters"):
		hint = "a program is a text; name a YAML file, a Go file, or the folder of a Go package"
	case strings.Contains(msg, "unknown anchor"):
		hint = "aliases are not part of the language; to begin code with *, quote it"
	}
	for n := max(1, line-1); n <= line+1; n++ {
		text := r.File.Line(n)
		if i := strings.IndexByte(text, '\t'); i >= 0 && strings.TrimSpace(text[:i]) == "" {
			line, hint = n, "indent with blanks, not tabs"
			break
		}
	}
	if line == 0 {
		r.Report(step.Pos{}, step.Pos{}, hint, "not valid YAML: %s", m[2])
		return
	}
	text := r.File.Line(line)
	col := len([]rune(text)) - len([]rune(strings.TrimLeft(text, " \t"))) + 1
	r.Report(step.Pos{Line: line, Col: col}, step.Pos{Line: line, Col: len([]rune(text)) + 1}, hint,
		"not valid YAML: %s", m[2])
}

// plain reports anchors, aliases, tags and duplicate keys, and restores what shield has hidden.
func (r *Reporter) plain(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value = unshield(n.Value)
	}
	switch {
	case n.Kind == yaml.AliasNode:
		r.At(n, "write the value out; to begin code with *, quote it", "aliases are not part of the language")
	case n.Anchor != "":
		r.At(n, "to begin code with &, quote it", "anchors are not part of the language")
	case n.Style&yaml.TaggedStyle != 0:
		hint := "tags are not part of the language"
		if n.Kind == yaml.ScalarNode {
			hint = fmt.Sprintf("if it is code, quote it: \"%s\"", strings.TrimSpace(n.Tag+" "+n.Value))
			if n.Value == "" {
				hint = fmt.Sprintf("if it is code, quote it: \"%s\"", n.Tag)
			}
		}
		r.At(n, hint, "YAML takes what begins with ! as a tag")
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				if k.Kind != yaml.AliasNode {
					r.At(k, "quote it if it is code", "a key must be a plain name")
				}
				continue
			}
			if k.Tag == "!!merge" {
				r.At(k, "", "merge keys are not part of the language")
			}
			name := unshield(k.Value)
			if line, dup := seen[name]; dup {
				r.At(k, "give one of them another name, or put both together", "key %s is already on line %d", name,
					line)
			}
			seen[name] = k.Line
		}
	}
	if n.Style&yaml.FlowStyle != 0 {
		r.dropCut(n)
	}
	for _, c := range n.Content {
		r.plain(c)
	}
}

// dropCut reports values that end at a comma with a bracket open, and takes out what YAML reads behind it.
func (r *Reporter) dropCut(n *yaml.Node) {
	each := 1
	if n.Kind == yaml.MappingNode {
		each = 2
	}
	open, content := 0, n.Content
	n.Content = nil
	for part := range slices.Chunk(content, each) {
		if open <= 0 {
			n.Content = append(n.Content, part...)
			if !r.cutAtComma(part[each-1]) {
				continue
			}
			r.At(part[each-1], "put the code in quotes, or in a block after |",
				"the code ends at a comma: inside { } and [ ] YAML ends a value there")
		}
		for _, c := range part {
			open += strings.Count(c.Value, "(") - strings.Count(c.Value, ")")
		}
	}
}

// Entries are the pairs of a map whose keys are plain; a report is made when the node is no map.
func (r *Reporter) Entries(n *yaml.Node, what string) (pairs [][2]*yaml.Node) {
	if IsNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.At(n, mapHint(n, what), "%s must be a map of names to values", what)
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && !seen[k.Value] && k.Tag != "!!merge" {
			seen[k.Value] = true
			pairs = append(pairs, [2]*yaml.Node{k, n.Content[i+1]})
		}
	}
	return pairs
}

// Fields walks a map with fixed keys.
func (r *Reporter) Fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	for _, kv := range r.Entries(n, what) {
		if f, ok := known[kv[0].Value]; ok {
			f(kv[1])
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		hint := HabitKey(kv[0].Value, what)
		if what == "a condition" {
			hint = conditionHint(n)
		}
		if word, _, blank := strings.Cut(kv[0].Value, " "); blank && known[word] != nil {
			r.At(kv[0], "write "+word+": and what belongs to it", "not valid YAML: %s",
				"the colon behind "+word+" is missing")
			continue
		}
		if hint == "" {
			hint = DidYouMean(kv[0].Value, names)
		}
		if hint == "" {
			hint = "the keys of " + what + " are " + strings.Join(names, ", ")
		}
		r.At(kv[0], hint, "unknown key %s in %s", kv[0].Value, what)
	}
}

// Items are the elements of a list, or the node itself where a list of one may be written without brackets.
func Items(n *yaml.Node) []*yaml.Node {
	switch {
	case n.Kind == yaml.SequenceNode:
		return n.Content
	case IsNull(n):
		return nil
	}
	return []*yaml.Node{n}
}

// IsNull reports whether nothing stands at a node.
func IsNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && (n.Value == "" || n.Value == "~")
}

// Scalar is the text of a plain value such as a name.
func (r *Reporter) Scalar(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || IsNull(n) {
		r.At(n, "", "%s is missing or not a plain value", what)
		return "", false
	}
	return n.Value, true
}

// Declared checks the name of something that a key declares.
func (r *Reporter) Declared(k *yaml.Node, what string) bool {
	switch {
	case !PlainName(k.Value):
		r.At(k, "letters, digits and _", "%q cannot be the name of %s", k.Value, what)
	case IsKeyword(k.Value):
		r.At(k, "", "%s is a word of the language and cannot be the name of %s", k.Value, what)
	default:
		return true
	}
	return false
}

// Number is a plain integer.
func (r *Reporter) Number(n *yaml.Node, what string) (int64, bool) {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil {
		r.At(n, "", "%s must be an integer", what)
		return 0, false
	}
	return v, true
}

// Code is embedded code with the places where it really stands: the library only knows where a value begins.
func (r *Reporter) Code(n *yaml.Node, what string) (portion, bool) {
	if n.Kind == yaml.AliasNode {
		return nil, false // reported by plain
	}
	if n.Kind != yaml.ScalarNode {
		hint := "write | behind the key and the code on the lines below"
		switch {
		case n.Kind == yaml.SequenceNode:
			hint += ", without -"
		case strings.HasPrefix(what, "the type of "):
			hint = "write the type, and behind it the first value: int = 1"
		case what == "a type":
			hint = "write record {a int, b bool} for the fields a and b"
		}
		r.At(n, hint, "%s must be code", what)
		return nil, false
	}
	if IsNull(n) && n.Value == "" {
		r.At(n, "", "%s is empty", what)
		return nil, false
	}
	if n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" {
		return nil, false // reported by plain
	}
	switch {
	case n.Style&yaml.FoldedStyle != 0:
		r.At(&yaml.Node{Line: n.Line, Column: n.Column}, "write | instead of >",
			"a folded block loses the line ends of the code")
		return nil, false
	case n.Style&yaml.LiteralStyle != 0:
		return r.block(n)
	}
	if r.cutAtComma(n) {
		return nil, false // reported by plain
	}
	col := n.Column
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		col++
	}
	value := []rune(n.Value)
	rest := r.File.Runes(n.Line, col)
	if len(rest) < len(value) || !slices.Equal(rest[:len(value)], value) || strings.Contains(n.Value, "\n") {
		hint := "write it on one line, or as a block after |"
		if col > n.Column {
			hint = "write it without escapes, or as a block after |"
		}
		if n.Style == 0 && n.Line < len(r.File.Lines) && len(rest) > 0 &&
			strings.HasPrefix(n.Value, strings.TrimSpace(string(rest))) {
			r.Report(NodePos(n), step.Pos{Line: n.Line, Col: n.Column + len(rest)},
				"write | behind the key, and the code on the lines below it",
				"code of several lines needs a |: without it YAML makes one line of them")
			return nil, false
		}
		r.At(n, hint, "%s does not stand in the file as it is read", what)
		return nil, false
	}
	return portion{{n.Line, col, n.Value}}, true
}

// cutAtComma reports whether a plain value ends at a comma with a bracket open: a call in {run: f(x, 1)}.
func (r *Reporter) cutAtComma(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style != 0 || strings.Count(n.Value, "(") <= strings.Count(n.Value, ")") {
		return false
	}
	rest := r.File.Runes(n.Line, n.Column+len([]rune(n.Value)))
	return len(rest) > 0 && rest[0] == ','
}

var blockHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\|[+-]?\s*(#.*)?$`) })

// block finds the lines of a | block.
func (r *Reporter) block(n *yaml.Node) (portion, bool) {
	rest := string(r.File.Runes(n.Line, n.Column))
	if !blockHeader().MatchString(rest) {
		r.Report(NodePos(n), step.Pos{Line: n.Line, Col: n.Column + 2}, "write | alone",
			"a block of code cannot have an indentation indicator")
		return nil, false
	}
	indent := -1
	var code portion
	count := strings.Count(strings.TrimRight(n.Value, "\n"), "\n") + 1
	for k := n.Line + 1; k <= len(r.File.Lines) && len(code) < count; k++ {
		text := r.File.Line(k)
		trimmed := strings.TrimLeft(text, " ")
		if indent < 0 && trimmed != "" {
			indent = len(text) - len(trimmed)
		}
		if indent < 0 || len(text) <= indent {
			code = append(code, codeLine{k, 1, ""})
			continue
		}
		code = append(code, codeLine{k, indent + 1, text[indent:]})
	}
	if indent < 0 {
		r.At(&yaml.Node{Line: n.Line, Column: n.Column}, "", "the block is empty")
		return nil, false
	}
	return code, true
}

// ValueExpr reads a value that may be written as code or as a YAML list.
func (r *Reporter) ValueExpr(n *yaml.Node) *Expr {
	if n.Kind == yaml.SequenceNode {
		e := &Expr{Kind: EList, Pos: NodePos(n), End: NodePos(n), Depth: 1}
		for _, c := range n.Content {
			a := r.ValueExpr(c)
			if a == nil {
				return nil
			}
			e.Depth = max(e.Depth, a.Depth+1)
			e.Args = append(e.Args, a)
		}
		if e.Depth > maxDepth {
			r.At(n, "", "the value is nested too deeply")
			return nil
		}
		return e
	}
	if IsNull(n) && n.Value == "~" {
		r.At(n, "write null", "~ is not a value of the language")
		return nil
	}
	code, ok := r.Code(n, "a value")
	if !ok {
		return nil
	}
	return ParseExpr(r, code)
}
