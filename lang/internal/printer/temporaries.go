package printer

import (
	"strconv"
	"strings"
	"unicode"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// TempName is how constraints call a local that lowering made, which has no name in the source: a word for what it
// holds, see tempBase. Where that is taken a number follows.
func TempName(t *step.Template, v *step.Var) string {
	if name, ok := t.TempNames(tempNames)[v]; ok {
		return name
	}
	return v.Name
}

func tempNames(t *step.Template) map[*step.Var]string {
	names, taken := map[*step.Var]string{}, map[string]int{}
	for _, u := range t.Locals {
		if !u.Temp {
			taken[u.Name] = 1
		}
	}
	for _, u := range t.Locals {
		if !u.Temp {
			continue
		}
		base := tempBase(t, u)
		name := base
		for taken[name] > 0 {
			taken[base]++
			name = base + strconv.Itoa(taken[base])
		}
		taken[name] = max(taken[name], 1)
		names[u] = name
	}
	return names
}

// tempBase is a name for a local that has none: last_i of the last value of a loop over i, chosen of what any chooses,
// new_w and task_m of what is started, read_x of a read of the shared variable x, test_x and from_x of what is computed
// with it. Others are called after the statement that they are a part of.
func tempBase(t *step.Template, v *step.Var) string {
	if name := strings.TrimPrefix(v.Name, "$"); strings.Trim(name, "0123456789") != "" { // instrumented code has some
		return identifier(name)
	}
	var first *step.Node
	shared, plain := map[*step.Var]bool{}, true
	for _, n := range t.Nodes {
		if n.Kind == step.Branch && n.Cond.Op == step.Le && isLocal(n.Cond.Args[1], v) {
			if i := n.Cond.Args[0]; i.Op == step.VarRef {
				return identifier("last_" + i.Var.Name)
			}
		}
		if n.Dst == nil || !isLocal(n.Dst, v) {
			continue
		}
		switch n.Kind {
		case step.Choose:
			return "chosen"
		case step.Spawn:
			if class, method, task := strings.Cut(n.Target.Name, "."); task {
				return identifier("task_" + method)
			} else {
				return identifier("new_" + class)
			}
		}
		if strings.HasPrefix(n.Text, "return ") {
			return "returned"
		}
		if first == nil {
			first = n
		}
		plain = plain && n.Src != nil && place(n.Src).Op == step.VarRef && place(n.Src).Var.Shared
		n.Src.EachVar(func(e *step.Expr) {
			if e.Var.Shared {
				shared[e.Var] = true
			}
		})
	}
	if len(shared) == 1 {
		word := "from_"
		switch {
		case plain:
			word = "read_"
		case v.Type.Kind == step.Bool:
			word = "test_"
		}
		for x := range shared {
			return identifier(word + strings.TrimPrefix(x.Name, "$")) // which the results of methods have
		}
	}
	if first == nil {
		return "unset"
	}
	return statementWord(first.Text)
}

// statementWord is a name for a part of a statement: for_h, or part_x of one that begins with x.
func statementWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !named(r) })
	for i, word := range words {
		switch {
		case word == "for" && i+1 < len(words):
			return identifier("for_" + words[i+1])
		case !syntax.IsKeyword(word):
			return identifier("part_" + word)
		}
	}
	return "part"
}

// identifier is a text with an underscore for what cannot stand in a name.
func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		if !named(r) {
			return '_'
		}
		return r
	}, text)
}

// named reports whether a rune can stand in a name.
func named(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// place is the variable that an access to a part accesses.
func place(e *step.Expr) *step.Expr {
	for e.Op == step.Index || e.Op == step.Part {
		e = e.Args[0]
	}
	return e
}

func isLocal(e *step.Expr, v *step.Var) bool { return e.Op == step.VarRef && e.Var == v }
