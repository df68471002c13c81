package lower

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// What people call files and goroutines. A goroutine is called by the go statement that starts it, x.go:31. Of several
// that one statement starts, in one loop or by several chains of calls, the second is x.go:31#2. One of a timer is
// called by the place that arms it.

// nameFiles gives each file of the program its base name, unless another one has the same.
func nameFiles(l *lowerer) {
	known, bases := map[string]bool{"": true}, map[string]int{}
	add := func(file string) {
		if !known[file] {
			known[file] = true
			bases[filepath.Base(file)]++
			l.prog.Files = append(l.prog.Files, step.File{Path: file})
		}
	}
	for _, p := range l.processes {
		add(p.tmpl.Pos.File)
		add(l.pos(startedAt(l.src, p.in)).File)
		for _, n := range p.tmpl.Nodes {
			add(n.Pos.File)
		}
	}
	for k := range l.prog.Files {
		f := &l.prog.Files[k]
		if f.Called = filepath.Base(f.Path); bases[f.Called] > 1 {
			f.Called = filepath.ToSlash(f.Path)
		}
	}
}

// nameProcesses gives the goroutines the names that people see.
func nameProcesses(l *lowerer) {
	times := map[string]int{}
	for _, q := range l.prog.Procs {
		p := l.processes[0]
		for _, other := range l.processes {
			if other.tmpl == q.Template {
				p = other
			}
		}
		if p.in == nil {
			q.Shown = l.src.Name
			continue
		}
		q.Shown = runtimeKind(p.in) + l.prog.Place(l.pos(startedAt(l.src, p.in)))
		if times[q.Shown]++; times[q.Shown] > 1 {
			q.Shown += fmt.Sprintf("#%d", times[q.Shown])
		}
	}
}

// startedAt is the go statement of an instance, or the call of the library that has it.
func startedAt(src *source.Program, in *pointsto.Instance) token.Pos {
	pos := src.Body.Pos()
	for ; in != nil && in.Site != nil; in = in.Caller {
		if pos = in.Site.Pos(); pos.IsValid() && !src.InLibrary(pos) {
			break
		}
	}
	return pos
}

// shownName is the name of an object for people, where it differs from its own: a variable that is a pointer as it is
// written, a thing without a name by the field or the parameter that gets it, or by where it is made.
func (l *lowerer) shownName(o *pointsto.Object, of *step.Var, name string) string {
	if s, ok := o.Site.(*ssa.Alloc); ok && name == s.Comment+"_ref" {
		return s.Comment
	}
	at := l.src.At(o.Site.Pos())
	if kind, ok := strings.CutSuffix(name, fmt.Sprintf("_%d", at.Line)); ok {
		if l.src.InLibrary(o.Site.Pos()) {
			return kind
		}
		if got := l.getter(o); got != "" {
			return got
		}
		if kind == "made" {
			kind = "new"
		}
		return fmt.Sprintf("%s(%s:%d)", kind, filepath.Base(at.File), at.Line)
	}
	if own := variable(name); of.Name != own { // the second of this name
		return name + strings.Replace(strings.TrimPrefix(of.Name, own), "_", "#", 1)
	} else if own != name {
		return name
	}
	return ""
}

// getter names what gets a channel, map or slice as it is made: a parameter, or a field of a thing that has a name.
func (l *lowerer) getter(o *pointsto.Object) string {
	if _, isAlloc := o.Site.(*ssa.Alloc); isAlloc && !isBacking(o.Site) {
		return ""
	}
	return l.got(o, o.Site)
}

// got is getter for a value that the object is in.
func (l *lowerer) got(o *pointsto.Object, v ssa.Value) string {
	if v.Referrers() == nil {
		return ""
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice: // of the array that a literal is made of
			if name := cmp.Or(l.debugNames(o.In)[r], l.got(o, r)); name != "" {
				return name
			}
		case *ssa.Call:
			f := r.Call.StaticCallee()
			for i, arg := range r.Call.Args {
				if arg == v && f != nil && i < len(f.Params) && f.Params[i].Name() != "_" {
					return f.Params[i].Name()
				}
			}
		case *ssa.Store:
			field, ok := r.Addr.(*ssa.FieldAddr)
			if !ok || r.Val != v {
				continue
			}
			of := l.debugNames(o.In)[field.X]
			if s, ok := field.X.(*ssa.Alloc); ok && token.IsIdentifier(s.Comment) && s.Comment != "complit" {
				of = cmp.Or(of, s.Comment)
			}
			if of != "" {
				return of + "." + fieldOf(field)
			}
		}
	}
	return ""
}

// fieldOf is the name of the field whose address is taken.
func fieldOf(a *ssa.FieldAddr) string {
	return a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(a.Field).Name()
}

// identifier makes a name of letters, digits and underscores.
func identifier(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		case r == '$', r == '.':
			return '_'
		}
		return -1
	}, s)
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "x" + s
	}
	return s
}

// variable makes a name that a variable can have in a constraint file.
func variable(s string) string {
	if s = identifier(s); reserved[s] {
		return s + "_"
	}
	return s
}

// reserved are the words that mean something else in the conditions of constraint files.
var reserved = map[string]bool{
	"abs": true, "all": true, "any": true, "assert": true, "assume": true, "atomic": true, "await": true,
	"break": true, "cas": true, "continue": true, "count": true, "else": true, "false": true, "fetch_add": true,
	"for": true, "if": true, "in": true, "int": true, "let": true, "lock": true, "max": true, "min": true,
	"null": true, "p": true, "q": true, "return": true, "self": true, "skip": true, "sum": true, "swap": true,
	"true": true, "trylock": true, "unlock": true, "var": true, "while": true, "yield": true,
}
