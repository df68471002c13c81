package lower

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Looking into texts. A text is a number; what a function says of it is a table over the texts of the program, as far
// as they are known when the code is made. A text that is made of known texts and small numbers is known, too.

const (
	// mostTexts bounds how many texts there are for a table to be made, mostPairs how many pairs of them.
	mostTexts, mostPairs = 4096, 1 << 18
	// mostTogether bounds how many texts are made of others at one place.
	mostTogether = 1024
	// smallNumbers are how many numbers, from 0 on, known texts are made of.
	smallNumbers = 16
)

// textFunctions are the functions of the library that are evaluated when the code is made, for all texts that their
// arguments can be.
var textFunctions = map[string]any{
	"strings.HasPrefix": strings.HasPrefix, "strings.HasSuffix": strings.HasSuffix,
	"strings.Contains": strings.Contains, "strings.EqualFold": strings.EqualFold,
	"strings.Index": strings.Index, "strings.LastIndex": strings.LastIndex,
	"strings.Count": strings.Count, "strings.Compare": strings.Compare,
	"strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper,
	"strings.TrimSpace": strings.TrimSpace, "strings.TrimPrefix": strings.TrimPrefix,
	"strings.TrimSuffix": strings.TrimSuffix, "strings.Trim": strings.Trim,
}

// External reports whether a function is not entered although it has a body.
func External(fn *ssa.Function) bool { return makesText(fn) || looksAtTexts(fn) || outside(fn) }

// looksAtTexts reports whether a function of the library is evaluated when the code is made.
func looksAtTexts(fn *ssa.Function) bool {
	return fn.Pkg != nil && textFunctions[fn.Pkg.Pkg.Path()+"."+fn.Name()] != nil && fn.Signature.Recv() == nil
}

// collectTexts numbers the constants of the program, those of the user first.
func collectTexts(l *lowerer) {
	collectTextsOf(l, func(in *pointsto.Instance) bool { return !l.src.InLibrary(in.Func.Pos()) })
	l.ownTexts = len(l.all)
	collectTextsOf(l, func(in *pointsto.Instance) bool { return true })
}

func collectTextsOf(l *lowerer, which func(*pointsto.Instance) bool) {
	seen := map[*ssa.Function]bool{}
	var operands []*ssa.Value
	for _, in := range l.r.Instances {
		if seen[in.Func] || !which(in) {
			continue
		}
		seen[in.Func] = true
		for i := range pointsto.Instructions(in.Func) {
			operands = i.Operands(operands[:0])
			for _, v := range operands {
				k, ok := (*v).(*ssa.Const)
				if !ok || k.Value == nil || k.Value.Kind() != constant.String {
					continue
				}
				text := constant.StringVal(k.Value)
				l.text(text)
				if isErrorText(i) && !slices.Contains(l.errorTexts, text) {
					l.errorTexts = append(l.errorTexts, text)
				}
			}
		}
	}
}

// knownOf cuts executions in which a text is not known, and returns it for use in tables, with how many texts there
// are.
func knownOf(c *code, text *step.Expr) (*step.Expr, int) {
	c.knownText(text)
	n := len(c.l.all)
	if text.Op != step.Const {
		text = c.settleAny(text)
		c.Assume(c.Bool(step.Lt, text, c.Number(int64(n))), "a look into a text that is made while the program runs")
	}
	return text, n
}

// tableOf is a chain of comparisons of a text. Its value is that of values for the text, from 0 on; what is there most
// often is not asked for.
func tableOf(b *build.Code, text *step.Expr, t *step.Type, values []*step.Expr) *step.Expr {
	if text.Op == step.Const {
		return values[max(0, text.Words[0])]
	}
	often, times := values[0], map[int64]int{}
	for _, v := range values {
		if v.Op != step.Const {
			continue
		}
		if times[v.Words[0]]++; often.Op != step.Const || times[v.Words[0]] > times[often.Words[0]] {
			often = v
		}
	}
	e := often
	for k, v := range values {
		if v != often && (v.Op != step.Const || often.Op != step.Const || v.Words[0] != often.Words[0]) {
			e = b.Expr(step.Cond, t, b.Bool(step.Eq, text, b.Number(int64(k))), v, e)
		}
	}
	return e
}

// lookAt evaluates a function of texts. An execution in which one of them is not known is cut.
func lookAt(c *code, texts []*step.Expr, t *step.Type, f func(texts []string) int64) *step.Expr {
	n := 0
	for k, text := range texts {
		texts[k], n = knownOf(c, text)
	}
	all := c.l.texts.all
	open := 0
	for _, text := range texts {
		if text.Op != step.Const {
			open++
		}
	}
	if n > mostTexts || open > 1 && n*n > mostPairs {
		c.refuse("looking into one of %d texts is not supported, nor into two of more than %d", n,
			int(math.Sqrt(mostPairs)))
		return nil
	}
	said := t
	if t.Kind == step.Bool {
		said = step.IntType
	}
	at := make([]string, len(texts))
	var tables func(k int) *step.Expr
	tables = func(k int) *step.Expr {
		if k == len(texts) {
			return c.Const(said, f(at))
		}
		values := make([]*step.Expr, n)
		for i := range values {
			if text := texts[k]; text.Op != step.Const || text.Words[0] == int64(i) || i == 0 && text.Words[0] < 0 {
				at[k] = all[i]
				values[i] = tables(k + 1)
			}
		}
		return tableOf(c.Code, texts[k], said, values)
	}
	return c.settleAny(c.unword(tables(0), t))
}

