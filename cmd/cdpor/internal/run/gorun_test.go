package run

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
	"cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// TestFindingPlace: services show a finding at a line of the package that it names, or at the last step there.
func TestFindingPlace(t *testing.T) {
	own, other := replay.Step{File: "x.go", Line: 3}, replay.Step{File: "/mod/y@v1.2.3/y.go", Line: 7}
	for want, steps := range map[string][]replay.Step{
		"pkg/x.go": {other, own, other}, "/mod/y@v1.2.3/y.go": {other}, "pkg": nil,
	} {
		told := &toldFinding{Steps: steps, account: &native.Account{}}
		if f := told.finding("pkg", "TestX"); f.Place.File != want {
			t.Errorf("%v: %+v, want %s", steps, f.Place, want)
		}
	}
}

// TestEqualDeadlocks: who waits is known again, whichever of the goroutines of one statement is started first, and
// whoever goes on last.
func TestEqualDeadlocks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n\nvar n = <-c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var prints []string
	for i, who := range []string{"x.go:31", "x.go:31#2"} {
		waits := "goroutine started at " + who + " waits at x.go:3 in receive"
		told := &toldFinding{Kind: native.Leak, Text: waits, dir: dir, account: &native.Account{Waits: []string{waits}},
			Steps: []replay.Step{{File: "x.go", Line: 1 + i}}}
		f := told.finding(dir, "TestX")
		if prints = append(prints, f.Fingerprint(dir)); f.Place.Line != 3 {
			t.Errorf("%+v", f.Place)
		}
	}
	if prints[0] != prints[1] {
		t.Errorf("%v", prints)
	}
}

// TestReadingEnds: a test that can be run is not read for longer than half of the time, and is run where no execution
// has come to its end when the time is over, or for long.
func TestReadingEnds(t *testing.T) {
	c := &Command{}
	c.Program, c.Func, c.Timeout = "../../../../testdata/native/ordinary", "TestBubbleTimeout", 20*time.Millisecond
	_, err := reading(t.Context(), c, func(ctx context.Context) (step.Loaded, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err == nil || err.Error() != "it was not read within 10ms" {
		t.Error(err)
	}
	c.Algorithm = "auto"
	s := &searching{Command: c}
	for _, w := range []struct {
		stopped    string
		verdict    explore.Verdict
		executions int64
		want       string
	}{
		{explore.StoppedTime, explore.Incomplete, 1, ""},
		{explore.StoppedTime, explore.Violated, 0, ""},
		{explore.StoppedTime, explore.Bounded, 0, "no execution came to its end within 20ms (--timeout)"},
	} {
		res := &explore.Result{}
		res.Stopped, res.Verdict, res.Executions = w.stopped, w.verdict, w.executions
		if got := s.unended(&report.Report{Result: res}); got != w.want {
			t.Errorf("%+v: %q", w, got)
		}
	}
}
