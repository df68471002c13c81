package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A clusterProcess is a process of a cluster.
type clusterProcess struct {
	cmd    *exec.Cmd
	output *messages
	ended  chan struct{}
	err    error
}

// Messages are what a process has written so far.
type messages struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *messages) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *messages) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// said are the messages of a process so far.
func (p *clusterProcess) said() string { return p.output.String() }

// start starts a command of cdpor.
func start(t testing.TB, args ...string) *clusterProcess {
	t.Helper()
	p := &clusterProcess{cmd: exec.Command("cdpor", args...), output: &messages{}, ended: make(chan struct{})}
	p.cmd.Stderr = p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *clusterProcess) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// beginServer starts a server in a folder, and returns where it listens.
func beginServer(dir string, args []string) (p *clusterProcess, at string, err error) {
	p = &clusterProcess{cmd: exec.Command("cdpor", args...), output: &messages{}, ended: make(chan struct{})}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.cmd.Stderr, p.cmd.Dir = p.output, dir
	if err := p.cmd.Start(); err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	at, _, ok := strings.Cut(strings.TrimPrefix(line, "listening on "), ",")
	if err != nil || !ok {
		p.kill()
		return nil, "", fmt.Errorf("%q, %w, %s", line, err, p.output)
	}
	return p, at, nil
}

// serveIn starts a server until the test ends.
func serveIn(t testing.TB, store, listen string) (p *clusterProcess, at string) {
	t.Helper()
	p, at, err := beginServer(".", []string{"serve", "--store", store, "--listen", listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p, at
}

// found is what every search of a program must report: what was found, without schedules. With counts, how many
// executions there were, and how many ended in each outcome.
func found(t *testing.T, report []byte, counts bool) map[string]any {
	t.Helper()
	all := result(t, report)
	search, _ := all["search"].(map[string]any)
	r := map[string]any{"verdict": all["verdict"], "stopped": all["stopped"]}
	if search["algorithm"] == "exhaustive" {
		r["states"], r["events"] = search["states"], search["events"]
	}
	for _, name := range []string{"executions", "ended", "deadlocked", "failed", "dropped"} {
		if r["any "+name] = search[name] != 0.0; counts {
			r[name] = search[name]
		}
	}
	for _, name := range []string{"outcomes", "deadlocks", "violations"} {
		list, _ := all[name].([]any)
		for _, one := range list {
			if m, ok := one.(map[string]any); ok {
				for _, differs := range []string{"schedule", "steps", "replay", "switches", "found", "trace"} {
					delete(m, differs)
				}
				if !counts {
					delete(m, "count")
				}
			}
		}
		if name == "violations" { // several workers have them in an order of their own
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		r[name] = list
	}
	return r
}

// reportOf runs a command of cdpor that reports a search.
func reportOf(t *testing.T, args ...string) (report []byte, messages string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "cdpor", append(args, "--json")...)
	cmd.Stderr = &stderr
	report, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		err = nil
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, report, &stderr)
	}
	return report, stderr.String()
}

func program(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClusterRun explores programs by two processes over a server, and expects what a search alone reports.
func TestClusterRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	t.Parallel()
	_, at := serveIn(t, t.TempDir(), "127.0.0.1:0")
	for range 2 {
		start(t, "work", "--connect", at, "--cores", "1", "--slice", "5ms")
	}
	for _, c := range []struct {
		search string
		counts bool
	}{
		{"programs/lastzero.yaml -p N=10 --algorithm source", true},
		{"programs/lastzero.yaml -p N=8 --algorithm context", false},
		{"programs/lastzero.yaml -p N=10 --algorithm source --visited", false},
		{"programs/lastzero.yaml -p N=15", false},
		{"go/lockorder --func TestBug --algorithm source", true},
		{"go/workerpool --func TestFixed --algorithm constrained", false},
		{"programs/lastzero.yaml -p N=10 --algorithm exhaustive", true},
		{"programs/hyman-broken.yaml --algorithm exhaustive", true},
		{"programs/lastzero.yaml -p N=8 --algorithm exhaustive --preemptions 2", true},
		{"go/workerpool --func TestFixed --algorithm exhaustive", true},
	} {
		args := strings.Fields("run " + c.search)
		args[1] = program(t, args[1])
		alone, _ := reportOf(t, args...)
		many, messages := reportOf(t, append(args, "--connect", at)...)
		if diff := cmp.Diff(found(t, alone, c.counts), found(t, many, c.counts)); diff != "" {
			t.Errorf("%s: -alone +by the cluster\n%s", c.search, diff)
		}
		if !strings.Contains(messages, "is submitted") {
			t.Errorf("%s: no job: %s", c.search, messages)
		}
	}
}

