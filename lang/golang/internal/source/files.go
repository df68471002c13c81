package source

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Paths are the files of the package of the entry and of what it imports, without the library: absolute paths, by what
// places call them.
func (p *Program) Paths() map[string]string {
	paths, seen := map[string]string{}, map[*packages.Package]bool{}
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
			if !strings.HasPrefix(filepath.Base(path), entryFile) && !strings.HasPrefix(path, p.library) {
				paths[p.short(path)] = path
			}
		}
	}
	add(p.pkg)
	return paths
}

// Dir is the folder of the package of the entry.
func (p *Program) Dir() string { return p.dir }
