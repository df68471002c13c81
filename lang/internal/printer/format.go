package printer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// FormatExpr prints an expression in source syntax with the fewest parentheses. Parsed in the same place it gives an
// equal tree. a and b are the templates that step.P and step.Q mean, nil outside of constraints; p. and q. are printed
// where the bare name would be ambiguous.
func FormatExpr(e *step.Expr, a, b *step.Template) string {
	return (&formatter{a: a, b: b}).format(e)
}

type formatter struct {
	prog *step.Program // for the names of processes in properties; may be nil
	raw  bool          // as lowered: digests of programs depend on this text
	a, b *step.Template
	// Conditions with definitions: p. or q. stands before each local, and the two processes change places.
	qualified, exchanged bool
	defs                 []*Definition
	except               *Definition // is not used; may be nil
	texts                *Texts      // may be nil
}

// Binding strength of what is printed, weakest first; equal to the order in the parser.
const (
	precCond = iota
	precOr
	precAnd
	precCompare
	precSum
	precProduct
	precUnary
	precPostfix
)

var binaryOps = map[step.Op]struct {
	text string
	prec int
}{
	step.Or: {"||", precOr}, step.And: {"&&", precAnd},
	step.Eq: {"==", precCompare}, step.Ne: {"!=", precCompare}, step.Lt: {"<", precCompare},
	step.Le: {"<=", precCompare},
	step.Gt: {">", precCompare}, step.Ge: {">=", precCompare},
	step.Add: {"+", precSum}, step.Sub: {"-", precSum},
	step.Mul: {"*", precProduct}, step.Div: {"/", precProduct}, step.Mod: {"%", precProduct},
	step.BitOr: {"|", precSum}, step.BitXor: {"^", precSum}, step.BitAnd: {"&", precProduct},
	step.ShiftLeft: {"<<", precProduct}, step.ShiftRight: {">>", precProduct},
}

func (f *formatter) format(e *step.Expr) string {
	text, _ := f.expr(e)
	return text
}

// at prints an operand, in parentheses if it binds more weakly than needed.
func (f *formatter) at(e *step.Expr, prec int) string {
	text, p := f.expr(e)
	if p < prec {
		return "(" + text + ")"
	}
	return text
}

func (f *formatter) expr(e *step.Expr) (string, int) {
	if use := f.definition(e); use != "" {
		return use, precPostfix
	}
	switch e.Op {
	case step.Const:
		if e.Name != "" {
			return e.Name, precPostfix
		}
		text := FormatValue(f.prog, e.Type, e.Words)
		if strings.HasPrefix(text, "-") {
			return text, precUnary
		}
		return text, precPostfix
	case step.VarRef:
		return f.local(e), precPostfix
	case step.Self:
		return f.process(e.Of, "self", ".self"), precPostfix
	case step.Me:
		return f.process(e.Of, "self", ""), precPostfix
	case step.Index:
		if end := endOf(e); end != "" && !f.raw {
			return f.method(e.Args[0], end, nil), precPostfix
		}
		if e.Args[0].Type.Sorted() {
			return f.method(e.Args[0], "at", e.Args[1:]), precPostfix
		}
		return f.at(e.Args[0], precPostfix) + "[" + f.format(e.Args[1]) + "]", precPostfix
	case step.Part:
		return f.at(e.Args[0], precPostfix) + "." + e.Args[0].Type.Fields[e.Field].Name, precPostfix
	case step.Call:
		return e.Func.Name + "(" + f.list(e.Args) + ")", precPostfix
	case step.Convert:
		return types.Structure(e.Type) + "(" + f.list(e.Args) + ")", precPostfix
	case step.Fit:
		return f.expr(e.Args[0]) // capacities adapt by themselves where a value is stored
	case step.Some:
		return f.expr(e.Args[0]) // values become present by themselves where an option is needed
	case step.Unwrap:
		return f.at(e.Args[0], precPostfix) + "!", precPostfix
	case step.Present:
		return f.at(e.Args[0], precSum) + " != null", precCompare
	case step.Size:
		return f.at(e.Args[0], precPostfix) + ".size()", precPostfix
	case step.Neg:
		text := f.at(e.Args[0], precUnary)
		if text[0] == '-' || text[0] >= '0' && text[0] <= '9' {
			text = "(" + text + ")"
		}
		return "-" + text, precUnary
	case step.Not:
		if a := e.Args[0]; a.Op == step.Present {
			return f.at(a.Args[0], precSum) + " == null", precCompare
		}
		return "!" + f.at(e.Args[0], precUnary), precUnary
	case step.Cond:
		if has, some := e.Args[0], e.Args[1]; has.Op == step.Has && some.Op == step.Some &&
			some.Args[0].Op == step.Lookup {
			return f.method(has.Args[0], "get", has.Args[1:]), precPostfix // the only way to write this
		}
		return f.at(e.Args[0], precOr) + " ? " + f.format(e.Args[1]) + " : " + f.format(e.Args[2]), precCond
	}
	if e.Op == step.Sub && e.Args[0].Op == step.Me { // see number0
		return f.process(e.Args[0].Of, "self", "") + ".process", precPostfix
	}
	if text, prec, ok := f.collection(e); ok {
		return text, prec
	}
	if text, prec, ok := f.mutex(e); ok {
		return text, prec
	}
	if text, prec, ok := f.done(e); ok && !f.raw {
		return text, prec
	}
	if text, prec, ok := f.writtenOut(e); ok && !f.raw {
		return text, prec
	}
	return f.binary(e)
}

