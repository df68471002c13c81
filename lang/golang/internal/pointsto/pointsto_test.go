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
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.InstantiateGenerics|ssa.SanityCheckFunctions)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// analyse begins at the function main.
func analyse(t *testing.T, source string) *pointsto.Result {
	t.Helper()
	pkg := build(t, source)
	r, err := pointsto.Analyse(pkg.Prog, pointsto.Options{Entries: []*ssa.Function{pkg.Func("init"), pkg.Func("main")}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// probes are the arguments of the calls of show(...), by the constant that is their first argument: for each instance
// that calls it, what the second may point to. An instance that is not called by an entry has the lines of its calls before.
func probes(r *pointsto.Result) string {
	var lines []string
	for _, in := range r.Instances {
		for _, b := range in.Func.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || !strings.HasPrefix(call.Call.StaticCallee().Name(), "show") {
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
				lines = append(lines, name+": "+strings.Join(targets, " "))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestFields(t *testing.T) {
	r := analyse(t, `package p
type node struct { val int; next *node }
func show(string, *node)
func showInt(string, *int)
func main() {
	a := &node{}
	b := &node{next: a}
	showInt("val", &b.val)
	show("next", b.next)
}`)
	if got, want := probes(r), "next: complit:6\nval: complit:7.val"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
