package run

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang/golang"

	"golang.org/x/tools/go/packages"
)

// touched leaves the entries, and the packages that do not load, that a change can touch.
func touched(ctx context.Context, e *environment.Environment, c *Command, list []golang.Entry,
	refused []golang.Refusal) ([]golang.Entry, []golang.Refusal, error) {
	if !c.Changed {
		return list, refused, nil
	}
	may, err := c.changedFlags.packages(ctx, c.Program)
	if err != nil {
		return nil, nil, err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(t golang.Entry) bool { return !may(t.Folder) })
	refused = slices.DeleteFunc(slices.Clone(refused), func(r golang.Refusal) bool { return !may(r.Folder) })
	fmt.Fprintf(e.Stderr, "cdpor: %d of %s can be touched by what is not as in %s\n", len(left),
		terminal.Plural(len(list), "test"), cmp.Or(c.Since, "HEAD"))
	return left, refused, nil
}

// packages tells which packages of a path a change can touch. What is not known, it can.
func (f *changedFlags) packages(ctx context.Context, path string) (may func(folder string) bool, err error) {
	root := strings.TrimSuffix(path, "/...")
	if strings.HasSuffix(root, ".go") {
		return nil, fault.Inputf("--changed is about packages; %s is a file", path)
	}
	changed, all, err := f.files(ctx, root)
	if err != nil {
		return nil, err
	}
	pattern := "."
	if root != path {
		pattern = "./..."
	}
	found, err := packages.Load(&packages.Config{Context: ctx, Dir: root, Tests: true, Mode: packages.NeedName |
		packages.NeedFiles | packages.NeedImports | packages.NeedDeps}, pattern)
	if err != nil {
		return nil, fault.Inputf("--changed: %w", err)
	}
	touched, hit := map[string]bool{}, map[string]bool{} // by folders
	packages.Visit(found, nil, func(p *packages.Package) { touched[real(p.Dir)] = false })
	for _, dir := range changed { // up to the package that has it below its own
		for {
			_, is := touched[dir]
			if touched[dir] = true; is || dir == filepath.Dir(dir) {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	depends := map[*packages.Package]bool{}
	packages.Visit(found, nil, func(p *packages.Package) { // what it imports comes first
		depends[p] = all || touched[real(p.Dir)] || len(p.Errors) > 0
		for _, imported := range p.Imports {
			depends[p] = depends[p] || depends[imported]
		}
		hit[real(p.Dir)] = hit[real(p.Dir)] || depends[p]
	})
	return func(folder string) bool {
		yes, known := hit[real(cmp.Or(folder, root))]
		return !known || yes
	}, nil
}

// files are the folders of the files in the repository that are not as in the revision; all: one of these is one on
// which every test depends.
func (f *changedFlags) files(ctx context.Context, root string) (folders []string, all bool, err error) {
	git := func(dir string, args ...string) (out string) {
		if err == nil {
			out, err = files.Git(ctx, dir, args...)
		}
		return out
	}
	top := real(strings.TrimSuffix(git(root, "rev-parse", "--show-toplevel"), "\n"))
	since := f.Since
	if since == "" {
		since = "HEAD"
		if _, err := files.Git(ctx, root, "rev-parse", "--verify", "HEAD"); err != nil { // nothing is committed
			since = strings.TrimSpace(git(top, "hash-object", "-t", "tree", os.DevNull))
		}
	}
	names := git(top, "diff", "--name-only", "--no-renames", "-z", "--end-of-options", since, "--") +
		git(top, "ls-files", "--others", "--exclude-standard", "-z")
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		switch filepath.Base(name) {
		case ".":
			continue
		case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt":
			all = true
		}
		folders = append(folders, filepath.Dir(filepath.Join(top, filepath.FromSlash(name))))
	}
	return folders, all, err
}

// real is a folder, absolute and without symbolic links.
func real(path string) string {
	if there, err := filepath.EvalSymlinks(path); err == nil {
		path = there
	}
	return absolute(path)
}