// collection writes an operation on a collection; ok is false for others.
func (f *formatter) collection(e *step.Expr) (text string, prec int, ok bool) {
	switch e.Op {
	case step.Concat:
		return f.at(e.Args[0], precSum) + " + " + f.at(e.Args[1], precProduct), precSum, true
	case step.Slice:
		from, to := f.format(e.Args[1]), f.format(e.Args[2])
		return f.at(e.Args[0], precPostfix) + "[" + from + ":" + to + "]", precPostfix, true
	case step.Sort:
		return f.method(e.Args[0], "sort", nil), precPostfix, true
	case step.Reverse:
		return f.method(e.Args[0], "reverse", nil), precPostfix, true
	case step.Has:
		return f.method(e.Args[0], "has", e.Args[1:]), precPostfix, true
	case step.Lookup:
		return f.at(e.Args[0], precPostfix) + "[" + f.format(e.Args[1]) + "]", precPostfix, true
	case step.Drop:
		return f.method(e.Args[0], "without", e.Args[1:]), precPostfix, true
	case step.Put:
		elem := e.Args[1:]
		if e.Type.Kind == step.Map {
			elem = parts(elem[0])
		}
		return f.method(e.Args[0], "including", elem), precPostfix, true
	case step.Make:
		return f.made(e), precPostfix, true
	case step.MakeList:
		return "[" + f.list(e.Args) + "]", precPostfix, true
	}
	return "", 0, false
}

// made is an array or a record that is made of its parts.
func (f *formatter) made(e *step.Expr) string {
	if e.Type.Kind == step.Array {
		return "[" + f.list(e.Args) + "]"
	}
	if e.Type.Name != "" {
		return e.Type.Name + "(" + f.list(e.Args) + ")"
	}
	fields := make([]string, len(e.Args))
	for i, a := range e.Args {
		fields[i] = e.Type.Fields[i].Name + ": " + f.format(a)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// binary is an operation with two operands.
func (f *formatter) binary(e *step.Expr) (string, int) {
	op, ok := binaryOps[e.Op]
	if !ok {
		return fmt.Sprintf("<operator %d>", e.Op), precPostfix
	}
	if text, ok := f.withDefinitions(e, op.prec); ok {
		return text, op.prec
	}
	first := op.prec
	if first == precCompare && !f.raw { // not needed, but (a == b) == c is easier to read than a == b == c
		first++
	}
	left, right := f.at(e.Args[0], first), f.at(e.Args[1], op.prec+1)
	return left + " " + op.text + " " + right, op.prec
}

func (f *formatter) list(args []*step.Expr) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = f.format(a)
	}
	return strings.Join(texts, ", ")
}

func (f *formatter) method(on *step.Expr, name string, args []*step.Expr) string {
	return f.at(on, precPostfix) + "." + name + "(" + f.list(args) + ")"
}

// parts are the fields of a record value, one by one.
func parts(e *step.Expr) []*step.Expr {
	if e.Op == step.Make {
		return e.Args
	}
	var list []*step.Expr
	for i, field := range e.Type.Fields {
		from := e.Type.FieldAt(i)
		if e.Op == step.Const {
			list = append(list, &step.Expr{Op: step.Const, Type: field.Type, Of: step.Own,
				Words: e.Words[from : from+field.Type.Words()]})
		} else {
			list = append(list, &step.Expr{Op: step.Part, Type: field.Type, Of: step.Own,
				Args: []*step.Expr{e}, Field: i})
		}
	}
	return list
}

