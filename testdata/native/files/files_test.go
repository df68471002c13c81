// Package files has tests that wait for other processes, and waits for files itself.
package files

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// opened makes the package one that waits for files from the beginning.
var opened, _, _ = os.Pipe()

// What another process says is waited for.
func TestOtherProcess(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "sleep 0.1; echo done")
	cmd.Stdout = w
	err = cmd.Start()
	w.Close()
	if out, _ := io.ReadAll(r); string(out) != "done\n" {
		t.Error(string(out), err)
	}
	cmd.Wait()
}

// A process that the test waits for outlasts it.
func TestOutlasted(t *testing.T) { exec.Command("sleep", "1000").Run() }

// A goroutine that waits for signals is there from the beginning, locked to a thread.
func init() { signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2) }

// The test asks for another signal.
func TestOtherSignal(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	signal.Stop(c)
}
