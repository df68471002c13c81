package main

import (
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkProcesses explores long programs by one worker, by two of one process, and by two processes over a server;
// an op is a complete run of cdpor. The ratios of the times are what a second worker is worth. With -short the
// programs are small.
func BenchmarkProcesses(b *testing.B) {
	_, at := serveIn(b, b.TempDir(), "127.0.0.1:0")
	for range 2 {
		start(b, "work", "--connect", at, "--cores", "1")
	}
	for _, c := range []struct{ name, size, short, algorithm string }{
		{"fib-observed", "N=6", "N=4", "source"},
		{"indexer", "N=17", "N=13", "source"},
		{"lastzero", "N=16", "N=10", "source"},
		{"lastzero", "N=14", "N=10", "context"},
		{"dining-philosophers", "N=10", "N=6", "exhaustive"},
	} {
		size := c.size
		if testing.Short() {
			size = c.short
		}
		search := []string{"run", program(b, "programs/"+c.name+".yaml"), "-p", size, "--algorithm", c.algorithm,
			"--no-constraints"}
		for _, how := range []struct {
			name string
			args []string
		}{{"one", nil}, {"workers=2", []string{"--workers", "2"}}, {"processes=2", []string{"--connect", at}}} {
			b.Run(strings.Join([]string{c.name, size, c.algorithm, how.name}, "/"), func(b *testing.B) {
				for b.Loop() {
					cmd := exec.CommandContext(b.Context(), "cdpor", append(search, how.args...)...)
					out, err := cmd.CombinedOutput()
					if err != nil && !strings.Contains(err.Error(), "exit status 1") {
						b.Fatalf("%v\n%s", err, out)
					}
				}
			})
		}
	}
}
