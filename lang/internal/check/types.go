package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
)

// MaxWords bounds the size of one value: states are copied at every step.
const MaxWords = 1 << 16

// ResolveType turns a type's syntax into a type; nil after an error.
func (tab *Table) ResolveType(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	if ty == nil {
		return nil
	}
	var t *step.Type
	switch ty.Kind {
	case syntax.TyNamed:
		return tab.namedType(r, ty)
	case syntax.TyUnion:
		return tab.referenceTo(r, ty)
	case syntax.TyFuture:
		var result *step.Type
		if ty.Elem != nil {
			if result = tab.ResolveType(r, ty.Elem); result == nil {
				return nil
			}
		}
		return tab.FutureType(result)
	case syntax.TyEnum:
		return tab.Enum(ty.Names)
	case syntax.TyRange:
		x := tab.Checker(r, ConstNames{})
		lo, ok1 := ConstInt(x, ty.Lo, "the bound of a range")
		hi, ok2 := ConstInt(x, ty.Hi, "the bound of a range")
		if !ok1 || !ok2 {
			return nil
		}
		if lo > hi {
			r.Report(ty.Pos, ty.End, fmt.Sprintf("the smaller number stands first: %d..%d", hi, lo),
				"the range %d..%d is empty", lo, hi)
			return nil
		}
		return &step.Type{Kind: step.Range, Lo: lo, Hi: hi}
	case syntax.TyOption:
		elem := tab.ResolveType(r, ty.Elem)
		if elem == nil {
			return nil
		}
		t = &step.Type{Kind: step.Option, Elem: elem}
	case syntax.TyRecord:
		if t = tab.recordType(r, ty); t == nil {
			return nil
		}
	case syntax.TySync:
		return tab.syncType(r, ty)
	default:
		if t = tab.containerType(r, ty); t == nil || ty.Kind == syntax.TyChan {
			return t
		}
	}
	if t.Words() > MaxWords {
		r.Report(ty.Pos, ty.End, "", "a value of this type takes %d words, more than %d", t.Words(), MaxWords)
		return nil
	}
	if t.Kind == step.Option && types.Pinned(t.Elem) {
		r.Report(ty.Elem.Pos, ty.Elem.End, "such values stand alone, in records or in arrays",
			"a %s cannot be moved, so it cannot be in %s", types.PinnedWord(t.Elem), types.KindWord(t))
		return nil
	}
	return t
}

// namedType is the type that a name stands for, nil if that has been reported.
func (tab *Table) namedType(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	switch ty.Name {
	case "int":
		return step.IntType
	case "bool":
		return step.BoolType
	case "mutex":
		return step.MutexType
	case "tid":
		return tab.Tid
	case "rwlock", "cond", "once", "waitgroup":
		return tab.primitive(ty.Name, 0, false)
	}
	if t := types.Sized()[ty.Name]; t != nil {
		return t
	}
	if t, ok := tab.Types[ty.Name]; ok {
		tab.mentionType(r, ty.Pos, ty.Name)
		return t // nil if its declaration is faulty, which has been reported
	}
	if t := tab.referenceTo(r, ty); t != nil {
		return t
	}
	known := slices.Clone(syntax.PlainTypes)
	for _, c := range tab.Classes {
		known = append(known, c.Name)
	}
	known = slices.AppendSeq(known, maps.Keys(tab.Types))
	slices.Sort(known)
	if tab.Unsure {
		return nil
	}
	r.Report(ty.Pos, ty.End, cmp.Or(syntax.HabitType(ty.Name), syntax.DidYouMean(ty.Name, known)),
		"unknown type %s", ty.Name)
	return nil
}

// syncType is the type of a primitive that a number belongs to, or a word in brackets.
func (tab *Table) syncType(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	n := int64(0)
	if ty.Size != nil {
		var ok bool
		if n, ok = ConstInt(tab.Checker(r, ConstNames{}), ty.Size, "the number of a "+ty.Name); !ok {
			return nil
		}
		if low := map[string]int64{"barrier": 1}[ty.Name]; n < low || n > MaxWords {
			r.Report(ty.Size.Pos, ty.Size.End, "", "the number of a %s must be from %d to %d, not %d",
				ty.Name, low, MaxWords, n)
			return nil
		}
	}
	return tab.primitive(ty.Name, int(n), ty.Spurious)
}

