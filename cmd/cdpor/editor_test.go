package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
	for _, name := range []string{"p.yaml", "session.lua"} {
		text, err := os.ReadFile(filepath.Join("testdata/editor", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
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
