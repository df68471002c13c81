//go:build unix

package explore

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// Programs that are there in Promela too, testdata/spin/NAME.pml, with one transition for one step.
var spinPrograms = []struct {
	name         string
	small, large map[string]string // parameters for the test and for the benchmark
}{
	{"dining-philosophers", map[string]string{"N": "5"}, map[string]string{"N": "9"}},
	{"lamport-fast-mutex", map[string]string{"N": "3"}, map[string]string{"N": "4"}},
	{"many-producers", map[string]string{"PRODUCERS": "3", "SIZE": "3"},
		map[string]string{"PRODUCERS": "5", "SIZE": "3"}},
}

// A spinRun is the report of a verifier that Spin has made.
type spinRun struct {
	states, transitions int64
	bytes               float64 // of the states and the hash table
	cpu                 time.Duration
}

// verifier lets Spin make the verifier of a model, and compiles it; the test is skipped if that cannot be done here.
func verifier(tb testing.TB, name string, params map[string]string, flags ...string) string {
	tb.Helper()
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			tb.Skipf("%s is not installed: apt-get install spin gcc", tool)
		}
	}
	model, err := filepath.Abs("testdata/spin/" + name + ".pml")
	if err != nil {
		tb.Fatal(err)
	}
	args := []string{"-a"}
	for key, value := range params {
		args = append(args, "-D"+key+"="+value)
	}
	dir := tb.TempDir()
	for _, command := range [][]string{append(append([]string{"spin"}, args...), model),
		append([]string{"gcc", "-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"}, flags...)} {
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			tb.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(dir, "pan")
}

// verify runs a verifier over all states: neither deadlocks nor a first violation end it.
func verify(tb testing.TB, pan string, hashBits int) (r spinRun) {
	tb.Helper()
	c := exec.Command(pan, "-m100000", "-E", "-c0", "-n", fmt.Sprintf("-w%d", hashBits))
	c.Dir = filepath.Dir(pan)
	out, err := c.Output()
	if err != nil {
		tb.Fatal(err)
	}
	r.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	number := func(pattern string) float64 {
		found := regexp.MustCompile(`(?m)^\s*([0-9.e+]+)\s+` + pattern).FindSubmatch(out)
		if found == nil {
			tb.Fatalf("pan does not say %q:\n%s", pattern, out)
		}
		n, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
	r.states, r.transitions = int64(number("states, stored")), int64(number("transitions"))
	r.bytes = (number("actual memory usage for states") + number("memory used for hash table")) * (1 << 20)
	return r
}

// TestSpin compares the numbers of states and of transitions. Spin counts the initial state as a transition.
func TestSpin(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a verifier of Spin for each program")
	}
	for _, c := range spinPrograms {
		t.Run(c.name, func(t *testing.T) {
			spin := verify(t, verifier(t, c.name, c.small, "-DNOREDUCE"), 16)
			res, err := Run(context.Background(), shipped(t, c.name, c.small), states.Algorithm, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.States != spin.states || res.Events+1 != spin.transitions {
				t.Errorf("%d states and %d transitions, Spin has %d and %d",
					res.States, res.Events, spin.states, spin.transitions)
			}
		})
	}
}

// BenchmarkSpin runs exhaustive, and the verifier of Spin without reduction, with reduction, and with its compression;
// an op is a complete search. Rates are in seconds of the processor, because the machine may do other things; the bytes
// of Spin are those of its states and of its hash table, which is given the smallest size that is not smaller than the
// number of states. With -short the programs are those of TestSpin.
func BenchmarkSpin(b *testing.B) {
	report := func(b *testing.B, states, transitions int64, bytes float64, cpu time.Duration) {
		b.ReportMetric(float64(states), "states")
		b.ReportMetric(float64(states)/cpu.Seconds(), "states/s")
		b.ReportMetric(float64(transitions)/cpu.Seconds(), "steps/s")
		b.ReportMetric(bytes/float64(states), "bytes/state")
		b.ReportMetric(0, "ns/op")
	}
	for _, c := range spinPrograms {
		bits := 16
		if testing.Short() {
			c.large = c.small
		}
		b.Run(c.name+"/exhaustive", func(b *testing.B) {
			m := shipped(b, c.name, c.large)
			// The models check nothing either.
			m.Program.Observe, m.Program.Checks = nil, step.Checks{Deadlock: step.DeadlockAllowed}
			var res *Result
			var cpu time.Duration
			for b.Loop() {
				runtime.GC()
				before := processorTime(b)
				var err error
				if res, err = Run(context.Background(), m, states.Algorithm, Options{}); err != nil {
					b.Fatal(err)
				}
				cpu += processorTime(b) - before
			}
			for bits = 16; 1<<bits < res.States; bits++ {
			}
			report(b, res.States, res.Events, float64(res.Memory), cpu/time.Duration(b.N))
		})
		for _, way := range []struct {
			name  string
			flags []string
		}{
			{"spin", []string{"-DNOREDUCE"}},
			{"spin-reduced", nil},
			{"spin-collapse", []string{"-DNOREDUCE", "-DCOLLAPSE"}},
		} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				pan := verifier(b, c.name, c.large, way.flags...)
				var r spinRun
				var cpu time.Duration
				for b.Loop() {
					r = verify(b, pan, bits)
					cpu += r.cpu
				}
				report(b, r.states, r.transitions, r.bytes, cpu/time.Duration(b.N))
			})
		}
	}
}

// processorTime is the time that this process has had on a processor so far.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
