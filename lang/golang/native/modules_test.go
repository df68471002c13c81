package native

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What comes from the module cache, whose files the go command lets nobody replace, has gates, and its files are called
// as they are there.
func TestModuleCache(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library of Go with gates")
	}
	goCommand(t, ".", "version")
	built := strings.TrimSpace(goCommand(t, ".", "env", "GOCACHE"))
	proxy, cache, user := t.TempDir(), t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"GOCACHE": built, "GOPROXY": "file://" + proxy, "GOSUMDB": "off",
		"GOMODCACHE": cache, "GOFLAGS": "-modcacherw", "XDG_CACHE_HOME": t.TempDir(), "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	const mod = "module example.com/counter\n\ngo 1.26\n"
	published(t, filepath.Join(proxy, "example.com", "counter", "@v"), "example.com/counter@v1.0.0/", mod,
		map[string]string{"go.mod": mod, "counter.go": "package counter\n\nimport \"sync/atomic\"\n\n" +
			"var n atomic.Int64\n\nfunc Next() int64 { return n.Add(1) }\n"})
	for name, text := range map[string]string{
		"go.mod": "module example.com/user\n\ngo 1.26\n\nrequire example.com/counter v1.0.0\n",
		"user_test.go": "package user\n\nimport (\n\t\"testing\"\n\n\t\"example.com/counter\"\n)\n\n" +
			"func TestNext(*testing.T) { counter.Next() }\n",
	} {
		write(t, filepath.Join(user, name), text)
	}
	goCommand(t, user, "mod", "tidy")
	for range 2 { // the copy of the module is there the second time
		tools, err := Installed(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		test, err := Build(t.Context(), tools, user, t.TempDir(), "", false)
		if err != nil {
			t.Fatal(err)
		}
		p := Start(test, "TestNext")
		r, err := p.Execute(t.Context(), &Command{Events: 100, Places: true})
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(cache, "example.com", "counter@v1.0.0", "counter.go") + ":7 "
		found := false
		for _, s := range r.Steps {
			for _, c := range s.Changes {
				found = found || strings.HasPrefix(c.Place, want) && c.Op.Kind == opStore
			}
		}
		if !found || r.End != Ended {
			t.Errorf("no gate at %s: %+v", want, r)
		}
	}
}

// published puts a version v1.0.0 of a module into the folder of a proxy.
func published(t *testing.T, dir, prefix, mod string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "list"), "v1.0.0\n")
	write(t, filepath.Join(dir, "v1.0.0.info"), `{"Version": "v1.0.0"}`)
	write(t, filepath.Join(dir, "v1.0.0.mod"), mod)
	f, err := os.Create(filepath.Join(dir, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(prefix + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}
