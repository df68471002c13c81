package lower

import (
	"fmt"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// text is a value as Go would show it, if it is of a type that the step form has only numbers for.
func (l *lowerer) valueText(t *step.Type, words []int64) (string, bool) {
	switch t {
	case refType:
		return l.reference(words[0]), true
	case stringType:
		return l.quoted(words[0]), true
	case sliceType:
		if words[0] == 0 && words[2] == 0 {
			return "nil", true
		}
		array := l.reference(words[0])
		if r, _, _, _ := l.referent(words[0]); r != nil && isBacking(r.object.Site) {
			array = ""
		}
		return fmt.Sprintf("%s[len %d, cap %d]", array, words[1], words[2]), true
	case ifaceType:
		return l.dynamic(words[0], words[1]), true
	}
	if l.atomics[t] {
		switch field := t.Fields[0].Type; {
		case field == refType || field == ifaceType || l.atomics[field]:
			return l.valueText(field, words)
		case field.Kind == step.Bool:
			return strconv.FormatBool(words[0] != 0), true
		case field.Unsigned:
			return strconv.FormatUint(uint64(words[0]), 10), true
		}
		return strconv.FormatInt(words[0], 10), true
	}
	return "", false
}

// reference names the object that a pointer, channel, map or function value refers to.
func (l *lowerer) reference(number int64) string {
	if number == 0 {
		return "nil"
	}
	for f, k := range l.functions {
		if k == number {
			return l.functionText(f)
		}
	}
	if r, path, dims, part := l.referent(number); r != nil {
		if m, ok := r.object.Site.(*ssa.MakeClosure); ok {
			return l.functionText(m.Fn.(*ssa.Function))
		}
		return refersTo(r, path, dims, part, l.src.InLibrary(r.object.Site.Pos()))
	}
	return strconv.FormatInt(number, 10)
}

// functionText is a function as a value: by its name, or where its literal is.
func (l *lowerer) functionText(f *ssa.Function) string {
	if f.Parent() != nil {
		at := l.src.At(f.Pos())
		return fmt.Sprintf("function literal at %s:%d", filepath.Base(at.File), at.Line)
	}
	method, ok := f.Object().(*types.Func)
	if !ok || method.Signature().Recv() == nil {
		return f.Name()
	}
	of := types.TypeString(method.Signature().Recv().Type(), func(*types.Package) string { return "" })
	return strings.TrimPrefix(of, "*") + "." + method.Name()
}

// referent is the region that a number refers to, and the part of it by its number; nil if there is none.
func (l *lowerer) referent(number int64) (r *region, path, dims []int, part int64) {
	for _, r := range l.regions {
		for _, b := range r.bases {
			dims := r.dims(b.path)
			size := int64(1)
			for _, n := range dims {
				size *= int64(n)
			}
			if number >= b.first && number < b.first+size {
				return r, b.path, dims, number - b.first
			}
		}
	}
	return nil, nil, nil, 0
}

// refersTo is a part of a region by its number. What the library has made is no variable of the program.
func refersTo(r *region, path, dims []int, number int64, library bool) string {
	at := make([]int64, len(dims))
	for k := len(dims) - 1; k >= 0; k-- {
		at[k] = number % int64(dims[k])
		number /= int64(dims[k])
	}
	text := r.of.Name
	if r.of.Shown != "" && r.of.Shown+"_ref" != text {
		text = r.of.Shown
	}
	if library {
		return text
	}
	if _, isVariable := r.object.Site.(*ssa.Alloc); isVariable || len(path) > 0 {
		text = "&" + text
	}
	if r.count > 1 {
		text += fmt.Sprintf("[%d]", at[0])
		at = at[1:]
	}
	t := r.elem
	for _, f := range path {
		if f == pointsto.Element {
			text += fmt.Sprintf("[%d]", at[0])
			at, t = at[1:], t.Elem
			continue
		}
		text, t = text+"."+t.Fields[f].Name, t.Fields[f].Type
	}
	return text
}

// dynamic is the value of an interface.
func (l *lowerer) dynamic(tag, word int64) string {
	if tag == 0 {
		return "nil"
	}
	if tag > int64(len(l.tagged)) {
		return strconv.FormatInt(word, 10)
	}
	is := l.tagged[tag-1]
	name := types.TypeString(is, (*types.Package).Name)
	t, err := l.typeOf(is)
	if err != nil || t.Words() > 1 {
		return name
	}
	switch {
	case t == refType:
		if r, _, _, _ := l.referent(word); r != nil && l.src.InLibrary(r.object.Site.Pos()) {
			return name // what the library has made has no name in the program
		}
		return l.reference(word)
	case t == stringType:
		return l.quoted(word)
	case t.Kind == step.Bool:
		return strconv.FormatBool(word != 0)
	case t.Words() == 0:
		return name + "{}"
	case types.Identical(is, types.Typ[types.Int]):
		return strconv.FormatInt(word, 10)
	}
	return fmt.Sprintf("%s(%d)", name, word)
}