// containerType is the type of what holds values of a type: an array, a list, a queue, a set, a bag, a map, a channel.
func (tab *Table) containerType(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	elem := tab.ResolveType(r, ty.Elem)
	n, ok := int64(0), true
	if ty.Size != nil {
		n, ok = ConstInt(tab.Checker(r, ConstNames{}), ty.Size, "a length")
	}
	if elem == nil || !ok {
		return nil
	}
	if n < 0 || n > MaxWords {
		r.Report(ty.Size.Pos, ty.Size.End, "", "a length of %d: it must be from 0 to %d", n, MaxWords)
		return nil
	}
	t := &step.Type{Kind: step.Array, Elem: elem, Len: int(n)}
	switch ty.Kind {
	case syntax.TyList:
		t.Kind = step.List
	case syntax.TyQueue:
		t.Kind = step.Queue
	case syntax.TySet:
		t.Kind = step.Set
	case syntax.TyBag:
		t.Kind = step.Bag
	case syntax.TyMap:
		key := tab.ResolveType(r, ty.Key)
		if key == nil {
			return nil
		}
		t.Kind = step.Map
		t.Elem = &step.Type{Kind: step.Record,
			Fields: []step.Field{{Name: "key", Type: key}, {Name: "value", Type: elem}}}
	}
	if types.Pinned(t.Elem) && ty.Kind != syntax.TyArray {
		r.Report(ty.Elem.Pos, ty.Elem.End, "such values stand alone, in records or in arrays",
			"a %s cannot be moved, so it cannot be in %s", types.PinnedWord(t.Elem), types.KindWord(t))
		return nil
	}
	if ty.Kind == syntax.TyChan {
		return primitive.ChannelType(elem, int(n))
	}
	if ty.Size.Kind == syntax.EInt {
		tab.Literal[t] = true
	}
	if c := ConstOf(tab.Checker(r.Silent(), ConstNames{}).Value(ty.Size, nil)); c != nil && c.Name != "" {
		tab.Lengths[t] = c
	}
	return t
}

// recordType resolves the fields of a record.
func (tab *Table) recordType(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	t := &step.Type{Kind: step.Record}
	for _, f := range ty.Fields {
		ft := tab.ResolveType(r, f.Type)
		if ft == nil {
			return nil
		}
		t.Fields = append(t.Fields, step.Field{Name: f.Name, Type: ft})
	}
	return t
}

// Enum makes structurally equal enums the same type, so that their members are not ambiguous.
func (tab *Table) Enum(names []string) *step.Type {
	for _, t := range tab.enums {
		if slices.Equal(t.Names, names) {
			return t
		}
	}
	t := &step.Type{Kind: step.Enum, Names: names}
	tab.enums = append(tab.enums, t)
	return t
}

// primitive makes the type of a primitive. n is its number: the initial count of a sem, the threads of a barrier.
func (tab *Table) primitive(name string, n int, spurious bool) *step.Type {
	key := fmt.Sprint(name, n, spurious)
	if tab.primitives[key] == nil {
		tab.primitives[key] = map[string]func() *step.Type{
			"sem":       func() *step.Type { return primitive.SemaphoreType(n) },
			"waitgroup": primitive.WaitGroupType,
			"rwlock":    func() *step.Type { return primitive.RWLockType(tab.Processes) },
			"cond":      func() *step.Type { return primitive.CondType(tab.Processes, spurious) },
			"barrier":   func() *step.Type { return primitive.BarrierType(n) },
			"once":      primitive.OnceType,
		}[name]()
	}
	return tab.primitives[key]
}

// Reference is the type of references by identity. what says to which: the classes of actors, tid, or fut[T] with the
// type of the result.
func (tab *Table) Reference(what string, result *step.Type) *step.Type {
	return &step.Type{Kind: step.Enum, Names: tab.IdentityNames, Name: what, Ref: what, Elem: result}
}

// referenceTo is the type of references to classes, nil if the names are not all classes.
func (tab *Table) referenceTo(r *syntax.Reporter, ty *syntax.TypeExpr) *step.Type {
	names := ty.Names
	if names == nil {
		names = []string{ty.Name}
	}
	for i, name := range names {
		if ty.Kind == syntax.TyUnion && (tab.ClassNamed(name) == nil || slices.Contains(names[:i], name)) {
			r.Report(ty.Pos, ty.End, "", "a reference is to different classes, A|B, and %s is none or is there twice",
				name)
			return nil
		}
		if tab.ClassNamed(name) == nil {
			return nil
		}
	}
	if ty.Kind == syntax.TyNamed {
		r.Mention(tab.ClassNamed(ty.Name).Mention(ty.Pos), nil)
	}
	what := strings.Join(names, "|")
	if tab.References[what] == nil {
		tab.References[what] = tab.Reference(what, nil)
	}
	return tab.References[what]
}