// leave interrupts the process that has submitted a search, and expects that it says how to come back.
func leave(t *testing.T, p *clusterProcess, job string) {
	t.Helper()
	for !strings.Contains(p.said(), "is submitted") {
		select {
		case <-p.ended:
			t.Fatalf("no job: %s", p.said())
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if want := "come back with: cdpor resume --connect"; !strings.Contains(p.said(), want) ||
		!strings.Contains(p.said(), job) {
		t.Fatalf("it does not say how to come back: %s", p.said())
	}
}

// TestClusterLeave leaves searches to the workers and comes back to them, to a YAML program and to a Go program, before
// they are over and after, and cancels one.
func TestClusterLeave(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	t.Parallel()
	_, at := serveIn(t, t.TempDir(), "127.0.0.1:0")
	jobs := func() string {
		out, err := exec.Command("cdpor", "jobs", "--connect", at, "--json").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	yaml := []string{"run", program(t, "programs/lastzero.yaml"), "-p", "N=13", "--algorithm", "source"}
	golang := []string{"run", program(t, "go/lockorder"), "--func", "TestBug", "--algorithm", "source"}
	leave(t, start(t, append(yaml, "--connect", at, "--job", "early")...), "early") // nobody works on it yet
	leave(t, start(t, append(golang, "--connect", at, "--job", "late")...), "late")
	leave(t, start(t, append(yaml, "--connect", at, "--job", "never")...), "never")
	if list := jobs(); strings.Count(list, "waits for workers") != 3 {
		t.Errorf("three jobs should wait for workers: %s", list)
	}
	cancel := exec.Command("cdpor", "jobs", "--connect", at, "--cancel", "never")
	if out, err := cancel.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start(t, "work", "--connect", at, "--cores", "2", "--job", "early")
	alone, _ := reportOf(t, yaml...)
	early, _ := reportOf(t, "resume", "--connect", at, "early")
	if diff := cmp.Diff(found(t, alone, true), found(t, early, true)); diff != "" {
		t.Errorf("early: -alone +by the cluster\n%s", diff)
	}
	start(t, "work", "--connect", at) // which coordinate when nobody does
	for !strings.Contains(jobs(), `"complete"`) {
	}
	alone, _ = reportOf(t, golang...)
	elsewhere, err := exec.Command("cdpor", "resume", "--connect", at, "late").CombinedOutput()
	if err == nil || !strings.Contains(string(elsewhere), "add --go-program") {
		t.Errorf("a Go program is loaded from where the job says: %v\n%s", err, elsewhere)
	}
	late, _ := reportOf(t, "resume", "--connect", at, "--go-program", golang[1], "late")
	if diff := cmp.Diff(found(t, alone, true), found(t, late, true)); diff != "" {
		t.Errorf("late: -alone +by the cluster\n%s", diff)
	}
	never, _ := reportOf(t, "resume", "--connect", at, "never")
	if got := found(t, never, false); got["stopped"] != "cancelled" || got["verdict"] != "incomplete" {
		t.Errorf("a cancelled search is %v, %v", got["verdict"], got["stopped"])
	}
	if list := jobs(); !strings.Contains(list, `"jobs": []`) {
		t.Errorf("jobs that have been reported are still there: %s", list)
	}
}

// TestClusterPoison: a search that ends because nobody survives a part of it is incomplete, and says where that is.
func TestClusterPoison(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	_, at := serveIn(t, t.TempDir(), "127.0.0.1:0")
	search := []string{"run", program(t, "programs/lastzero.yaml"), "--algorithm", "source", "--connect", at}
	leave(t, start(t, append(search, "--job", "poison")...), "poison")
	nc, err := nats.Connect(at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "cdpor-poison-log")
	if err != nil {
		t.Fatal(err)
	}
	subject := strings.TrimSuffix(log.CachedInfo().Config.Subjects[0], "*") + "end"
	if _, err := js.Publish(t.Context(), subject, []byte(`{"End": "poison task", "Path": [1, 1, 0]}`)); err != nil {
		t.Fatal(err)
	}
	report, messages := reportOf(t, "resume", "--connect", at, "poison")
	if got := found(t, report, false); got["stopped"] != "poison task" || got["verdict"] != "incomplete" {
		t.Errorf("the search is %v, %v", got["verdict"], got["stopped"])
	}
	if !strings.Contains(messages, "dies, hangs or fails: after the steps 1,1,0") {
		t.Errorf("it does not say where: %s", messages)
	}
}

// TestClusterRefuses tells what cannot be done by a cluster, and why.
func TestClusterRefuses(t *testing.T) {
	_, at := serveIn(t, t.TempDir(), "127.0.0.1:0")
	path := program(t, "programs/lastzero.yaml")
	for _, c := range []struct{ args, want string }{
		{"--algorithm exhaustive --symmetry", "--connect does not go with --symmetry"},
		{"--workers 2", "--connect does not go with --workers"},
		{"--html x.html", "--connect does not go with a picture"},
		{"--job no.name --algorithm source", "a job cannot be called"},
	} {
		args := append([]string{"run", path, "--connect", at}, strings.Fields(c.args)...)
		out, err := exec.Command("cdpor", args...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 ||
			!strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, not %q:\n%s", c.args, err, c.want, out)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"run " + path + " --job x", "go with --connect"},
		{"run " + path + " --algorithm source --connect nats://127.0.0.1:1", "cdpor serve starts a server"},
		{"resume --connect " + at + " nothing", "there is no such job"},
		{"work --connect " + at + " --job nothing", "there is no such job"},
		{"jobs --connect " + at + " --cancel", "which job?"},
	} {
		out, err := exec.Command("cdpor", strings.Fields(c.args)...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 ||
			!strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, not %q:\n%s", c.args, err, c.want, out)
		}
	}
	out, err := exec.Command("cdpor", "jobs", "--connect", at, "--check").Output()
	if err != nil || strings.Contains(string(out), "missing") || strings.Count(string(out), "ok") < 8 {
		t.Errorf("%v\n%s", err, out)
	}
}

var faultsFor = flag.Duration("faults", 0, "how long TestClusterFaults goes on; 0: each search once, with -short one")

// mostFaults is how many things go wrong in a search: it has to come to its end some time.
const mostFaults = 12

// A relay passes on what workers and a server say to each other, now late, now not at all.
type relay struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	until time.Time // nothing passes before
	open  map[net.Conn]bool
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	r := &relay{listener: listener, to: to, open: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", r.to)
			if err != nil { // the server has been killed
				from.Close()
				continue
			}
			r.mu.Lock()
			r.open[from], r.open[to] = true, true
			r.mu.Unlock()
			go r.pass(from, to)
			go r.pass(to, from)
		}
	}()
	return r
}

func (r *relay) url() string { return "nats://" + r.listener.Addr().String() }

// pass passes on what one says to another until one of them hangs up.
func (r *relay) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		for {
			r.mu.Lock()
			wait := time.Until(r.until)
			r.mu.Unlock()
			if wait <= 0 {
				break
			}
			time.Sleep(wait)
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, from)
	delete(r.open, to)
}

// hold lets nothing pass for a while: what is said meanwhile comes late, and is said again.
func (r *relay) hold(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = time.Now().Add(d)
}

// cut hangs up: what was under way is lost.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.Close()
	}
}

