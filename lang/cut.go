package lang

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Question says what a part of a program is for.
type Question struct {
	Options  Options                   // what the user had changed about the program; the part has it in its text
	Observe  []string                  // expressions that terminal states are compared on
	Observed bool                      // as in the program, Outcomes too
	Property func(*step.Property) bool // whether a property is part of the question; nil: none is
	Deadlock bool                      // whether deadlocks are those of the program
}

// Cut makes a program of the text of a part that Close has nothing to add to. Comments of what is left stay, and so do the names;
// what nothing mentions goes: declarations, parameters, procedures, threads. Expectations go too, since they are about the whole.
func (o *Outline) Cut(part Part, q Question) (e *Excerpt, err error) {
	c := &cutter{eraser: newEraser(o.src.File), selection: o.selection(part), q: q}
	for _, b := range o.bodies {
		c.code(b)
	}
	c.sections()
	e = c.excerpt()
	e.Text, err = Format(o.src.File.Name, e.Text)
	return e, err
}

type cutter struct {
	*eraser
	*selection
	q      Question
	kept   []item                // what stays whatever else does
	tree   []*candidate          // the sections that stay if something in them does
	named  map[string]*candidate // threads, classes and methods
	checks bool                  // something is left of the section check
}

// A candidate is an item that is there if the rest of the text wants it, or if not said otherwise, if something inside it is there.
type candidate struct {
	item
	up     *candidate
	inner  []*candidate
	wanted func(text string) bool
	then   func() // what follows when it is there
	there  bool
}

// code takes out what is not in a body.
func (c *cutter) code(b *body) {
	c.block(b.outermost)
	gone := func(t syntax.Token) bool {
		p := c.at[t.Pos]
		return c.gone(t.Pos) && !(p != nil && c.pauses[p])
	}
	lines := map[int]bool{} // with code -> whether some is left
	// Separators that separate nothing go.
	var before syntax.Token // on the same line
	for i, t := range b.toks {
		if t.Kind == syntax.TEOF || t.Kind == syntax.TSep && t.Text != ";" {
			continue
		}
		if t.Pos.Line != before.Pos.Line {
			before = syntax.Token{}
		}
		if t.Kind == syntax.TSep {
			next := i + 1
			for next < len(b.toks) && b.toks[next].Pos.Line == t.Pos.Line && b.toks[next].Kind != syntax.TEOF && gone(b.toks[next]) {
				next++
			}
			last := next == len(b.toks) || b.toks[next].Pos.Line != t.Pos.Line || b.toks[next].Kind == syntax.TEOF || b.toks[next].Kind == syntax.TSep || b.toks[next].Text == "}"
			if last || before.Text == "" || before.Text == "{" || before.Text == ";" {
				c.clear(t.Pos, t.End)
			}
		}
		if !gone(t) {
			lines[t.Pos.Line], before = true, t
		} else if !lines[t.Pos.Line] {
			lines[t.Pos.Line] = false
		}
	}
	c.pausing(b)
	if b.value.Style&yaml.LiteralStyle == 0 {
		return
	}
	last := b.toks[len(b.toks)-1].Pos.Line
	for n := b.value.Line + 1; n <= last; n++ {
		c.inCode[n] = true
	}
	for n := last; n > b.value.Line; n-- {
		left, code := lines[n]
		text := strings.TrimSpace(c.file.Line(n))
		belongs := strings.HasPrefix(text, "//") && n < last && c.blank(n+1) && !c.onLine(n+1) && strings.TrimSpace(c.file.Line(n+1)) != ""
		if code && !left && !c.onLine(n) || !code && belongs {
			c.clearLines(n, n)
		}
	}
}

// onLine reports whether something is put on a line.
func (c *cutter) onLine(n int) bool {
	return slices.ContainsFunc(c.puts, func(p put) bool { return p.at.Line == n })
}

// pausing writes an empty step where one has to end.
func (c *cutter) pausing(b *body) {
	for _, p := range b.pieces {
		if c.pauses[p] {
			c.write(p.s.Pos, p.s.End, slice.Pause)
		}
	}
}

