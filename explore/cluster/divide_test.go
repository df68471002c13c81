package cluster

import (
	"context"
	"math/rand"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/slots"
	"cdpor/lang/step"
)

// shippedProgram loads a program of testdata.
func shippedProgram(t *testing.T, name string, params ...string) *step.Machine {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "programs", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return load(t, path, string(text), params...)
}

// TestDividedBarriers divides states among workers, of which one comes later, one is killed and the server ends and
// comes back, with several barriers, and expects what one worker finds.
func TestDividedBarriers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	store := t.TempDir()
	s := serve(t, "", store)
	defer func() { s.Close() }()
	nc := connect(t, s)
	at, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	m := shippedProgram(t, "lastzero.yaml", "N", "11")
	a, err := explore.Find("exhaustive")
	if err != nil {
		t.Fatal(err)
	}
	one, err := explore.Run(t.Context(), m, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	job, err := Create(ctx, nc, "divided", spec, CreateOptions{Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	work := func(ctx context.Context, abrupt bool) {
		all.Go(func() {
			if err := NewProcess(nc, WorkOptions{Job: "divided", abrupt: abrupt}).Work(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	killed, kill := context.WithCancel(ctx)
	defer kill()
	work(ctx, false)
	work(killed, true)
	after := func(d time.Duration, f func()) {
		all.Go(func() {
			pause(ctx, d)
			f()
		})
	}
	after(100*time.Millisecond, func() { work(ctx, false) })
	after(300*time.Millisecond, kill)
	after(600*time.Millisecond, func() {
		if ctx.Err() == nil {
			s.Close()
			s = serve(t, at.Host, store)
		}
	})
	findings, err := distributed.NewFindings(ctx, m, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := Coordinate(ctx, job, findings, CoordinateOptions{Submitter: true})
	if err != nil {
		t.Fatal(err)
	}
	last, h, err := job.log.stage(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if want, got := said(a, false, one), said(a, false, findings.Result(stopped)); want != got {
		t.Errorf("%s, not %s", got, want)
	}
	t.Logf("the last stage is record %d", h.sequence)
	if !last.Over() || last.States() != one.States {
		t.Errorf("the last stage, %d, has %d states", h.sequence, last.States())
	}
}

// TestDividedStages appends stages by two coordinators: the second one is refused, and a stage that is large is read as
// it was written.
func TestDividedStages(t *testing.T) {
	s := serve(t, "", t.TempDir())
	defer s.Close()
	job, err := Create(t.Context(), connect(t, s), "stages", &Spec{Algorithm: "exhaustive"}, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := slots.First("first", []string{"somebody"})
	sequence, err := job.log.appendStage(t.Context(), 0, first)
	if err != nil {
		t.Fatal(err)
	}
	other := slots.First("another", []string{"somebody else"})
	if _, err := job.log.appendStage(t.Context(), 0, other); err != errRefused {
		t.Errorf("two stages are the first one: %v", err)
	}
	next := first.Again("second", []string{"somebody", "somebody else"})
	rng := rand.New(rand.NewSource(1))
	for range 20_000 {
		name := make([]byte, 16)
		rng.Read(name)
		next.Found = append(next.Found, string(name[:8]))
	}
	if _, err := job.log.appendStage(t.Context(), sequence, next); err != nil {
		t.Fatal(err)
	}
	read, h, err := job.log.stage(t.Context(), "")
	if err != nil || h.sequence <= sequence || read.ID != "second" || len(read.Found) != len(next.Found) ||
		read.Workers() != 2 {
		t.Errorf("%v: the last stage is %d, not the second one", err, h.sequence)
	}
	if read, _, err = job.log.stage(t.Context(), h.nonce); err != nil || read != nil {
		t.Errorf("%v: a stage that is known is read again", err)
	}
}
