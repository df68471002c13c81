package lower

import (
	"fmt"
	"go/constant"
	"go/types"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
)

// The texts of failed tests and of panics. What a test is given for its report is not looked at while a program runs;
// when a schedule is shown, the machine knows the values. What it does not know is written as ?.

// noteSaying is the text that the innermost call is given: one of the functions of testing.T.
func noteSaying(c *code) *said {
	in, s := c.frames[len(c.frames)-1].in, &said{}
	for _, p := range in.Func.Params {
		v := c.value(in, p)
		switch {
		case v == nil:
			return nil
		case p.Name() == "format":
			s.format = v
		case p.Name() == "args":
			s.base, s.len = c.field(v, 0), c.field(v, 1)
		}
	}
	if s.base == nil {
		return nil
	}
	return s
}

// notePanic is the text of a panic with a value that is no constant: that of the call of fmt that makes it, if it is
// made where it stands.
func notePanic(c *code, in *pointsto.Instance, v ssa.Value, value *step.Expr) *said {
	if value == nil || !strings.HasPrefix(panicText(v), valueOfType) {
		return nil
	}
	if call, ok := inside(v).(*ssa.Call); ok {
		if fn := call.Call.StaticCallee(); fn != nil && packageOf(fn) == "fmt" && len(call.Call.Args) == 2 {
			format, args := c.value(in, call.Call.Args[0]), c.value(in, call.Call.Args[1])
			if format != nil && args != nil && format.Type == stringType && args.Type == sliceType {
				return &said{format: format, base: c.field(args, 0), len: c.field(args, 1)}
			}
		}
	}
	return &said{tag: c.field(value, 0), word: c.field(value, 1)}
}

// inside is the value that interfaces have been made of.
func inside(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

const (
	mostSaid   = 32  // values of a text
	mostNested = 3   // values inside each other
	longestSay = 500 // bytes of a text
)

// sayText is Said of the program: the text of a failed check, empty if it has none.
func (l *lowerer) sayText(n *step.Node, eval func(*step.Expr) (int64, bool), at func(*step.Var) ([]int64,
	[]bool)) string {
	s := l.said[n]
	if s == nil {
		return ""
	}
	number := func(e *step.Expr) int64 {
		v, ok := eval(e)
		if !ok {
			return 0
		}
		return v
	}
	p := &printer{lowerer: l, at: at}
	var values []any
	if s.base == nil {
		values = append(values, p.dynamic(number(s.tag), number(s.word), 0))
	} else {
		for k := range min(number(s.len), mostSaid) {
			var v any = unknown
			if _, words := p.find(number(s.base) + k); len(words) == 2 {
				v = p.dynamic(words[0], words[1], 0)
			}
			values = append(values, v)
		}
	}
	text := ""
	switch {
	case s.format == nil:
		text = fmt.Sprintln(values...)
	case number(s.format) < 0:
		return ""
	default:
		text = fmt.Sprintf(named(l.textOf(number(s.format)), values), values...)
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == unknown.text {
		return ""
	}
	if len(text) > longestSay {
		text = strings.ToValidUTF8(text[:longestSay], "") + " ..."
	}
	return text
}

// named is a format without %T and %w: values know their texts, and these what they are called.
func named(format string, values []any) string {
	out := []byte(format)
	operand := 0
	for i := 0; i < len(out); i++ {
		if out[i] != '%' {
			continue
		}
		for i++; i < len(out) && strings.IndexByte("+-# 0123456789.", out[i]) >= 0; i++ {
		}
		if i == len(out) || out[i] == '[' || out[i] == '*' {
			return format
		}
		switch out[i] {
		case '%':
			continue
		case 'T':
			if operand < len(values) {
				values[operand] = typeName(values[operand])
			}
			out[i] = 'v'
		case 'w':
			out[i] = 'v'
		}
		operand++
	}
	return string(out)
}

// typeName formats a value by %T.
func typeName(v any) any {
	switch v := v.(type) {
	case typed:
		return shown{v.is, v.is}
	case nil:
		return nil
	}
	return unknown
}

// A shown is a value whose text is known, also the one for %+v.
type shown struct{ text, plus string }

// unknown is a value that the machine does not know.
var unknown = shown{"?", "?"}

// Format writes it, whatever the verb is.
func (s shown) Format(f fmt.State, verb rune) {
	if f.Flag('+') {
		io.WriteString(f, s.plus)
	} else {
		io.WriteString(f, s.text)
	}
}

// A typed is a value and its type.
type typed struct {
	any
	is string
}

// Format writes the value as Go does.
func (t typed) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), t.any) }

