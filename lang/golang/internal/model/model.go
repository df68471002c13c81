package model

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed _std
var std embed.FS

// File is the name of the file of a model, and RestFile that of what the package exports and the model says nothing of.
const (
	File     = "cdpor_model.go"
	RestFile = "cdpor_rest.go"
)

// rest is the name of the second one in the folder of a model.
const rest = "rest.go"

// Paths are the import paths of the packages that have a model.
func Paths() map[string]bool {
	found := map[string]bool{}
	_ = fs.WalkDir(std, "_std", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found[strings.TrimPrefix(path.Dir(name), "_std/")] = true
		}
		return err
	})
	return found
}

// Overlay replaces the files of the packages that have a model by the model: absolute paths of files with their
// contents, as go/packages takes them; and the folder of the standard library.
func Overlay(ctx context.Context) (files map[string][]byte, library string, err error) {
	return overlay(ctx, true)
}

func overlay(ctx context.Context, all bool) (files map[string][]byte, library string, err error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, "", fmt.Errorf("loading Go programs needs the go command: %w", err)
	}
	files, library = map[string][]byte{}, filepath.Join(strings.TrimSpace(string(out)), "src")
	if err := rewrite(files, library); err != nil {
		return nil, "", err
	}
	for p := range Paths() {
		dir := filepath.Join(library, filepath.FromSlash(p))
		there, err := os.ReadDir(dir)
		if err != nil {
			return nil, "", err
		}
		text, err := fs.ReadFile(std, path.Join("_std", p, path.Base(p)+".go"))
		if err != nil {
			return nil, "", err
		}
		for _, f := range there {
			if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
				files[filepath.Join(dir, f.Name())] = []byte("package " + path.Base(p) + "\n")
			}
		}
		files[filepath.Join(dir, File)] = text
		if more, err := fs.ReadFile(std, path.Join("_std", p, rest)); all && err == nil {
			files[filepath.Join(dir, RestFile)] = more
		}
	}
	return files, library, nil
}

// rewritten are functions of packages without a model that are explored in another form, which means the same.
var rewritten = []struct{ file, body, instead string }{
	{"bytes/bytes.go", "return string(a) == string(b)", // texts made of bytes are not looked into
		"if len(a) != len(b) { return false }; for i := range a { if a[i] != b[i] { return false } }; return true"},
}

// rewrite adds their files to an overlay, line by line as they are. A version of Go that has another body keeps it.
func rewrite(files map[string][]byte, library string) error {
	for _, r := range rewritten {
		name := filepath.Join(library, filepath.FromSlash(r.file))
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[name] = bytes.Replace(text, []byte(r.body), []byte(r.instead), 1)
	}
	return nil
}