// mutex prints comparisons of a mutex, which have no operators in the source.
func (f *formatter) mutex(e *step.Expr) (string, int, bool) {
	if e.Op != step.Eq && e.Op != step.Ne || e.Args[0].Type.Kind != step.Mutex {
		return "", 0, false
	}
	m, who := e.Args[0], e.Args[1]
	text, positive := "", e.Op == step.Eq
	switch {
	case who.Op == step.Me:
		text = f.process(who.Of, "self", "") + ".holds(" + f.format(m) + ")"
	case who.Op == step.Const && who.Words[0] == 0:
		text, positive = f.at(m, precPostfix)+".held()", e.Op == step.Ne
	default:
		return "", 0, false
	}
	if !positive {
		return "!" + text, precUnary, true
	}
	return text, precPostfix, true
}

// done prints the question whether a thread or task has come to its end.
func (f *formatter) done(e *step.Expr) (string, int, bool) {
	if e.Op != step.Eq && e.Op != step.Ne || e.Args[0].Op != step.Index || e.Args[1].Op != step.Const ||
		e.Args[1].Words[0] != step.EndedLife {
		return "", 0, false
	}
	life, who := e.Args[0].Args[0], e.Args[0].Args[1]
	if life.Op != step.VarRef || !life.Var.Life || !types.IsWaitable(who.Type) {
		return "", 0, false
	}
	text := f.at(who, precPostfix) + ".done()"
	if e.Op == step.Ne {
		return "!" + text, precUnary, true
	}
	return text, precPostfix, true
}

// isProcess prints the question whether a reference means the process of a step.
func (f *formatter) isProcess(e *step.Expr) (string, int, bool) {
	if e.Op != step.Eq && e.Op != step.Ne || !types.IsWaitable(e.Args[0].Type) {
		return "", 0, false
	}
	who := e.Args[1]
	if who.Op == step.Add {
		who = who.Args[0]
	}
	t := f.a
	if who.Of == step.Q {
		t = f.b
	}
	if who.Op != step.Self || who.Of != step.P && who.Of != step.Q || t == nil || t.Pool == nil ||
		!step.Equal(t.Pool.Reference(who), e.Args[1]) {
		return "", 0, false
	}
	op := binaryOps[e.Op]
	return f.at(e.Args[0], op.prec+1) + " " + op.text + " " + f.process(who.Of, "self", ""), op.prec, true
}

// filled prints the question whether a collection is empty or full.
func (f *formatter) filled(e *step.Expr) (string, int, bool) {
	if e.Op != step.Eq && e.Op != step.Ne || e.Args[0].Op != step.Size || e.Args[1].Op != step.Const {
		return "", 0, false
	}
	xs, k := e.Args[0].Args[0], e.Args[1]
	text := ""
	switch {
	case k.Words[0] == int64(xs.Type.Len):
		text = f.method(xs, "full", nil)
	case k.Words[0] == 0 && k.Name == "":
		text = f.method(xs, "empty", nil)
	default:
		return "", 0, false
	}
	if e.Op == step.Ne {
		return "!" + text, precUnary, true
	}
	return text, precPostfix, true
}

// writtenOut prints what the language has a word for and lowering writes out: p.waits(c), xs.contains(v), xs.empty(),
// x in lo..hi, xs.all(v, v > 0).
func (f *formatter) writtenOut(e *step.Expr) (string, int, bool) {
	xs, v := member(e)
	if xs == nil {
		if text, prec, ok := f.quantified(e); ok {
			return text, prec, true
		}
	}
	if e.Op == step.And {
		low, high := e.Args[0], e.Args[1]
		if low.Op != step.Ge || high.Op != step.Le || !step.Equal(low.Args[0], high.Args[0]) {
			return "", 0, false
		}
		for _, x := range []*step.Expr{low.Args[0], low.Args[1], high.Args[1]} {
			if k := x.Type.Kind; k != step.Int && k != step.Range && x.Type.Ref == "" {
				return "", 0, false
			}
		}
		return f.at(low.Args[0], precSum) + " in " + f.at(low.Args[1], precSum) + ".." + f.at(high.Args[1], precSum),
			precCompare, true
	}
	for _, asked := range []func(*step.Expr) (string, int, bool){f.filled, f.isProcess} {
		if text, prec, ok := asked(e); ok {
			return text, prec, true
		}
	}
	switch {
	case xs == nil:
		return f.total(e)
	case xs.Type.Elem.Kind != step.Mutex:
		return f.method(xs, "contains", []*step.Expr{v}), precPostfix, true
	case v.Op == step.Me && xs.Op == step.Part && xs.Args[0].Type.Sync == "cond":
		return f.process(v.Of, "self", "") + ".waits(" + f.format(xs.Args[0]) + ")", precPostfix, true
	}
	return "", 0, false
}

