package lower

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Types of the step form for those of Go. Whatever refers to something is a number: pointers, channels, maps and
// functions (0 is nil), strings (0 is the empty one). An interface is a number for the dynamic type (0 is nil) and a
// word.

var (
	refType    = &step.Type{Kind: step.Int, Name: step.Reference}
	stringType = &step.Type{Kind: step.Int, Name: "string"}
	ifaceType  = &step.Type{Kind: step.Record, Name: "interface",
		Fields: []step.Field{{Name: "type", Type: step.IntType}, {Name: "value", Type: step.IntType}}}
	sliceType = &step.Type{Kind: step.Record, Name: "slice",
		Fields: []step.Field{{Name: "base", Type: refType}, {Name: "len", Type: step.IntType},
			{Name: "cap", Type: step.IntType}}}
	mutexType = step.MutexType
	groupType = &step.Type{Kind: step.Record, Sync: "waitgroup",
		Fields: []step.Field{{Name: "count", Type: step.IntType}}}
	// ticketsType has how many tickets were drawn, and how many served.
	ticketsType = &step.Type{Kind: step.Record, Name: "tickets",
		Fields: []step.Field{{Name: "drawn", Type: step.IntType}, {Name: "served", Type: step.IntType}}}
)

func sized(bits int, unsigned bool) *step.Type {
	name := fmt.Sprint("int", bits)
	if unsigned {
		name = "u" + name
	}
	return &step.Type{Kind: step.Sized, Name: name, Bits: bits, Unsigned: unsigned}
}

var basics = map[types.BasicKind]*step.Type{
	types.Bool: step.BoolType, types.UntypedBool: step.BoolType, types.String: stringType,
	types.UntypedString: stringType,
	types.Int:           sized(64, false), types.Int8: sized(8, false), types.Int16: sized(16, false),
	types.Int32: sized(32, false), types.Int64: sized(64, false),
	types.Uint: sized(64, true), types.Uint8: sized(8, true), types.Uint16: sized(16, true),
	types.Uint32: sized(32, true), types.Uint64: sized(64, true),
	types.Uintptr: sized(64, true), types.UntypedInt: sized(64, false), types.UntypedRune: sized(32, false),
	types.UntypedNil: refType,
}

// syncName is the name of a primitive that is lowered by hand; empty for other types.
func syncName(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "sync" {
		return ""
	}
	switch name := n.Obj().Name(); name {
	case "Mutex", "RWMutex", "WaitGroup", "tickets":
		return name
	}
	return ""
}

// kinds are the types of the step form for those of the program, and the numbers of those that interfaces hold.
type kinds struct {
	types, tags typeutil.Map
	tagged      []types.Type
	rw          *step.Type
	instances   int                 // processes in all
	atomics     map[*step.Type]bool // those of sync/atomic, which have one field
}

// typeOf is the type of values of a Go type. An error names what is not supported.
func (k *kinds) typeOf(t types.Type) (*step.Type, error) {
	if s, ok := k.types.At(t).(*step.Type); ok {
		return s, nil
	}
	s, err := k.newType(t)
	if err == nil {
		k.types.Set(t, s)
	}
	return s, err
}

func (k *kinds) newType(t types.Type) (*step.Type, error) {
	switch syncName(t) {
	case "Mutex":
		return mutexType, nil
	case "RWMutex":
		return k.rwType(), nil
	case "WaitGroup":
		return groupType, nil
	case "tickets":
		return ticketsType, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if s := basics[u.Kind()]; s != nil {
			return s, nil
		}
		if u.Kind() == types.UnsafePointer {
			return nil, fmt.Errorf("%s is not supported%s", t, insteadOf("unsafe.Pointer"))
		}
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return nil, fmt.Errorf("values of type %s are not supported: use integers, of a smaller unit", t)
		}
		return nil, fmt.Errorf("values of type %s are not supported", t)
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return refType, nil
	case *types.Interface:
		return ifaceType, nil
	case *types.Slice:
		return sliceType, nil
	case *types.Array:
		elem, err := k.typeOf(u.Elem())
		if err != nil {
			return nil, err
		}
		if u.Len() > maxArray {
			return nil, fmt.Errorf("an array of %d elements is not supported: at most %d are", u.Len(), maxArray)
		}
		return &step.Type{Kind: step.Array, Elem: elem, Len: int(u.Len())}, nil
	case *types.Struct:
		return k.structType(t, u)
	case *types.Tuple:
		return nil, fmt.Errorf("a tuple is no value")
	}
	return nil, fmt.Errorf("values of type %s are not supported", t)
}

// maxArray bounds the elements of an array.
const maxArray = 4096

func (k *kinds) structType(t types.Type, u *types.Struct) (*step.Type, error) {
	s := &step.Type{Kind: step.Record}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		s.Name = n.Obj().Name()
		if p := n.Obj().Pkg(); p != nil && p.Path() == "sync/atomic" && u.NumFields() == 1 {
			if k.atomics == nil {
				k.atomics = map[*step.Type]bool{}
			}
			k.atomics[s] = true
		}
	}
	for i := range u.NumFields() {
		f, err := k.typeOf(u.Field(i).Type())
		if err != nil {
			return nil, err
		}
		name := u.Field(i).Name()
		if name == "_" {
			name = fmt.Sprint("blank", i)
		}
		s.Fields = append(s.Fields, step.Field{Name: name, Type: f})
	}
	return s, nil
}

// rwType is the type of an RWMutex: who writes or waits for readers to leave, and how often each process reads.
func (k *kinds) rwType() *step.Type {
	if k.rw == nil {
		k.rw = &step.Type{Kind: step.Record, Sync: "rwlock",
			Fields: []step.Field{{Name: "writer", Type: step.MutexType},
				{Name: "readers", Type: &step.Type{Kind: step.Array, Elem: step.IntType, Len: k.instances}}}}
	}
	return k.rw
}

// tag is the number of a dynamic type.
func (k *kinds) tag(t types.Type) int64 {
	if tag, ok := k.tags.At(t).(int64); ok {
		return tag
	}
	k.tagged = append(k.tagged, t)
	tag := int64(len(k.tagged))
	k.tags.Set(t, tag)
	return tag
}

// runtimeKind names the task of a goroutine that the library starts; empty for others.
func runtimeKind(in *pointsto.Instance) string {
	switch name := in.Func.Name(); packageOf(in.Func) {
	case "time":
		return name + " "
	case "context":
		if name == "expire" {
			return "timer "
		}
		return "context "
	case "os/signal":
		return "signal "
	}
	return ""
}

// intKind is int.
const intKind = types.Int

func freeMutex(b *build.Code, m *step.Expr) *step.Expr {
	return b.Bool(step.Eq, m, b.Const(step.MutexType, 0))
}
