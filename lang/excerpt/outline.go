package excerpt

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// An Outline relates the nodes of a program to the statements of its text, so that a part of the nodes can be made a
// part of the text. Not every part is one: a statement is there with all its nodes or not at all, with the statements
// around it, with the declarations of what it mentions, and with the jumps that lead out of them. Close says what is
// missing.
type Outline struct {
	src    *lang.Source
	root   *yaml.Node
	bodies []*body
	at     map[step.Pos]*piece // by the place of the statement
	thread map[*step.Template]*body
	begins map[*step.Node]bool // with which a method begins, always a step
}

// A body is the code of a thread, procedure or method.
type body struct {
	name      string // main, a thread or procedure, or class.method
	value     *yaml.Node
	routine   bool // a procedure or method
	result    bool // it has one
	method    bool
	outermost *block
	pieces    []*piece
	toks      []syntax.Token
}

// A block is a list of statements in a body, inside a statement or not.
type block struct {
	up   *piece
	of   *body
	list []*piece
}

// A piece is a statement with its nodes.
type piece struct {
	s      *syntax.Stmt
	in     *block
	inner  []*block
	names  map[string]bool // that its head mentions
	callee *body           // of a call of a procedure
	own    []*step.Node    // of the statement without those inside, in all places where its procedure is written out
	early  bool            // a choice is made before the atomic block or the method that it is in
}

// A Part is a part of the nodes of a program.
type Part interface {
	Keeps(*step.Node) bool
	// Pauses calls f for nodes that are left out although a step has to end where they were, with the next that is
	// kept; nil stands for the end.
	Pauses(f func(left, next *step.Node))
}

// NewOutline reads the text of a program again.
func NewOutline(src *lang.Source) *Outline {
	r := syntax.NewReporter(src.File)
	o := &Outline{src: src, at: map[step.Pos]*piece{}, thread: map[*step.Template]*body{},
		begins: map[*step.Node]bool{}}
	o.root = syntax.ParseYAML(r, []byte(src.File.Text()))
	sections := r.Entries(o.root, "a program")
	for _, kv := range sections {
		if kv[0].Value == "types" {
			for _, d := range r.Entries(kv[1], "types") {
				r.TypeNames[d[0].Value] = true
			}
		}
	}
	for _, kv := range sections {
		o.section(r, kv[0], kv[1])
	}
	for _, t := range src.Program.Templates {
		b := o.body(t.Name)
		o.thread[t] = b
		if b != nil && b.method && t.Start != step.End {
			o.begins[t.Nodes[t.Start]] = true
		}
		for _, n := range t.Nodes {
			if p := o.at[n.Pos]; p != nil && n.Property == nil {
				p.own = append(p.own, n)
			}
		}
	}
	for _, b := range o.bodies {
		for _, p := range b.pieces {
			p.callee = o.calls(p)
			p.early = p.s.Kind == syntax.SChoose ||
				p.s.Kind == syntax.SReceive && slices.ContainsFunc(p.s.Cases,
					func(c *syntax.Choice) bool { return c.Anytime }) ||
				slices.ContainsFunc([]*syntax.Expr{p.s.Place, p.s.Value, p.s.To, p.s.Cond}, (*syntax.Expr).Chooses)
			p.early = p.early && (p.atomic() != nil || b.method)
		}
	}
	return o
}

func (o *Outline) section(r *syntax.Reporter, key, n *yaml.Node) {
	switch key.Value {
	case "threads":
		for _, kv := range r.Entries(n, "threads") {
			o.read(r, &body{name: kv[0].Value, value: entry(kv[1], "run")})
		}
	case "main":
		o.read(r, &body{name: "main", value: entry(n, "run")})
	case "procedures":
		for _, kv := range r.Entries(n, "procedures") {
			if code, ok := r.Code(kv[0], "a head"); ok {
				name, _, result, _ := syntax.ParseSignature(r, code)
				o.read(r, &body{name: name, value: kv[1], routine: true, result: result != nil})
			}
		}
	case "actors":
		for _, class := range r.Entries(n, "actors") {
			name, _, _ := r.Head(class[0], "a class")
			for _, kv := range r.Entries(entry(class[1], "methods"), "methods") {
				if code, ok := r.Code(kv[0], "a head"); ok {
					method, _, result, _ := syntax.ParseSignature(r, code)
					o.read(r, &body{name: name + "." + method, value: kv[1], routine: true, method: true,
						result: result != nil})
				}
			}
		}
	}
}

