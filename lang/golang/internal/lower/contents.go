package lower

import (
	"fmt"
	"go/constant"
	"go/types"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/primitive"
	"cdpor/lang/step"

	"golang.org/x/tools/go/ssa"
)

// contents is the type of one of the things of an object.
func (l *lowerer) contents(o *pointsto.Object) (*step.Type, error) {
	switch s := o.Site.(type) {
	case *ssa.MakeChan:
		return l.channelType(o, s)
	case *ssa.MakeClosure:
		t := &step.Type{Kind: step.Record, Name: "closure"}
		for _, v := range s.Fn.(*ssa.Function).FreeVars {
			f, err := l.typeOf(v.Type())
			if err != nil {
				return nil, err
			}
			t.Fields = append(t.Fields, step.Field{Name: identifier(v.Name()), Type: f})
		}
		return t, nil
	case *ssa.MakeMap:
		return l.mapType(s.Type())
	case *ssa.MakeSlice, *ssa.Convert, *ssa.Call: // of append
		elem, err := l.typeOf(s.Type().Underlying().(*types.Slice).Elem())
		n := l.opt.Slice
		switch s := s.(type) {
		case *ssa.MakeSlice:
			n = l.sliceLen(o.In, s)
		case *ssa.Convert:
			n = l.roomOf(s)
		}
		return &step.Type{Kind: step.Array, Elem: elem, Len: n}, err
	}
	return l.typeOf(o.Type)
}

// channelType is the type of the channels that a site makes.
func (l *lowerer) channelType(o *pointsto.Object, s *ssa.MakeChan) (*step.Type, error) {
	elem, err := l.typeOf(s.Type().Underlying().(*types.Chan).Elem())
	if err != nil {
		return nil, err
	}
	n, known := knownInt(o.In, s.Size)
	switch {
	case !known: // each has its own, up to a bound
		t := *primitive.ChannelType(elem, l.opt.Slice)
		t.Fields = append(append([]step.Field(nil), t.Fields...), step.Field{Name: "capacity", Type: step.IntType})
		return &t, nil
	case n > maxCapacity:
		n = maxCapacity // it does not get full within the bounds
	}
	return l.offered(o, primitive.ChannelType(elem, int(n))), nil
}

// maxCapacity bounds the buffers of channels.
const maxCapacity = 64

// mapType is the type of the contents of the maps of a Go type.
func (l *lowerer) mapType(t types.Type) (*step.Type, error) {
	if m, ok := l.maps.At(t).(*step.Type); ok {
		return m, nil
	}
	u := t.Underlying().(*types.Map)
	key, err := l.typeOf(u.Key())
	if err != nil {
		return nil, err
	}
	value, err := l.typeOf(u.Elem())
	if err != nil {
		return nil, err
	}
	entry := &step.Type{Kind: step.Record, Name: "entry",
		Fields: []step.Field{{Name: "key", Type: key}, {Name: "value", Type: value}}}
	m := &step.Type{Kind: step.Map, Elem: entry, Len: l.opt.Slice}
	l.maps.Set(t, m)
	return m, nil
}

// sliceLen is the length of the array that a call of make makes.
func (l *lowerer) sliceLen(in *pointsto.Instance, s *ssa.MakeSlice) int {
	if n, ok := knownInt(in, s.Cap); ok && n >= 0 && n <= maxArray {
		return int(max(n, 1))
	}
	return l.opt.Slice
}

// roomOf is the number of elements that the array of a conversion has room for.
func (l *lowerer) roomOf(v *ssa.Convert) int {
	if k, ok := v.X.(*ssa.Const); ok && k.Value != nil {
		if n := len(elementsOf(constant.StringVal(k.Value), v.Type())); n <= maxArray {
			return max(n, 1)
		}
	}
	return l.opt.Slice
}

// mostElements bounds the entries of all tables of a conversion.
const mostElements = 1 << 16

// objectName is the name of an object in the Go program, as far as it has one.
func (l *lowerer) objectName(o *pointsto.Object) string {
	switch s := o.Site.(type) {
	case *ssa.Global:
		return s.Name()
	case *ssa.Alloc:
		switch s.Comment {
		case "complit", "new", "varargs", "slicelit", "makeslice", "":
		default:
			if t, err := l.typeOf(o.Type); err == nil && t == refType {
				return s.Comment + "_ref" // the name alone is that of what it refers to
			}
			return s.Comment
		}
	}
	if name := l.debugNames(o.In)[o.Site]; name != "" {
		return name
	}
	name := "made"
	switch o.Site.(type) {
	case *ssa.MakeChan:
		name = "chan"
	case *ssa.MakeMap:
		name = "map"
	case *ssa.MakeSlice, *ssa.Call, *ssa.Convert:
		name = "array"
	case *ssa.MakeClosure:
		name = "func"
	}
	if n, ok := types.Unalias(o.Type).(*types.Named); ok {
		name = n.Obj().Name()
	}
	if at := l.src.At(o.Site.Pos()); at.Line > 0 {
		name = fmt.Sprintf("%s_%d", name, at.Line)
	}
	return name
}

// elementsOf are the bytes or runes of a text, as a conversion to the type makes them.
func elementsOf(text string, t types.Type) (list []int64) {
	if t.Underlying().(*types.Slice).Elem().Underlying().(*types.Basic).Kind() == types.Uint8 {
		for _, b := range []byte(text) {
			list = append(list, int64(b))
		}
		return list
	}
	for _, r := range text {
		list = append(list, int64(r))
	}
	return list
}

// knownInt is the value of an integer that is a constant for a chain of calls.
func knownInt(in *pointsto.Instance, v ssa.Value) (int64, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil {
			return v.Int64(), true
		}
	case *ssa.Convert:
		return knownInt(in, v.X)
	case *ssa.ChangeType:
		return knownInt(in, v.X)
	case *ssa.BinOp:
		x, ok := knownInt(in, v.X)
		y, also := knownInt(in, v.Y)
		if !ok || !also {
			return 0, false
		}
		switch v.Op.String() {
		case "+":
			return x + y, true
		case "-":
			return x - y, true
		case "*":
			return x * y, true
		}
	case *ssa.Parameter:
		if in == nil || in.Caller == nil || in.Site.Common().StaticCallee() != in.Func {
			return 0, false
		}
		for i, p := range in.Func.Params {
			if p == v && i < len(in.Site.Common().Args) {
				return knownInt(in.Caller, in.Site.Common().Args[i])
			}
		}
	}
	return 0, false
}

// offered adds the offers to the type of a channel.
func (l *lowerer) offered(o *pointsto.Object, t *step.Type) *step.Type {
	f := l.offers[o]
	if !f.takes {
		return t
	}
	offer := &step.Type{Kind: step.Record, Name: "offer", Fields: []step.Field{{Name: "slot", Type: step.IntType},
		{Name: "value", Type: t.Elem}}}
	all := &step.Type{Kind: step.Array, Elem: offer, Len: l.instances}
	wide := *t
	wide.Fields = append(append([]step.Field(nil), t.Fields...), step.Field{Name: "takes", Type: all})
	if f.gives {
		wide.Fields = append(wide.Fields, step.Field{Name: "gives", Type: all})
	}
	return &wide
}
