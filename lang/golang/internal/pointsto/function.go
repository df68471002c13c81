package pointsto

import "golang.org/x/tools/go/ssa"

// none is the row of values that never point: constants, numbers.
const none int32 = -1

// function numbers the words of a function's registers.
type function struct {
	rows         map[ssa.Value]int32 // first word of a register; those without words are missing
	results      int32
	size         int // words
	instructions int // without debug references
	variables    []*ssa.Global
}

// function numbers the words of a function once for all instances.
func (s *solver) function(fn *ssa.Function) *function {
	if f := s.functions[fn]; f != nil {
		return f
	}
	f := &function{rows: map[ssa.Value]int32{}}
	s.functions[fn] = f
	add := func(v ssa.Value) {
		n := s.width(v.Type())
		if _, ok := v.(*ssa.Range); ok {
			n = 1 // the map
		}
		if n > 0 {
			f.rows[v] = int32(f.size)
			f.size += n
		}
	}
	for _, p := range fn.Params {
		add(p)
	}
	for _, v := range fn.FreeVars {
		add(v)
	}
	f.results = int32(f.size)
	f.size += s.width(fn.Signature.Results())
	var operands []*ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.DebugRef); ok {
				continue
			}
			f.instructions++
			if v, ok := instr.(ssa.Value); ok {
				add(v)
			}
			operands = instr.Operands(operands[:0])
			for _, o := range operands {
				if g, ok := (*o).(*ssa.Global); ok {
					f.variables = append(f.variables, g)
				}
			}
		}
	}
	return f
}

// row is the first node of a value.
func (s *solver) row(in *Instance, v ssa.Value) int32 {
	switch v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return none
	case *ssa.Global, *ssa.Function:
		return s.address(v)
	}
	if i, ok := in.words.rows[v]; ok {
		return in.first + i
	}
	return none
}

// wordsFrom is the part of a row that begins at a word.
func wordsFrom(row, word int32) int32 {
	if row == none {
		return none
	}
	return row + word
}

// address is the node that holds the address of a variable of a package, or a function.
func (s *solver) address(v ssa.Value) int32 {
	n, ok := s.addresses[v]
	if !ok {
		n = s.newNodes(1)
		s.addresses[v] = n
		s.include(n, s.global(v).root.id)
	}
	return n
}

// global is the object of a variable of a package, or a function.
func (s *solver) global(v ssa.Value) *Object {
	o := s.globals[v]
	if o == nil {
		if g, ok := v.(*ssa.Global); ok {
			o = s.newObject(g, nil, pointee(g.Type()))
			if g.Name() != "init$guard" {
				s.needsInit(g.Pkg)
			}
		} else {
			o = s.newObject(v, nil, v.Type())
		}
		s.globals[v] = o
	}
	return o
}
