package pointsto_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"cdpor/lang/golang/internal/pointsto"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// build makes the SSA form of one file; what it imports has no bodies.
func build(t *testing.T, source string) *ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importer.Default(), GoVersion: "go1.25"}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{file},
		ssa.InstantiateGenerics|ssa.SanityCheckFunctions)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// analyse begins at the function main.
func analyse(t *testing.T, source string) *pointsto.Result {
	t.Helper()
	pkg := build(t, header+source)
	r, err := pointsto.Analyse(t.Context(), pkg.Prog, pointsto.Options{Entries: []*ssa.Function{pkg.Func("init"),
		pkg.Func("main")}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const header = "package p; func show[T any](string, T) {}; "

func sorted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// probes are the arguments of the calls of show(...), by the constant that is their first argument: for each instance
// that calls it, what the second may point to. An instance that is not called by an entry has the lines of its calls
// before.
func probes(r *pointsto.Result) string {
	var lines []string
	for _, in := range r.Instances {
		for _, b := range in.Func.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil ||
					!strings.HasPrefix(call.Call.StaticCallee().Name(), "show") {
					continue
				}
				var targets []string
				arg := call.Call.Args[1]
				for _, p := range r.Targets(in, arg) {
					targets = append(targets, p.String())
				}
				for _, o := range r.Dynamic(in, arg) {
					targets = append(targets, o.String())
				}
				name := strings.Trim(call.Call.Args[0].(*ssa.Const).Value.String(), `"`)
				if chain := in.Chain(); len(chain) > 0 {
					var at []string
					for _, site := range chain {
						at = append(at, fmt.Sprint(in.Func.Prog.Fset.Position(site.Pos()).Line))
					}
					name += "[" + strings.Join(at, ",") + "]"
				}
				lines = append(lines, strings.TrimSpace(name+": "+strings.Join(targets, " ")))
			}
		}
	}
	return sorted(strings.Join(lines, "\n"))
}
