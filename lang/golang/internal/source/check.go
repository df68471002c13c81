package source

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"

	"golang.org/x/tools/go/packages"

	"cdpor/lang/golang/internal/model"
)

// A checker parses and checks the types of packages that the go command has listed. go/packages would check what the
// main function of tests imports, too, which is most of what it checks for a small test.
type checker struct {
	ctx       context.Context
	fset      *token.FileSet
	overlay   model.Overlay
	toolchain model.Toolchain
	room      chan bool // bounds how many packages are checked at a time
}

func newChecker(ctx context.Context, fset *token.FileSet, overlay model.Overlay, toolchain model.Toolchain) *checker {
	return &checker{ctx, fset, overlay, toolchain, make(chan bool, runtime.GOMAXPROCS(0))}
}

// check checks packages, and what they import, each after what it imports.
func (c *checker) check(roots []*packages.Package) {
	done := map[*packages.Package]chan bool{}
	packages.Visit(roots, nil, func(p *packages.Package) { done[p] = make(chan bool) })
	for p := range done {
		go func() {
			defer close(done[p])
			for _, imported := range p.Imports {
				<-done[imported]
			}
			c.room <- true
			defer func() { <-c.room }()
			if c.ctx.Err() == nil {
				c.one(p)
			}
		}()
	}
	for _, d := range done {
		<-d
	}
}

// one checks a package whose imports are checked.
func (c *checker) one(p *packages.Package) {
	p.Fset, p.TypesInfo = c.fset, &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	if p.PkgPath == "unsafe" {
		p.Types = types.Unsafe
		return
	}
	p.Types = types.NewPackage(p.PkgPath, p.Name)
	for _, name := range p.GoFiles {
		text, err := c.overlay[name], error(nil)
		if text == nil {
			text, err = os.ReadFile(name)
		}
		var file *ast.File
		if err == nil {
			file, err = parse(c.fset, name, text)
		}
		if file != nil {
			p.Syntax = append(p.Syntax, file)
		}
		if err != nil {
			failed(p, err)
		}
	}
	config := types.Config{Sizes: types.SizesFor("gc", c.toolchain.Arch), Error: func(err error) { failed(p, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			if imported := p.Imports[path]; imported != nil {
				return imported.Types, nil
			}
			return nil, fmt.Errorf("no metadata for %s", path)
		})}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	err := types.NewChecker(&config, c.fset, p.Types, p.TypesInfo).Files(p.Syntax)
	if err != nil && len(p.Errors) == 0 {
		failed(p, err)
	}
	if len(p.Errors) > 0 && later(c.toolchain.Version, runtime.Version()) {
		failed(p, fmt.Errorf("cdpor was built with %s and cannot read all that %s can: build it with that",
			runtime.Version(), c.toolchain.Version))
	}
	p.IllTyped = len(p.Errors) > 0
	for _, imported := range p.Imports {
		p.IllTyped = p.IllTyped || imported.IllTyped
	}
}

// later reports whether a version of Go has a greater minor number than another one.
func later(version, than string) bool {
	var a, b int
	_, err := fmt.Sscanf(version, "go1.%d", &a)
	_, wrong := fmt.Sscanf(than, "go1.%d", &b)
	return err == nil && wrong == nil && a > b
}

// failed adds what is wrong with a package to its errors.
func failed(p *packages.Package, err error) {
	var list scanner.ErrorList
	var typed types.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			p.Errors = append(p.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	case errors.As(err, &typed):
		p.TypeErrors = append(p.TypeErrors, typed)
		p.Errors = append(p.Errors, packages.Error{Pos: typed.Fset.Position(typed.Pos).String(), Msg: typed.Msg,
			Kind: packages.TypeError})
	default:
		p.Errors = append(p.Errors, packages.Error{Pos: "-", Msg: err.Error()})
	}
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