// A faulty cluster is one in which everything is killed now and then.
type faultyCluster struct {
	t       *testing.T
	rng     *rand.Rand
	store   string
	server  *clusterProcess
	at      string
	relay   *relay
	workers []*clusterProcess
	run     *clusterProcess
	out     *bytes.Buffer
	job     string
	faults  map[string]int
}

// TestClusterFaults explores a program by a cluster of processes again and again, while workers, the one who has
// submitted the search and the server are killed, messages are late and lost, and the store is full. What is found must
// be what is found undisturbed, the number of executions included: go test ./cmd/cdpor -run TestClusterFaults
// -timeout 0 -args -faults=1h
func TestClusterFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	c := &faultyCluster{t: t, rng: rand.New(rand.NewSource(time.Now().UnixNano())), store: t.TempDir(),
		faults: map[string]int{}}
	c.server, c.at = serveIn(t, c.store, "127.0.0.1:0")
	c.relay = newRelay(t, strings.TrimPrefix(c.at, "nats://"))
	for range 3 {
		c.workers = append(c.workers, c.worker())
	}
	searches := []string{
		"programs/lastzero.yaml -p N=14 --algorithm source",
		"programs/lastzero.yaml -p N=13 --algorithm context",
		"programs/locked-buffer.yaml -p N=9 --algorithm source",
		"programs/fib-observed.yaml -p N=5 --algorithm source",
		"programs/readers.yaml -p N=13 --algorithm source",
		"programs/lastzero.yaml -p N=12 --algorithm exhaustive",
	}
	least := len(searches)
	if testing.Short() {
		least = 1
	}
	rounds := 0
	for end := time.Now().Add(*faultsFor); rounds < least || time.Now().Before(end); rounds++ {
		args := strings.Fields("run " + searches[rounds%len(searches)])
		args[1] = program(t, args[1])
		want, _ := reportOf(t, args...)
		got := c.search(fmt.Sprintf("faulty-%d", rounds), args)
		if diff := cmp.Diff(found(t, want, true), found(t, got, true)); diff != "" {
			t.Fatalf("%v, %v: -undisturbed +disturbed\n%s", args, c.faults, diff)
		}
	}
	total := 0
	for _, n := range c.faults {
		total += n
	}
	t.Logf("%d searches, %d faults: %v", rounds, total, c.faults)
	if total < 5 {
		t.Error("that says little")
	}
}

