package cluster

import (
	"context"
	"testing"

	"cdpor/explore"
	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
)

// TestAdder adds more records than may wait, then one that is none of the search: that is said, and what comes after
// it is dropped, as is what waits when the context is done.
func TestAdder(t *testing.T) {
	m := load(t, "inc.yaml", "cdpor: 1\nshared: {x: int = 0}\nthreads: {inc: {count: 3, run: x += 1}}\nobserve: [x]\n")
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	w, err := executions.NewTaskWork(t.Context(), m, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.TakeUp(&joblog.Task{ID: joblog.Root, Begin: -1}); err != nil {
		t.Fatal(err)
	}
	over, err := w.Explore(1 << 20)
	if err != nil || !over {
		t.Fatalf("over: %v, %v", over, err)
	}
	r, err := w.Record(0, over, false)
	if err != nil {
		t.Fatal(err)
	}
	join := func(ctx context.Context, records ...*joblog.Record) (*adder, *distributed.Findings) {
		f, err := distributed.NewFindings(ctx, m.Fresh(), a, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := newAdder(ctx, &Job{}, f)
		t.Cleanup(j.end)
		for _, r := range records {
			j.queue <- toAdd{record: r}
		}
		return j, f
	}
	one, f := join(t.Context(), r)
	if err := one.wait(); err != nil {
		t.Fatal(err)
	}
	each := f.Sofar().Executions
	if each == 0 || one.executions.Load() != each {
		t.Fatalf("%d executions, %d are told", each, one.executions.Load())
	}
	many := make([]*joblog.Record, 2*pacing.MostUnjoined)
	for i := range many {
		many[i] = r
	}
	j, f := join(t.Context(), many...)
	if err := j.wait(); err != nil || f.Sofar().Executions != each*int64(len(many)) {
		t.Fatalf("%d executions of %d records with %d: %v", f.Sofar().Executions, len(many), each, err)
	}
	j.queue <- toAdd{record: &joblog.Record{Found: []byte("none of this search\n")}}
	j.queue <- toAdd{record: r}
	if err := j.wait(); err != nil || j.lost.Load() != 1 {
		t.Errorf("%d records could not be added, not 1: %v", j.lost.Load(), err)
	}
	if f.Sofar().Executions != each*int64(len(many)+1) {
		t.Error("what comes behind a record that could not be added is not")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	late, f := join(done, r)
	if err := late.wait(); err == nil || f.Sofar().Executions > 0 {
		t.Errorf("%d executions are added when the context is done: %v", f.Sofar().Executions, err)
	}
}
