package golang_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

var raced = flag.Bool("raced", false, "let the race detector confirm the data races of TestLibrary")

// TestLibrary: what the models make of the library is what Go makes of it. A comment of each test in testdata/library
// says how it ends besides well, early if only because a timer fires although something else can go on; Go runs those
// that end well.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for _, file := range []string{"library_test.go", "main/main_test.go"} {
		t.Run(filepath.Base(file), func(t *testing.T) { library(t, filepath.Join("testdata/library", file)) })
	}
}

// TestMainElsewhere: a test does not know what a TestMain of another package does.
func TestMainElsewhere(t *testing.T) {
	_, err := golang.Load(t.Context(), golang.Options{Path: "testdata/library/mainelsewhere"})
	if err == nil || !strings.Contains(err.Error(), "TestMain of another package is not supported: move it into") {
		t.Errorf("error %v", err)
	}
}

// TestOldModules: models type-check in modules of each version of Go.
func TestOldModules(t *testing.T) {
	dir := t.TempDir()
	text := `package old

import (
	"errors"
	"testing"
)

type coded int

func (c coded) Error() string { return "coded" }

func TestOld(t *testing.T) {
	var c coded
	if !errors.As(error(coded(3)), &c) || c != 3 {
		t.Error(c)
	}
	closed := make(chan int)
	go close(closed)
	<-closed
}
`
	writeModule(t, dir, map[string]string{"go.mod": "module old\n\ngo 1.13\n", "old_test.go": text})
	p, err := golang.Load(t.Context(), golang.Options{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := libraryEnd(t, p); got != "well" {
		t.Errorf("ends %s", got)
	}
}

// TestBuildTags: tests that are not built, as they need cgo or a tag that is not given, are no tests here.
func TestBuildTags(t *testing.T) {
	dir := t.TempDir()
	writeModule(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.22\n",
		"cgo_test.go": "//go:build cgo\n\npackage m\n\nimport \"testing\"\n\n" +
			"func TestMain(m *testing.M) { m.Run() }\n\nfunc TestCgo(t *testing.T) {}\n",
		"tag_test.go":   "//go:build special\n\npackage m\n\nimport \"testing\"\n\nfunc TestTag(t *testing.T) {}\n",
		"plain_test.go": "//go:build !never\n\npackage m\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {}\n",
	})
	for flags, want := range map[string]string{"": "TestIt", "-tags=special": "TestIt TestTag", "-tags=never": ""} {
		t.Setenv("GOFLAGS", flags)
		var names []string
		set, err := golang.Open(t.Context(), dir)
		if err == nil {
			for _, e := range set.Entries() {
				names = append(names, e.Func)
			}
		}
		if got := strings.Join(names, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("GOFLAGS=%s: tests %q, want %q; error %v", flags, got, want, err)
		}
	}
}

// TestLeakChecker: what looks for goroutines that are left behind is not needed here, and that is said.
func TestLeakChecker(t *testing.T) {
	dir := t.TempDir()
	writeModule(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.22\n\nrequire go.uber.org/goleak v1.0.0\n\n" +
			"replace go.uber.org/goleak => ./goleak\n",
		"m_test.go": "package m\n\nimport (\n\"testing\"\n\"go.uber.org/goleak\"\n)\n\n" +
			"func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n\nfunc TestIt(t *testing.T) {}\n",
		"goleak/go.mod":    "module go.uber.org/goleak\n\ngo 1.22\n",
		"goleak/goleak.go": "package goleak\n\nfunc VerifyTestMain(m interface{ Run() int }) { m.Run() }\n",
	})
	_, err := golang.Load(t.Context(), golang.Options{Path: dir})
	const want = "goleak.VerifyTestMain is not supported: goroutines that are left behind are looked for in any case"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// writeModule writes files into a folder.
func writeModule(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func library(t *testing.T, file string) {
	dir, wants := filepath.Dir(file), documentedEnds(t, file)
	set, err := golang.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var well, races []string
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		want := wants[name]
		switch want {
		case "well", "early: the test fails":
			well = append(well, name)
		case "data race":
			races = append(races, name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := set.Program(t.Context(), golang.Options{Path: dir, Func: name})
			if err != nil {
				t.Fatal(err)
			}
			if got := libraryEnd(t, p); got != want {
				t.Errorf("ends %s, want %s", got, want)
			}
		})
	}
	native := func(names []string, flags ...string) (string, error) {
		run := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-run",
			"^(" + strings.Join(names, "|") + ")$"}, flags...)...)
		run.Dir = dir
		out, err := run.CombinedOutput()
		return string(out), err
	}
	if out, err := native(well); err != nil {
		t.Errorf("Go says %v\n%s", err, out)
	}
	if *raced {
		for _, name := range races {
			if out, _ := native([]string{name}, "-race", "-count=20"); !strings.Contains(out, "DATA RACE") {
				t.Errorf("Go has no race in %s\n%s", name, out)
			}
		}
	}
}

// documentedEnds are the last lines of the comments of the tests in a file.
func documentedEnds(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]string{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
			_, want, ok := strings.Cut(strings.TrimSpace(fn.Doc.Text()), "ends: ")
			if !ok {
				t.Errorf("%s does not say how it ends", fn.Name.Name)
			}
			wants[fn.Name.Name] = want
		}
	}
	return wants
}

// libraryEnd is how a program ends besides well, or well.
func libraryEnd(t *testing.T, p *golang.Program) string {
	t.Helper()
	m := machine(t, p)
	list, complete, _ := ends(t, m, "optimal")
	if !complete {
		t.Errorf("bounds hit: %v", hits(m))
	}
	if all, _ := interleavings(t, m); !slices.Equal(all, list) {
		t.Errorf("optimal ends with %q, all interleavings with %q", list, all)
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	switch {
	case len(list) == 0:
		return "well"
	case slices.Equal(list, []string{golang.TestFails}):
		return inTurn(t, p, m)
	case slices.Contains(list, "data race"): // what else goes wrong there does not matter
		return "data race"
	}
	return strings.Join(list, ", ")
}

// inTurn is how a program ends that fails a test: early if it does not when timers wait until nothing else can go on.
func inTurn(t *testing.T, p *golang.Program, m *step.Machine) string {
	t.Helper()
	if p.Step.Patient != nil {
		q, err := p.Step.Patient(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m, err = step.NewMachine(q); err != nil {
			t.Fatal(err)
		}
	}
	alg, err := explore.Find("exhaustive")
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Run(t.Context(), m.Fresh(), alg, explore.Options{IdleLast: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Violations) == 0 && res.Stopped == explore.StoppedComplete {
		return "early: " + golang.TestFails
	}
	return golang.TestFails
}
