package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
)

// nonsense are messages that are none of any kind.
var nonsense = []string{"", "null", "xx", "{", "[]", `"text"`, "{}", "\x00\xff\x00", "{}\x00\xff\xff\xff\xff\xff\xff", "7",
	`{"Elsewhere":"spec"}`}

// forgedRecords are records that no worker appends to the chain of a task, with a number and the task as JSON.
var forgedRecords = []string{
	`{"Task":{"Node":9999,"Place":0},"Number":0}`,
	`{"Task":{"Node":-77,"Place":-1},"Number":-1}`,
	`{"Task":TASK,"Number":-1}`,
	`{"Task":TASK,"Number":9000000000000000000}`,
	`{"Task":TASK,"Number":NUMBER,"Tries":-9}`,
	`{"Task":TASK,"Number":NUMBER,"Tries":900000000}`,
	`{"Task":TASK,"Number":NUMBER,"Tries":1,"Left":{"ID":TASK,"Begin":77,"Levels":[{"Action":77777}]}}`,
	`{"Task":TASK,"Number":NUMBER,"Stored":"found--1.0-0-00"}`,
	`{"Task":TASK,"Number":NUMBER,"Insert":[{"Depth":99,"Actions":[1]}]}`,
	`{"Task":TASK,"Number":NUMBER,"Insert":[{"Depth":-1,"Actions":[-1]}]}`,
	`{"Task":TASK,"Number":NUMBER,"Split":[{"Action":-5,"Enabled":[100000]}],"Left":{"ID":TASK}}`,
	`{"Task":TASK,"Number":NUMBER,"Left":{"ID":TASK,"Own":-1,"Levels":[]}}`,
	`{"Task":TASK,"Number":NUMBER,"Left":{"ID":{"Node":5,"Place":5},"Own":0,"Levels":[{}]}}`,
	`{"Task":TASK,"Number":NUMBER,"Left":{"ID":TASK,"Own":0,"Begin":-1,"Levels":[{"Action":77777},{"Action":-9}]}}`,
	"{\"Task\":TASK,\"Number\":NUMBER}\x00\x04junk",
	`{"Take":{"Node":0,"Action":0}}`,
	`{"End":"complete"}`,
	`{"Origins":[[]]}`,
	`{"Folded":{"Name":"nothing","Sequence":1}}`,
}

// forged are messages of each kind that are none of a job.
var forged = map[string][]string{
	workKind: {
		`{"ID":{"Node":-1},"Own":5,"Begin":-1}`, `{"ID":{"Node":77},"Begin":999999}`,
		`{"ID":{"Node":-1},"Own":1,"Begin":0,"Levels":[{}]}`, `{"ID":{"Node":-1},"Own":-1,"Begin":-7,"Levels":[{"Action":7777}]}`,
		`{"ID":{"Node":-1},"Own":1,"Begin":1,"Levels":[{"Action":1,"Backtrack":[100000],"Sleep":[-3]}]}`,
		`{"ID":{"Node":-1},"Own":1,"Begin":1,"State":[1,2,3],"Levels":[{"Action":0}]}`},
	wantKind:     {`{"Tasks":-1,"Workers":-9}`, `{"Tasks":9000000000000000000,"Workers":1}`, `{"Tasks":1,"Workers":"x"}`},
	progressKind: {`{"ID":"x","Workers":-1,"Share":1e300,"Counts":{"Violations":[null],"Outcomes":null}}`},
	endKind:      nil, // workers look up
	askKind:      {`{"Round":-1,"Stage":"zz","Mode":9}`, `{"Round":9000000000000000000,"Mode":-1}`},
	statusKind: {`{"Round":-1,"Worker":"x","Stage":"zz","Coming":true}`, `{"Round":999999999,"Quiet":true,"Worker":"x"}`,
		`{"Worker":"x","Sent":-1,"Received":9000000000000000000,"States":-5}`},
	batchKind: {"\xff\xff\xff\xff", "\x01\x02\x03"},
}

// sieges is how many searches there have been to which somebody publishes what is none of them.
var sieges atomic.Int64

