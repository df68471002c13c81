package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A namespace is a network of its own, which reaches this one over a cable that can be cut.
type namespace struct {
	name, cable string
	here        string // the address of this end
}

// ip changes the network of this machine.
func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}

// newNamespace makes one until the test ends, or skips the test where that is not possible.
func newNamespace(t *testing.T) *namespace {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("networks are for root")
	}
	id := os.Getpid()
	n := &namespace{fmt.Sprintf("cdpor%d", id), fmt.Sprintf("cdpor%dh", id), fmt.Sprintf("10.213.%d.1", id%256)}
	if err := ip("netns", "add", n.name); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := ip("netns", "del", n.name); err != nil { // and with it both ends of the cable
			t.Error(err)
		}
	})
	other, there := fmt.Sprintf("cdpor%dn", id), fmt.Sprintf("10.213.%d.2/30", id%256)
	for _, args := range [][]string{
		{"link", "add", n.cable, "type", "veth", "peer", "name", other, "netns", n.name},
		{"addr", "add", n.here + "/30", "dev", n.cable},
		{"link", "set", n.cable, "up"},
		{"-n", n.name, "addr", "add", there, "dev", other},
		{"-n", n.name, "link", "set", other, "up"},
	} {
		if err := ip(args...); err != nil {
			t.Skip(err)
		}
	}
	return n
}

// cut lets nothing pass for a while.
func (n *namespace) cut(t *testing.T, d time.Duration) {
	t.Helper()
	if err := ip("link", "set", n.cable, "down"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	if err := ip("link", "set", n.cable, "up"); err != nil {
		t.Fatal(err)
	}
}

// TestClusterPartition cuts the network between a server and two of its workers, again and again: nothing that they say
// arrives, and nobody hangs up. With -args -faults=5m it does so for longer, and now and then for so long that what
// they work on is given to others.
func TestClusterPartition(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	n := newNamespace(t)
	_, at := serveIn(t, t.TempDir(), n.here+":0")
	far := &clusterProcess{cmd: exec.Command("ip", "netns", "exec", n.name, "cdpor", "work", "--connect", at, "--cores",
		"2", "--slice", "5ms"), output: &messages{}, ended: make(chan struct{})}
	far.cmd.Stderr = far.output
	if err := far.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		far.err = far.cmd.Wait()
		close(far.ended)
	}()
	t.Cleanup(far.kill)
	size := "N=13"
	if *faultsFor > 0 {
		size = "N=15"
	}
	search := []string{"run", program(t, "programs/lastzero.yaml"), "-p", size, "--algorithm", "source"}
	alone, _ := reportOf(t, search...)
	want := found(t, alone, true)
	start(t, "work", "--connect", at, "--cores", "1", "--slice", "5ms")
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	cuts, longer, searches := 0, 0, 0
	for end := time.Now().Add(*faultsFor); cuts == 0 && searches < 10 || time.Now().Before(end); searches++ {
		job := fmt.Sprintf("partition-%d", searches)
		c := &faultyCluster{t: t}
		c.submit(append(search, "--connect", at, "--job", job)...)
		for begun := time.Now(); !strings.Contains(far.said(), "job partition-"); time.Sleep(time.Millisecond) {
			if time.Since(begun) > 20*time.Second {
				t.Fatalf("no worker from afar: %s", far.said())
			}
		}
		for over := false; !over; {
			select {
			case <-c.run.ended:
				over = true
			case <-time.After(time.Duration(100+rng.Intn(300)) * time.Millisecond):
				d := time.Duration(50+rng.Intn(700)) * time.Millisecond
				if *faultsFor > 0 && rng.Intn(10) == 0 {
					d, longer = 11*time.Second, longer+1
				}
				n.cut(t, d)
				cuts++
			}
			if cuts > 1000 {
				t.Fatalf("the search does not come to an end: %s", c.run.output)
			}
		}
		if code := c.run.cmd.ProcessState.ExitCode(); code != 0 && code != 1 && code != 3 {
			t.Fatalf("%v\n%s", c.run.err, c.run.output)
		}
		if diff := cmp.Diff(want, found(t, c.out.Bytes(), true)); diff != "" {
			t.Fatalf("-undisturbed +cut off\n%s", diff)
		}
	}
	t.Logf("%d searches, %d cuts, %d of them long", searches, cuts, longer)
	if cuts == 0 {
		t.Error("nobody was cut off")
	}
}
