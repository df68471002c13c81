package cluster

import (
	"strings"
	"sync"
	"testing"
	"time"

	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"
)

// TestHung: a worker that gives no sign of life is said to hang, once, and where, and counted for those who ask; one
// that does, or waits for something, is not.
func TestHung(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "4", time.Second)
	var said []string
	process := NewProcess(s.nc, WorkOptions{Cores: 2, Say: func(line string) { said = append(said, line) }})
	const wait = 20 * time.Millisecond
	m := &jobWorkers{job: s.job, workers: []*worker{{}, {}}}
	for _, w := range m.workers {
		w.patience.Store(int64(wait))
	}
	hung := m.workers[0]
	if n := process.hung(m); n != 0 {
		t.Errorf("%d idle workers hang", n)
	}
	levels := []checkpoint.Level{{Action: 3}, {Action: 1}, {Action: -1}}
	hung.watchdog.begin(&joblog.Task{ID: joblog.Root, Levels: levels})
	m.workers[1].watchdog.begin(&joblog.Task{ID: joblog.Root})
	time.Sleep(2 * wait)
	m.workers[1].watchdog.sign(time.Now().Add(time.Minute))
	for range 2 {
		if n := process.hung(m); n != 1 {
			t.Errorf("%d workers hang", n)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "after the actions 3,1:") {
		t.Errorf("%q", said)
	}
	var mu sync.Mutex
	status := &Status{}
	end, err := status.listen(s.job, &mu)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for i, n := range []int{1, 2, 1} { // what was heard last counts
		s.job.tell(presenceKind, Presence{ID: "one", Cores: 2, Busy: n, Hung: n, Nodes: int64(100 * i)})
	}
	s.job.tell(presenceKind, Presence{ID: "two", Cores: 1})
	_ = s.nc.Flush()
	for ; t.Context().Err() == nil; time.Sleep(time.Millisecond) {
		mu.Lock()
		got := *status
		mu.Unlock()
		if got.Workers == 3 && got.Busy == 1 && got.Hung == 1 && got.Nodes == 200 && got.Rate > 0 {
			break
		}
	}
	hung.watchdog.begin(nil)
	if n := process.hung(m); n != 0 {
		t.Errorf("%d workers hang that have gone on", n)
	}
}
