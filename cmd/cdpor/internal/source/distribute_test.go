//go:build cgo && !noz3

package source

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// TestDistribute lets others, who have got the program as bytes, work on the pairs of shipped programs. The constraint
// file is the same, byte for byte, as without them, and nothing is left to be found, but for tasks that were lost.
func TestDistribute(t *testing.T) {
	h := &Host{Now: time.Now, Messages: os.Stderr, Solver: func() synth.Options { return synth.Options{} }}
	rng := rand.New(rand.NewSource(1))
	all := 0
	for _, name := range []string{"striped-map", "dining-philosophers", "bounded-buffer-cond", "lastzero"} {
		path := filepath.Join("..", "..", "..", "..", "testdata", "programs", name+".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := lang.Load(path, text, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opt := synth.Options{}
		Within(&opt, 0)
		alone, _, err := synth.Synthesize(t.Context(), src.Program, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, lose := range []bool{false, true} {
			with := &borrowed{}
			opt.Cache = with
			signs, lost := 0, 0
			pairs, err := distribute(t.Context(), src.Program, opt, with, func(ctx context.Context, prog *step.Program,
				tasks [][]byte, done func(int, []byte) error) error {
				for i, task := range tasks {
					if lose && rng.Intn(3) == 0 {
						lost++
						continue
					}
					other, err := step.Uncarry(step.Carry(prog))
					if err != nil {
						return err
					}
					found, err := h.Do(ctx, other, task, func() { signs++ })
					if err != nil {
						return err
					}
					if err := done(i, found); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			set, report, err := synth.Synthesize(t.Context(), src.Program, opt)
			if err != nil {
				t.Fatal(err)
			}
			if want, got := string(alone.Format()), string(set.Format()); want != got {
				t.Errorf("%s: the constraints are\n%s\nnot\n%s", name, got, want)
			}
			if report.Cached != pairs-lost && pairs < mostTasks {
				t.Errorf("%s: of %d pairs, of which %d were lost, %d were found by others", name, pairs, lost,
					report.Cached)
			}
			if pairs > 0 && signs == 0 {
				t.Errorf("%s: no signs of life", name)
			}
			all += pairs
		}
	}
	if t.Logf("%d pairs", all); all < 50 {
		t.Error("that says little")
	}
}

// TestTaskErrors are tasks that none of this program is.
func TestTaskErrors(t *testing.T) {
	text := "cdpor: 1\nshared: {x: int = 0}\nthreads: {a: x = 1, b: x = 2}\nobserve: [x]\n"
	src, err := lang.Load("x.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Now: time.Now, Messages: os.Stderr, Solver: func() synth.Options { return synth.Options{} }}
	for _, text := range []string{"", "{", `{"Pairs": [[[0, 0], [0, 7]]]}`, `{"Pairs": [[[9, 0], [0, 0]]]}`} {
		if _, err := h.Do(t.Context(), src.Program, []byte(text), func() {}); err == nil {
			t.Errorf("%q is a task", text)
		}
	}
}
