package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
)

// TestWhy: for every primitive of the language the report explains the deadlock within 80 columns, and the JSON is as
// its schema says.
func TestWhy(t *testing.T) {
	text, err := os.ReadFile("output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COLUMNS", "80")
	schema := compileSchema(t, string(text))
	files, err := filepath.Glob("../../explore/deadlock/testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		var stdout, stderr bytes.Buffer
		if code := runMain([]string{"run", "--algorithm", "source", file}, nil, &stdout,
			&stderr); code != fault.ExitViolation {
			t.Fatalf("%s: exit code %d\n%s", file, code, &stderr)
		}
		explained := false
		for line := range strings.Lines(stdout.String()) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, strings.Repeat(" ", 13)) {
				continue
			}
			explained = explained || strings.Contains(line, ") waits in ")
			if explained && len(line) > 80 && !strings.Contains(line, "replay:") {
				t.Errorf("%s: longer than 80 columns: %s", file, line)
			}
			if strings.Contains(line, "replay:") {
				break
			}
		}
		if !explained {
			t.Errorf("%s: no explanation in\n%s", file, &stdout)
		}
		stdout.Reset()
		runMain([]string{"run", "--algorithm", "source", "--json", file}, nil, &stdout, &stderr)
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, &stdout)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		first := v.(map[string]any)["deadlocks"].([]any)[0].(map[string]any)
		if waits := first["why"].(map[string]any)["waits"].([]any); len(waits) == 0 {
			t.Errorf("%s: nobody waits", file)
		}
	}
}
