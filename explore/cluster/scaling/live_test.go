package scaling

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A live search is one whose workers explore themselves, in simulated time: what they have found is added up as the
// coordinator of package cluster does it.
type live struct {
	m        *step.Machine
	a        *explore.Algorithm
	opt      explore.Options
	findings *explore.ParcelFindings
	err      error
}

func newLive(t *testing.T, m *step.Machine, a *explore.Algorithm, opt explore.Options) *live {
	t.Helper()
	l := &live{m: m, a: a, opt: opt}
	var err error
	if l.findings, err = explore.NewParcelFindings(context.Background(), m, a, opt); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *live) work() Work {
	return Work{New: func() Explorer {
		x, err := explore.NewParcelWork(context.Background(), l.m.Fresh(), l.a, l.opt)
		if err != nil {
			l.err = err
			return nil
		}
		return &liveWorker{x, l}
	}, Fold: l.findings.NewFold}
}

// run lets workers explore in simulated time, and returns what they have found.
func (l *live) run(t *testing.T, p Parameters) (*Outcome, *explore.Result) {
	t.Helper()
	o, err := Simulate(l.work(), p)
	if err != nil || l.err != nil {
		t.Fatal(err, l.err)
	}
	return o, l.findings.Result("")
}

// A liveWorker sends its records as text, as workers of package cluster do.
type liveWorker struct {
	*explore.ParcelWork
	l *live
}

func (w *liveWorker) TakeUp(p *joblog.Parcel) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	q := &joblog.Parcel{}
	if err := json.Unmarshal(text, q); err != nil {
		return err
	}
	return w.ParcelWork.TakeUp(q)
}

func (w *liveWorker) Record(number int, over, split bool) (*joblog.Record, error) {
	r, err := w.ParcelWork.Record(number, over, split)
	if err != nil {
		return nil, err
	}
	text, err := r.Marshal()
	if err != nil {
		return nil, err
	}
	came := &joblog.Record{}
	if err := came.Unmarshal(text, true); err != nil {
		return nil, err
	}
	return came, w.l.findings.Add(came.Found)
}

// TestLive: workers that explore themselves find under the simulated server what one finds alone, and take about the
// time for it that those take which go through its recorded tree.
func TestLive(t *testing.T) {
	for _, c := range []struct {
		name, n, by string
		visited     bool
	}{{"lastzero", "8", "source", false}, {"locked-buffer", "5", "source", false}, {"lastzero", "7", "context", false},
		{"fib-observed", "3", "source", true}} {
		m, a := load(t, c.name, map[string]string{"N": c.n}), algorithm(t, c.by)
		opt := explore.Options{Visited: c.visited}
		one, err := explore.Run(t.Context(), m, a, opt)
		if err != nil {
			t.Fatal(err)
		}
		tree := record(t, c.name, c.n, c.by, opt)
		for _, workers := range []int{1, 5, 40} {
			p := Defaults(workers, time.Millisecond)
			p.Node = 500 * time.Microsecond
			o, res := newLive(t, m, a, opt).run(t, p)
			if res.Outcomes.Len() != one.Outcomes.Len() || !a.Sequences && !c.visited &&
				res.Executions != one.Executions {
				t.Errorf("%s, %s, %d workers: %d executions, %d outcomes; one has %d and %d", c.name, c.by, workers,
					res.Executions, res.Outcomes.Len(), one.Executions, one.Outcomes.Len())
			}
			r, replayed := simulate(t, tree, 0, p)
			ratio := float64(replayed.Time) / float64(o.Time)
			t.Logf("%s, %s, %d workers: live %v, replayed %v (%.2f), %d nodes of %d", c.name, c.by, workers, o.Time,
				replayed.Time, ratio, o.Explored, r.Whole())
			if ratio < 0.5 || ratio > 2 {
				t.Errorf("%s, %s, %d workers: %v, replayed %v", c.name, c.by, workers, o.Time, replayed.Time)
			}
		}
	}
}