// lookAtTexts emits a call of one of textFunctions.
func lookAtTexts(c *code, fn *ssa.Function, args []*step.Expr) []*step.Expr {
	t := c.typed(fn.Signature.Results().At(0).Type())
	e := lookAt(c, args, t, func(texts []string) int64 {
		return evaluateText(c.l, textFunctions[fn.Pkg.Pkg.Path()+"."+fn.Name()], texts)
	})
	if e == nil {
		return nil
	}
	return []*step.Expr{e}
}

// evaluateText is the result of one of textFunctions, as a number.
func evaluateText(l *lowerer, f any, texts []string) int64 {
	switch f := f.(type) {
	case func(string, string) bool:
		if f(texts[0], texts[1]) {
			return 1
		}
		return 0
	case func(string, string) int:
		return int64(f(texts[0], texts[1]))
	case func(string, string) string:
		return l.text(f(texts[0], texts[1]))
	}
	return l.text(f.(func(string) string)(texts[0]))
}

// A piece is a part of a text that is put together: a constant, or what is made of a value.
type piece struct {
	text  string
	value *step.Expr // nil for a constant
	texts []string   // for values of it
	// numbers are those values; nil: from 0 on
	numbers []int64
}

func (p *piece) add(number int64, text string) {
	p.numbers, p.texts = append(p.numbers, number), append(p.texts, text)
}

// puttingTogether is a text that a call or an operation puts together of constants, known texts and small numbers; of
// others it is unknown.
func puttingTogether(c *code, in *pointsto.Instance, v ssa.Value) *step.Expr {
	list, ok := piecesOf(c, in, v, true)
	total := 1
	for _, p := range list {
		total *= max(1, len(p.texts))
		ok = ok && total <= mostTogether
	}
	if !ok {
		return c.Const(stringType, unknownText)
	}
	return together(c, "", list)
}

// together is the number of a text that begins with another one and goes on with pieces.
func together(c *code, begin string, list []piece) *step.Expr {
	if len(list) == 0 {
		return c.Const(stringType, c.l.text(begin))
	}
	p := list[0]
	if p.value == nil {
		return together(c, begin+p.text, list[1:])
	}
	e := c.Const(stringType, unknownText)
	for k, s := range p.texts {
		number := int64(k)
		if p.numbers != nil {
			number = p.numbers[k]
		}
		is := c.Bool(step.Eq, p.value, c.Number(number))
		e = c.Expr(step.Cond, stringType, is, together(c, begin+s, list[1:]), e)
	}
	return e
}

// joinTexts emits the text of errors that are joined. The texts of errors are the arguments of errors.New and the
// results of methods Error.
func joinTexts(c *code, texts []*step.Expr) *step.Expr {
	var list []piece
	total := 1
	for i, text := range texts {
		p := piece{value: c.settleAny(text)}
		for _, s := range c.l.errorTexts {
			p.add(c.l.text(s), s)
		}
		if i > 0 {
			list = append(list, piece{text: "\n"})
		}
		list, total = append(list, p), total*len(p.texts)
	}
	if total > mostTogether {
		return c.Const(stringType, unknownText)
	}
	return c.settleAny(together(c, "", list))
}

// piecesOf takes a text apart. made says that the code is about to make it.
func piecesOf(c *code, in *pointsto.Instance, v ssa.Value, made bool) ([]piece, bool) {
	if !made {
		e := c.value(in, v)
		switch {
		case e == nil:
			return nil, false
		case e.Op == step.Const && e.Words[0] != unknownText:
			return []piece{{text: c.l.textOf(e.Words[0])}}, true
		}
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		x, ok := piecesOf(c, in, v.X, false)
		y, also := piecesOf(c, in, v.Y, false)
		return slices.Concat(x, y), ok && also
	case *ssa.Call:
		switch fn := v.Call.StaticCallee(); {
		case fn == nil || fn.Pkg == nil:
		case fn.RelString(nil) == "strconv.Itoa":
			p, ok := pieceOf(c, in, v.Call.Args[0], "%d")
			return []piece{p}, ok
		case fn.RelString(nil) == "fmt.Sprintf":
			return formatPieces(c, in, v)
		}
	}
	if made {
		return nil, false
	}
	p, ok := textPiece(c, c.value(in, v), "%s")
	return []piece{p}, ok
}

// textPiece formats a text by a verb.
func textPiece(c *code, text *step.Expr, verb string) (p piece, ok bool) {
	if text.Op == step.Const {
		return piece{text: fmt.Sprintf(verb, c.l.textOf(text.Words[0]))}, text.Words[0] != unknownText
	}
	for _, s := range c.l.texts.all[:c.l.ownTexts] {
		p.texts = append(p.texts, fmt.Sprintf(verb, s))
	}
	p.value = c.settleAny(text)
	return p, true
}

