package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// TestClusterDamaged kills a server, a worker and who has submitted a search in the midst of it, damages what the
// server has stored, and comes back to the search with another server and worker: it ends with what a search alone
// finds, or the report says that it is incomplete, or a message says which job has lost a part.
func TestClusterDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	t.Parallel()
	var all sync.WaitGroup // they wait for each other's silence most of the time
	defer all.Wait()
	for _, c := range []struct {
		algorithm string
		records   int // until all are killed
		damages   []string
	}{
		{"source", 5, []string{"a bit of *-log/msgs/*.blk", "the end of *-log/msgs/*.blk", "all of *-log/msgs/*.blk",
			"a bit of *-work/msgs/*.blk", "all of *-work/msgs/*.blk", "a bit of OBJ_*/msgs/*.blk",
			"all of OBJ_*/msgs/*.blk", "a bit of *-log/meta.inf", "all of *-work/meta.sum",
			"all of *-work/obs/workers/meta.sum", "a bit of *-work/obs/workers/meta.inf"}},
		{"context", 5, []string{"a bit of *-log/msgs/*.blk", "all of *-log/msgs/*.blk"}},
		{"exhaustive", 1, []string{"a bit of *-log/msgs/*.blk", "all of *-work/obs/workers/meta.sum"}},
	} {
		args := []string{"run", program(t, "programs/lastzero.yaml"), "-p", "N=12", "--algorithm", c.algorithm}
		alone, _ := reportOf(t, args...)
		store := killedSearch(t, args, c.records)
		for _, d := range c.damages {
			fault, files, _ := strings.Cut(d, " of ")
			copied := filepath.Join(t.TempDir(), "store")
			if err := os.CopyFS(copied, os.DirFS(store)); err != nil {
				t.Fatal(err)
			}
			damageFiles(t, copied, files, fault)
			_, at := serveIn(t, copied, "127.0.0.1:0")
			work := start(t, "work", "--connect", at, "--cores", "1", "--slice", "5ms")
			all.Go(func() {
				came, err := resumed(t, at, alone)
				if err != nil {
					t.Errorf("%s, %s: %v", c.algorithm, d, err)
				}
				t.Logf("%s, %s: %v", c.algorithm, d, came)
				if said := work.said(); ours(said) {
					t.Errorf("%s, %s: a worker says %s", c.algorithm, d, said)
				}
			})
		}
	}
}

// killedSearch is the store of a server that was killed with all others when a search had so many records.
func killedSearch(t *testing.T, search []string, records int) (store string) {
	t.Helper()
	store = t.TempDir()
	server, at := serveIn(t, store, "127.0.0.1:0")
	nc, err := nats.Connect(at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	enough, count := make(chan bool), 0
	if _, err := nc.Subscribe("cdpor.damaged.logged.>", func(*nats.Msg) {
		if count++; count == records {
			close(enough)
		}
	}); err != nil {
		t.Fatal(err)
	}
	work := start(t, "work", "--connect", at, "--cores", "1", "--slice", "5ms")
	run := start(t, append(search, "--connect", at, "--job", "damaged")...)
	select {
	case <-enough:
	case <-run.ended:
		t.Fatalf("the search was over before it was killed: %s", run.said())
	}
	server.kill()
	run.kill()
	work.kill()
	return store
}

// damageFiles damages files of the streams of a store.
func damageFiles(t *testing.T, store, files, fault string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", files))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", files, paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		switch {
		case err != nil || len(text) == 0:
		case fault == "a bit":
			text[len(text)/2] ^= 4
			err = os.WriteFile(path, text, 0o600)
		case fault == "the end":
			err = os.WriteFile(path, text[:len(text)/2], 0o600)
		default:
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// resumed comes back to the search, and returns what has come of it. The error says what is wrong with that.
func resumed(t *testing.T, at string, alone []byte) (came any, err error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "cdpor", "resume", "--connect", at, "damaged", "--json")
	cmd.Stderr = &stderr
	report, err := cmd.Output()
	code, said := cmd.ProcessState.ExitCode(), stderr.String()
	switch {
	case ours(said) || ours(string(report)):
		return "", fmt.Errorf("%w: %s", err, said)
	case code == 2 && strings.Contains(said, "job damaged: ") &&
		(strings.Contains(said, "a part") || strings.Contains(said, "no log of it")):
		if out, err := exec.Command("cdpor", "jobs", "--connect", at, "--remove",
			"damaged").CombinedOutput(); err != nil {
			return "", fmt.Errorf("the job cannot be removed: %w: %s", err, out)
		}
		return said, nil
	case code != 0 && code != 1 && code != 3:
		return "", fmt.Errorf("%w: %s", err, said)
	}
	want, got := found(t, alone, true), found(t, report, true)
	if got["stopped"] == "complete" {
		if diff := cmp.Diff(want, got); diff != "" {
			return "", errors.New("-alone +by the cluster\n" + diff)
		}
		return "complete", nil
	}
	if got["verdict"] != "incomplete" || got["stopped"] != "log lost" && got["stopped"] != "poison task" {
		return "", fmt.Errorf("the search is %v, %v", got["verdict"], got["stopped"])
	}
	states := func(report []byte) (list []string) {
		outcomes, _ := found(t, report, false)["outcomes"].([]any)
		for _, o := range outcomes {
			list = append(list, fmt.Sprint(o))
		}
		return list
	}
	all := states(alone)
	for _, o := range states(report) {
		if !slices.Contains(all, o) {
			return "", fmt.Errorf("the outcome %s is none of the program", o)
		}
	}
	return got["stopped"], nil
}

// ours reports whether a message speaks of a fault of cdpor.
func ours(said string) bool {
	return strings.Contains(said, "internal error") || strings.Contains(said, "panic") ||
		strings.Contains(said, "goroutine ")
}
