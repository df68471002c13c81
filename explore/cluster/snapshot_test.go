package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"

	"github.com/nats-io/nats.go/jetstream"
)

// errKilled ends a coordinator of a test.
var errKilled = errors.New("killed")

// coordinateWith coordinates the job until it is over, with snapshots after so many records.
func (s *searched) coordinateWith(ctx context.Context, every, gaps int) (*explore.Result, error) {
	findings, err := distributed.NewFindings(ctx, s.m.Fresh(), s.a, explore.Options{})
	if err != nil {
		return nil, err
	}
	stopped, err := Coordinate(ctx, s.job, findings, CoordinateOptions{Workers: 2, SnapshotEvery: every,
		mostGaps: gaps})
	if err != nil {
		return nil, err
	}
	return findings.Result(stopped), nil
}

// working lets two workers work on the job until end is called.
func (s *searched) working(t *testing.T) (end func()) {
	life, kill := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		process := NewProcess(s.nc, WorkOptions{Job: s.job.Name, Cores: 2, Slice: 20 * time.Microsecond})
		if err := process.Work(life); err != nil {
			t.Error(err)
		}
		close(done)
	}()
	return func() {
		kill()
		<-done
	}
}

// like expects that a search has found what a search alone does.
func (s *searched) like(t *testing.T, r *explore.Result) {
	t.Helper()
	if want, got := said(s.a, false, s.one), said(s.a, false, r); want != got {
		t.Errorf("%.300s, not %.300s", got, want)
	}
}

