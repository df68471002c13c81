package lower

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/golang/internal/source"
	"cdpor/lang/step"
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
