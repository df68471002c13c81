package source

import (
	"go/ast"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A File is a file of the program that the user can change.
type File struct {
	Path   string // absolute
	Short  string // as places name it
	Syntax *ast.File
	Info   *types.Info
}

// Files are the files of the package of the entry and of what it imports, without the library and the modules that the
// go command has fetched.
func (p *Program) Files() []File {
	return p.files(func(path, root string) bool { return strings.HasPrefix(path, root+"/") })
}

// Fetched are the files of other modules, as places name them.
func (p *Program) Fetched() map[string]bool {
	names := map[string]bool{}
	for _, f := range p.files(func(path, root string) bool { return !strings.HasPrefix(path, root+"/") }) {
		names[f.Short] = true
	}
	return names
}

// files are some of those of the package of the entry and of what it imports, without the library.
func (p *Program) files(which func(path, root string) bool) (list []File) {
	root, _ := p.Module()
	if root == "" {
		root = p.dir
	}
	seen := map[*packages.Package]bool{}
	var add func(pkg *packages.Package)
	add = func(pkg *packages.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports {
			add(imported)
		}
		for _, f := range pkg.Syntax {
			path := p.Fset.Position(f.Package).Filename
			if strings.HasPrefix(filepath.Base(path), entryFile) || !which(path, root) ||
				strings.HasPrefix(path, p.library) {
				continue
			}
			list = append(list, File{path, p.short(path), f, pkg.TypesInfo})
		}
	}
	add(p.pkg)
	return list
}

var modulePath = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// Module is the folder of the module that the program is in, and its path; empty: it is in none.
func (p *Program) Module() (root, path string) {
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			if m := modulePath.FindSubmatch(text); m != nil {
				return dir, string(m[1])
			}
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// Before reports whether the module of the program is written in a version of Go before another one.
func (p *Program) Before(v string) bool {
	return p.pkg.Module != nil && p.pkg.Module.GoVersion != "" && version.Compare("go"+p.pkg.Module.GoVersion, v) < 0
}

// Dir is the folder of the package of the entry.
func (p *Program) Dir() string { return p.dir }
