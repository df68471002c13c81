package share

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An Access is a read or a write of the memory that an operand of an instruction points to.
type Access struct {
	Pointer ssa.Value
	Path    []int // behind what the pointer points to
	Write   bool
	Sync    bool // an operation that orders goroutines
}

// Accesses lists what an instruction does with memory, by itself and not in what it calls.
func Accesses(i ssa.Instruction) (list []Access) {
	switch i := i.(type) {
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			list = append(list, Access{Pointer: i.X})
		case token.ARROW:
			list = append(list, Access{Pointer: i.X, Write: true, Sync: true})
		}
	case *ssa.Store:
		list = append(list, Access{Pointer: i.Addr, Write: true})
	case *ssa.Send:
		list = append(list, Access{Pointer: i.Chan, Write: true, Sync: true})
	case *ssa.Select:
		for _, s := range i.States {
			list = append(list, Access{Pointer: s.Chan, Write: true, Sync: true})
		}
	case *ssa.MapUpdate:
		list = append(list, Access{Pointer: i.Map, Write: true})
	case *ssa.Lookup:
		if _, isMap := i.X.Type().Underlying().(*types.Map); isMap {
			list = append(list, Access{Pointer: i.X})
		}
	case *ssa.Range:
		if _, isMap := i.X.Type().Underlying().(*types.Map); isMap {
			list = append(list, Access{Pointer: i.X})
		}
	case *ssa.Next:
		if r, ok := i.Iter.(*ssa.Range); ok && !i.IsString {
			list = append(list, Access{Pointer: r.X})
		}
	case *ssa.Convert: // of bytes or runes to a text
		if _, isSlice := i.X.Type().Underlying().(*types.Slice); isSlice {
			list = append(list, Access{Pointer: i.X})
		}
	case ssa.CallInstruction:
		list = ofCall(i.Common())
	}
	return list
}

func ofCall(c *ssa.CallCommon) (list []Access) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if len(c.Args) == 0 {
			return nil
		}
		_, isChan := c.Args[0].Type().Underlying().(*types.Chan)
		_, isMap := c.Args[0].Type().Underlying().(*types.Map)
		switch {
		case isChan:
			return []Access{{Pointer: c.Args[0], Write: b.Name() == "close", Sync: true}}
		case isMap:
			return []Access{{Pointer: c.Args[0], Write: b.Name() != "len"}}
		case b.Name() == "append", b.Name() == "copy":
			list = append(list, Access{Pointer: c.Args[0], Path: nil, Write: true})
			if len(c.Args) > 1 {
				if _, isSlice := c.Args[1].Type().Underlying().(*types.Slice); isSlice {
					list = append(list, Access{Pointer: c.Args[1]})
				}
			}
		}
		return list
	}
	f := c.StaticCallee()
	if f == nil || f.Blocks != nil || f.Signature.Recv() == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "sync" {
		return nil
	}
	return []Access{{Pointer: c.Args[0], Write: true, Sync: true}}
}
