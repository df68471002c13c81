package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang/golang"
)

// changedFlags leave out the tests that a change cannot touch.
type changedFlags struct {
	Changed bool   `help:"Of Go tests: only those that a change can touch: of packages that have a file, or depend on a package with one, that git says is not as in --since."`
	Since   string `placeholder:"REVISION" help:"What --changed compares with, such as origin/main. Default: HEAD, what was committed last."`
}

// touched leaves the entries, and the packages that do not load, that a change can touch.
func touched(ctx context.Context, e *environment.Environment, c *runCommand, list []golang.Entry,
	refused []golang.Refusal) ([]golang.Entry, []golang.Refusal, error) {
	if !c.Changed {
		return list, refused, nil
	}
	c.Since = cmp.Or(c.Since, "HEAD")
	may, err := c.changedFlags.packages(ctx, c.Program)
	if err != nil {
		return nil, nil, err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(t golang.Entry) bool { return !may(t.Folder) })
	refused = slices.DeleteFunc(slices.Clone(refused), func(r golang.Refusal) bool { return !may(r.Folder) })
	fmt.Fprintf(e.Stderr, "cdpor: %d of %s can be touched by what is not as in %s\n", len(left),
		terminal.Plural(len(list), "test"), c.Since)
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
	out, err := printed(ctx, root, "go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,Deps,ForTest", pattern)
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath, Dir, ForTest string
		Deps                     []string
	}
	var packages []listed
	folders, in := map[string]string{}, map[string]bool{} // of packages by their names; those there are
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		p.Dir = real(p.Dir)
		packages, folders[p.ImportPath], in[p.Dir] = append(packages, p), p.Dir, true
	}
	touched := map[string]bool{}
	for _, file := range changed {
		dir := filepath.Dir(file)
		for touched[dir] = true; !in[dir] && dir != filepath.Dir(dir); touched[dir] = true {
			dir = filepath.Dir(dir) // of the package that has it below its own
		}
	}
	yes := map[string]bool{} // by folder
	for _, p := range packages {
		hit := all || touched[p.Dir]
		for _, d := range p.Deps {
			hit = hit || touched[folders[d]]
		}
		yes[p.Dir] = yes[p.Dir] || hit
	}
	return func(folder string) bool {
		if folder == "" {
			folder = root
		}
		at, err := filepath.Abs(folder)
		if err != nil {
			return true
		}
		touched, known := yes[real(at)]
		return !known || touched
	}, nil
}

// files are the files of the repository that are not as in the revision; all: among them is one on which every test
// depends.
func (f *changedFlags) files(ctx context.Context, root string) (list []string, all bool, err error) {
	top, err := printed(ctx, root, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, false, err
	}
	at := real(strings.TrimSuffix(string(top), "\n"))
	differ, err := printed(ctx, at, "git", "diff", "--name-only", "--no-renames", "-z", "--end-of-options", f.Since,
		"--")
	if err != nil {
		return nil, false, err
	}
	others, err := printed(ctx, at, "git", "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, false, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(differ)+string(others), "\x00"), "\x00") {
		switch filepath.Base(name) {
		case ".":
			continue
		case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt":
			all = true
		}
		list = append(list, filepath.Join(at, filepath.FromSlash(name)))
	}
	return list, all, nil
}

// real is a folder without symbolic links.
func real(path string) string {
	if there, err := filepath.EvalSymlinks(path); err == nil {
		return there
	}
	return path
}

// printed is what a command prints in a folder.
func printed(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fault.Inputf("--changed: %s %s: %w\n%s", name, args[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
