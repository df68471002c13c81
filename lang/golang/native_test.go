package golang_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// runsOfEach is how often a test is run by Go itself.
var runsOfEach = flag.Int("native", 0, "how many runs of each bug to count those in that show it; 1000 for the page")

const (
	// enough hits say that Go shows a bug in more than one of a hundred of a thousand runs.
	enough = 11
	// hangs is after how long a test is taken for one that hangs. It takes milliseconds if it does not.
	hangs = 2 * time.Second
)

// TestNative runs bugs and their fixed twins with Go: a bug that is there in each execution is shown each time, and its
// twin never fails. With -native=1000 it goes through all programs, and with -update writes what it has counted.
func TestNative(t *testing.T) {
	names, runs := []string{"callbackunderlock", "doublelock"}, 3
	if *runsOfEach > 0 {
		names, runs = nil, *runsOfEach
		for name := range programs {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	seldom := 0
	var table []string
	for _, name := range names {
		dir := filepath.Join(folder, name)
		binary := filepath.Join(t.TempDir(), name)
		build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-o", binary, ".")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		hits, of := shown(t, binary, "TestBug", runs)
		if *runsOfEach == 0 && hits != runs {
			t.Errorf("%s: Go shows the bug in %d of %d runs, which there is in each", name, hits, of)
		}
		if fails, of := shown(t, binary, "TestFixed", min(runs, 100)); fails > 0 {
			t.Errorf("%s: TestFixed fails in %d of %d runs", name, fails, of)
		}
		if 100*hits < of {
			seldom++
		}
		row := fmt.Sprintf("| [%s](%s) | %s | %d of %d |", name, name, programs[name], hits, of)
		table = append(table, row)
		t.Log(row)
	}
	t.Logf("%d of %d bugs are shown in less than 1 of 100 runs", seldom, len(names))
	if *runsOfEach == 0 || !*update {
		return
	}
	text := fmt.Sprintf(nativeHead, len(names), seldom, runs, enough) + strings.Join(table, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(folder, "NATIVE.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shown runs a test again and again, until its bug has been seen often enough, and returns how often it was in how many
// runs: the test failed, panicked, or hung.
func shown(t *testing.T, binary, test string, runs int) (hits, of int) {
	t.Helper()
	for of < runs && hits < enough {
		of++
		ctx, end := context.WithTimeout(t.Context(), hangs)
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, binary, "-test.run", "^"+test+"$", "-test.timeout", "0")
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		end()
		if err != nil {
			hits++
		} else if !strings.Contains(out.String(), "PASS") {
			t.Fatalf("%s: %s printed %q", binary, test, out.String())
		}
	}
	return hits, of
}

const nativeHead = `# What Go shows by itself

How often TestBug fails, panics or hangs when Go runs it, each time in a process of its own, on two cores. Of these %d
bugs %d are shown in less than one of a hundred runs; ` + "`cdpor run`" + ` finds each of them every time. A test is run
%d times, or until its bug has been seen %d times. A goroutine that is left behind is nothing that a run shows.
` + "`go test ./lang/golang -run TestNative -args -native=1000 -update`" + ` measures this page.

| program | what cdpor finds | Go shows it in |
|---|---|---|
`
