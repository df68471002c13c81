package native

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// missing is a library without one of the places that get gates.
func TestMissingAnchor(t *testing.T) {
	text := "package p\n\nfunc (m *M) Lock() {\n\tm.lock()\n\tm.lock()\n}\n"
	for _, c := range []struct {
		in   insertion
		want string
	}{
		{insertion{"p.go", "(*M) Unlock", "", "x"}, "p.go has no function (*M) Unlock"},
		{insertion{"p.go", "(*M) Lock", "m.unlock()", "x"}, `p.go: (*M) Lock does not have "m.unlock()" exactly once`},
		{insertion{"p.go", "(*M) Lock", "m.lock()", "x"}, `p.go: (*M) Lock does not have "m.lock()" exactly once`},
	} {
		_, err := inserted("p.go", []byte(text), []insertion{c.in}, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
	_, err := (&Toolchain{Root: t.TempDir(), Version: "go9.9"}).library("sync/mutex.go", nil)
	if err == nil || !strings.Contains(err.Error(), "go9.9") {
		t.Errorf("the version is not named: %v", err)
	}
}

// Insertions stand where they belong, those at one place one after the other, and lines keep their numbers.
func TestInserted(t *testing.T) {
	text := "package p\n\nimport \"b\"\n\nfunc f() {\n\tg()\n}\n"
	got, err := inserted("p.go", []byte(text), []insertion{{"", "f", "", " one();"}, {"", "f", "", " two();"},
		{"", "f", "g()", "h()"}}, []string{"a", "b"})
	want := "package p; import \"a\"\n\nimport \"b\"\n\nfunc f() { one(); two();\n\th()\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// The installed library has all places that get gates, and keeps its lines.
func TestInstalledLibrary(t *testing.T) {
	tools, err := Installed(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	byFile := map[string][]insertion{}
	for _, in := range insertions {
		byFile[in.file] = append(byFile[in.file], in)
	}
	for file, list := range byFile {
		was, err := os.ReadFile(filepath.Join(tools.Root, "src", file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tools.library(file, list)
		if err != nil {
			t.Error(err)
		} else if bytes.Count(got, []byte("\n")) != bytes.Count(was, []byte("\n")) {
			t.Errorf("%s has other lines", file)
		}
	}
	text, err := atomics(tools.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"func AddInt64(addr *int64, delta int64) (new int64) {",
		"func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {", "type Value struct"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestImporting(t *testing.T) {
	for text, want := range map[string]string{
		"package p\n\nimport \"sync/atomic\"\n":                     "package p\n\nimport \"sync/cdporatomic\"\n",
		"package p\n\nimport a \"sync/atomic\"\n":                   "package p\n\nimport a \"sync/cdporatomic\"\n",
		"package p\n\nimport \"sync\"\n\nvar _ = \"sync/atomic\"\n": "",
	} {
		if edits := importing([]byte(text)); edits == nil && want != "" || edits != nil &&
			string(apply([]byte(text), edits)) != want {
			t.Errorf("%q is changed by %v", text, edits)
		}
	}
}

// Adds of which nobody looks at the result are found where the types of this package and of sync/atomic tell that, and
// not behind what others declare.
func TestUnusedAdds(t *testing.T) {
	tools, err := Installed(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.go")
	text := `package p

import (
	"other"
	a "sync/atomic"
)

type hits struct{ n a.Int64 }
type known struct{ hits }
type unknown struct {
	other.T
	hits
}

func f(x *a.Int32, y *uint64, h *hits, k *known, u *unknown, g *sum) int32 {
	x.Add(1)
	defer a.AddUint64(y, 2)
	go h.n.Add(3)
	(k.hits.n).Add(4)
	k.n.Add(-1)
	u.n.Add(-2)
	g.Add(-3)
	other.Add(-4)
	_ = h.n.Add(-5)
	return x.Add(-6)
}

type sum struct{}

func (*sum) Add(int) {}
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	edits, err := tools.unusedAdds([]adder{{inside: []string{path}}})
	if err != nil {
		t.Fatal(err)
	}
	want := text
	for _, n := range []string{"x.Add(1", "a.AddUint64(y, 2", "h.n.Add(3", "(k.hits.n).Add(4"} {
		want = strings.Replace(want, n, strings.Replace(n, ".Add", ".CdporAdd", 1), 1)
	}
	if got := string(apply([]byte(text), edits[path])); got != want {
		t.Errorf("%s", got)
	}
}

// What controls a test is compiled without the race detector, and has no copies of what a program may use as well: the
// linker might take these in place of those that are compiled with it, and races would be told that are none.
func TestUninstrumented(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the library of Go with gates")
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "native", "ordinary"))
	if err != nil {
		t.Fatal(err)
	}
	if !DetectsRaces(t.Context(), dir) {
		t.Skip("there is no race detector")
	}
	tools, err := Installed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := tools.Overlay(t.Context(), dir, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	output := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), filepath.Join(tools.Root, "bin", "go"), args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	archive := output("list", "-overlay", overlay, "-race", uninstrumented, "-export", "-f", "{{.Export}}",
		"internal/cdpor")
	own := 0
	for line := range strings.Lines(output("tool", "nm", archive)) {
		_, symbol, code := strings.Cut(line, " T ")
		switch {
		case !code:
		case strings.HasPrefix(symbol, "internal/cdpor."):
			own++
		case !strings.HasPrefix(symbol, "internal/runtime/") && !strings.HasPrefix(symbol, "type:."):
			t.Errorf("a copy of %s", symbol)
		}
	}
	if own < 100 {
		t.Errorf("%d functions", own)
	}
}