func (c *faultyCluster) worker() *clusterProcess {
	return start(c.t, "work", "--connect", c.relay.url(), "--cores", "1", "--slice", "5ms")
}

// submit starts a process that reports on the search.
func (c *faultyCluster) submit(args ...string) {
	c.out = &bytes.Buffer{}
	p := &clusterProcess{cmd: exec.Command("cdpor", append(args, "--json")...), output: &messages{},
		ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = c.out, p.output
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	c.t.Cleanup(p.kill)
	c.run = p
}

// search explores while things go wrong, and returns the report.
func (c *faultyCluster) search(job string, args []string) []byte {
	c.job = job
	c.submit(append(args, "--connect", c.relay.url(), "--job", job)...)
	for faults := 0; ; faults++ {
		var wrong <-chan time.Time
		if faults < mostFaults {
			wrong = time.After(time.Duration(20+c.rng.Intn(400)) * time.Millisecond)
		}
		select {
		case <-c.run.ended:
			code := c.run.cmd.ProcessState.ExitCode()
			if killed := code < 0 && json.Valid(c.out.Bytes()); code != 0 && code != 1 && code != 3 && !killed {
				c.t.Fatalf("%v: %v\n%s", args, c.run.err, c.run.output)
			}
			return c.out.Bytes()
		case <-wrong:
			c.fault()
		}
	}
}

// fault lets something go wrong.
func (c *faultyCluster) fault() {
	switch k := c.rng.Intn(10); {
	case k < 4:
		c.faults["worker killed"]++
		i := c.rng.Intn(len(c.workers))
		c.workers[i].kill()
		c.workers[i] = c.worker()
	case k == 4:
		c.faults["server killed"]++
		c.server.kill()
		at, err := url.Parse(c.at)
		if err != nil {
			c.t.Fatal(err)
		}
		time.Sleep(time.Duration(c.rng.Intn(300)) * time.Millisecond)
		c.server, _ = serveIn(c.t, c.store, at.Host)
	case k == 5 && strings.Contains(c.run.output.String(), "is submitted"):
		c.faults["submitter killed"]++
		c.run.kill()
		if c.run.cmd.ProcessState.Exited() || json.Valid(c.out.Bytes()) {
			return // it was over already
		}
		c.submit("resume", "--connect", c.relay.url(), c.job)
	case k == 6:
		c.faults["late"]++
		c.relay.hold(time.Duration(c.rng.Intn(2000)) * time.Millisecond)
	case k < 9:
		c.faults["cut"]++
		c.relay.cut()
	default:
		c.fill()
	}
}

// fill lets the log be full for a while.
func (c *faultyCluster) fill() {
	nc, err := nats.Connect(c.at, nats.Timeout(time.Second))
	if err != nil {
		return
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
	defer cancel()
	s, err := js.Stream(ctx, "cdpor-"+c.job+"-log")
	if err != nil {
		return // not yet, or not any more
	}
	full := s.CachedInfo().Config
	full.MaxBytes = int64(s.CachedInfo().State.Bytes) + 1
	if _, err := js.UpdateStream(ctx, full); err != nil {
		return
	}
	c.faults["full"]++
	time.Sleep(time.Duration(c.rng.Intn(1000)) * time.Millisecond)
	for full.MaxBytes = -1; ; {
		if _, err := js.UpdateStream(ctx, full); err == nil || errors.Is(err, jetstream.ErrStreamNotFound) ||
			ctx.Err() != nil {
			return
		}
	}
}

// TestClusterDivided leaves a search whose states are divided among workers, before there are any, and comes back to it
// while there are two. Then it replays the schedule of a violation that workers have found so.
func TestClusterDivided(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	_, at := serveIn(t, t.TempDir(), "127.0.0.1:0")
	args := []string{"run", program(t, "programs/lastzero.yaml"), "-p", "N=10", "--algorithm", "exhaustive"}
	leave(t, start(t, append(args, "--connect", at, "--job", "divided")...), "divided")
	for range 2 {
		start(t, "work", "--connect", at, "--cores", "1")
	}
	alone, _ := reportOf(t, args...)
	many, _ := reportOf(t, "resume", "--connect", at, "divided")
	if diff := cmp.Diff(found(t, alone, true), found(t, many, true)); diff != "" {
		t.Errorf("-alone +by the cluster\n%s", diff)
	}
	file := filepath.Join(t.TempDir(), "violation.json")
	reportOf(t, "run", program(t, "programs/hyman-broken.yaml"), "--algorithm", "exhaustive", "--stop-at-first",
		"--connect", at, "--save", file)
	out, err := exec.CommandContext(t.Context(), "cdpor", "run", file).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 ||
		!strings.Contains(string(out), "one at a time") {
		t.Errorf("%v: the schedule does not show the violation:\n%s", err, out)
	}
}
