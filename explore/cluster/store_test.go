package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"

	"github.com/nats-io/nats.go"
)

// TestDamagedStore ends a server in the midst of a search, damages a file of its store, and starts it again with that:
// the search ends with the right outcomes, or as incomplete, and who comes back once more finds the same. Where the
// server has lost the job it says so.
func TestDamagedStore(t *testing.T) {
	for algorithm, enough := range map[string]int{"source": 3, "exhaustive": 1} {
		if testing.Short() && algorithm != "source" {
			continue
		}
		store := t.TempDir()
		server := serve(t, "", store)
		nc := connect(t, server)
		s := besiege(t, nc, algorithm, "11")
		s.halfway(t, enough)
		nc.Close()
		server.Close()
		for _, file := range blocks(t, store) {
			for _, d := range faultsOfFiles {
				t.Run(fmt.Sprintf("%s %s of %s", algorithm, d.name, streamOf(file)), func(t *testing.T) {
					t.Parallel()
					copied := t.TempDir()
					if err := os.CopyFS(copied, os.DirFS(store)); err != nil {
						t.Fatal(err)
					}
					path := filepath.Join(copied, file)
					if err := damage(path, func(text []byte) []byte { return d.do(text, len(text)/2) }); err != nil {
						t.Fatal(err)
					}
					server := serve(t, "", copied)
					defer server.Close()
					s.goesOn(t, connect(t, server))
				})
			}
		}
	}
}

// faultsOfFiles are what can happen to a file.
var faultsOfFiles = []struct {
	name string
	do   func(text []byte, at int) []byte
}{
	{"a bit", func(text []byte, at int) []byte { text[at] ^= 4; return text }},
	{"the end", func(text []byte, at int) []byte { return text[:at] }},
	{"all", func([]byte, int) []byte { return nil }},
}

// damage writes a file anew.
func damage(path string, do func(text []byte) []byte) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, do(text), 0o600)
}

// blocks lists the files of a store that hold messages, from the store on.
func blocks(t *testing.T, store string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(store, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".blk" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() == 0 {
			return err
		}
		file, err := filepath.Rel(store, path)
		list = append(list, file)
		return err
	})
	if err != nil || len(list) < 2 {
		t.Fatalf("the store has the blocks %v, error %v", list, err)
	}
	return list
}

// streamOf is the name of the stream that a file of a store belongs to, without that of the job.
func streamOf(file string) string {
	_, rest, _ := strings.Cut(filepath.ToSlash(file), "/streams/")
	name, _, _ := strings.Cut(rest, "/")
	return name[strings.LastIndex(name, "-")+1:]
}

// halfway searches until there are enough records.
func (s *searched) halfway(t *testing.T, enough int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := s.afterRecords(t, enough, cancel)
	end := s.working(t)
	defer end()
	if _, err := s.coordinateWith(ctx, 5, 3); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if records := seen(); records < enough {
		t.Fatalf("the search was over after %d records", records)
	}
}

// goesOn expects of a job over a connection that it comes to an end, or is not there any more.
func (s *searched) goesOn(t *testing.T, nc *nats.Conn) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	job, err := Open(ctx, nc, s.job.Name)
	if err != nil {
		if !errors.Is(err, ErrNoJob) && !errors.Is(err, errPartLost) {
			t.Errorf("the job cannot be opened: %v", err)
		}
		return
	}
	again := &searched{nc: nc, job: job, m: s.m, a: s.a, one: s.one}
	end := again.working(t)
	defer end()
	for range 2 {
		r, err := again.coordinateWith(ctx, 5, 3)
		if err != nil {
			t.Fatalf("the search has ended: %v", err)
		}
		again.partly(t, r)
	}
}

