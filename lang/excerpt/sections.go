package excerpt

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

func (w *writer) candidate(up *candidate, it item, wanted func(*mentions) bool) *candidate {
	k := &candidate{item: it, up: up, wanted: wanted}
	if up == nil {
		w.tree = append(w.tree, k)
	} else {
		up.inner = append(up.inner, k)
	}
	return k
}

// sections takes out what is left over of the declarations.
func (w *writer) sections() {
	w.named = map[string]*candidate{}
	for _, s := range w.items(w.root, len(w.file.Lines)+1) {
		switch s.n.Value {
		case "expect", "invariant":
			w.drop(s)
		case "observe":
			if w.q.Observed {
				w.kept = append(w.kept, s)
			} else {
				w.drop(s)
			}
		case "check":
			w.check(s)
		case "main":
			w.thread(nil, s, "main")
		case "params", "types", "shared", "functions", "procedures", "bounds", "threads", "actors", "spec":
			section := w.candidate(nil, s, nil)
			for _, it := range w.items(s.value, s.limit) {
				w.declaration(section, it)
			}
		}
	}
	w.settle()
	if main := w.named["main"]; main == nil || !main.there {
		// A program has threads.
		if i := slices.IndexFunc(w.tree, func(k *candidate) bool {
			return k.n.Value == "threads" &&
				len(k.inner) > 0
		}); i < 0 {
			w.include(main)
		} else if !w.tree[i].there {
			w.include(w.tree[i].inner[0])
		}
		w.settle()
	}
	w.prune(w.tree)
	w.options()
	w.questions()
}

// declaration is an entry of a section.
func (w *writer) declaration(section *candidate, it item) {
	name := w.declared(it)
	switch section.n.Value {
	case "types":
		names := []string{name}
		if code, ok := syntax.NewReporter(w.file).Code(it.value, "a type"); ok {
			if t, _ := syntax.ParseDecl(syntax.NewReporter(w.file), code); t != nil {
				names = append(names, t.Names...)
			}
		}
		w.candidate(section, it, naming(names...))
	case "procedures":
		w.bodied(section, it, name)
	case "bounds":
		w.candidate(section, it, func(*mentions) bool {
			k := w.named[name]
			return k != nil && k.there || name == "recursion" || name == "procedures" || name == "operations"
		})
	case "threads":
		w.thread(section, it, name)
	case "actors":
		w.class(section, it, name)
	default:
		w.candidate(section, it, naming(name))
	}
}

// bodied is an entry that is there if its code is.
func (w *writer) bodied(up *candidate, it item, name string) {
	b := w.body(name)
	k := w.candidate(up, it, func(*mentions) bool { return w.alive[b] != nil })
	k.then = func() { w.nothing(b) }
	w.named[name] = k
}

// A thread is there if it does something, or if something is sent to it or asked of it.
func (w *writer) thread(section *candidate, it item, name string) {
	b := w.body(name)
	k := w.candidate(section, it, func(m *mentions) bool {
		numbers := m.words["process"] || m.words["waiters"] || m.before("readers", "[")
		return w.alive[b] != nil || m.before(name, "[", "!", ".") || numbers
	})
	k.then = func() { w.nothing(b) }
	w.named[name] = k
	for _, p := range w.items(it.value, it.limit) {
		if it.value.Kind == yaml.MappingNode && p.n.Value == "params" && p.value.Kind == yaml.MappingNode {
			params := w.candidate(k, p, nil)
			for _, one := range w.items(p.value, p.limit) {
				w.candidate(params, one, naming(one.n.Value))
			}
		}
	}
}

// A class is there if one of its methods is, or if it is mentioned.
func (w *writer) class(section *candidate, it item, name string) {
	k := w.candidate(section, it, func(m *mentions) bool {
		return m.words[name] || slices.ContainsFunc(w.bodies, func(b *body) bool {
			class, _, _ := strings.Cut(b.name, ".")
			return b.method && class == name && w.alive[b] != nil
		})
	})
	w.named[name] = k
	for _, part := range w.items(it.value, it.limit) {
		group := w.candidate(k, part, nil)
		for _, one := range w.items(part.value, part.limit) {
			if part.n.Value == "fields" {
				w.candidate(group, one, naming(one.n.Value))
				continue
			}
			w.bodied(group, one, name+"."+w.declared(one))
		}
	}
}