// entry is the value of a map for a key. A node that is no map is the value for the key run, and has no other.
func entry(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		if key == "run" {
			return n
		}
		return &yaml.Node{Kind: yaml.MappingNode}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{Kind: yaml.MappingNode}
}

func (o *Outline) read(r *syntax.Reporter, b *body) {
	code, ok := r.Code(b.value, "a body")
	if !ok {
		return
	}
	b.toks = syntax.Lex(r.Silent(), code)
	b.outermost = o.block(b, nil, syntax.ParseBody(r, code))
	o.bodies = append(o.bodies, b)
}

func (o *Outline) block(b *body, up *piece, list []*syntax.Stmt) *block {
	in := &block{up: up, of: b}
	for _, s := range list {
		p := &piece{s: s, in: in, names: map[string]bool{}}
		in.list, b.pieces = append(in.list, p), append(b.pieces, p)
		o.at[s.Pos] = p
		p.mention(s)
		inner := [][]*syntax.Stmt{s.Body, s.Orelse}
		for _, c := range s.Cases {
			inner = append(inner, c.Body)
		}
		for _, list := range inner {
			p.inner = append(p.inner, o.block(b, p, list))
		}
	}
	return in
}

// mention collects the names in the head of a statement.
func (p *piece) mention(s *syntax.Stmt) {
	for _, e := range []*syntax.Expr{s.Place, s.Value, s.To, s.Cond} {
		p.mentionIn(e)
	}
	p.mentionType(s.Type)
	if s.Ok != nil {
		p.mention(s.Ok)
	}
	for _, c := range s.Cases {
		p.mentionIn(c.Cond)
		if c.Communication != nil {
			p.mention(c.Communication)
		}
	}
}

func (p *piece) mentionIn(e *syntax.Expr) {
	if e == nil {
		return
	}
	p.names[e.Name] = true
	for _, a := range slices.Concat(e.Args, e.Keys) {
		p.mentionIn(a)
	}
}

func (p *piece) mentionType(t *syntax.TypeExpr) {
	if t == nil {
		return
	}
	for _, e := range []*syntax.Expr{t.Size, t.Lo, t.Hi} {
		p.mentionIn(e)
	}
	p.mentionType(t.Elem)
	p.mentionType(t.Key)
	for _, f := range t.Fields {
		p.mentionType(f.Type)
	}
}

// atomic is the outermost atomic block around a statement; nil if there is none.
func (p *piece) atomic() (outer *piece) {
	for b := p.in; b.up != nil; b = b.up.in {
		if b.up.s.Kind == syntax.SAtomic {
			outer = b.up
		}
	}
	return outer
}

func (o *Outline) body(name string) *body {
	i := slices.IndexFunc(o.bodies, func(b *body) bool { return b.name == name })
	if i < 0 {
		return nil
	}
	return o.bodies[i]
}

// calls is the procedure, or method of self, that a statement calls.
func (o *Outline) calls(p *piece) *body {
	e := p.s.Value
	switch {
	case e == nil:
	case e.Kind == syntax.ECall:
		if b := o.body(e.Name); b != nil && b.routine {
			return b
		}
	case e.Kind == syntax.EMethod && e.Args[0].Kind == syntax.EName && e.Args[0].Name == "self":
		class, _, _ := strings.Cut(p.in.of.name, ".")
		return o.body(class + "." + e.Name)
	}
	return nil
}

// goesOn reports whether what follows a statement can come next.
func goesOn(s *syntax.Stmt) bool {
	all := func(list []*syntax.Stmt) bool {
		return !slices.ContainsFunc(list, func(s *syntax.Stmt) bool { return !goesOn(s) })
	}
	switch s.Kind {
	case syntax.SBreak, syntax.SContinue, syntax.SReturn:
		return false
	case syntax.SIf:
		return s.Orelse == nil || all(s.Body) || all(s.Orelse)
	case syntax.SAtomic, syntax.SBlock, syntax.SWith:
		return all(s.Body)
	case syntax.SChoose, syntax.SSelect, syntax.SReceive:
		return slices.ContainsFunc(s.Cases, func(c *syntax.Choice) bool { return all(c.Body) })
	}
	return true
}
