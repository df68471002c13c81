package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/signals"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/synth"
)

// TestSynthInterrupted interrupts a synthesis after some pairs. Commands look at the clock whenever a pair is done,
// which is where the interrupt comes from here, so that it always comes at the same place.
func TestSynthInterrupted(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	program, err := filepath.Abs("../../testdata/programs/bank-transfer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	interrupted := func() (string, string) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var stdout, stderr bytes.Buffer
		looks := 0
		clock := func() time.Time {
			if looks++; looks == 14 {
				cancel()
			}
			return time.Unix(int64(looks), 0)
		}
		c := &prove.Synth{Output: "c.yaml", Workers: 1, CacheFlags: source.CacheFlags{NoCache: true}}
		c.Program = program
		c.QuestionUnits = 40_000
		_, interrupts := signals.NewInterrupter()
		defer interrupts.End()
		err := c.Run(&environment.Environment{Stdout: &stdout, Stderr: &stderr, Terminal: true, Now: clock,
			Context: ctx, Interrupts: interrupts, Stop: cancel})
		if !errors.Is(err, fault.ExitIncomplete) {
			t.Fatalf("error %v, want exit code 3", err)
		}
		return stdout.String(), stderr.String()
	}
	stdout, stderr := interrupted()
	if !strings.Contains(stdout, "written to c.yaml\n") {
		t.Errorf("what was finished is not written:\n%s", stdout)
	}
	if want := "cdpor: interrupted: 2 of 10 pairs of steps with common data finished, without uniform parts; " +
		"the others are unknown\n"; !strings.HasSuffix(stderr, want) {
		t.Errorf("stderr ends with %q, want %q", stderr, want)
	}
	if want := "constraints: 3 of 21 pairs, about 36s left"; !strings.Contains(stderr, want) {
		t.Errorf("stderr is %q, want progress with %q", stderr, want)
	}
	first, err := os.ReadFile("c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(first), "status: unknown"); n != 15 {
		t.Errorf("%d pairs are unknown, want 15:\n%s", n, first)
	}
	var out, errs bytes.Buffer
	if code := runMain([]string{"check", program, "c.yaml"}, nil, &out, &errs); code != fault.ExitOK {
		t.Errorf("check of an unfinished file: exit code %d\n%s%s", code, &out, &errs)
	}
	// What is there already is worth more.
	if err := os.WriteFile("c.yaml", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := interrupted(); !strings.Contains(stdout, "written to c.yaml.partial\n") {
		t.Errorf("the unfinished file is not called partial:\n%s", stdout)
	}
	if text, _ := os.ReadFile("c.yaml"); string(text) != "mine" {
		t.Errorf("the file that was there has been overwritten")
	}
	if text, _ := os.ReadFile("c.yaml.partial"); !bytes.Equal(text, first) {
		t.Errorf("an interrupt at the same place gives another file:\n%s\n%s", first, text)
	}
}
