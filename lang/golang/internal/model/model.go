package model

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed _std
var std embed.FS

// rest has what the packages export and their models say nothing of.
//
//go:embed rest.txtar
var rest []byte

// File is the name of the file of a model, and RestFile that of its part of rest.
const (
	File     = "cdpor_model.go"
	RestFile = "cdpor_rest.go"
)

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

// A Toolchain is the environment that the go command prints.
type Toolchain struct {
	Library string // the folder of the standard library
	Version string // go1.26.8, say
	Arch    string // what it builds for
}

// Ask asks the go command in a folder.
func Ask(ctx context.Context, dir string, env []string) (t Toolchain, err error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION", "GOARCH")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	said := strings.Split(string(out), "\n")
	if err != nil || len(said) < 3 {
		return t, fmt.Errorf("loading Go programs needs the go command: %w", err)
	}
	return Toolchain{filepath.Join(said[0], "src"), said[1], said[2]}, nil
}

// An Overlay has the contents of files by their absolute paths; nil: there is no such file.
type Overlay map[string][]byte

// Models replace the files of the packages of a library that have a model by the model.
func Models(library string) (Overlay, error) { return models(library, true) }

func models(library string, all bool) (Overlay, error) {
	files := Overlay{}
	if err := rewrite(files, library); err != nil {
		return nil, err
	}
	for p := range Paths() {
		dir := filepath.Join(library, filepath.FromSlash(p))
		there, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(std, path.Join("_std", p, path.Base(p)+".go"))
		if err != nil {
			return nil, err
		}
		for _, f := range there {
			if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
				files[filepath.Join(dir, f.Name())] = nil
			}
		}
		files[filepath.Join(dir, File)] = text
	}
	if all {
		for _, f := range txtar.Parse(rest).Files {
			files[filepath.Join(library, filepath.FromSlash(f.Name), RestFile)] = f.Data
		}
	}
	return files, nil
}

// Write writes an overlay to files below a folder, and returns the flag with which the go command takes them.
func (o Overlay) Write(dir string) (flag string, err error) {
	var list struct{ Replace map[string]string }
	list.Replace = map[string]string{}
	for name, text := range o {
		list.Replace[name] = ""
		if text != nil {
			written := filepath.Join(dir, fmt.Sprintf("%d.go", len(list.Replace)))
			list.Replace[name] = written
			err = errors.Join(err, os.WriteFile(written, text, 0o600))
		}
	}
	text, wrong := json.Marshal(list)
	name := filepath.Join(dir, "overlay.json")
	return "-overlay=" + name, errors.Join(err, wrong, os.WriteFile(name, text, 0o600))
}

// rewritten are functions of packages without a model that are explored in another form, which means the same.
var rewritten = []struct{ file, body, instead string }{
	{"bytes/bytes.go", "return string(a) == string(b)", // texts made of bytes are not looked into
		"if len(a) != len(b) { return false }; for i := range a { if a[i] != b[i] { return false } }; return true"},
}

// rewrite adds their files to an overlay, line by line as they are. A version of Go that has another body keeps it.
func rewrite(files Overlay, library string) error {
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
