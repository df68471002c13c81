package lang

import (
	"encoding/json"
	"testing"
)

// TestAST writes the trees of all programs: every one must be JSON without nodes of unknown kind. One is a golden file.
func TestAST(t *testing.T) {
	for _, pattern := range []string{"testdata/lower/*.yaml", "../testdata/programs/*.yaml",
		"../testdata/actors/*.yaml", "../testdata/liveness/*.yaml"} {
		for _, path := range glob(t, pattern) {
			text, err := AST(path, read(t, path))
			if err != nil {
				t.Fatalf("%s", snippets(err))
			}
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			kinds(t, path, v)
		}
	}
	for _, path := range glob(t, "testdata/ast/*.yaml") {
		text, err := AST(path, read(t, path))
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		golden(t, path, string(text)+"\n")
	}
	if _, err := AST("f.yaml", []byte("cdpor: 1\nthreads: {t: x = = 1}\n")); err == nil {
		t.Error("no error")
	}
}

func kinds(t *testing.T, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if kind, ok := v["kind"]; ok && kind == "" {
			t.Errorf("%s: a node without a kind: %v", path, v)
		}
		for _, part := range v {
			kinds(t, path, part)
		}
	case []any:
		for _, part := range v {
			kinds(t, path, part)
		}
	}
}
