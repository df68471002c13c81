package source

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
	"cdpor/synth"

	"github.com/google/go-cmp/cmp"
)

// bankTransfer is a program with many pairs, loaded.
func bankTransfer(t *testing.T) (*step.Program, *step.Machine) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "testdata", "programs", "bank-transfer.yaml")
	m := langtest.File(t, path, nil)
	return m.Program, m
}

// openPairs are the pairs of steps of a program that a search may ask about, some of them the other way round.
func openPairs(prog *step.Program) (open [][2]*step.Step) {
	turned := false
	for ab := range constraints.PairsOf(prog) {
		if turned { // either order will do
			ab[0], ab[1] = ab[1], ab[0]
		}
		turned = !turned
		if !constraints.Independent(ab[0], ab[1]) {
			open = append(open, ab)
		}
	}
	return open
}

// TestSynthesiser asks for more and more pairs, as a search does: the budget is kept, what was found is remembered, by
// this process and by the next one, and all of it is the same without a cache. A search with the conditions finds the
// same as one without.
func TestSynthesiser(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	prog, m := bankTransfer(t)
	var stderr bytes.Buffer
	host := &Host{Now: time.Now, Messages: &stderr,
		Solver: func() synth.Options { return synth.Options{} }}
	prepare := func(cache CacheFlags) *synthesiser {
		s, err := newSynthesiser(prog, host, &cache)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open := openPairs(prog)
	shown := func(f *finding) string {
		g := *f
		g.Set, g.Conditions, g.Report, g.Cached = nil, nil, nil, 0
		return fmt.Sprintf("%s%+v", f.Set.Format(), g)
	}
	folder := CacheFlags{Cache: t.TempDir()}
	without, first, second := prepare(CacheFlags{NoCache: true}), prepare(folder), (*synthesiser)(nil)
	search := func(name string, opt explore.Options) *explore.Result {
		a, err := explore.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Run(context.Background(), m, a, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := search("source", explore.Options{})
	found := 0
	all := len(open)
	for _, ask := range []struct{ pairs, questions int }{{1, 1}, {1, 20}, {3, 2}, {3, 100}, {all, 10}, {all, 1000}} {
		name := fmt.Sprintf("%d pairs, %d questions", ask.pairs, ask.questions)
		got, err := first.find(context.Background(), m, open[:ask.pairs], ask.questions)
		if err != nil {
			t.Fatal(err)
		}
		if got.Worked > ask.pairs || got.Worked != got.Exact+got.Partial+got.Unknown ||
			got.Questions > ask.questions || ask.questions >= 100 && got.Exhausted {
			t.Errorf("%s: %s", name, shown(got))
		}
		if !got.Exhausted { // else what is known may have cost more than there is
			if got.Cached < found {
				t.Errorf("%s: %d pairs are known, want %d", name, got.Cached, found)
			}
			found = got.Worked
		}
		second = prepare(folder)
		for which, s := range map[string]*synthesiser{"without a cache": without, "the next process": second} {
			again, err := s.find(context.Background(), m, open[:ask.pairs], ask.questions)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shown(got), shown(again)); diff != "" {
				t.Errorf("%s, %s (+):\n%s", name, which, diff)
			}
		}
		result := search("constrained", explore.Options{Conditions: got.Conditions})
		if difference := compare.Disagreement(want, result); difference != "" {
			t.Errorf("%s: the search finds other %s", name, difference)
		}
	}
	full, err := first.find(context.Background(), m, open, 1000)
	if err != nil || full.Useful == 0 || full.Cached != full.Worked || first.Time <= 0 {
		t.Errorf("%v, %v", err, full)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	if f, err := without.find(interrupted, m, open, 1000); err == nil || f != nil {
		t.Error("an interrupt is no error")
	}
	first.close()
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", &stderr)
	}
}
