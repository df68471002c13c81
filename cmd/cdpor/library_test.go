package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/run"
	"cdpor/explore"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestLibrary holds testdata/examples.txt and liveness/README.md there, with a line for each program, against the
// programs there are.
func TestLibrary(t *testing.T) {
	root := filepath.Join("..", "..", "testdata")
	paths, err := files.Programs([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, file := range paths {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if name = filepath.ToSlash(name); !strings.HasPrefix(name, "native/") { // models beside packages of Go
			want[name] = 1
		}
	}
	got := map[string]int{}
	row := regexp.MustCompile(`(?m)^(?:\|| ) (?:([\w/]+)/)?([\w-]+) (?:\| .+ \|| .+)$`)
	for page, folder := range map[string]string{"examples.txt": "programs", "liveness/README.md": "liveness"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range row.FindAllStringSubmatch(string(text), -1) {
			if m[2] != "program" { // the head of a table
				got[path.Join(cmp.Or(m[1], folder), m[2]+".yaml")]++
			}
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("programs (-) and lines of the pages (+):\n%s", diff)
	}
}

// TestIncidents: cdpor run finds the bug of each incident that is there as a Go test, and nothing in its repair.
func TestIncidents(t *testing.T) {
	if testing.Short() {
		t.Skip("loads a package")
	}
	var stdout, stderr bytes.Buffer
	code := runMain([]string{"run", "--json", "--no-cache", "../../testdata/incidents"}, nil, &stdout, &stderr)
	var all run.Results
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil || code != fault.ExitViolation || len(all.Tests) < 10 {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, &stdout, &stderr)
	}
	for _, r := range all.Tests {
		want := explore.Violated
		if strings.HasSuffix(r.Func, "Fixed") {
			want = explore.OK
		}
		if r.Verdict != want || r.Unchecked != "" {
			t.Errorf("%s: %s, want %s", r.Func, r.Verdict, want)
		}
	}
}
