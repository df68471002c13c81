package main

import (
	"bufio"
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A clusterProcess is one of those of a cluster.
type clusterProcess struct {
	cmd    *exec.Cmd
	output *bytes.Buffer
	ended  chan struct{}
	err    error
}

// start starts a command of cdpor.
func start(t *testing.T, args ...string) *clusterProcess {
	t.Helper()
	p := &clusterProcess{cmd: exec.Command("cdpor", args...), output: &bytes.Buffer{}, ended: make(chan struct{})}
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

// serveIn starts a server, and returns where it listens.
func serveIn(t *testing.T, store, listen string, more ...string) (p *clusterProcess, at string) {
	t.Helper()
	args := append([]string{"serve", "--store", store, "--listen", listen}, more...)
	p = &clusterProcess{cmd: exec.Command("cdpor", args...), output: &bytes.Buffer{}, ended: make(chan struct{})}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	at, _, ok := strings.Cut(strings.TrimPrefix(line, "listening on "), ",")
	if err != nil || !ok {
		t.Fatalf("%q, %v, %s", line, err, p.output)
	}
	return p, at
}

// found is what every search of a program must report: what was found, without schedules. With counts, how many
// executions there were, and how many ended in each outcome.
func found(t *testing.T, report []byte, counts bool) map[string]any {
	t.Helper()
	all := result(t, report)
	search, _ := all["search"].(map[string]any)
	r := map[string]any{"verdict": all["verdict"], "stopped": all["stopped"]}
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

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClusterRun explores programs by two processes over a server, and expects what a search alone reports.
func TestClusterRun(t *testing.T) {
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
