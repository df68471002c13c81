package explore

import (
	"bytes"
	"context"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// ParcelFindings is what the records of a search have found together.
type ParcelFindings struct {
	x         reader
	algorithm *Algorithm
	opt       Options
	m         *step.Machine
	all       engine.Findings
}

// A reader adds what a record has found to what all have found.
type reader interface {
	AddFound(all *engine.Findings, found []byte) error
}

// NewParcelFindings makes one without records, of the same search as NewParcelWork.
func NewParcelFindings(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*ParcelFindings, error) {
	x, err := newReader(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	r, err := results.NewCollector(m, a, nil)
	if err != nil {
		return nil, err
	}
	return &ParcelFindings{x: x, algorithm: a, opt: opt, m: m, all: engine.Findings{Results: r, Pairs: map[[2]*step.Step]*PairStats{}}}, nil
}

func newReader(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (reader, error) {
	if a == states.ExhaustiveAlgorithm {
		return states.NewSlotWork(ctx, m, a, opt, nil)
	}
	return executions.NewParcelWork(ctx, m, a, opt)
}

// NewFold is the fold of an empty log of the search, which is one that is cut into parcels.
func (f *ParcelFindings) NewFold() *joblog.Fold {
	n, x := dpor.Node{}, f.x.(*executions.ParcelWork).X
	x.Strategy.AfterSubtree(&x.Search, &n, 0)
	return joblog.NewFold(n.Sleep.Has(0))
}

// Add adds what a record that counts has found. The error says that it is none of this search.
func (f *ParcelFindings) Add(found []byte) error { return f.x.AddFound(&f.all, found) }

// Save is all that has been found, as one record would say it: Add takes it. The search is one that is cut into
// parcels.
func (f *ParcelFindings) Save() ([]byte, error) {
	x := f.x.(*executions.ParcelWork).X
	defer x.Replace(x.Findings())
	x.Replace(f.all)
	var found bytes.Buffer
	err := x.SaveCommon().Write(&found)
	return found.Bytes(), err
}

// Reset forgets what has been found.
func (f *ParcelFindings) Reset() error {
	r, err := results.NewCollector(f.m, f.algorithm, nil)
	f.all = engine.Findings{Results: r, Pairs: map[[2]*step.Step]*PairStats{}}
	return err
}

// Sofar is what has been found so far. It changes with the next Add.
func (f *ParcelFindings) Sofar() *Result { return &f.all.Results.Result }

// Collector has what has been found so far.
func (f *ParcelFindings) Collector() *results.Collector { return f.all.Results }

// Unread says how many records could not be read, or have found what could not be.
func (f *ParcelFindings) Unread(records int) { f.all.Results.Unread = records }

// Violated reports whether something wrong has been found.
func (f *ParcelFindings) Violated() bool { return len(f.all.Results.Violations) > 0 }

// Result is the result of the search. stopped says why it has ended before everything was explored, empty if everything
// was. Nothing can be added afterwards.
func (f *ParcelFindings) Result(stopped string) *Result {
	if f.algorithm.Stateful && f.opt.Preempt { // as a search of states that is alone
		f.all.Results.States = 0
	}
	f.all.Results.Arrange()
	r := f.all.Results.Finish(stopped, f.all.Pairs)
	r.AllEnd = r.Stopped == StoppedComplete && engine.ShowsEnds(f.algorithm, f.opt)
	return r
}