// besiege submits a search by an algorithm, under a name of its own.
func besiege(t *testing.T, nc *nats.Conn, algorithm, n string) *searched {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &searched{nc: nc, m: load(t, path, string(text), "N", n)}
	if s.a, err = explore.Find(algorithm); err != nil {
		t.Fatal(err)
	}
	if s.one, err = explore.Run(t.Context(), s.m, s.a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(s.m, s.a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.job, err = Create(t.Context(), nc, fmt.Sprint("siege-", sieges.Add(1)), spec,
		CreateOptions{Wait: 2 * time.Second}); err != nil {
		t.Fatal(err)
	}
	return s
}

// publish sends what is forged, in the place of a record or beside it, and waits until the server has it.
func (s *searched) publish(t *testing.T, subject, text string) {
	m := &nats.Msg{Subject: subject, Data: []byte(text)}
	if strings.Contains(subject, "."+batchKind+".") {
		m.Header = nats.Header{stageHeader: {"x"}, fromHeader: {"nobody"}, numberHeader: {"0"}}
	}
	if err := s.nc.PublishMsg(m); err != nil {
		t.Error(err)
	}
	_ = s.nc.Flush()
}

// endure searches while something is published before it begins and when it has come to a few records, and expects
// that what is found is right, or that the search says that it is incomplete; and that who comes back finds the same.
func (s *searched) endure(t *testing.T, attack func()) *explore.Result {
	t.Helper()
	attack()
	defer s.afterRecords(t, 8, attack)()
	end := s.working(t)
	first, err := s.coordinateWith(t.Context(), 20, 3)
	if err != nil {
		t.Fatalf("the search has ended: %v", err)
	}
	s.partly(t, first)
	again, err := s.coordinateWith(t.Context(), 20, 3)
	if err != nil {
		t.Fatalf("who comes back to the search cannot report: %v", err)
	}
	s.partly(t, again)
	end()
	if err := s.job.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	return again
}

// afterRecords calls a function when there have been so many records. end ends the waiting, and tells how many there
// were.
func (s *searched) afterRecords(t *testing.T, n int, f func()) (end func() (records int)) {
	t.Helper()
	records := 0
	logged, err := s.nc.Subscribe(s.job.subject(loggedKind, "*"), func(*nats.Msg) {
		if records++; records == n {
			f()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() int { _ = logged.Unsubscribe(); return records }
}

// partly expects that a search has found what a search alone does, or a part of that and says so.
func (s *searched) partly(t *testing.T, r *explore.Result) {
	t.Helper()
	switch r.Stopped {
	case explore.StoppedComplete:
		s.like(t, r)
	case explore.StoppedLost, explore.StoppedPoison:
		all := map[string]bool{}
		for _, o := range s.one.Outcomes.All() {
			all[fmt.Sprint(o.Words)] = true
		}
		for _, o := range r.Outcomes.All() {
			if !all[fmt.Sprint(o.Words)] {
				t.Errorf("the outcome %v is none of the program", o.Words)
			}
		}
	default:
		t.Errorf("the search has ended: %s", r.Stopped)
	}
}

// attacks are what is published in one search each: all nonsense, what is stored elsewhere and is not there, and what
// is forged, each by itself.
func attacks(forged []string) (list [][]string) {
	list = [][]string{nonsense, {`{"Elsewhere":"nothing"}`}}
	for _, text := range forged {
		list = append(list, []string{text})
	}
	return list
}

// inRoot publishes records in the chain of the first task, in each place that may be the next.
func (s *searched) inRoot(t *testing.T, text string) {
	t.Helper()
	for n := range 12 {
		replaced := strings.NewReplacer("TASK", `{"Node":-1,"Place":0}`, "NUMBER", fmt.Sprint(n)).Replace(text)
		s.publish(t, s.job.subject(logKind, token(joblog.Root)), replaced)
		if replaced == text {
			break
		}
	}
}

// TestForged publishes what is none of a search to one at work: it ends with the right outcomes, or as incomplete.
func TestForged(t *testing.T) {
	server := serve(t, "", t.TempDir())
	t.Cleanup(func() { server.Close() })
	nc := connect(t, server)
	run := func(name, algorithm string, list []string, publish func(t *testing.T, s *searched, text string)) {
		t.Run(name+" "+list[len(list)-1], func(t *testing.T) {
			t.Parallel() // most of the time they wait
			s := besiege(t, nc, algorithm, "4")
			s.endure(t, func() {
				for _, text := range list {
					publish(t, s, text)
				}
			})
		})
	}
	for _, list := range attacks(forgedRecords) {
		run("source", "source", list, func(t *testing.T, s *searched, text string) { s.inRoot(t, text) })
	}
	stages := []string{"{}\x00\x02{}", `{"Stored":"nothing"}`, "{}\x00\x0e{\"ID\":\"other\"}"}
	for _, list := range attacks(stages) {
		run(stageChain, "exhaustive", list, func(t *testing.T, s *searched, text string) {
			s.publish(t, s.job.subject(logKind, stageChain), text)
		})
	}
	wrongKind := slices.DeleteFunc(slices.Clone(forgedRecords), func(text string) bool {
		return strings.Contains(text, "TASK") || strings.Contains(text, "Folded") || strings.Contains(text, "End")
	})
	for _, chain := range []string{takeChain, endChain, originChain, foldedChain, "junk"} {
		for _, list := range [][]string{slices.Concat(nonsense, wrongKind), {`{"Elsewhere":"nothing"}`},
			{`{"Folded":{"Name":"nothing","Sequence":1}}`}} {
			run(chain, "source", list, func(t *testing.T, s *searched, text string) {
				s.publish(t, s.job.subject(logKind, chain), text)
			})
		}
	}
	for kind, list := range forged {
		algorithms, tokens := []string{"source"}, []string{}
		switch kind {
		case progressKind, endKind: // whatever the algorithm
			algorithms = append(algorithms, "exhaustive")
		case workKind:
			tokens = []string{"root"}
		case askKind, statusKind:
			algorithms = []string{"exhaustive"}
		case batchKind:
			algorithms, tokens = []string{"exhaustive"}, []string{"worker"}
		}
		for _, list := range attacks(list) {
			for _, algorithm := range algorithms {
				run(kind+" "+algorithm, algorithm, list, func(t *testing.T, s *searched, text string) {
					s.publish(t, s.job.subject(kind, tokens...), text)
					if kind == workKind {
						s.publish(t, s.job.subject(kind, "77-0"), text)
					}
				})
			}
		}
	}
}

// forgedPresence is what no process says of itself.
var forgedPresence = []string{
	`{"ID":"a","Cores":9000000000000000000,"Busy":-5,"Nodes":-9223372036854775808}`,
	`{"ID":"b","Cores":-9000000000000000}`, `{"ID":"c","Cores":20001}`, `{"Cores":5,"Busy":3}`,
	`{"ID":"d","Cores":1,"Nodes":9223372036854775807}`, `{"ID":"e","Cores":3,"Busy":9}`, `{"ID":"f","Cores":3,"Hung":7}`,
}

// forgedNames are what somebody says in the name of a process that is there.
var forgedNames = []string{
	`{"ID":"WORKER"}`, `{"ID":"WORKER","Cores":20000,"Busy":20000,"Hung":20000,"Nodes":72057594037927935}`,
}

// TestForgedPresence: whatever is said of workers, and in whose name, a search comes to its end and finds all. What no
// process says does not count when one asks how the search is doing.
func TestForgedPresence(t *testing.T) {
	server := serve(t, "", t.TempDir())
	t.Cleanup(func() { server.Close() })
	nc := connect(t, server)
	for _, algorithm := range []string{"source", "exhaustive"} {
		for _, list := range append(attacks(forgedPresence), forgedNames) {
			t.Run(algorithm+" "+list[len(list)-1], func(t *testing.T) {
				t.Parallel()
				s := besiege(t, nc, algorithm, "4")
				subject := s.job.subject(presenceKind)
				named := make(chan bool)
				once := sync.OnceFunc(func() { close(named) })
				var mu sync.Mutex
				status := &Status{}
				end, err := status.listen(s.job, &mu)
				if err != nil {
					t.Fatal(err)
				}
				defer end()
				first, err := heed(s.job, presenceKind, func(p *Presence) {
					if p.Cores == 2 { // it is there
						for _, text := range list {
							_ = nc.Publish(subject, []byte(strings.ReplaceAll(text, "WORKER", p.ID)))
						}
						_ = nc.Publish(subject, []byte(`{"ID":"last","Host":"last","Cores":1}`))
						once()
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				defer first()
				r := s.endure(t, func() {
					for _, text := range list {
						s.publish(t, subject, text)
					}
				})
				if r.Stopped != explore.StoppedComplete {
					t.Errorf("the search has ended: %s", r.Stopped)
				}
				<-named
				for hosts := 0; hosts < 2; time.Sleep(time.Millisecond) {
					mu.Lock()
					hosts = status.Hosts
					mu.Unlock()
				}
				mu.Lock()
				defer mu.Unlock()
				if n := status; min(n.Busy, n.Hung, n.Workers-n.Busy) < 0 || n.Nodes < 0 || n.Rate < 0 ||
					!slices.Equal(list, forgedNames) && n.Workers != 3 {
					t.Errorf("%+v", n)
				}
			})
		}
	}
}