// total prints the sum of the elements of an array, xs.sum(), or how many of the flags in it are set, xs.count(v, v).
func (f *formatter) total(e *step.Expr) (string, int, bool) {
	xs := step.TotalOf(e)
	switch {
	case xs == nil:
		return "", 0, false
	case xs.Type.Elem.Kind == step.Bool:
		return f.at(xs, precPostfix) + ".count(v, v)", precPostfix, true
	}
	return f.method(xs, "sum", nil), precPostfix, true
}

// member takes the condition apart that a value is an element of a list, a queue or an array; nil for all others.
func member(e *step.Expr) (xs, v *step.Expr) {
	var one []*step.Expr // the last element first
	for ; e.Op == step.Or; e = e.Args[0] {
		one = append(one, e.Args[1])
	}
	one = append(one, e)
	slices.Reverse(one)
	for i, is := range one {
		var present *step.Expr
		if is.Op == step.And {
			present, is = is.Args[0], is.Args[1]
		}
		if is.Op != step.Eq || is.Args[0].Op != step.Index || !isIndex(is.Args[0].Args[1], i) {
			return nil, nil
		}
		if i == 0 {
			xs, v = is.Args[0].Args[0], is.Args[1]
			if t := xs.Type; len(one) != t.Len || t.Len < 2 || t.Kind != step.Array && !types.IsSequence(t) {
				return nil, nil
			}
		}
		counted := present != nil && present.Op == step.Gt && present.Args[0].Op == step.Size &&
			step.Equal(present.Args[0].Args[0], xs) && isIndex(present.Args[1], i)
		if counted == (xs.Type.Kind == step.Array) || present != nil && !counted ||
			!step.Equal(is.Args[0].Args[0], xs) || !step.Equal(is.Args[1], v) {
			return nil, nil
		}
	}
	return xs, v
}

// endOf is the method that gives the first or last element of a collection, empty if the index is another one.
func endOf(e *step.Expr) string {
	xs, i := e.Args[0], e.Args[1]
	if isIndex(i, 0) && (xs.Type.Kind == step.Set || xs.Type.Kind == step.Bag) {
		return "min"
	}
	if i.Op != step.Sub || i.Args[0].Op != step.Size || !isIndex(i.Args[1], 1) || !step.Equal(i.Args[0].Args[0], xs) {
		return ""
	}
	switch xs.Type.Kind {
	case step.List:
		return "last"
	case step.Set, step.Bag:
		return "max"
	}
	return ""
}

func isIndex(e *step.Expr, i int) bool {
	return e.Op == step.Const && e.Name == "" && e.Words[0] == int64(i)
}

// process names the process of Self and Me.
func (f *formatter) process(of int, own, part string) string {
	if f.exchanged && (of == step.P || of == step.Q) {
		of = step.P + step.Q - of
	}
	switch {
	case of == step.Own:
		return own
	case of == step.P && f.b == nil && f.a != nil:
		return own // a condition about one step
	case of == step.P:
		return "p" + part
	case of == step.Q:
		return "q" + part
	case f.prog != nil && of < len(f.prog.Procs):
		return f.prog.Procs[of].Name + part
	}
	return fmt.Sprintf("process %d", of) + part
}

// local prints a variable: a local with the process it belongs to where that is not plain.
func (f *formatter) local(e *step.Expr) string {
	name := e.Var.Name
	if e.Var.Shared || e.Of == step.Own {
		return name
	}
	mine, other := f.a, f.b
	if e.Of == step.Q {
		mine, other = f.b, f.a
	}
	if e.Of == step.P || e.Of == step.Q {
		if e.Var.Temp && mine != nil {
			name = TempName(mine, e.Var)
		}
		taken := name == "p" || name == "q" // these are the processes, as in p.x
		switch {
		case f.qualified:
		case e.Of == step.P && f.b == nil && f.a != nil && taken:
			return "p." + name
		case e.Of == step.P && f.b == nil && f.a != nil, other != nil && !HasLocal(other, name) && !taken:
			return name
		}
	}
	return f.process(e.Of, "", ".") + name
}

// HasLocal reports whether a condition could mean a local of the template by a name.
func HasLocal(t *step.Template, name string) bool {
	return slices.ContainsFunc(t.Locals, func(v *step.Var) bool {
		return v.Name == name || v.Temp && TempName(t, v) == name
	})
}