// TestStoreDamagedMeanwhile damages a file of the store of a search while its server is down, at a place drawn by
// -seed, and who coordinates the search and the workers go on: records that have been read are not there any more, or
// others take their place. The search ends with the right outcomes and as many executions, or as incomplete, and so
// does who comes back.
func TestStoreDamagedMeanwhile(t *testing.T) {
	draws := rand.New(rand.NewSource(*seed))
	for _, algorithm := range []string{"source", "exhaustive"} {
		if testing.Short() && algorithm != "source" {
			continue
		}
		for _, stream := range []string{"log", "work", "OBJ"} {
			for _, d := range faultsOfFiles {
				enough, part := 2+draws.Intn(30), draws.Float64()
				if algorithm == "exhaustive" {
					enough = 1
				}
				t.Run(fmt.Sprintf("%s %s of %s", algorithm, d.name, stream), func(t *testing.T) {
					t.Parallel()
					store := t.TempDir()
					server := serve(t, "", store)
					at, err := url.Parse(server.URL())
					if err != nil {
						t.Fatal(err)
					}
					s := besiege(t, connect(t, server), algorithm, "10")
					seen := make(chan bool)
					defer s.afterRecords(t, enough, func() { close(seen) })()
					ended := make(chan bool)
					var all sync.WaitGroup
					all.Go(func() {
						select {
						case <-seen:
						case <-ended:
							t.Log("the search was over before its server was")
							return
						}
						server.Close()
						for _, file := range blocks(t, store) {
							if !strings.HasPrefix(streamOf(file), stream) {
								continue
							}
							if err := damage(filepath.Join(store, file), func(text []byte) []byte {
								return d.do(text, int(part*float64(len(text))))
							}); err != nil {
								t.Error(err)
							}
						}
						server = serve(t, at.Host, store)
					})
					end := s.working(t)
					for range 2 {
						r, err := s.coordinateWith(t.Context(), 20, 3)
						for errors.Is(err, ErrLogLost) {
							r, err = s.coordinateWith(t.Context(), 20, 3)
						}
						if err != nil {
							t.Errorf("the search has ended: %v", err)
							break
						}
						t.Logf("%s: %d executions of %d", r.Stopped, r.Executions, s.one.Executions)
						s.partly(t, r)
					}
					close(ended)
					all.Wait()
					end()
					server.Close()
				})
			}
		}
	}
}

// TestBrokenChain: a record of the right number does not count behind one that does not, as it rests on that.
func TestBrokenChain(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := besiege(t, connect(t, server), "source", "4")
	for _, number := range []int{5, 0} { // the second one says that all has been explored
		s.publish(t, s.job.subject(logKind, token(joblog.Root)), fmt.Sprintf(`{"Task":{"Node":-1},"Number":%d}`, number))
	}
	end := s.working(t)
	defer end()
	r, err := s.coordinateWith(t.Context(), 20, 3)
	if err != nil || r.Stopped != explore.StoppedComplete {
		t.Fatalf("the search has ended: %s, %v", r.Stopped, err)
	}
	s.like(t, r)
}

// TestLostHistory: what the log has of a task from before it began is by a worker that knew more of the log than the
// server has now, and what it has of another task by the same name does not count.
func TestLostHistory(t *testing.T) {
	server := serve(t, "", t.TempDir())
	t.Cleanup(server.Close)
	nc := connect(t, server)
	for _, algorithm := range []string{"source", "classic"} {
		id := joblog.ID{Node: 0, Place: 1}
		for name, r := range map[string]*joblog.Record{
			"ended": {Task: id},
			"under way": {Task: id, Left: &joblog.Task{ID: id, Own: 1, Begin: -1,
				Levels: make([]checkpoint.Level, 3)}},
			"in vain": {Task: id, Tries: 1, Left: &joblog.Task{ID: id}},
		} {
			for _, early := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s %t", algorithm, name, early), func(t *testing.T) {
					t.Parallel()
					s := besiege(t, nc, algorithm, "10")
					put := func() {
						_, err := s.job.log.append(t.Context(), token(id), 0, r)
						if err != nil && !errors.Is(err, errRefused) {
							t.Error(err)
						}
					}
					var once sync.Once
					if early {
						put()
					} else if _, err := s.nc.Subscribe(s.job.subject(workKind, token(id)), func(*nats.Msg) {
						once.Do(put)
					}); err != nil {
						t.Fatal(err)
					}
					end := s.working(t)
					defer end()
					r, err := s.coordinateWith(t.Context(), 20, 3)
					if err != nil || r.Stopped != explore.StoppedComplete {
						t.Fatalf("the search has ended: %+v, %v", r, err)
					}
					s.like(t, r)
					if early && r.Unread == 0 {
						t.Error("the record has been counted")
					}
				})
			}
		}
	}
}

