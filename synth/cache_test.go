//go:build cgo && !noz3

package synth

import (
	"bytes"
	"context"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
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
	set, report, err := Synthesize(context.Background(), prog, Options{Cache: cache, Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	return set, report
}

// A synthesis is what was found for a program.
type synthesis struct {
	set    *constraints.Set
	report *Report
}

// What tests share: programs are loaded once, and worked on once with the same options.
var (
	loaded      = map[string]*step.Program{}
	synthesised = map[*step.Program]map[bool]synthesis{} // by Readable
)

// synthesisOf is what is found for a program of shipped or drawn without a cache.
func synthesisOf(t testing.TB, prog *step.Program, readable bool) (*constraints.Set, *Report) {
	t.Helper()
	found, ok := synthesised[prog][readable]
	if !ok {
		set, report, err := Synthesize(context.Background(), prog, Options{Readable: readable})
		if err != nil {
			t.Fatalf("%s: %v", prog.Name, err)
		}
		if synthesised[prog] == nil {
			synthesised[prog] = map[bool]synthesis{}
		}
		found = synthesis{set, report}
		synthesised[prog][readable] = found
	}
	return found.set, found.report
}

// shipped are the programs of testdata; with -short every third.
func shipped(t testing.TB) map[string]*step.Program {
	if len(loaded) > 0 {
		return maps.Clone(loaded)
	}
	for _, pattern := range []string{"programs", "traps", "actors", "liveness"} {
		files, err := filepath.Glob("../testdata/" + pattern + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for i, file := range files {
			if testing.Short() && i%3 != 0 {
				continue
			}
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
			loaded[pattern+"/"+filepath.Base(file)] = src.Program
		}
	}
	return maps.Clone(loaded)
}

// TestCacheSame: the file is the same without a cache, with an empty one, with one that knows everything, and with one
// that knows the pairs but not the uniform parts.
func TestCacheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	all, programs, plains := mapCache{}, shipped(t), map[string]string{}
	for name, prog := range programs {
		set, _ := synthesisOf(t, prog, true)
		plain := string(set.Format())
		plains[name] = plain
		cold := mapCache{}
		filling, first := cachedRun(t, prog, cold)
		full, warm := cachedRun(t, prog, cold)
		half, pairs := cachedRun(t, prog, cold.withoutFamilies())
		for what, set := range map[string]*constraints.Set{"cold": filling, "warm": full, "half warm": half} {
			if diff := cmp.Diff(plain, string(set.Format())); diff != "" {
				t.Errorf("%s: a %s cache changes the file (with +):\n%s", name, what, diff)
			}
		}
		open := first.Pairs - first.Independent - first.Ordered
		if warm.Cached != open || pairs.Cached != open {
			t.Errorf("%s: %d and %d pairs of %d come from the cache", name, warm.Cached, pairs.Cached, open)
		}
		if diff := cmp.Diff(first.Why, warm.Why,
			cmp.Comparer(func(a, b *step.Step) bool { return a == b })); diff != "" {
			t.Errorf("%s: the cache changes the reasons:\n%s", name, diff)
		}
		if len(prog.Invariants) == 0 && warm.Queries > 0 {
			t.Errorf("%s: %d questions to the solver although everything is known", name, warm.Queries)
		}
		maps.Copy(all, cold)
	}
	// One cache for all programs.
	for name, prog := range programs {
		set, _ := cachedRun(t, prog, all)
		if diff := cmp.Diff(plains[name], string(set.Format())); diff != "" {
			t.Errorf("%s: a cache of all programs changes the file (with +):\n%s", name, diff)
		}
	}
}

// TestCacheRead: what a condition says decides whether it reads at once, not how it was made: read from a cache that a
// list is not full is the negation of a comparison.
func TestCacheRead(t *testing.T) {
	prog, cache := load(t, `cdpor: 1
shared: {a: int = 1, xs: "list[int, 3] = [1, 1]"}
threads:
  p: xs.append(a)
  q: |
    xs = xs.reverse()
    if !xs.empty() { a = xs.pop() }
crashes: {of: [p, q]}
`), mapCache{}
	plain, _ := cachedRun(t, prog, cache)
	pairs, _ := cachedRun(t, prog, cache.withoutFamilies())
	if diff := cmp.Diff(string(plain.Format()), string(pairs.Format())); diff != "" {
		t.Errorf("a cache of pairs changes the file (with +):\n%s", diff)
	}
}

const cached = `
cdpor: 1
name: cached
params: {MAX: 3, STEP: 1}
shared: {x: "0..9", y: int, a: "array[4] int"}
threads:
  up: |
    up: atomic { if x < MAX { x += STEP } }
  down: |
    down: atomic { if x > 0 { x -= 1 } }
  copy:
    count: 2
    run: |
      let i = x
      keep: a[self] = i
      let j = a[0]
      sum: y = y + i
`

// TestCacheKey edits a program: what the edit cannot change comes from the cache, what it can change does not, and the
// file is the one that is found without a cache.
func TestCacheKey(t *testing.T) {
	program := load(t, cached)
	_, first := cachedRun(t, program, nil)
	open := first.Pairs - first.Independent
	edits := []struct {
		name, old, new string
		anew           []string // the steps whose pairs are not in the cache; nil: none
	}{
		{name: "nothing", old: "cdpor: 1", new: "cdpor: 1"},
		{name: "a comment", old: "threads:\n", new: "threads:\n  # more\n\n"},
		{name: "a label", old: "    up: atomic", new: "    higher: atomic"},
		{name: "the name of a thread", old: "  up: |", new: "  upwards: |"},
		{name: "the order of threads", old: "  up: |\n    up: atomic { if x < MAX { x += STEP } }\n  down: |\n" +
			"    down: atomic { if x > 0 { x -= 1 } }\n",
			new: "  down: |\n    down: atomic { if x > 0 { x -= 1 } }\n  up: |\n" +
				"    up: atomic { if x < MAX { x += STEP } }\n", anew: []string{"up.up down.down"}},
		{name: "a variable that nobody uses", old: "y: int,", new: "y: int, z: int,"},
		{name: "a number of one step", old: "x -= 1 }", new: "x -= 2 }", anew: []string{"down.down"}},
		{name: "an operator of one step", old: "if x > 0", new: "if x >= 0", anew: []string{"down.down"}},
		{name: "a parameter", old: "MAX: 3", new: "MAX: 4", anew: []string{"up.up"}},
		{name: "the name of a parameter", old: "MAX", new: "TOP", anew: []string{"up.up"}},
		// copies have its range, which stays
		{name: "a type", old: `"0..9"`, new: `"0..8"`, anew: []string{"up.", "down."}},
		{name: "a step, and the range of what it writes", old: "x -= 1 }", new: "x -= 1; y = 7 }",
			anew: []string{"down.down", "copy.sum copy.sum"}},
		{name: "a type of other size", old: "array[4]", new: "array[5]", anew: []string{"copy.keep", "copy.3"}},
		{name: "how many there are", old: "count: 2", new: "count: 3", anew: []string{"copy."}},
		{name: "what is live after a step", old: "sum: y = y + i", new: "sum: y = y + 1",
			anew: []string{"copy.keep", "copy.3", "copy.sum"}},
	}
	for _, edit := range edits {
		t.Run(edit.name, func(t *testing.T) {
			cache := mapCache{}
			cachedRun(t, program, cache)
			text := strings.Replace(cached, edit.old, edit.new, 1)
			if strings.HasPrefix(edit.name, "the name of a parameter") {
				text = strings.ReplaceAll(cached, edit.old, edit.new)
			}
			changed := load(t, text)
			plain, report := cachedRun(t, changed, nil)
			set, warm := cachedRun(t, changed, cache)
			if diff := cmp.Diff(string(plain.Format()), string(set.Format())); diff != "" {
				t.Errorf("the cache changes the file (with +):\n%s", diff)
			}
			want := report.Pairs - report.Independent
			for _, p := range set.Pairs {
				anew := func(s string) bool {
					a, b, both := strings.Cut(s, " ")
					if both {
						return strings.HasPrefix(p.A.Name(), a) && strings.HasPrefix(p.B.Name(), b) ||
							strings.HasPrefix(p.A.Name(), b) && strings.HasPrefix(p.B.Name(), a)
					}
					return strings.HasPrefix(p.A.Name(), a) || strings.HasPrefix(p.B.Name(), a)
				}
				if !constraints.Independent(p.A, p.B) && slices.ContainsFunc(edit.anew, anew) {
					want--
				}
			}
			if warm.Cached != want {
				t.Errorf("%d of %d pairs (%d before the edit) come from the cache, want %d\n%s", warm.Cached,
					report.Pairs-report.Independent, open, want, plain.Format())
			}
		})
	}
}

// TestCacheDistrust: what cannot be read, or means something else, is found anew.
func TestCacheDistrust(t *testing.T) {
	program := load(t, cached)
	plain, _ := cachedRun(t, program, nil)
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":            func([]byte) []byte { return nil },
		"cut":              func(v []byte) []byte { return v[:len(v)/2] },
		"another variable": func(v []byte) []byte { return bytes.ReplaceAll(v, []byte(`"x `), []byte(`"y `)) },
		"another number":   func(v []byte) []byte { return bytes.ReplaceAll(v, []byte("0"), []byte("1")) },
		"no expression": func(v []byte) []byte {
			return bytes.ReplaceAll(v, []byte(`"Text":"`), []byte(`"Text":"?`))
		},
	} {
		cache := mapCache{}
		cachedRun(t, program, cache)
		for key, value := range cache {
			cache[key] = spoil(value)
		}
		set, report := cachedRun(t, program, cache)
		if diff := cmp.Diff(string(plain.Format()), string(set.Format())); diff != "" {
			t.Errorf("%s: a spoiled cache changes the file (with +):\n%s", name, diff)
		}
		if report.Cached == report.Pairs-report.Independent {
			t.Errorf("%s: everything is taken from a spoiled cache", name)
		}
		if _, again := cachedRun(t, program, cache); again.Cached != again.Pairs-again.Independent {
			t.Errorf("%s: spoiled entries are not replaced", name)
		}
	}
}

// TestCacheRandom fills one cache with random programs and with versions of them in which one number differs.
func TestCacheRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	cache := mapCache{}
	plain, err := NewSession(Options{Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	caching, err := NewSession(Options{Cache: cache, Readable: true})
	if err != nil {
		t.Fatal(err)
	}
	hits, open := 0, 0
	for i := range *flagN / 2 {
		seed := *flagSeed + int64(i)
		r := rand.New(rand.NewSource(seed))
		text := random.Program(r, random.Draw(r))
		places := regexp.MustCompile(`\b[0-3]\b`).FindAllStringIndex(text, -1)
		for range 3 {
			if src, err := lang.Load("random.yaml", []byte(text), lang.Options{}); err == nil {
				want, _, err := plain.Synthesize(context.Background(), src.Program)
				if err != nil {
					t.Fatal(err)
				}
				got, report, err := caching.Synthesize(context.Background(), src.Program)
				if err != nil {
					t.Fatal(err)
				}
				hits += report.Cached
				open += report.Pairs - report.Independent
				if diff := cmp.Diff(string(want.Format()), string(got.Format())); diff != "" {
					t.Fatalf("seed %d: the cache changes the file (with +):\n%s\n%s", seed, diff, text)
				}
			}
			at := places[r.Intn(len(places))][0]
			text = text[:at] + string('0'+byte(r.Intn(4))) + text[at+1:]
		}
	}
	if hits < open/4 {
		t.Errorf("only %d of %d pairs come from the cache", hits, open)
	}
	t.Logf("%d of %d pairs come from the cache", hits, open)
}
