package source

import (
	"go/ast"
	"go/types"
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
func (p *Program) Files() (list []File) {
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
			if strings.HasPrefix(filepath.Base(path), "cdpor_entry_") || !strings.HasPrefix(path, root+"/") ||
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

// Dir is the folder of the package of the entry.
func (p *Program) Dir() string { return p.dir }