// settle decides what is there, as long as something that is there mentions more.
func (w *writer) settle() {
	var there *mentions
	changed := true
	var visit func(list []*candidate)
	visit = func(list []*candidate) {
		for _, k := range list {
			if !k.there && (k.wanted != nil && k.wanted(there) || k.wanted == nil && len(k.inner) == 0) {
				w.include(k)
				changed = true
			}
			if k.there || k.wanted == nil {
				visit(k.inner)
			}
		}
	}
	for changed {
		changed = false
		there = w.mentions()
		visit(w.tree)
	}
}

func (w *writer) include(k *candidate) {
	for ; k != nil && !k.there; k = k.up {
		k.there = true
		if k.then != nil {
			k.then()
		}
	}
}

func (w *writer) prune(list []*candidate) {
	for _, k := range list {
		if k.there {
			w.prune(k.inner)
		} else {
			w.drop(k.item)
		}
	}
}

// check leaves the properties that are asked about.
func (w *writer) check(s item) {
	props := w.src.Program.Checks
	lists := map[string][]*step.Property{"final": props.Final, "final_any": props.FinalAny,
		"reachable":   props.Reachable,
		"unreachable": props.Unreachable, "always": props.Always, "transition": props.Transition}
	needed := map[*step.Property]bool{} // by the part
	for _, t := range w.src.Program.Templates {
		for _, n := range t.Nodes {
			if n.Property != nil && w.part.Keeps(n) {
				needed[n.Property] = true
			}
		}
	}
	asked := func(p *step.Property) bool { return needed[p] || w.q.Property != nil && w.q.Property(p) }
	parts := w.items(s.value, s.limit)
	stays := func(it item) bool {
		switch it.n.Value {
		case "deadlock":
			return w.q.Deadlock
		case "outcomes":
			return w.q.Observed
		case "termination", "fairness": // loops that need not end are there still
			return true
		}
		return slices.ContainsFunc(lists[it.n.Value], asked)
	}
	if !slices.ContainsFunc(parts, stays) {
		w.drop(s)
		return
	}
	w.checks = true
	var deadlock *item
	for i, it := range parts {
		if it.n.Value == "deadlock" {
			deadlock = &parts[i]
			continue
		}
		if !stays(it) {
			w.drop(it)
			continue
		}
		if it.value.Kind == yaml.SequenceNode && it.n.Value != "outcomes" {
			for k, one := range w.items(it.value, it.limit) {
				if !asked(lists[it.n.Value][k]) {
					w.drop(one)
				}
			}
		}
		w.kept = append(w.kept, it)
	}
	switch first := parts[0]; {
	case w.q.Deadlock:
	case deadlock != nil:
		w.give(*deadlock, "allowed")
	case first.flow():
		w.puts = append(w.puts, put{syntax.NodePos(first.n), 0, "deadlock: allowed, "})
	default:
		w.before[first.n.Line] = append(w.before[first.n.Line], strings.Repeat(" ", s.value.Column-1)+
			"deadlock: allowed")
	}
}

// questions writes what is asked and was not in the file.
func (w *writer) questions() {
	end := len(w.lines) + 1
	for end > 1 && strings.TrimSpace(w.file.Line(end-1)) == "" {
		end--
	}
	var lines []string
	if !w.q.Observed {
		quoted := make([]string, len(w.q.Observe))
		for i, e := range w.q.Observe {
			quoted[i] = quoteCode(e)
		}
		lines = append(lines, "observe: ["+strings.Join(quoted, ", ")+"]")
	}
	if !w.checks && !w.q.Deadlock {
		lines = append(lines, "check: {deadlock: allowed}")
	}
	if a := w.q.Options.Atomicity; a != "" && entry(w.root, "atomicity").Kind != yaml.ScalarNode {
		lines = append(lines, "atomicity: "+a)
	}
	w.before[end] = append(w.before[end], lines...)
}

// options writes what the user had changed.
func (w *writer) options() {
	for _, s := range w.items(w.root, len(w.file.Lines)+1) {
		switch s.n.Value {
		case "atomicity":
			if a := w.q.Options.Atomicity; a != "" {
				w.give(s, a)
			}
		case "params":
			for _, it := range w.items(s.value, s.limit) {
				if text, ok := w.q.Options.Params[it.n.Value]; ok && !w.gone(syntax.NodePos(it.n)) {
					w.give(it, text)
				}
			}
		}
	}
}

// quoteCode is an expression as an element of a YAML list.
func quoteCode(e string) string {
	other := func(t syntax.Token) bool { return t.Kind > syntax.TName && t.Text != "." }
	if !slices.ContainsFunc(tokens(e), other) {
		return e
	}
	return "'" + strings.ReplaceAll(e, "'", "''") + "'"
}
