package slice_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang"
	"cdpor/lang/slice"
)

var update = flag.Bool("update", false, "write the golden files anew")

// marked is the text of a program with a mark before each line that a thread executes: > for those in the exact slice, ~ for those
// that are only in the other one, - for the rest.
func marked(t *testing.T, path, criterion string, preserve slice.Preserve) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := slice.Named(src.Program, criterion)
	if err != nil {
		t.Fatal(err)
	}
	mark := map[int]string{}
	for _, th := range src.Program.Templates {
		for _, n := range th.Nodes {
			mark[n.Pos.Line] = "-"
		}
	}
	g := slice.New(src.Program, preserve)
	for mode, sign := range map[slice.Mode]string{slice.Insensitive: "~", slice.Context: ">"} {
		r, err := g.Slice(c, mode, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range r.Lines() {
			if mark[line] != ">" {
				mark[line] = sign
			}
		}
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		sign := mark[i+1]
		if sign == "" {
			sign = " "
		}
		b.WriteString(strings.TrimRight(sign+" "+line, " ") + "\n")
	}
	return b.String()
}

// TestFigures slices the programs of the paper's figures for what they print. The paper looks at values only.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range files {
		golden := strings.TrimSuffix(path, ".yaml") + ".golden"
		got := marked(t, path, "print", slice.Values)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
