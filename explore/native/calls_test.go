package native

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// whole builds the tests of testdata/native/cache with calls that are taken for one step.
func whole(t *testing.T) (*native.Test, *Calls) {
	t.Helper()
	built(t, "cache") // skips where there is no go command
	dir, err := filepath.Abs("../../testdata/native/cache")
	if err != nil {
		t.Fatal(err)
	}
	calls, err := LoadCalls(dir)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := native.Installed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	tools.Whole = calls.Types
	test, err := native.Build(t.Context(), tools, dir, t.TempDir(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	return test, calls
}

// Calls of methods that are taken for one step each come to the ends that they come to with their mutexes, by fewer
// executions: that they are steps, and what they do, is assumed where they are taken for that.
func TestCalls(t *testing.T) {
	plain := built(t, "cache")
	test, calls := whole(t)
	for _, c := range []struct {
		name         string
		locks, whole int64 // executions
		finds        Kind
	}{
		{"TestOwnKeys", 400, 1, ""},
		{"TestLookAndPutBug", 6, 4, Failed},
		{"TestSumBeside", 4, 4, ""},
	} {
		want, locks := ends(t, plain, c.name, Options{Algorithm: dpor.SourceAlgorithm})
		for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
			got, r := ends(t, test, c.name, Options{Algorithm: a, Calls: calls})
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, with mutexes %q", c.name, got, want)
			}
			if locks.Executions != c.locks || r.Executions != c.whole || (len(r.Findings) > 0) != (c.finds != "") {
				t.Errorf("%s by %s: %d and %d executions, %v", c.name, a.Name, locks.Executions, r.Executions,
					r.Findings)
			}
			for _, f := range r.Findings {
				replayed(t, test, c.name, r, f)
			}
		}
	}
	for seed := range *randomPrograms {
		t.Setenv("SEED", strconv.Itoa(seed))
		want, _ := ends(t, plain, "TestRandom", Options{Algorithm: dpor.SourceAlgorithm})
		got, _ := ends(t, test, "TestRandom", Options{Algorithm: dpor.SourceAlgorithm, Calls: calls})
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %q, with mutexes %q", seed, got, want)
		}
	}
}

// What is assumed is looked after: a model that is not the proved one, or lacks a method, is refused, and so is a type
// whose calls wait or whose mutexes others use.
func TestCallsRefused(t *testing.T) {
	built(t, "cache")
	from := "../../testdata/native/cache"
	for _, c := range []struct{ file, old, new, want string }{
		{"Cache.atomic.yaml", "+= n", "-= n", "is not as cdpor has written and proved it"},
		{"Cache.atomic.constraints.yaml", "p.key != q.key", "p.key == q.key", "is not as cdpor has written"},
		{"Cache.atomic.yaml", "put: values", "values", `unknown step "Put.put"`},
		{"cache.go", "func (c *Cache) Sum", "func (c *Cache) Total", "the model of Cache has no thread Total"},
		{"cache.go", "Get(key int) int {", "Get(name int) int {\n\tkey := name", "has no parameter key"},
		{"cache.go", "shards = 2", "shards = 2\n\nfunc (c *Cache) lock() { c.shard[0].mu.Lock() }",
			"used elsewhere, too"},
		{"cache.go", "	return s.values[key]\n}\n\n// Put",
			"	var other chan int\n\t<-other\n\treturn 0\n}\n\n// Put", "waits"},
	} {
		dir := t.TempDir()
		for _, name := range []string{"cache.go", "cache_test.go", "Cache.atomic.yaml",
			"Cache.atomic.constraints.yaml"} {
			text, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			if name == c.file {
				changed := strings.Replace(string(text), c.old, c.new, 1)
				if changed == string(text) {
					t.Fatalf("%s has no %q", name, c.old)
				}
				text = []byte(changed)
			}
			text = []byte(strings.ReplaceAll(string(text), "c.Put(key, 1)", "used(&c)\n\t\t\tc.Put(key, 1)"))
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		used := "package cache\n\nfunc used(c any) {\n\tif l, ok := c.(interface{ lock() }); ok {\n\t\tl.lock()\n" +
			"\t}\n}\n"
		for name, text := range map[string]string{"go.mod": "module cache\n\ngo 1.25\n", "used.go": used} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		err := searchWhole(t, dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
	}
}

// searchWhole explores TestOwnKeys of a folder.
func searchWhole(t *testing.T, dir string) error {
	calls, err := LoadCalls(dir)
	if err != nil {
		return err
	}
	tools, err := native.Installed(t.Context(), dir)
	if err != nil {
		return err
	}
	tools.Whole = calls.Types
	test, err := native.Build(t.Context(), tools, dir, t.TempDir(), "", false)
	if err != nil {
		return err
	}
	p := native.Start(test, "TestOwnKeys")
	defer p.Close()
	_, err = Search(context.Background(), p, Options{Algorithm: dpor.SourceAlgorithm, Events: 1000, Calls: calls})
	return err
}