// A printer writes values of a state.
type printer struct {
	*lowerer
	at func(*step.Var) (words []int64, lost []bool)
}

// find has the type and words of the object that a number refers to; nil if that is not known.
func (p *printer) find(number int64) (*step.Type, []int64) {
	r, path, dims, part := p.referent(number)
	if r == nil {
		return nil, nil
	}
	words, lost := p.at(r.of)
	if words == nil {
		return nil, nil
	}
	t, offset := partOf(r, path, dims, part)
	if slices.Contains(lost[offset:offset+t.Words()], true) {
		return nil, nil
	}
	return t, words[offset : offset+t.Words()]
}

// partOf is the type of a part of a region, by its number, and where it begins.
func partOf(r *region, path, dims []int, number int64) (t *step.Type, offset int) {
	at := make([]int, len(dims))
	for k := len(dims) - 1; k >= 0; k-- {
		at[k] = int(number % int64(dims[k]))
		number /= int64(dims[k])
	}
	t = r.elem
	if r.count > 1 {
		offset, at = at[0]*t.Words(), at[1:]
	}
	for _, f := range path {
		if f == pointsto.Element {
			t, offset, at = t.Elem, offset+at[0]*t.Elem.Words(), at[1:]
			continue
		}
		for _, before := range t.Fields[:f] {
			offset += before.Type.Words()
		}
		t = t.Fields[f].Type
	}
	return t, offset
}

// dynamic is the value of an interface.
func (p *printer) dynamic(tag, word int64, depth int) any {
	switch {
	case tag == 0:
		return nil
	case tag > int64(len(p.tagged)) || tag < 0:
		return unknown
	}
	is := p.tagged[tag-1]
	t, err := p.typeOf(is)
	if err != nil {
		return unknown
	}
	words := []int64{word}
	if t.Words() != 1 {
		if _, words = p.find(word); t.Words() == 0 {
			words = nil
		} else if len(words) != t.Words() {
			return unknown
		}
	}
	return typed{p.value(is, t, words, depth), types.TypeString(is, (*types.Package).Name)}
}

// value is a value of a Go type.
func (p *printer) value(is types.Type, t *step.Type, words []int64, depth int) any {
	if depth > mostNested || len(words) != t.Words() {
		return unknown
	}
	if hasText(is) {
		return p.errorText(is, words)
	}
	switch u := is.Underlying().(type) {
	case *types.Basic:
		return p.basic(u, words[0])
	case *types.Interface:
		return p.dynamic(words[0], words[1], depth+1)
	case *types.Pointer:
		if words[0] == 0 {
			return nil
		}
		to, err := p.typeOf(u.Elem())
		if _, isStruct := u.Elem().Underlying().(*types.Struct); !isStruct || depth > 0 || err != nil {
			return unknown
		}
		found, at := p.find(words[0])
		if found != to {
			return unknown
		}
		v := p.value(u.Elem(), to, at, depth+1)
		return shown{"&" + fmt.Sprint(v), "&" + fmt.Sprintf("%+v", v)}
	case *types.Struct:
		return p.fields(u, t, words, depth)
	case *types.Array:
		return p.elements(u.Elem(), t.Elem, words, depth)
	case *types.Slice:
		if words[1] > mostSaid {
			return unknown
		}
		elem, err := p.typeOf(u.Elem())
		if err != nil {
			return unknown
		}
		var all []int64
		for k := range words[1] {
			_, at := p.find(words[0] + k)
			if len(at) != elem.Words() {
				return unknown
			}
			all = append(all, at...)
		}
		return p.elements(u.Elem(), elem, all, depth)
	}
	return unknown
}

