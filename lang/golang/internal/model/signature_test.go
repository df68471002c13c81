package model

import (
	"fmt"
	"go/types"
	"strings"
)

// disagreements lists the exported objects of a package that a model declares in another way than the library: a
// program may then not type-check, or go to another method.
func disagreements(genuine, model *types.Package) (list []string) {
	library, modelled := &restWriter{genuine: genuine, model: model}, &restWriter{genuine: model, model: model}
	compare := func(name, want, have string) {
		if want != have {
			list = append(list, fmt.Sprintf("%s.%s is %s, in the library %s", genuine.Path(), name, have, want))
		}
	}
	for _, name := range genuine.Scope().Names() {
		o, m := genuine.Scope().Lookup(name), model.Scope().Lookup(name)
		if !o.Exported() || m == nil {
			continue
		}
		compare(name, fmt.Sprintf("%T", o), fmt.Sprintf("%T", m))
		if c, ok := o.(*types.Const); ok {
			compare(name, c.Val().ExactString(), m.(*types.Const).Val().ExactString())
		}
		named, ok := types.Unalias(o.Type()).(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !ok {
			compare(name, library.shape(o.Type()), modelled.shape(m.Type()))
			continue
		}
		compare(name, library.kind(named), modelled.kind(m.Type()))
		for _, t := range []types.Type{named, types.NewPointer(named)} {
			for s := range types.NewMethodSet(t).Methods() {
				f := s.Obj()
				of := m.Type()
				if t != types.Type(named) {
					of = types.NewPointer(of)
				}
				have := types.NewMethodSet(of).Lookup(model, f.Name())
				switch {
				case !f.Exported():
				case have == nil:
					list = append(list, fmt.Sprintf("%s has no method %s", of, f.Name()))
				default:
					compare(name+"."+f.Name(), library.shape(f.Type()), modelled.shape(have.Obj().Type()))
				}
			}
		}
	}
	return list
}

// shape is a type without names of parameters.
func (w *restWriter) shape(t types.Type) string {
	return types.TypeString(w.unnamed(w.known(t)), (*types.Package).Path)
}

func (w *restWriter) unnamed(t types.Type) types.Type {
	s, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	tuple := func(t *types.Tuple) *types.Tuple {
		var list []*types.Var
		for v := range t.Variables() {
			list = append(list, types.NewParam(0, nil, "", w.unnamed(w.known(v.Type()))))
		}
		return types.NewTuple(list...)
	}
	var params []string
	for p := range s.TypeParams().TypeParams() {
		params = append(params, w.shape(p.Constraint()))
	}
	plain := types.NewSignatureType(nil, nil, nil, tuple(s.Params()), tuple(s.Results()), s.Variadic())
	if params == nil {
		return plain
	}
	return types.NewPointer(types.NewStruct([]*types.Var{types.NewField(0, nil, "generic", plain, false)},
		[]string{strings.Join(params, ", ")}))
}

// kind is what a declared type is, as far as programs can tell: its parameters, and what is exported of its struct.
func (w *restWriter) kind(t types.Type) string {
	var params []string
	for p := range types.Unalias(t).(*types.Named).TypeParams().TypeParams() {
		params = append(params, w.shape(p.Constraint()))
	}
	text := "[" + strings.Join(params, ", ") + "]"
	switch u := t.Underlying().(type) {
	case *types.Struct:
		text += "struct"
		for f := range u.Fields() {
			if f.Exported() && !f.Embedded() {
				text += "; " + f.Name() + " " + w.shape(f.Type())
			}
		}
		return text
	case *types.Interface:
		text += "interface" // the methods are compared one by one
		if !u.IsMethodSet() {
			text += " " + w.shape(u)
		}
		return text
	default:
		return text + w.shape(u)
	}
}
