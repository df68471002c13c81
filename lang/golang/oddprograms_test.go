package golang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/explore/simulate"
	"cdpor/lang/golang"
)

var mentioned = regexp.MustCompile(`\b(atomic|context|errors|fmt|heap|iter|list|os|runtime|slices|sync|time)\.`)

// TestOdd: a valid program is explored or refused, whatever its types are; cdpor never fails on it.
func TestOdd(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module odd\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"atomic": "sync/atomic", "heap": "container/heap", "list": "container/list"}
	for k, body := range oddPrograms {
		text := "package odd\n\nimport \"testing\"\n"
		seen := map[string]bool{}
		for _, m := range mentioned.FindAllStringSubmatch(body, -1) {
			if path := m[1]; !seen[path] {
				seen[path] = true
				if long := paths[path]; long != "" {
					path = long
				}
				text += fmt.Sprintf("import %q\n", path)
			}
		}
		dir := filepath.Join(root, fmt.Sprint("p", k))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(text+body+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := golang.Open(t.Context(), root+"/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Refused() {
		t.Errorf("not valid: %v", r)
	}
	for k, body := range oddPrograms {
		p, err := set.Program(t.Context(), golang.Options{Path: filepath.Join(root, fmt.Sprint("p", k)), Func: "TestX"})
		switch {
		case err == nil:
			_, err := simulate.Run(t.Context(), machine(t, p), simulate.Options{Schedules: 20, Seed: 1})
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
		case strings.Contains(err.Error(), "fault of its own"), strings.Contains(err.Error(), "bug of cdpor"):
			t.Errorf("%s\n\t%v", body, err)
		default:
			t.Logf("%d: %v", k, err)
		}
	}
}
