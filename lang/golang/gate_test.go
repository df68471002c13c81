package golang_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	"cdpor/lang/step"

	gocmp "github.com/google/go-cmp/cmp"
)

var gatedPrograms = flag.String("gated", "", "programs of testdata/go that Go follows, also under -race: all, or names")

// shortlist are programs with all kinds of gates.
const shortlist = "lockorder,timeoutleak,lostupdate,latelog,condwithoutloop,maporder,watchdog"

// TestGated: the schedules of the findings in testdata/go end in the same way when Go follows them. -args -gated=all is
// about all programs, and data races, and that gates let the race detector report no others.
func TestGated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	set, err := golang.Open(t.Context(), folder+"/...")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(cmp.Or(*gatedPrograms, shortlist), ",")
	if *gatedPrograms == "all" {
		names = nil
		for name := range programs {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, err := set.Program(t.Context(), golang.Options{Path: filepath.Join(folder, name), Func: "TestBug"})
			if err != nil {
				t.Fatal(err)
			}
			gated(t, p)
		})
	}
}

// followed is how Go ends when it follows a schedule.
func followed(t *testing.T, g *golang.Gated, s *golang.GatedSchedule, race bool) (*golang.NativeEnd, string) {
	t.Helper()
	files := maps.Clone(g.Files)
	files[g.Schedule] = []byte(s.Text)
	run := exec.CommandContext(t.Context(), "go", g.Arguments(overlayOf(t, files), race)...)
	run.Dir = g.Dir
	text, err := run.CombinedOutput()
	return golang.ReadNative(string(text), err == nil), string(text)
}

// overlayOf writes files, and what -overlay reads.
func overlayOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	out, replace := t.TempDir(), map[string]string{}
	for path, data := range files {
		to := filepath.Join(out, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(to, data, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[path] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(out, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// want is how Go ends if a violation is real.
func want(m *step.Machine, v *explore.Violation) *golang.NativeEnd {
	if v.Kind == explore.DeadlockFound {
		return &golang.NativeEnd{Kind: replay.DeadlockName(m, v.Words)}
	}
	switch v.Node.Fault {
	case step.Race:
		return &golang.NativeEnd{Kind: golang.NativeRace}
	case step.Panicked:
		return &golang.NativeEnd{Kind: golang.NativePanic, Text: v.Node.Msg}
	}
	return &golang.NativeEnd{Kind: golang.NativeFailed}
}

func gated(t *testing.T, p *golang.Program) {
	m := machine(t, p)
	alg, err := explore.Find("optimal")
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Run(t.Context(), m, alg, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Gate()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range res.Violations {
		want := want(m, v)
		if race := want.Kind == golang.NativeRace; seen[want.Kind] || race && *gatedPrograms == "" {
			continue
		}
		seen[want.Kind] = true
		s, err := g.Follow(m, v.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		got, text := followed(t, g, s, want.Kind == golang.NativeRace)
		t.Logf("%s %s; missed %q, unsupported %q", want.Kind, want.Text, got.Missed, s.Unsupported)
		if !got.Agrees(want) || got.Missed != "" {
			t.Errorf("Go ends with %s %s, exploring with %s %s\n%s\n%s", got.Kind, got.Text, want.Kind, want.Text,
				s.Text, text)
		}
		if want.Kind == golang.NativeDeadlock || want.Kind == golang.NativeLeak {
			if d := gocmp.Diff(s.Waits, got.Waits); d != "" {
				t.Errorf("waits: %s", d)
			}
			if *gatedPrograms == "" {
				continue
			}
			if got, text := followed(t, g, s, true); !got.Agrees(want) {
				t.Errorf("under -race Go ends with %s\n%s", got, text)
			}
		}
	}
}