func (p *printer) basic(u *types.Basic, word int64) any {
	switch info := u.Info(); {
	case info&types.IsBoolean != 0:
		return word != 0
	case info&types.IsString != 0 && word < 0:
		return unknown
	case info&types.IsString != 0:
		return p.textOf(word)
	case info&types.IsUnsigned != 0:
		return uint64(word)
	case info&types.IsInteger != 0:
		return word
	}
	return unknown
}

// fields is a struct.
func (p *printer) fields(u *types.Struct, t *step.Type, words []int64, depth int) any {
	var text, plus []string
	for k, f := range t.Fields {
		n := f.Type.Words()
		v := p.value(u.Field(k).Type(), f.Type, words[:n], depth+1)
		words = words[n:]
		text, plus = append(text, fmt.Sprint(v)), append(plus, fmt.Sprintf("%s:%+v", u.Field(k).Name(), v))
	}
	return shown{"{" + strings.Join(text, " ") + "}", "{" + strings.Join(plus, " ") + "}"}
}

// elements shows the elements of an array.
func (p *printer) elements(is types.Type, t *step.Type, words []int64, depth int) any {
	list := []any{}
	for n := t.Words(); n > 0 && len(words) >= n; words = words[n:] {
		list = append(list, p.value(is, t, words[:n], depth+1))
	}
	return list
}

// hasText reports whether a type says itself what its text is.
func hasText(t types.Type) bool {
	methods := types.NewMethodSet(t)
	return !types.IsInterface(t) && slices.ContainsFunc([]string{"Error", "String", "Format"}, func(name string) bool {
		return methods.Lookup(nil, name) != nil
	})
}

// errorText is the text of an error of the library, which keeps it; nothing is known of others.
func (p *printer) errorText(is types.Type, words []int64) any {
	pointer, ok := is.(*types.Pointer)
	if !ok || words[0] == 0 {
		return unknown
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !modelled[named.Obj().Pkg().Path()] {
		return unknown
	}
	if text, ok := p.newText(words[0]); ok {
		return text
	}
	u, ok := named.Underlying().(*types.Struct)
	t, at := p.find(words[0])
	if !ok || t == nil || t.Kind != step.Record || len(t.Fields) == 0 || t.Fields[0].Type != stringType ||
		u.NumFields() != len(t.Fields) || at[0] < 0 {
		return unknown
	}
	return p.textOf(at[0])
}

// newText is the constant text that errors.New has made an error of, which the state need not keep.
func (p *printer) newText(number int64) (text string, ok bool) {
	r, _, _, _ := p.referent(number)
	if r == nil {
		return "", false
	}
	in := r.object.In
	if in == nil || in.Site == nil || in.Func.Name() != "New" || packageOf(in.Func) != "errors" {
		return "", false
	}
	c, ok := in.Site.Common().Args[0].(*ssa.Const)
	if !ok || c.Value == nil {
		return "", false
	}
	return constant.StringVal(c.Value), true
}

// panicText is the text that Go prints of a panic, as far as it is a constant.
func panicText(v ssa.Value) string {
	v = inside(v)
	switch c, ok := v.(*ssa.Const); {
	case !ok:
		return valueOfType + types.TypeString(v.Type(), (*types.Package).Name)
	case c.Value == nil:
		return "nil"
	case c.Value.Kind() == constant.String:
		return constant.StringVal(c.Value)
	default:
		return c.Value.ExactString()
	}
}