func (c *cutter) block(b *block) {
	for _, p := range b.list {
		s := p.s
		from := s.Pos
		if s.Label != "" {
			from = s.LabelAt
		}
		if c.present[p] == nil {
			c.clear(from, s.End)
			continue
		}
		if s.Label != "" && !c.steps(p) && !c.begins(p) {
			c.clear(from, s.Pos)
		}
		for _, inner := range p.inner {
			c.block(inner)
		}
		if outer := p.atomic(); s.Kind == syntax.SAtomic && outer == nil && !p.in.of.method && !c.steps(p) && c.begins(p) {
			i := slices.IndexFunc(p.in.of.toks, func(t syntax.Token) bool { return t.Text == "{" && after(t.Pos, s.Pos) })
			c.puts = append(c.puts, put{p.in.of.toks[i].End, 0, " " + slice.Pause + ";"})
		}
		if s.Kind == syntax.SIf && s.Orelse != nil && !c.any(p.inner[1]) {
			for _, t := range slices.Backward(p.in.of.toks) {
				if t.Kind == syntax.TName && t.Text == "else" && !after(t.Pos, s.Orelse0(s.End)) && after(t.Pos, s.Pos) {
					c.clear(t.Pos, s.End)
					break
				}
			}
		}
	}
}

func after(a, b step.Pos) bool { return a.Line > b.Line || a.Line == b.Line && a.Col > b.Col }

func (c *cutter) any(b *block) bool {
	return slices.ContainsFunc(b.list, func(p *piece) bool { return c.present[p] != nil || c.pauses[p] })
}

// steps reports whether a statement makes a step in the part.
func (c *cutter) steps(p *piece) bool {
	makes := func(n *step.Node) bool {
		return c.part.Keeps(n) && (n.Kind == step.Choose || n.Kind == step.Await || build.Touches(n))
	}
	if slices.ContainsFunc(p.own, makes) {
		return true
	}
	if p.callee != nil && slices.ContainsFunc(p.callee.pieces, c.steps) {
		return true
	}
	return slices.ContainsFunc(p.inner, func(b *block) bool {
		return slices.ContainsFunc(b.list, func(p *piece) bool { return c.pauses[p] || c.present[p] != nil && c.steps(p) })
	})
}

// begins reports whether a step begins with a statement, or inside it.
func (c *cutter) begins(p *piece) bool {
	return slices.ContainsFunc(p.own, func(n *step.Node) bool { return c.part.Keeps(n) && n.Visible }) ||
		slices.ContainsFunc(p.inner, func(b *block) bool { return slices.ContainsFunc(b.list, c.begins) })
}

// nothing writes skip where all the code of a body was left out.
func (c *cutter) nothing(b *body) {
	for _, t := range b.toks {
		if t.Kind != syntax.TEOF && t.Kind != syntax.TSep && !c.gone(t.Pos) {
			return
		}
	}
	if slices.ContainsFunc(b.pieces, func(p *piece) bool { return c.pauses[p] }) {
		return
	}
	first := b.toks[0].Pos
	end := b.toks[len(b.toks)-1].End
	if end.Line != first.Line {
		end = step.Pos{Line: first.Line, Col: max(first.Col, len(c.lines[first.Line-1])+1)}
	}
	c.write(first, end, "skip")
}

// Classes of Unicode letters take long to compile, so that is left to those who need them.
var (
	word      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL_][\pL\pN_]*`) })
	plainCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\pN_.]*$`) })
)

func mentioned(names ...string) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(word().FindAllString(text, -1), func(w string) bool { return slices.Contains(names, w) })
	}
}

func matching(pattern string, args ...any) func(string) bool {
	r := regexp.MustCompile(fmt.Sprintf(pattern, args...))
	return r.MatchString
}

func (c *cutter) candidate(up *candidate, it item, wanted func(string) bool) *candidate {
	k := &candidate{item: it, up: up, wanted: wanted}
	if up == nil {
		c.tree = append(c.tree, k)
	} else {
		up.inner = append(up.inner, k)
	}
	return k
}

// sections takes out what is left over of the declarations.
func (c *cutter) sections() {
	c.named = map[string]*candidate{}
	for _, s := range c.items(c.root, len(c.file.Lines)+1) {
		switch s.n.Value {
		case "expect", "invariant":
			c.drop(s)
		case "observe":
			if c.q.Observed {
				c.kept = append(c.kept, s)
			} else {
				c.drop(s)
			}
		case "check":
			c.check(s)
		case "main":
			c.thread(nil, s, "main")
		case "params", "types", "shared", "functions", "procedures", "bounds", "threads", "actors", "spec":
			section := c.candidate(nil, s, nil)
			for _, it := range c.items(s.value, s.limit) {
				c.declaration(section, it)
			}
		}
	}
	c.settle()
	if main := c.named["main"]; main == nil || !main.there {
		// A program has threads.
		if i := slices.IndexFunc(c.tree, func(k *candidate) bool { return k.n.Value == "threads" && len(k.inner) > 0 }); i < 0 {
			c.include(main)
		} else if !c.tree[i].there {
			c.include(c.tree[i].inner[0])
		}
		c.settle()
	}
	c.prune(c.tree)
	c.options()
	c.questions()
}

