package slice_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang/slice"
	"cdpor/lang/step"
)

var update = flag.Bool("update", false, "write the golden files anew")

// marks say of lines that a thread executes: > for those in the exact slice, ~ for those that are only in the other
// one, - for the rest. Other lines have none.
func marks(t *testing.T, p *step.Program, criterion string, preserve slice.Preserve) map[int]string {
	t.Helper()
	c, err := slice.Named(p, criterion)
	if err != nil {
		t.Fatal(err)
	}
	mark := map[int]string{}
	for _, th := range p.Templates {
		for _, n := range th.Nodes {
			mark[n.Pos.Line] = "-"
		}
	}
	g := slice.New(p, preserve)
	for _, mode := range []slice.Mode{slice.Insensitive, slice.Context} {
		r, err := g.Slice(c, mode, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range r.Lines() {
			if mode == slice.Context && mark[line] == "-" {
				t.Errorf("line %d is in the exact slice only", line)
			}
			mark[line] = map[slice.Mode]string{slice.Insensitive: "~", slice.Context: ">"}[mode]
		}
	}
	return mark
}

// marked is the text of a program with two marks before each line, of the slices that preserve values and of those
// that preserve deadlocks.
func marked(t *testing.T, path, criterion string) string {
	t.Helper()
	src := load(t, path)
	values := marks(t, src.Program, criterion, slice.Values)
	deadlock := marks(t, src.Program, criterion, slice.Deadlock)
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(src.File.Text(), "\n"), "\n") {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%1s%1s %s", values[i+1], deadlock[i+1], line), " ") + "\n")
	}
	return b.String()
}

// TestFigures slices the programs of the paper's figures, and variants of them, for what they print. The paper looks at
// values only, and tells the exact slice from the other one.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range files {
		golden := strings.TrimSuffix(path, ".yaml") + ".golden"
		got := marked(t, path, "print")
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
