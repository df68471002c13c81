package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
)

// TestDamagedStore ends a server in the midst of a search, damages a file of its store, and starts it again with that:
// the search ends with the right outcomes, or as incomplete, and who comes back once more finds the same. Where the
// server has lost the job it says so.
func TestDamagedStore(t *testing.T) {
	for algorithm, enough := range map[string]int{"source": 3, "optimal": 3, "exhaustive": 1} {
		store := t.TempDir()
		server := serve(t, "", store)
		nc := connect(t, server)
		s := besiege(t, nc, algorithm, "12")
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
					if err := damage(filepath.Join(copied, file), d.do); err != nil {
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
	do   func(text []byte) []byte
}{
	{"a bit", func(text []byte) []byte { text[len(text)/2] ^= 4; return text }},
	{"the end", func(text []byte) []byte { return text[:len(text)*2/3] }},
	{"all", func([]byte) []byte { return nil }},
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	job, err := Open(ctx, nc, s.job.Name)
	if err != nil {
		if !errors.Is(err, ErrNoJob) && !strings.Contains(err.Error(), "spec: nats: received a corrupt object") {
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

// TestStoreDamagedMeanwhile flips a bit in the log of a search while its server is down, and who coordinates the search
// and the workers go on: records that have been read are not there any more. The search ends with the right outcomes
// and as many executions, or as incomplete.
func TestStoreDamagedMeanwhile(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			store := t.TempDir()
			server := serve(t, "", store)
			at, err := url.Parse(server.URL())
			if err != nil {
				t.Fatal(err)
			}
			s := besiege(t, connect(t, server), "source", "11")
			half := make(chan bool)
			defer s.afterRecords(t, 10, func() { close(half) })()
			again := make(chan *Server, 1)
			go func() {
				<-half
				server.Close()
				for _, file := range blocks(t, store) {
					if streamOf(file) == "log" {
						if err := damage(filepath.Join(store, file), faultsOfFiles[0].do); err != nil {
							t.Error(err)
						}
					}
				}
				again <- serve(t, at.Host, store)
			}()
			end := s.working(t)
			r, err := s.coordinateWith(t.Context(), 20, 3)
			if err != nil {
				t.Fatalf("the search has ended: %v", err)
			}
			s.partly(t, r)
			end()
			(<-again).Close()
		})
	}
}

// TestBrokenChain: a record of the right number does not count behind one that does not, as it rests on that.
func TestBrokenChain(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := besiege(t, connect(t, server), "source", "4")
	for _, number := range []int{5, 0} { // the second one says that all has been explored
		s.publish(t, s.job.subject(logKind, token(joblog.Root)), fmt.Sprintf(`{"Parcel":{"Node":-1},"Number":%d}`, number))
	}
	end := s.working(t)
	defer end()
	r, err := s.coordinateWith(t.Context(), 20, 3)
	if err != nil || r.Stopped != explore.StoppedComplete {
		t.Fatalf("the search has ended: %s, %v", r.Stopped, err)
	}
	s.like(t, r)
}