// FormatValue prints the words of a value: 3, true, red, [1, 2], null, free, "held by philosopher[1]". prog names the
// holder of a mutex and may be nil.
func FormatValue(prog *step.Program, t *step.Type, words []int64) string {
	if len(words) < t.Words() {
		return "?"
	}
	if text, ok := native(prog, t, words); ok {
		return text
	}
	switch t.Kind {
	case step.Bool:
		return strconv.FormatBool(words[0] != 0)
	case step.Enum:
		if i := words[0]; i >= 0 && i < int64(len(t.Names)) {
			return t.Names[i]
		}
	case step.Mutex:
		switch i := words[0]; {
		case i > 0 && t == processType && prog != nil && i <= int64(len(prog.Procs)):
			return prog.Procs[i-1].Called()
		case i == 0:
			return "free"
		case prog != nil && i > 0 && i <= int64(len(prog.Procs)):
			return "held by " + prog.Procs[i-1].Called()
		default:
			return fmt.Sprintf("held by process %d", i-1)
		}
	case step.Option:
		if words[0] == 0 {
			return "null"
		}
		return FormatValue(prog, t.Elem, words[1:])
	case step.Record:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			from := t.FieldAt(i)
			fields[i] = f.Name + ": " + FormatValue(prog, shown(t, f), words[from:from+f.Type.Words()])
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case step.Map:
		w := t.Elem.Words()
		var entries []string
		for i := range int(max(0, min(words[0], int64(t.Len)))) {
			entry := words[1+i*w : 1+(i+1)*w]
			k, v := t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
			entries = append(entries, FormatValue(prog, k, entry)+": "+FormatValue(prog, v, entry[k.Words():]))
		}
		return "{" + strings.Join(entries, ", ") + "}"
	case step.Sized:
		if t.Unsigned {
			return strconv.FormatUint(uint64(words[0]), 10)
		}
	case step.Array, step.List, step.Queue, step.Set, step.Bag:
		n := int64(t.Len)
		if t.Kind != step.Array {
			n, words = words[0], words[1:]
		}
		n = max(0, min(n, int64(t.Len)))
		w := t.Elem.Words()
		parts := make([]string, 0, n)
		for chunk := range slices.Chunk(words, max(1, w)) {
			if int64(len(parts)) == n {
				break
			}
			parts = append(parts, FormatValue(prog, t.Elem, chunk))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strconv.FormatInt(words[0], 10)
}

// processType is the type of a word which says who waits or sends, not who holds something.
var processType = &step.Type{Kind: step.Mutex}

// shown is the type of a field of a record for people.
func shown(t *step.Type, f step.Field) *step.Type {
	switch {
	case t.Sync == "cond":
		return &step.Type{Kind: f.Type.Kind, Elem: processType, Len: f.Type.Len}
	case t.Sync == "chan" && f.Type.Kind == step.Mutex:
		return processType
	}
	return f.Type
}

// Locate finds the part of a variable that lies at some words; typ is nil if no part does.
func Locate(path string, t *step.Type, at, n int) (string, *step.Type) {
	if at == 0 && t.Words() == n {
		return path, t
	}
	switch t.Kind {
	case step.Array:
		i := at / t.Elem.Words()
		return Locate(fmt.Sprintf("%s[%d]", path, i), t.Elem, at-i*t.Elem.Words(), n)
	case step.Record:
		for i, f := range t.Fields {
			if from := t.FieldAt(i); at >= from && at < from+f.Type.Words() {
				return Locate(path+"."+f.Name, shown(t, f), at-from, n)
			}
		}
	case step.List, step.Queue, step.Set, step.Bag, step.Map:
		if at == 0 {
			if n == 1 {
				return path + ".size()", step.IntType
			}
			return "", nil
		}
		i := (at - 1) / t.Elem.Words()
		return Locate(fmt.Sprintf("%s[%d]", path, i), t.Elem, at-1-i*t.Elem.Words(), n)
	case step.Option:
		if at == 0 && n == 1 {
			return path + " != null", step.BoolType
		}
		if at > 0 {
			return Locate(path+"!", t.Elem, at-1, n)
		}
	}
	return "", nil
}

// Observable are expressions for what a shared variable is in the end. A primitive is observed by its parts.
func Observable(v *step.Var) (list []string) {
	switch {
	case v.Temp || v.Type.Words() == 0:
		return nil
	case v.Type.Sync != "":
		for _, f := range v.Type.Fields {
			if f.Name == "readers" { // an array with an element for each process; a part of a program may have fewer
				list = append(list, v.Name+".readers.count(r, r)")
				continue
			}
			list = append(list, v.Name+"."+f.Name)
		}
		return list
	case types.Pinned(v.Type) && v.Type.Kind != step.Mutex:
		return nil
	}
	return []string{v.Name}
}
