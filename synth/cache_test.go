//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// A mapCache is a cache in memory.
type mapCache map[string][]byte

func (c mapCache) Get(key string) ([]byte, bool) { v, ok := c[key]; return v, ok }
func (c mapCache) Put(key string, value []byte)  { c[key] = bytes.Clone(value) }

// families are the keys of the records of whole programs.
func (c mapCache) withoutFamilies() mapCache {
	c = maps.Clone(c)
	maps.DeleteFunc(c, func(_ string, v []byte) bool { return !bytes.Contains(v, []byte(`"Status"`)) })
	return c
}

func cachedRun(t *testing.T, prog *step.Program, cache Cache) (*constraints.Set, *Report) {
	t.Helper()
	set, report, err := Synthesize(context.Background(), prog, Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return set, report
}

// shipped are the programs of testdata.
func shipped(t testing.TB) map[string]*step.Program {
	programs := map[string]*step.Program{}
	for _, pattern := range []string{"programs", "traps", "actors"} {
		files, err := filepath.Glob("../testdata/" + pattern + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, ".constraints.yaml") {
				continue
			}
			src, err := lang.Load(file, text, lang.Options{})
			if err != nil {
				t.Fatal(err)
			}
			programs[filepath.Base(file)] = src.Program
		}
	}
	return programs
}

// TestCacheSame: the file is the same without a cache, with an empty one, with one that knows everything, and with one that knows
// the pairs but not the uniform parts.
func TestCacheSame(t *testing.T) {
	all := mapCache{}
	for name, prog := range shipped(t) {
		plain, _ := cachedRun(t, prog, nil)
		cold := mapCache{}
		filling, first := cachedRun(t, prog, cold)
		full, warm := cachedRun(t, prog, cold)
		half, pairs := cachedRun(t, prog, cold.withoutFamilies())
		for what, set := range map[string]*constraints.Set{"cold": filling, "warm": full, "half warm": half} {
			if diff := cmp.Diff(string(plain.Format()), string(set.Format())); diff != "" {
				t.Errorf("%s: a %s cache changes the file (with +):\n%s", name, what, diff)
			}
		}
		open := first.Pairs - first.Independent
		if warm.Cached != open || pairs.Cached != open {
			t.Errorf("%s: %d and %d pairs of %d come from the cache", name, warm.Cached, pairs.Cached, open)
		}
		if diff := cmp.Diff(first.Why, warm.Why, cmp.Comparer(func(a, b *step.Step) bool { return a == b })); diff != "" {
			t.Errorf("%s: the cache changes the reasons:\n%s", name, diff)
		}
		if len(prog.Invariants) == 0 && warm.Queries > 0 {
			t.Errorf("%s: %d questions to the solver although everything is known", name, warm.Queries)
		}
		maps.Copy(all, cold)
	}
	// One cache for all programs.
	for name, prog := range shipped(t) {
		plain, _ := cachedRun(t, prog, nil)
		set, _ := cachedRun(t, prog, all)
		if diff := cmp.Diff(string(plain.Format()), string(set.Format())); diff != "" {
			t.Errorf("%s: a cache of all programs changes the file (with +):\n%s", name, diff)
		}
	}
}
