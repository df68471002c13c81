package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The go command takes no other text for a file of the module cache. So a module that has such a file is copied to a
// folder of our own, once, and the go.mod or go.work of the test, in the overlay, says that the module is there.

// modules are those that a test is made of.
type modules struct {
	cache      string            // where the go command keeps them
	file, work string            // the go.mod and the go.work of the test
	copies     map[string]string // their folders, by path@version
}

// A listedModule is a module in the output of go list.
type listedModule struct {
	Path, Version, Dir, GoMod string
	Replace                   *listedModule
}

// copiesFolder is where copies are.
func copiesFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "cdpor", "modules"), err
}

// names gives the files of copies the names that they have in the module cache.
func (m *modules) names() *strings.Replacer {
	dir, err := copiesFolder()
	if err != nil {
		return strings.NewReplacer()
	}
	return strings.NewReplacer(dir+string(filepath.Separator), m.cache+string(filepath.Separator))
}

// place is where another text for a file of a module is laid: in the copy of the module, if it is in the cache.
func (m *modules) place(path string, mod *listedModule) (string, error) {
	if mod == nil || !strings.HasPrefix(path, m.cache+string(filepath.Separator)) {
		return path, nil
	}
	from, name := mod.Dir, mod.Path+"@"+mod.Version
	if mod.Replace != nil {
		mod = mod.Replace
	}
	rest, err := filepath.Rel(from, path)
	if err != nil {
		return "", err
	}
	to := m.copies[name]
	if to == "" {
		if to, err = m.copied(from, mod.GoMod); err != nil {
			return "", fmt.Errorf("copy of the module %s: %w", name, err)
		}
		m.copies[name] = to
	}
	return filepath.Join(to, rest), nil
}

// copied is the folder with the copy of a module in the cache, which is made if it is not there.
func (m *modules) copied(from, file string) (string, error) {
	rest, err := filepath.Rel(m.cache, from)
	if err != nil {
		return "", err
	}
	to, err := copiesFolder()
	if err != nil {
		return "", err
	}
	to = filepath.Join(to, rest)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(to), "copy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	if err := os.CopyFS(scratch, os.DirFS(from)); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(scratch, "go.mod")); err != nil { // the module is older than these
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(scratch, "go.mod"), text, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Rename(scratch, to); err != nil {
		if _, there := os.Stat(to); there != nil { // another process has not made it either
			return "", err
		}
	}
	return to, nil
}

// replaced is the go.mod or go.work of the test, and its text with copies in place of modules.
func (m *modules) replaced(ctx context.Context, root, dir string) (path string, text []byte, err error) {
	kind, path := "mod", m.file
	if m.work != "" && m.work != "off" {
		kind, path = "work", m.work
	}
	args := []string{kind, "edit", "-print"}
	for name, to := range m.copies {
		args = append(args, "-replace="+name+"="+to)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "go"), append(args, path)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if text, err = cmd.Output(); err != nil {
		return "", nil, fmt.Errorf("go %s edit: %w\n%s", kind, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return path, text, nil
}