// FutureType is the type of futures with a type of results, nil for none.
func (tab *Table) FutureType(result *step.Type) *step.Type {
	key := types.FutureOf(result)
	if tab.futures[key] == nil {
		tab.futures[key] = tab.Reference("fut["+key+"]", result)
	}
	return tab.futures[key]
}

// isNumber counts references as well in constraints, which compare them with the number of an identity.
func isNumber(scope Scope, t *step.Type) bool {
	return types.IsNumber(t) || scope.numbers() && t.Ref != ""
}

// asSized gives a constant integer a type that wraps around; what is no constant must be converted by the program.
func asSized(x *Checker, e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v.Op != step.Const {
		return x.Fail(e, "convert it: "+types.Structure(t)+"(...)", "this is %s, but %s is needed",
			types.String(v.Type), types.String(t))
	}
	lo, hi := t.Bounds()
	if t.Unsigned && t.Bits == 64 {
		lo = 0
	}
	if k := v.Words[0]; k < lo || k > hi {
		return x.Fail(e, "", "%d is outside of %s", k, types.String(t))
	}
	c := Constant(e, t, v.Words...)
	c.Name = v.Name
	return c
}

// Unify brings two numbers to one type: constants take the type of the other operand. The type is that of a result.
func Unify(x *Checker, what string, ea, eb *syntax.Expr, a, b *step.Expr) (va, vb *step.Expr, t *step.Type) {
	if a == nil || b == nil {
		return nil, nil, nil
	}
	for i, v := range []*step.Expr{a, b} {
		if !isNumber(x.scope, v.Type) {
			at, hint := []*syntax.Expr{ea, eb}[i], ""
			if v.Type.Kind == step.Option {
				hint = habitValue(v.Type, v.Type.Elem)
			} else if v.Type.Kind == step.Enum && v.Type.Ref == "" {
				hint = "an enum has no numbers: compare its members"
			} else if at.Kind == syntax.EBinary && slices.Contains(syntax.Levels[2], at.Name) &&
				at.End.Line == at.Pos.Line {
				hint = "compare one pair at a time, a < b && b < c, or write x in lo..hi"
			}
			x.Fail(at, hint, "%s needs numbers, and this is %s", what, types.String(v.Type))
			return nil, nil, nil
		}
	}
	switch sa, sb := a.Type.Kind == step.Sized, b.Type.Kind == step.Sized; {
	case sa && !sb:
		b = asSized(x, eb, b, a.Type)
	case sb && !sa:
		a = asSized(x, ea, a, b.Type)
	case sa && !types.Comparable(a.Type, b.Type):
		x.Fail(eb, "convert one of them", "%s mixes %s and %s", what, types.String(a.Type), types.String(b.Type))
		return nil, nil, nil
	}
	if a == nil || b == nil {
		return nil, nil, nil
	}
	if a.Type.Kind == step.Sized {
		return a, b, a.Type
	}
	return a, b, step.IntType
}

// checkConversion elaborates int(e), uint8(e) and so on; nil, false if the name is none of these.
func checkConversion(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) {
	t := types.Sized()[e.Name]
	if e.Name == "int" {
		t = step.IntType
	}
	if t == nil {
		return nil, false
	}
	if len(e.Args) != 1 {
		return x.Fail(e, "", "%s takes 1 argument, not %d", e.Name, len(e.Args)), true
	}
	if v = x.Value(e.Args[0], nil); v == nil {
		return nil, true
	}
	if !types.IsNumber(v.Type) {
		return x.Fail(e.Args[0], "", "this is %s, but a number is needed", types.String(v.Type)), true
	}
	return x.Make(e, step.Convert, t, v), true
}

// Index elaborates the index of an array or list; integers of all types count.
func (x *Checker) Index(e *syntax.Expr) *step.Expr {
	return asIndex(x, e, x.Value(e, step.IntType))
}

func asIndex(x *Checker, e *syntax.Expr, v *step.Expr) *step.Expr {
	if v != nil && v.Type.Kind == step.Sized {
		return x.Make(e, step.Convert, step.IntType, v)
	}
	if v != nil && !v.Type.Numeric() {
		return x.Fail(e, "", "this is %s, but a number is needed", types.String(v.Type))
	}
	return v
}