// formatPieces is the pieces of a call of Sprintf.
func formatPieces(c *code, in *pointsto.Instance, call *ssa.Call) (list []piece, ok bool) {
	k, ok := call.Call.Args[0].(*ssa.Const)
	if !ok || k.Value == nil {
		return nil, false
	}
	operands := variadic(call.Call.Args[1])
	format := constant.StringVal(k.Value)
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			return append(list, piece{text: format}), len(operands) == 0
		}
		list = append(list, piece{text: format[:at]})
		rest := strings.TrimLeft(format[at+1:], "+-# 0123456789")
		if rest == "" {
			return nil, false
		}
		verb := format[at : len(format)-len(rest)+1]
		format = rest[1:]
		switch {
		case verb == "%%":
			list = append(list, piece{text: "%"})
			continue
		case len(operands) == 0 || !strings.Contains("dsvqxX", rest[:1]):
			return nil, false
		}
		made, isMade := operands[0].(*ssa.MakeInterface)
		operands = operands[1:]
		if !isMade {
			return nil, false
		}
		p, ok := pieceOf(c, in, made.X, verb)
		if !ok {
			return nil, false
		}
		list = append(list, p)
	}
}

// pieceOf formats a value by a verb: a known text, or a number that may be small.
func pieceOf(c *code, in *pointsto.Instance, v ssa.Value, verb string) (p piece, ok bool) {
	basic, ok := v.Type().(*types.Basic) // no other type, which may have a method String
	if !ok {
		return p, false
	}
	e := c.value(in, v)
	switch {
	case basic.Info()&types.IsString != 0:
		return textPiece(c, e, verb)
	case basic.Info()&types.IsInteger == 0 || strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "q"):
		return p, false
	case e.Op == step.Const && basic.Info()&types.IsUnsigned == 0:
		return piece{text: fmt.Sprintf(verb, e.Words[0])}, true
	}
	for k := range smallNumbers {
		p.texts = append(p.texts, fmt.Sprintf(verb, k))
	}
	p.value = c.settleAny(c.word(e))
	return p, true
}

// variadic are the values that a call with ... is given, nil for those that are not in the text.
func variadic(slice ssa.Value) []ssa.Value {
	s, ok := slice.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	list := make([]ssa.Value, array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			if store, ok := use.(*ssa.Store); ok {
				k, _ := strconv.Atoi(at.Index.(*ssa.Const).Value.ExactString())
				list[k] = store.Val
			}
		}
	}
	return list
}

// The bytes and runes of texts. What a text is made of is a table over the known texts for each place of the array, so
// the array has as much room as a slice that grows, unless the text is a constant.

// takesApart reports whether a conversion makes a slice of a text.
func takesApart(v *ssa.Convert) bool {
	from, ok := v.X.Type().Underlying().(*types.Basic)
	_, slice := v.Type().Underlying().(*types.Slice)
	return ok && slice && from.Info()&types.IsString != 0
}

// takeApart emits the conversion of a text. An execution in which it is not known is cut.
func takeApart(c *code, in *pointsto.Instance, v *ssa.Convert, text *step.Expr) {
	if text == nil {
		return
	}
	text, n := knownOf(c, text)
	look := func(t *step.Type, f func(elements []int64) int64) *step.Expr {
		return lookAt(c, []*step.Expr{text}, t, func(texts []string) int64 { return f(elementsOf(texts[0], v.Type())) })
	}
	length := look(step.IntType, func(elements []int64) int64 { return int64(len(elements)) })
	number, r := c.made(in, v, pointsto.Element)
	if length == nil || number == nil {
		return
	}
	if r != nil {
		room := r.elem.Len
		if n*room > mostElements {
			c.refuse("taking apart one of %d texts is not supported", n)
			return
		}
		c.assumeBound(c.Bool(step.Le, length, c.Number(int64(room))), "elements", "elements of a slice")
		for k := range room {
			place := c.l.at(c, r, []int{pointsto.Element}, difference(c.Code, number, c.Number(int64(k)), step.Add))
			c.set(place, look(place.Type, func(elements []int64) int64 {
				if k < len(elements) {
					return elements[k]
				}
				return 0
			}))
		}
	}
	c.define(in, v, c.settleAny(sliceOf(c.Code, number, length, length)))
}

// makesText reports whether a function of the library makes texts of numbers and texts and does nothing else: it need
// not be entered, as what it makes is not looked into.
func makesText(fn *ssa.Function) bool {
	if fn.Pkg == nil || fn.Signature.Recv() != nil || fn.Signature.Results().Len() == 0 {
		return false
	}
	switch fn.Pkg.Pkg.Path() {
	case "strconv", "strings", "path", "path/filepath":
	default:
		return false
	}
	for v := range fn.Signature.Params().Variables() {
		t := v.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if _, ok := t.Underlying().(*types.Basic); !ok {
			return false
		}
	}
	for v := range fn.Signature.Results().Variables() {
		if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.String {
			return false
		}
	}
	return true
}

// mostNumbered is how many subtests of one name have a known one.
const mostNumbered = 4
