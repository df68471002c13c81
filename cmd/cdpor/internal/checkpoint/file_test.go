package checkpoint

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/langtest"
)

// saved is the file of a search that was interrupted after some nodes.
func saved(t *testing.T) []byte {
	m := langtest.Machine(t, "p.yaml", "cdpor: 1\nshared: {x: int}\nthreads: {t: {count: 4, run: x = self}}\n", nil)
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Cdpor: "test", Program: "p.yaml", Param: []string{"N=1"}, Constraints: &Constraints{Origin: "none"}}
	written := false
	_, err = explore.Run(context.Background(), m, a, explore.Options{MaxExecutions: 3,
		Checkpoint: func(stopped string, save func() *explore.Checkpoint) {
			if cp := save(); cp != nil && stopped != "" {
				if err := write("p.checkpoint", run, cp); err != nil {
					t.Fatal(err)
				}
				written = true
			}
		}})
	if err != nil || !written {
		t.Fatalf("%v, written: %t", err, written)
	}
	text, err := os.ReadFile("p.checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRead reads a file back, and refuses what is damaged, of another version, or something else.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	good := saved(t)
	run, cp, err := Read("p.checkpoint")
	if err != nil || run.Program != "p.yaml" || run.Param[0] != "N=1" || cp.Algorithm != "source" {
		t.Fatalf("%v %v %v", run, cp, err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-2] ^= 1
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"a flipped bit":   {flipped, "f is damaged: its checksum is wrong"},
		"cut":             {good[:len(good)-9], "f is damaged: its checksum is wrong"},
		"another version": {[]byte(Magic + "7 00\n"), "f has version 7 of the format; this cdpor reads version 1"},
		"empty":           {nil, "f is no checkpoint: it does not begin with cdpor-checkpoint 1"},
		"a program":       {[]byte("cdpor: 1\n"), "f is a program, not a checkpoint"},
	} {
		if err := os.WriteFile("f", test.text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read("f"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