// reader is a coordinator that has read the log up to its end, and clears nothing away any more.
func (s *searched) reader(t *testing.T, ctx context.Context) *coordinator {
	t.Helper()
	c := &coordinator{job: s.job}
	var err error
	if c.findings, err = distributed.NewFindings(ctx, s.m.Fresh(), s.a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := c.load(ctx); err != nil {
		t.Fatal(err)
	}
	c.adder = newAdder(ctx, s.job, c.findings)
	defer c.adder.end()
	records, there, err := c.follow(ctx)
	for err == nil && c.last < there {
		err = c.read(ctx, <-records)
	}
	if err = errors.Join(err, c.adder.wait()); err != nil {
		t.Fatal(err)
	}
	if c.cleaned != nil {
		if err := <-c.cleaned; err != nil {
			t.Fatal(err)
		}
		c.cleaned = nil
	}
	return c
}

// compacted expects that little is left of the log: of each chain its last record, and no rubbish beside it.
func (s *searched) compacted(t *testing.T, every int) {
	t.Helper()
	c := s.reader(t, t.Context()) // much may have come while what was there last was cleared away
	if err := c.snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-c.cleaned; err != nil {
		t.Fatal(err)
	}
	info, err := s.job.log.messages.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	state := info.State
	if state.Msgs > state.NumSubjects+uint64(8*every) && state.Msgs > state.LastSeq/2 {
		t.Errorf("%d records of %d chains are left of %d", state.Msgs, state.NumSubjects, state.LastSeq)
	}
	list, err := s.job.objects.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := uint64(len(list)); n > state.LastSeq/2 && n > 2 { // the spec and the snapshot
		t.Errorf("%d objects are left, of %d records", n, state.LastSeq)
	}
}

// TestSnapshotKilled kills coordinators between each two of the operations that take records off the log. Those after
// them find what they need.
func TestSnapshotKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	server := serve(t, "", t.TempDir())
	defer server.Close()
	defer func(found, message int) { largeFound, largeMessage = found, message }(largeFound, largeMessage)
	largeFound, largeMessage = 600, 1000 // so that there is something beside the log
	const every = 6
	s := lastZero(t, connect(t, server), "11", 300*time.Millisecond)
	defer s.working(t)()
	steps := []string{"stored", "named", "buried", "purged"}
	killed := map[string]int{}
	kill := func(at string) {
		s.job.interrupt = func(step string) error {
			if step == at {
				killed[step]++
				return errKilled
			}
			return nil
		}
	}
	for round := 0; ; round++ {
		kill(append(steps, "")[round%(len(steps)+1)])
		if round > 12 {
			s.job.interrupt = nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := s.coordinateWith(ctx, every, 0)
		cancel()
		if errors.Is(err, errKilled) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s.like(t, r)
		break
	}
	t.Logf("killed during the search after %v", killed)
	for _, at := range steps { // the search may have been too short for all of them
		s.job.interrupt = nil
		c := s.reader(t, t.Context())
		kill(at)
		err := c.snapshot(t.Context())
		if err == nil {
			err = <-c.cleaned
		}
		if !errors.Is(err, errKilled) {
			t.Errorf("not killed after %s: %v", at, err)
		}
		s.job.interrupt = nil
		r, err := s.coordinateWith(t.Context(), every, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.like(t, r)
	}
	s.compacted(t, every)
}

// TestSnapshots lets two coordinators store snapshots at the same time.
func TestSnapshots(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "8", 300*time.Millisecond)
	defer s.working(t)()
	early := &coordinator{job: s.job}
	var err error
	if early.findings, err = distributed.NewFindings(t.Context(), s.m.Fresh(), s.a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := early.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	other := make(chan ending, 1)
	go func() {
		r, err := s.coordinateWith(ctx, 3, 0)
		other <- ending{r, err}
	}()
	r, err := s.coordinateWith(ctx, 5, 0)
	second := <-other
	if err = errors.Join(err, second.err); err != nil {
		t.Fatal(err)
	}
	s.like(t, r)
	s.like(t, second.r)
	// One that was slow notices that records are missing, and one that comes late needs only what is left.
	if err := early.readOn(ctx, &mark{}, make(chan logged, 1)); !errors.Is(err, errGap) {
		t.Errorf("one that was slow reads on: %v", err)
	}
	if r, err = s.coordinateWith(ctx, 0, 0); err != nil {
		t.Fatal(err)
	}
	s.like(t, r)
}

// TestSnapshotLost: records that have been removed cannot be made up for when the server loses the snapshot. The search
// ends, and says so.
func TestSnapshotLost(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "12", 300*time.Millisecond)
	end := s.working(t)
	s.job.interrupt = func(step string) error {
		if step == "purged" {
			return errKilled
		}
		return nil
	}
	if _, err := s.coordinateWith(t.Context(), 5, 0); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	end()
	s.job.interrupt = nil
	h, err := s.job.log.headOf(t.Context(), foldedChain)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.job.objects.drop(t.Context(), h.record.Folded.Name); err != nil {
		t.Fatal(err)
	}
	r, err := s.coordinateWith(t.Context(), 20, 2)
	if err != nil || r.Stopped != explore.StoppedLost || r.Verdict == explore.OK || r.Verdict == explore.Bounded {
		t.Errorf("%+v, %v", r, err)
	}
	if why, err := s.job.Ended(t.Context()); err != nil || why != explore.StoppedLost {
		t.Errorf("the search has ended: %q, %v", why, err)
	}
}

// settable is a job whose server can be set back to what it has now.
func settable(t *testing.T) (s *searched, back func()) {
	t.Helper()
	dir := t.TempDir()
	store, older := filepath.Join(dir, "store"), filepath.Join(dir, "older")
	server := serve(t, "", store)
	at, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	s = lastZero(t, connect(t, server), "5", time.Minute)
	restart := func(change func() error) {
		server.Close()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		server = serve(t, at.Host, store)
	}
	t.Cleanup(func() { server.Close() })
	restart(func() error { return os.CopyFS(older, os.DirFS(store)) })
	return s, func() {
		restart(func() error { return errors.Join(os.RemoveAll(store), os.CopyFS(store, os.DirFS(older))) })
	}
}

// TestTakeLost: a coordinator notices that the last message it has read, what it has taken itself, is another one.
func TestTakeLost(t *testing.T) {
	s, back := settable(t)
	take := func(action int) {
		r := &joblog.Record{Take: &joblog.Take{Action: action}}
		if _, err := s.job.log.appendAll(t.Context(), takeChain, []*joblog.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	take(1)
	c, last := &coordinator{job: s.job}, mark{}
	ctx, cancel := context.WithCancel(t.Context())
	list, ended := make(chan logged), make(chan error)
	go func() { ended <- c.readOn(ctx, &last, list) }()
	<-list
	cancel()
	<-ended
	if err := s.job.again(t.Context(), func(ctx context.Context) error { return c.still(ctx, &last) }); err != nil {
		t.Errorf("nothing is lost: %v", err)
	}
	back()
	take(2)
	err := s.job.again(t.Context(), func(ctx context.Context) error { return c.still(ctx, &last) })
	if !errors.Is(err, ErrLogLost) {
		t.Errorf("the take is another one: %v", err)
	}
}

// TestAcknowledgeLost: a worker does not wait for ever for a server that does not know its task any more.
func TestAcknowledgeLost(t *testing.T) {
	s, back := settable(t)
	if err := s.job.enqueue(t.Context(), &joblog.Task{ID: joblog.Root, Begin: -1}, 0); err != nil {
		t.Fatal(err)
	}
	queue, err := s.job.work.Consumer(t.Context(), consumer)
	if err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next()
	if err != nil {
		t.Fatal(err)
	}
	back()
	if err := s.job.acknowledge(t.Context(), m); err != nil {
		t.Error(err)
	}
}

// TestOlderStore sets a server back to an older store while everybody knows more than it has. What is left counts.
func TestOlderStore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	dir := t.TempDir()
	store, older := filepath.Join(dir, "store"), filepath.Join(dir, "older")
	server := serve(t, "", store)
	defer func() { server.Close() }()
	at, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	s := lastZero(t, connect(t, server), "13", 300*time.Millisecond)
	end := s.working(t)
	// until has the search go on until there have been more records.
	until := func(records uint64) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			err := ErrLogLost
			for errors.Is(err, ErrLogLost) {
				_, err = s.coordinateWith(ctx, 15, 0)
			}
			done <- err
		}()
		for info := (*jetstream.StreamInfo)(nil); info == nil || info.State.LastSeq < records; {
			select {
			case err := <-done:
				t.Fatalf("the search is over before it says something: %v", err)
			case <-time.After(time.Millisecond):
				info, _ = s.job.log.messages.Info(t.Context())
			}
		}
		cancel()
		<-done
	}
	restart := func(change func() error) {
		server.Close()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		server = serve(t, at.Host, store)
	}
	until(30)
	restart(func() error { return os.CopyFS(older, os.DirFS(store)) })
	until(60)
	restart(func() error { return errors.Join(os.RemoveAll(store), os.CopyFS(store, os.DirFS(older))) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for {
		r, err := s.coordinateWith(ctx, 15, 3)
		if errors.Is(err, ErrLogLost) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s.like(t, r)
		break
	}
	end()
}

// TestAppendOlderStore sets a server back to an older store in the middle of an append, where another worker has put a
// record in the place of the one that the append rests on, with the same number and sequence: it is refused.
func TestAppendOlderStore(t *testing.T) {
	dir := t.TempDir()
	store, older := filepath.Join(dir, "store"), filepath.Join(dir, "older")
	server := serve(t, "", store)
	defer func() { server.Close() }()
	at, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	job := lastZero(t, connect(t, server), "4", time.Second).job
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := func(begin int) *joblog.Record {
		return &joblog.Record{Task: joblog.Root, Left: &joblog.Task{ID: joblog.Root, Begin: begin}}
	}
	where := func(j *Job) *place { // where the chain goes on
		h, err := j.log.headOf(ctx, token(joblog.Root))
		if err != nil {
			t.Fatal(err)
		}
		p := &place{chain: token(joblog.Root), last: h.sequence, nonce: h.nonce, reconnects: j.nc.Stats().Reconnects}
		if h.record != nil {
			p.number = h.record.Number + 1
		}
		return p
	}
	if err := job.log.appendNext(ctx, where(job), left(0)); err != nil {
		t.Fatal(err)
	}
	server.Close()
	if err := os.CopyFS(older, os.DirFS(store)); err != nil {
		t.Fatal(err)
	}
	server = serve(t, at.Host, store)
	if err := job.log.appendNext(ctx, where(job), left(1)); err != nil {
		t.Fatal(err)
	}
	here := where(job)
	server.Close()
	done := make(chan error, 1)
	go func() { done <- job.log.appendNext(ctx, here, left(2)) }()
	for job.nc.IsConnected() { // it tries in vain
		time.Sleep(time.Millisecond)
	}
	other := serve(t, "", older)
	nc := connect(t, other)
	same, err := Open(ctx, nc, job.Name)
	if err == nil {
		err = same.log.appendNext(ctx, where(same), left(3))
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := where(same); p.last != here.last || p.number != here.number {
		t.Fatalf("that says little: %+v, %+v", p, here)
	}
	nc.Close()
	other.Close()
	server = serve(t, at.Host, older)
	if err := <-done; !errors.Is(err, errRefused) {
		t.Errorf("a record has been appended to another one than it rests on: %v", err)
	}
	if h, err := job.log.headOf(ctx, token(joblog.Root)); err != nil || h.record.Left.Begin != 3 {
		t.Errorf("the last record is %+v, %v", h.record, err)
	}
}

// TestLarge: the names of objects say what they are of.
func TestLarge(t *testing.T) {
	for _, id := range []joblog.ID{joblog.Root, {Node: 12, Place: 3}} {
		for _, kind := range []string{foundLarge, recordLarge, taskLarge} {
			l := owner{kind, id, 7}
			if got, ok := ownerOf(l.name([]byte("text"))); !ok || got != l {
				t.Errorf("%s is of %v, %v", l.name(nil), got, ok)
			}
		}
	}
	for _, name := range []string{"spec", "fold-xyz", "found-", "found-x.1-2-y", "other-0.0-0-1", "record",
		fmt.Sprint(strings.Repeat("9", 30))} {
		if l, ok := ownerOf(name); ok {
			t.Errorf("%s is of %v", name, l)
		}
	}
}

// TestLargeGoes: when records and tasks are large, and what they have found is, compaction leaves nothing of what is
// stored beside the log but the last snapshot, and removing the job leaves nothing at all.
func TestLargeGoes(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	defer func(found, message int) { largeFound, largeMessage = found, message }(largeFound, largeMessage)
	largeFound, largeMessage = 400, 250
	s := lastZero(t, connect(t, server), "9", 300*time.Millisecond)
	end := s.working(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := s.coordinateWith(ctx, 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.like(t, r)
	end()
	objects := func() []string {
		list, err := s.job.objects.list(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	c := s.reader(t, ctx)
	for _, l := range []owner{{recordLarge, joblog.Root, 0}, {foundLarge, joblog.Root, 0}, // nothing has come of them
		{kind: taskLarge, id: joblog.Root}} {
		if _, err := s.job.objects.put(ctx, l, []byte("late")); err != nil {
			t.Fatal(err)
		}
	}
	before := objects()
	if err := c.snapshot(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-c.cleaned; err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, name := range before {
		l, _ := ownerOf(name)
		kinds[l.kind]++
	}
	after := objects()
	t.Logf("%v before, %v after", kinds, after)
	if kinds[foundLarge] == 0 || kinds[recordLarge] == 0 || kinds[taskLarge] == 0 {
		t.Errorf("that says little: %v", kinds)
	}
	slices.Sort(after)
	if len(after) != 2 || !strings.HasPrefix(after[0], snapshotPrefix) || after[1] != specObject {
		t.Errorf("beside the log there are still %v", after)
	}
	if err := s.job.Remove(ctx); err != nil {
		t.Fatal(err)
	}
	streams := s.job.js.StreamNames(ctx)
	for name := range streams.Name() {
		t.Errorf("there is still %s", name)
	}
	if err := streams.Err(); err != nil {
		t.Error(err)
	}
}
