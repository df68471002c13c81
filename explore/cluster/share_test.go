package cluster

import (
	"encoding/json"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A sharing is a search by workers in one goroutine, without a server, that tells how much is done.
type sharing struct {
	t       *testing.T
	rng     *rand.Rand
	found   *distributed.Findings
	fold    *joblog.Fold
	shares  *shares
	nodes   int64
	at      []int64   // nodes explored after each record
	done    []float64 // what was said to be done then
	queued  map[joblog.ID]bool
	workers []*sharingWorker
}

// A sharingWorker is a worker with its part of the search.
type sharingWorker struct {
	work   *executions.TaskWork
	task   joblog.ID
	number int
	busy   bool
}

// apply folds a record, and lets the coordinator begin again from a snapshot now and then.
func (s *sharing) apply(r *joblog.Record) {
	if _, err := s.shares.apply(s.fold, r); err != nil {
		s.t.Fatal(err)
	}
	if s.rng.Intn(20) == 0 {
		text, err := json.Marshal(s.shares)
		if err == nil {
			s.shares = nil
			err = json.Unmarshal(text, &s.shares)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.at, s.done = append(s.at, s.nodes), append(s.done, s.shares.done())
}

// step lets one worker explore a slice.
func (s *sharing) step(w *sharingWorker) {
	if !w.busy {
		for _, id := range s.fold.UnderWay() {
			if !s.queued[id] {
				p, next := s.fold.Task(id)
				if err := w.work.TakeUp(p); err != nil {
					s.t.Fatal(err)
				}
				w.task, w.number, w.busy, s.queued[id] = id, next, true, true
				break
			}
		}
		if !w.busy {
			return
		}
	}
	over, err := w.work.Explore(20)
	if err != nil {
		s.t.Fatal(err)
	}
	s.nodes += w.work.Nodes()
	r, err := w.work.Record(w.number, over, len(s.fold.UnderWay()) < 2*len(s.workers))
	if err != nil {
		s.t.Fatal(err)
	}
	s.apply(r)
	if w.number++; r.Left == nil || s.rng.Intn(10) == 0 { // it has ended, or somebody else goes on
		w.busy = false
		delete(s.queued, w.task)
	}
	for take := s.fold.Waiting(); take != nil && len(s.fold.UnderWay()) < 2*len(s.workers); take = s.fold.Waiting() {
		s.apply(&joblog.Record{Take: take})
	}
}

// runSharing explores a program so.
func runSharing(t *testing.T, m *step.Machine, a *explore.Algorithm, workers int) *sharing {
	found, err := distributed.NewFindings(t.Context(), m.Fresh(), a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &sharing{t: t, rng: rand.New(rand.NewSource(1)), found: found, fold: found.NewFold(), shares: newShares(),
		queued: map[joblog.ID]bool{}}
	for range workers {
		work, err := executions.NewTaskWork(t.Context(), m.Fresh(), a, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.workers = append(s.workers, &sharingWorker{work: work})
	}
	for !s.fold.Done() {
		for _, w := range s.workers {
			s.step(w)
		}
	}
	return s
}

// TestShare: what is said to be done only grows, is all at the end and not before, whatever the number of workers and
// however often a coordinator begins again, and is of some use on the way.
func TestShare(t *testing.T) {
	var off []float64
	for _, c := range []struct {
		program, n string
		algorithms []string
	}{
		{"lastzero.yaml", "9", []string{"source", "classic"}},
		{"indexer.yaml", "12", []string{"source"}},
		{"bakery.yaml", "3", []string{"source", "context"}},
		{"filesystem.yaml", "14", []string{"source"}},
		{"mcs-lock.yaml", "3", []string{"source"}},
	} {
		path := filepath.Join("..", "..", "testdata", "programs", c.program)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, path, string(text), "N", c.n)
		for _, name := range c.algorithms {
			a, err := explore.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 4} {
				s := runSharing(t, m, a, workers)
				for i, done := range s.done {
					if done < 0 || done >= 1 || i > 0 && done < s.done[i-1]-1e-9 {
						t.Fatalf("%s %s, %d workers: %g is done after %g", c.program, name, workers, done,
							s.done[max(0, i-1)])
					}
				}
				if last := s.done[len(s.done)-1]; last < 1-1e-6 {
					t.Errorf("%s %s, %d workers: %g is done at the end", c.program, name, workers, last)
				}
				var said []float64
				for _, tenths := range []int64{1, 3, 5, 7, 9} {
					k := slices.IndexFunc(s.at, func(n int64) bool { return n >= s.nodes*tenths/10 })
					said = append(said, math.Round(1000*s.done[k])/1000)
					off = append(off, math.Abs(s.done[k]-float64(tenths)/10))
				}
				t.Logf("%s N=%s %s, %d workers, %d nodes, %d records: %v", c.program, c.n, name, workers, s.nodes,
					len(s.at), said)
			}
		}
	}
	slices.Sort(off)
	t.Logf("half of %d are off by at most %.2f, nine of ten by %.2f", len(off), off[len(off)/2], off[len(off)*9/10])
	if off[len(off)/2] > 0.25 || off[len(off)*9/10] > 0.6 {
		t.Error("that is of no use")
	}
}
