package report

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestShownSchedules: whatever is wrong with a shipped program, the schedule that is shown for it shows that something
// is wrong, needs no more switches than the one that was found, and survives being printed.
func TestShownSchedules(t *testing.T) {
	paths, err := filepath.Glob("../../../../testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	alg, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	shown, better := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := lang.Load(path, text, lang.Options{})
		if err != nil {
			continue // a constraint file
		}
		m, err := step.NewMachine(src.Program)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := replay.New(m)
		if err != nil {
			t.Fatal(err)
		}
		res, err := explore.Run(context.Background(), m, alg,
			explore.Options{MaxExecutions: 300, Visited: true, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		r := &Report{Machine: m, Player: tr, Out: io.Discard, Algorithm: alg, Result: res,
			Patience: context.Background()}
		for _, v := range res.Violations {
			if v.Schedule == nil {
				continue
			}
			schedule, err := schedules.Parse(m, schedules.Format(m, r.schedule(v)))
			if err != nil {
				t.Fatal(err)
			}
			if tr.Shows(schedule) == "" {
				t.Errorf("%s: %s: nothing is wrong with %s", path, r.ViolationText(v), schedules.Format(m, schedule))
			}
			before, after := schedules.Switches(m, v.Schedule), schedules.Switches(m, schedule)
			if after > before {
				t.Errorf("%s: %s: %d switches became %d", path, r.ViolationText(v), before, after)
			}
			if shown++; after < before || len(schedule) < len(v.Schedule) {
				better++
			}
		}
	}
	if shown < 15 || better < 5 {
		t.Errorf("%s, of which %d became simpler", terminal.Plural(shown, "violation"), better)
	}
}
