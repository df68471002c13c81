package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/lang"
)

// TestExplainAll: every code is explained, and its wrong example gives the code on the command line as well.
func TestExplainAll(t *testing.T) {
	dir := t.TempDir()
	for _, d := range lang.Diagnostics() {
		var out bytes.Buffer
		if code := runMain([]string{"explain", strings.ToLower(d.Code)}, nil, &out, &out); code != fault.ExitOK ||
			!strings.Contains(out.String(), d.Title) {
			t.Errorf("%s: exit code %d\n%s", d.Code, code, &out)
		}
		if d.Wrong == "" {
			continue
		}
		path := filepath.Join(dir, d.Code+".yaml")
		if err := os.WriteFile(path, []byte(d.Wrong), 0o666); err != nil {
			t.Fatal(err)
		}
		want := fault.ExitInput
		if d.Severity() == "warning" {
			want = fault.ExitViolation
		}
		out.Reset()
		if code := runMain([]string{"vet", path}, nil, &out, &out); code != want ||
			!strings.Contains(out.String(), "["+d.Code+"]: ") {
			t.Errorf("%s: exit code %d\n%s", d.Code, code, &out)
		}
	}
}