// declaration is an entry of a section.
func (c *cutter) declaration(section *candidate, it item) {
	name, _, _ := strings.Cut(it.n.Value, "(")
	name = strings.TrimSpace(name)
	switch section.n.Value {
	case "types":
		names := []string{name}
		if code, ok := syntax.NewReporter(c.file).Code(it.value, "a type"); ok {
			if t, _ := syntax.ParseDecl(syntax.NewReporter(c.file), code); t != nil {
				names = append(names, t.Names...)
			}
		}
		c.candidate(section, it, mentioned(names...))
	case "procedures":
		c.bodied(section, it, name)
	case "bounds":
		c.candidate(section, it, func(string) bool {
			k := c.named[name]
			return k != nil && k.there || name == "recursion" || name == "procedures" || name == "operations"
		})
	case "threads":
		c.thread(section, it, name)
	case "actors":
		c.class(section, it, name)
	default:
		c.candidate(section, it, mentioned(name))
	}
}

// bodied is an entry that is there if its code is.
func (c *cutter) bodied(up *candidate, it item, name string) {
	b := c.body(name)
	k := c.candidate(up, it, func(string) bool { return c.alive[b] != nil })
	k.then = func() { c.nothing(b) }
	c.named[name] = k
}

// A thread is there if it does something, or if something is sent to it or asked of it.
func (c *cutter) thread(section *candidate, it item, name string) {
	b := c.body(name)
	asked := matching(`\b%s\s*[\[!.]`, regexp.QuoteMeta(name))
	k := c.candidate(section, it, func(text string) bool { return c.alive[b] != nil || asked(text) || c.numbered(text) })
	k.then = func() { c.nothing(b) }
	c.named[name] = k
	for _, p := range c.items(it.value, it.limit) {
		if it.value.Kind == yaml.MappingNode && p.n.Value == "params" && p.value.Kind == yaml.MappingNode {
			params := c.candidate(k, p, nil)
			for _, one := range c.items(p.value, p.limit) {
				c.candidate(params, one, mentioned(one.n.Value))
			}
		}
	}
}

// A class is there if one of its methods is, or if it is mentioned.
func (c *cutter) class(section *candidate, it item, name string) {
	called := mentioned(name)
	k := c.candidate(section, it, func(text string) bool {
		return called(text) || slices.ContainsFunc(c.bodies, func(b *body) bool {
			class, _, _ := strings.Cut(b.name, ".")
			return b.method && class == name && c.alive[b] != nil
		})
	})
	c.named[name] = k
	for _, part := range c.items(it.value, it.limit) {
		group := c.candidate(k, part, nil)
		for _, one := range c.items(part.value, part.limit) {
			if part.n.Value == "fields" {
				c.candidate(group, one, mentioned(one.n.Value))
				continue
			}
			method, _, _ := strings.Cut(one.n.Value, "(")
			c.bodied(group, one, name+"."+strings.TrimSpace(method))
		}
	}
}

// settle decides what is there, as long as something that is there mentions more.
func (c *cutter) settle() {
	var text string
	changed := true
	var visit func(list []*candidate)
	visit = func(list []*candidate) {
		for _, k := range list {
			if !k.there && (k.wanted != nil && k.wanted(text) || k.wanted == nil && len(k.inner) == 0) {
				c.include(k)
				changed = true
			}
			if k.there || k.wanted == nil {
				visit(k.inner)
			}
		}
	}
	for changed {
		changed = false
		text = c.mentions()
		visit(c.tree)
	}
}

func (c *cutter) include(k *candidate) {
	for ; k != nil && !k.there; k = k.up {
		k.there = true
		if k.then != nil {
			k.then()
		}
	}
}

func (c *cutter) prune(list []*candidate) {
	for _, k := range list {
		if k.there {
			c.prune(k.inner)
		} else {
			c.drop(k.item)
		}
	}
}

