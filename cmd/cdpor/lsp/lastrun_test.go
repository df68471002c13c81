package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/findings"
)

// TestLastRun: what a run has found is shown when it comes, with the steps, and goes when the text changes.
func TestLastRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p_test.go")
	const text = "package p\n\nfunc TestX(t *testing.T) { ä := 1 }\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	files := testFiles
	files.Runs = t.TempDir()
	e := connect(t, context.Background(), files)
	var r any
	e.request("initialize", `{"capabilities": {"workspace": {"codeLens": {"refreshSupport": true}}}}`, &r)
	e.notify("initialized", `{}`)
	uri := uriOf(path)
	shown := func() (list []diagnostic) {
		for {
			m := e.read()
			if m.Method != "textDocument/publishDiagnostics" {
				if m.Method != "workspace/codeLens/refresh" || m.ID == nil {
					t.Errorf("the server says %s", m.Method)
				}
				continue
			}
			var p struct{ Diagnostics []diagnostic }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			return p.Diagnostics
		}
	}
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument": {"uri": %q, "version": 1, "text": %q}}`, uri, text))
	if got := shown(); len(got) > 0 {
		t.Errorf("at the beginning: %v", got)
	}
	var lenses []lens
	e.request("textDocument/codeLens", fmt.Sprintf(`{"textDocument": {"uri": %q}}`, uri), &lenses)
	to := lenses[0].Command.Arguments[7] // of --sarif
	at := findings.Place{File: path, Line: 3, Column: 29}
	if err := (&findings.Log{Findings: []*findings.Finding{{Kind: "deadlock", Level: "error", Text: "waits", Place: at,
		Steps: []findings.Step{{Place: at, Thread: "TestX", Text: "step"}}}}}).WriteSARIF(to); err != nil {
		t.Fatal(err)
	}
	got := shown()
	if len(got) != 1 || got[0].Message != "waits" || got[0].Range.Start != (position{2, 28}) ||
		len(got[0].Related) != 1 || got[0].Related[0].Message != "1 TestX: step" {
		t.Errorf("after a run: %+v", got)
	}
	e.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument": {"uri": %q, "version": 2},
		"contentChanges": [{"text": %q}]}`, uri, strings.Replace(text, "1", "2", 1)))
	if got := shown(); len(got) > 0 {
		t.Errorf("after a change: %v", got)
	}
	for _, feature := range []string{"hover", "completion", "formatting", "rename", "documentSymbol"} {
		if r := e.ask("textDocument/"+feature, fmt.Sprintf(`{"textDocument": {"uri": %q}, "position": {"line": 2},
			"newName": "x"}`, uri)); string(r.Result) != "null" || r.Error != nil {
			t.Errorf("%s of Go: %s, %v", feature, r.Result, r.Error)
		}
	}
	e.leave()
}
