package distributed

import (
	"context"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// Findings adds up the findings of all records of a search.
type Findings struct {
	x         reader
	algorithm *dpor.Algorithm
	opt       engine.Options
	m         *step.Machine
	all       engine.Findings
}

// A reader adds what a record has found to what all have found.
type reader interface {
	AddFound(all *engine.Findings, found []byte) error
}

// NewFindings makes one without records, of the same search as NewTaskWork.
func NewFindings(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (*Findings, error) {
	x, err := newReader(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	r, err := results.NewCollector(m, a, nil)
	if err != nil {
		return nil, err
	}
	return &Findings{x: x, algorithm: a, opt: opt, m: m, all: engine.NewFindings(r)}, nil
}

func newReader(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (reader, error) {
	if a == states.Algorithm {
		return states.NewSlotWork(ctx, m, a, opt, nil)
	}
	return executions.NewTaskWork(ctx, m, a, opt)
}

// NewFold is the fold of an empty log of the search, which is one that is cut into tasks.
func (f *Findings) NewFold() *joblog.Fold {
	return f.x.(*executions.TaskWork).NewFold()
}

// Add adds what a record that counts has found. The error says that it is none of this search.
func (f *Findings) Add(found []byte) error { return f.x.AddFound(&f.all, found) }

// Save has all findings in the form of one record: Add takes it. The search is one that is cut into tasks.
func (f *Findings) Save() ([]byte, error) {
	return f.x.(*executions.TaskWork).Save(f.all)
}

// Reset forgets what has been found.
func (f *Findings) Reset() error {
	r, err := results.NewCollector(f.m, f.algorithm, nil)
	f.all = engine.NewFindings(r)
	return err
}

// Sofar is the result so far. It changes with the next Add.
func (f *Findings) Sofar() *results.Result { return &f.all.Results.Result }

// Collector has what has been found so far.
func (f *Findings) Collector() *results.Collector { return f.all.Results }

// Unread says how many records could not be read, or have found what could not be.
func (f *Findings) Unread(records int) { f.all.Results.Unread = records }

// Violated reports whether something wrong has been found.
func (f *Findings) Violated() bool { return len(f.all.Results.Violations) > 0 }

// Result is the result of the search. stopped says why it has ended before everything was explored, empty if everything
// was. Nothing can be added afterwards.
func (f *Findings) Result(stopped string) *results.Result {
	if f.algorithm.Stateful && f.opt.Preempt { // as a search of states that is alone
		f.all.Results.States = 0
	}
	f.all.Results.Arrange()
	r := f.all.Results.Finish(stopped, f.all.Pairs)
	r.ShowsEnds(engine.ShowsEnds(f.algorithm, f.opt), results.Liveness{Executions: r.Executions + r.Dropped})
	return r
}
