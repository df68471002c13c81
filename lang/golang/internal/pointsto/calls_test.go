package pointsto_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"cdpor/lang/golang/internal/pointsto"

	"golang.org/x/tools/go/ssa"
)

// callees are the calls of all instances that are not static: line, and what they call.
func callees(r *pointsto.Result) string {
	var lines []string
	for _, in := range r.Instances {
		for _, b := range in.Func.Blocks {
			for _, instr := range b.Instrs {
				site, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, c := range r.Callees(in, site) {
					line := fmt.Sprintf("%s:%d:", in.Func.Name(), in.Func.Prog.Fset.Position(site.Pos()).Line)
					if c.Object != nil {
						line += " " + c.Object.String()
					}
					if c.Type != nil {
						line += " " + c.Type.String()
					}
					switch {
					case c.TooDeep:
						line += " too deep"
					case c.Instance == nil:
						line += " external"
					default:
						line += " in " + c.Instance.Process().Func.Name()
					}
					lines = append(lines, line+" "+c.Func.String())
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

func TestCallees(t *testing.T) {
	r := analyse(t, `
type i interface { m() }
type a struct{}
func (a) m() {}
type b int
func (*b) m() {}
type c struct { i }
func outside(func())
func rec(n int) { if n > 0 { rec(n-1) } }
func main() {
	list := []i{a{}, new(b), c{a{}}}
	for _, x := range list { x.m() }
	f := rec
	go f(3)
	for range 2 { g := func() { rec(len(list)) }; outside(g); defer g() }
	go func() { defer list[0].m() }()
}`)
	want := `
main:12: p.a in main (p.a).m
main:12: *p.b in main (*p.b).m
main:12: p.c in main (p.c).m
main:14: in rec p.rec
main:15: external p.outside
main:15: makeclosure:15 in main p.main$1
main:16: makeclosure:16 in main$2 p.main$2
m:0: p.a in main (p.a).m
m:0: p.a in main$2 (p.a).m
main$1:15: in main p.rec
main$2:16: p.a in main$2 (p.a).m
main$2:16: *p.b in main$2 (*p.b).m
main$2:16: p.c in main$2 (p.c).m
rec:9: in main p.rec
rec:9: in main p.rec
rec:9: in rec p.rec
rec:9: in rec p.rec
rec:9: too deep p.rec
rec:9: too deep p.rec`
	if got := sorted(callees(r)); got != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, sorted(want))
	}
}

// sources are packages that import those before them only.
type sources []struct{ path, text string }

func (list sources) build(t *testing.T) map[string]*ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	prog := ssa.NewProgram(fset, ssa.InstantiateGenerics|ssa.SanityCheckFunctions)
	checked := map[string]*types.Package{}
	built := map[string]*ssa.Package{}
	for _, s := range list {
		file, err := parser.ParseFile(fset, s.path+".go", s.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses:      map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{},
			FileVersions: map[*ast.File]string{}}
		pkg, err := (&types.Config{Importer: imports(checked)}).Check(s.path, fset, []*ast.File{file}, info)
		if err != nil {
			t.Fatal(err)
		}
		checked[s.path] = pkg
		built[s.path] = prog.CreatePackage(pkg, []*ast.File{file}, info, true)
	}
	prog.Build()
	return built
}

type imports map[string]*types.Package

func (i imports) Import(path string) (*types.Package, error) { return i[path], nil }

func TestInitialisers(t *testing.T) {
	pkgs := sources{
		{"a", "package a; type T struct{}; var V, W *T = new(T), nil"},
		{"b", "package b; import \"a\"; var V = a.V; var N = 1"},
		{"unused", "package unused; var V = new(int); func F() {}"},
		{"c", "package c; import \"b\"; import \"a\"; func Use() *a.T { return b.V }; func init() { a.W = new(a.T) }"},
		{"library", "package library; var V = new(int)"},
		{"main", `package main
import ("c"; "unused"; "library")
var p = c.Use()
func main() { unused.F(); _ = library.V }`},
	}.build(t)
	main := pkgs["main"]
	r, err := pointsto.Analyse(t.Context(), main.Prog, pointsto.Options{
		Entries:  []*ssa.Function{main.Func("init"), main.Func("main")},
		External: func(fn *ssa.Function) bool { return fn.Pkg != nil && fn.Pkg.Pkg.Path() == "library" },
	})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, in := range r.Entries {
		order = append(order, in.Func.String())
	}
	if got := strings.Join(order, " "); got != "a.init b.init main.init main.main" {
		t.Error(got)
	}
	// The initialiser of c was not called: nobody refers to a variable of c.
	p := r.Content(r.Object(nil, main.Var("p")).Place())
	if len(p) != 1 || p[0].Object.In.Func != pkgs["a"].Func("init") || p[0].Object.Type.String() != "a.T" {
		t.Error(p)
	}
}

func TestExternal(t *testing.T) {
	pkg := build(t, header+`
func f() *int { return new(int) }
func g() *int { return f() }
func main() { show("g", g()); show("f", f()) }`)
	r, err := pointsto.Analyse(t.Context(), pkg.Prog, pointsto.Options{
		Entries:  []*ssa.Function{pkg.Func("main")},
		External: func(fn *ssa.Function) bool { return fn.Name() == "g" },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := probes(r); got != "f: new:2[4]\ng:" {
		t.Error(got)
	}
}

func TestTooLarge(t *testing.T) {
	pkg := build(t, header+`
func a() { b(); b(); b() }
func b() { c(); c(); c(); b() }
func c() { d(); d() }
func d() { a() }
func small() {}
func main() { small(); a() }`)
	_, err := pointsto.Analyse(t.Context(), pkg.Prog, pointsto.Options{Entries: []*ssa.Function{pkg.Func("main")},
		Nodes: 10000})
	var large *pointsto.TooLargeError
	if !errors.As(err, &large) {
		t.Fatal(err)
	}
	if !strings.HasPrefix(err.Error(), "more than 10000 instructions when all calls are written out: ") ||
		!strings.Contains(err.Error(), "in p.main, which calls p.a (p.go:7:25)") {
		t.Error(err)
	}
	if len(large.Chain) != len(large.Sizes) || large.Sizes[0] <= 10000 ||
		!slices.IsSortedFunc(large.Sizes, func(a, b int) int { return b - a }) {
		t.Error(large.Chain, large.Sizes)
	}
	if _, err := pointsto.Analyse(t.Context(), pkg.Prog, pointsto.Options{Entries: []*ssa.Function{pkg.Func("main")},
		Recursion: 1}); err != nil {
		t.Error(err)
	}
}

func TestUnsupported(t *testing.T) {
	pkg := build(t, `package p
import ("reflect"; "unsafe")
func main() {
	x := new(int)
	y := (*string)(unsafe.Pointer(x))
	_ = *y
	_ = unsafe.Slice(x, 1)
	_ = reflect.ValueOf(x)
}`)
	r, err := pointsto.Analyse(t.Context(), pkg.Prog, pointsto.Options{Entries: []*ssa.Function{pkg.Func("main")}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range r.Unsupported {
		got = append(got, fmt.Sprintf("%d %s", pkg.Prog.Fset.Position(u.Instr.Pos()).Line, u.Why))
	}
	if got, want := strings.Join(got, "; "),
		"5 unsafe.Pointer; 5 unsafe.Pointer; 7 unsafe.Slice; 8 reflection"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