// TestPartLost: a job of which the server has lost a part is named, hides no other one, and can be removed.
func TestPartLost(t *testing.T) {
	defer func(d time.Duration) { madeWithin = d }(madeWithin)
	server := serve(t, "", t.TempDir())
	defer server.Close()
	nc := connect(t, server)
	whole := besiege(t, nc, "source", "3").job
	if err := whole.End(t.Context(), explore.StoppedCancelled); err != nil {
		t.Fatal(err)
	}
	headless := besiege(t, nc, "source", "3").job
	if err := headless.js.DeleteStream(t.Context(), headless.stream("log")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), nc, headless.Name); !errors.As(err, &partly{}) || !errors.Is(err, ErrNoJob) {
		t.Errorf("a job without a log is opened: %v", err)
	}
	if err := Remove(t.Context(), nc, headless.Name); err != nil {
		t.Error(err)
	}
	for _, lose := range []func(*Job) error{
		func(j *Job) error { return j.objects.store.Delete(t.Context(), specObject) },
		func(j *Job) error { return j.js.DeleteObjectStore(t.Context(), j.bucket()) },
		func(j *Job) error { return j.js.DeleteStream(t.Context(), j.stream("work")) },
	} {
		part := besiege(t, nc, "source", "3").job
		if err := lose(part); err != nil {
			t.Fatal(err)
		}
		madeWithin = time.Hour
		if _, err := Open(t.Context(), nc, part.Name); !errors.As(err, &partly{}) || !errors.Is(err, ErrNoJob) {
			t.Errorf("a young job is opened: %v", err)
		}
		madeWithin = 0
		if _, err := Open(t.Context(), nc, part.Name); !errors.Is(err, errPartLost) {
			t.Errorf("the job is opened: %v", err)
		}
		list, err := Statuses(t.Context(), nc, []string{part.Name, whole.Name})
		if err == nil || len(list) != 1 || list[0].Job != whole.Name {
			t.Errorf("there are the jobs %+v, error %v", list, err)
		}
		if err := Remove(t.Context(), nc, part.Name); err != nil {
			t.Error(err)
		}
		if err := Remove(t.Context(), nc, part.Name); !errors.Is(err, ErrNoJob) {
			t.Errorf("it is still there: %v", err)
		}
	}
}

// TestConsumerLost: a search goes on whose server has lost the consumer of the queue, before it begins or meanwhile.
func TestConsumerLost(t *testing.T) {
	server := serve(t, "", t.TempDir())
	t.Cleanup(server.Close)
	nc := connect(t, server)
	for _, algorithm := range []string{"source", "exhaustive"} {
		for name, records := range map[string]int{"before": 0, "meanwhile": 1} {
			t.Run(algorithm+" "+name, func(t *testing.T) {
				t.Parallel()
				s := besiege(t, nc, algorithm, "9")
				lose := func() {
					if err := s.job.work.DeleteConsumer(t.Context(), consumer); err != nil {
						t.Error(err)
					}
				}
				defer s.afterRecords(t, records, lose)()
				if records == 0 {
					lose()
				}
				defer s.working(t)()
				findings, err := distributed.NewFindings(t.Context(), s.m.Fresh(), s.a, explore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				stopped, err := Coordinate(t.Context(), s.job, findings, CoordinateOptions{Submitter: true, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				s.like(t, findings.Result(stopped))
			})
		}
	}
}
