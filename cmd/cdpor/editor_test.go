package main

import (
	"archive/zip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEditor: Neovim with cdpor lsp. What happens is in testdata/editor/session.lua, what comes of it in
// session.golden.
func TestEditor(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("Neovim is not installed: ", err)
	}
	dir := t.TempDir()
	golden, err := filepath.Abs("testdata/editor/session.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p.yaml", "m_test.go", "session.lua"} {
		text, err := os.ReadFile(filepath.Join("testdata/editor", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c",
		"luafile session.lua", "-c", "cquit")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	printed, failed := cmd.CombinedOutput()
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	if err != nil || failed != nil {
		t.Fatalf("%v\n%s\n%s", failed, printed, said)
	}
	got := strings.ReplaceAll(string(said), dir, "DIR")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExtension builds the extension for VS Code, runs its own test and packages it. It needs npm, with its packages in
// the cache.
func TestExtension(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../lang/editor")); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), npm, args...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if text, err := run("install", "--offline", "--no-package-lock", "--no-audit", "--no-fund"); err != nil {
		t.Skipf("the packages are not in the cache of npm: %s", text)
	}
	for _, script := range []string{"test", "package"} {
		if text, err := run("run", script); err != nil {
			t.Fatalf("npm run %s: %v\n%s", script, err, text)
		}
	}
	file, err := zip.OpenReader(filepath.Join(dir, "cdpor-0.1.0.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := []string{"[Content_Types].xml", "extension.vsixmanifest", "extension/cdpor.tmLanguage.json",
		"extension/out/extension.js", "extension/package.json"}
	for _, f := range file.File {
		if !slices.Contains(want, f.Name) || len(file.File) != len(want) {
			t.Errorf("%s is in it", f.Name)
		}
	}
}
