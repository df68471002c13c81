package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/printer"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

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
	for _, name := range slices.Sorted(maps.Keys(l.opt.Params)) {
		if !slices.Contains(names, name) {
			hint := syntax.DidYouMean(name, names)
			switch {
			case hint == "" && len(names) > 0:
				hint = "it has " + strings.Join(names, ", ")
			case hint == "":
				hint = fmt.Sprintf("params: {%s: %s} declares one", name, l.opt.Params[name])
			}
			l.Report(step.Pos{}, step.Pos{}, hint, "the program has no parameter %s", name)
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
	if e.Kind == syntax.EName && t != nil && t.Numeric() && l.Params[e.Name] == nil {
		r.Report(e.Pos, e.End, "write a number", "the parameter is %s, and this is %s", types.String(t), e.Name)
		return nil
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
			l.Unsure = l.Unsure || strings.HasPrefix(kv[1].Value, "enum") // its members are not known
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
