package native

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Whole is a type of the package under test of which a call of a method is taken for one step: there is a gate where
// it begins, and none inside. If a call waits, starts a goroutine, or uses a mutex that is used elsewhere as well, the
// process ends and says so.
type Whole struct {
	Type    string
	Methods []WholeMethod
}

// A WholeMethod is a method of such a type. Number is one among those of all types; Key is the parameter that tells
// calls apart, "": none does.
type WholeMethod struct {
	Name, Key string
	Number    int
}

// wholeEdits are what gives methods such gates, by file of the package in a folder.
func wholeEdits(dir string, types []Whole) (map[string][]edit, error) {
	edits := map[string][]edit{}
	if len(types) == 0 {
		return edits, nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Body == nil {
				continue
			}
			gate, method, err := wholeGate(fn, types)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", files.Position(fn.Pos()), err)
			}
			if gate != "" {
				found[method] = true
				at := files.Position(fn.Body.Lbrace).Offset + 1
				edits[path] = append(edits[path], edit{at, at, gate})
			}
		}
		if edits[path] != nil {
			at := files.Position(f.Name.End()).Offset
			edits[path] = append(edits[path], edit{at, at, `; import cdporruntime "runtime"`})
		}
	}
	for _, of := range types {
		for _, m := range of.Methods {
			if !found[of.Type+"."+m.Name] {
				return nil, fmt.Errorf("%s has no method %s with a pointer as its receiver", of.Type, m.Name)
			}
		}
	}
	return edits, nil
}

// wholeGate is the gate of a method, if it is one of the types.
func wholeGate(fn *ast.FuncDecl, types []Whole) (gate, method string, err error) {
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return "", "", nil
	}
	of := star.X
	if index, generic := of.(*ast.IndexExpr); generic {
		of = index.X
	}
	id, ok := of.(*ast.Ident)
	k := -1
	if ok {
		k = slices.IndexFunc(types, func(w Whole) bool { return w.Type == id.Name })
	}
	if k < 0 {
		return "", "", nil
	}
	method = id.Name + "." + fn.Name.Name
	i := slices.IndexFunc(types[k].Methods, func(m WholeMethod) bool { return m.Name == fn.Name.Name })
	switch {
	case i < 0 && ast.IsExported(fn.Name.Name):
		return "", "", fmt.Errorf("the model of %s has no thread %s", id.Name, fn.Name.Name)
	case i < 0:
		return "", "", nil
	case len(fn.Recv.List[0].Names) == 0 || fn.Recv.List[0].Names[0].Name == "_":
		return "", "", fmt.Errorf("the receiver of %s needs a name", method)
	}
	m := types[k].Methods[i]
	key := "nil"
	if m.Key != "" {
		if key = m.Key; !hasParameter(fn, key) {
			return "", "", fmt.Errorf("%s has no parameter %s", method, key)
		}
	}
	return fmt.Sprintf(" defer cdporruntime.CdporCall(%s, %s, %d, %s)();", number(opCall),
		fn.Recv.List[0].Names[0].Name, m.Number, key), method, nil
}

func hasParameter(fn *ast.FuncDecl, name string) bool {
	for _, p := range fn.Type.Params.List {
		for _, id := range p.Names {
			if id.Name == name {
				return !strings.HasPrefix(name, "_")
			}
		}
	}
	return false
}