// numbered reports whether the numbers of threads matter.
func (c *cutter) numbered(text string) bool { return numbers().MatchString(text) }

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bprocess\b|\breaders\s*\[|\bwaiters\b`) })

// mentions is the text of all that is there.
func (c *cutter) mentions() string {
	var b strings.Builder
	b.WriteString(strings.Join(c.q.Observe, "\n") + "\n")
	for _, it := range c.kept {
		b.WriteString(c.text(it))
	}
	var visit func(list []*candidate)
	visit = func(list []*candidate) {
		for _, k := range list {
			if !k.there {
				continue
			}
			if len(k.inner) == 0 {
				b.WriteString(c.text(k.item))
				continue
			}
			b.WriteString(k.n.Value + "\n")
			for _, part := range c.items(k.value, k.limit) {
				if !slices.ContainsFunc(k.inner, func(o *candidate) bool { return o.n == part.n }) {
					b.WriteString(c.text(part))
				}
			}
			visit(k.inner)
		}
	}
	visit(c.tree)
	return b.String()
}

// check leaves the properties that are asked about.
func (c *cutter) check(s item) {
	props := c.src.Program.Checks
	lists := map[string][]*step.Property{"final": props.Final, "final_any": props.FinalAny, "reachable": props.Reachable,
		"unreachable": props.Unreachable, "always": props.Always, "transition": props.Transition}
	needed := map[*step.Property]bool{} // by the part
	for _, t := range c.src.Program.Templates {
		for _, n := range t.Nodes {
			if n.Property != nil && c.part.Keeps(n) {
				needed[n.Property] = true
			}
		}
	}
	asked := func(p *step.Property) bool { return needed[p] || c.q.Property != nil && c.q.Property(p) }
	parts := c.items(s.value, s.limit)
	stays := func(it item) bool {
		switch it.n.Value {
		case "deadlock":
			return c.q.Deadlock
		case "outcomes":
			return c.q.Observed
		case "termination", "fairness": // loops that need not end are there still
			return true
		}
		return slices.ContainsFunc(lists[it.n.Value], asked)
	}
	if !slices.ContainsFunc(parts, stays) {
		c.drop(s)
		return
	}
	c.checks = true
	var deadlock *item
	for i, it := range parts {
		if it.n.Value == "deadlock" {
			deadlock = &parts[i]
			continue
		}
		if !stays(it) {
			c.drop(it)
			continue
		}
		if it.value.Kind == yaml.SequenceNode && it.n.Value != "outcomes" {
			for k, one := range c.items(it.value, it.limit) {
				if !asked(lists[it.n.Value][k]) {
					c.drop(one)
				}
			}
		}
		c.kept = append(c.kept, it)
	}
	switch first := parts[0]; {
	case c.q.Deadlock:
	case deadlock != nil:
		c.give(*deadlock, "allowed")
	case first.flow():
		c.puts = append(c.puts, put{syntax.NodePos(first.n), 0, "deadlock: allowed, "})
	default:
		c.before[first.n.Line] = append(c.before[first.n.Line], strings.Repeat(" ", s.value.Column-1)+"deadlock: allowed")
	}
}

// questions writes what is asked and was not in the file.
func (c *cutter) questions() {
	end := len(c.lines) + 1
	for end > 1 && strings.TrimSpace(c.file.Line(end-1)) == "" {
		end--
	}
	var lines []string
	if !c.q.Observed {
		quoted := make([]string, len(c.q.Observe))
		for i, e := range c.q.Observe {
			quoted[i] = quoteCode(e)
		}
		lines = append(lines, "observe: ["+strings.Join(quoted, ", ")+"]")
	}
	if !c.checks && !c.q.Deadlock {
		lines = append(lines, "check: {deadlock: allowed}")
	}
	if a := c.q.Options.Atomicity; a != "" && entry(c.root, "atomicity").Kind != yaml.ScalarNode {
		lines = append(lines, "atomicity: "+a)
	}
	c.before[end] = append(c.before[end], lines...)
}

// options writes what the user had changed.
func (c *cutter) options() {
	for _, s := range c.items(c.root, len(c.file.Lines)+1) {
		switch s.n.Value {
		case "atomicity":
			if a := c.q.Options.Atomicity; a != "" {
				c.give(s, a)
			}
		case "params":
			for _, it := range c.items(s.value, s.limit) {
				if text, ok := c.q.Options.Params[it.n.Value]; ok && !c.gone(syntax.NodePos(it.n)) {
					c.give(it, text)
				}
			}
		}
	}
}

// quoteCode is an expression as an element of a YAML list.
func quoteCode(e string) string {
	if plainCode().MatchString(e) {
		return e
	}
	return "'" + strings.ReplaceAll(e, "'", "''") + "'"
}

// Observable are expressions for what a shared variable is in the end. A primitive is observed by its parts.
func Observable(v *step.Var) (list []string) {
	switch {
	case v.Temp || v.Type.Words() == 0:
		return nil
	case v.Type.Sync != "":
		for _, f := range v.Type.Fields {
			if f.Name == "readers" { // an array with an element for each process, of which there may be fewer in a part
				list = append(list, v.Name+".readers.count(r, r)")
				continue
			}
			list = append(list, v.Name+"."+f.Name)
		}
		return list
	case pinned(v.Type) && v.Type.Kind != step.Mutex:
		return nil
	}
	return []string{v.Name}
}
