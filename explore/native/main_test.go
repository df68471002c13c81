package native

import (
	"os"
	"path/filepath"
	"testing"
)

var scratchRoot string

func TestMain(m *testing.M) {
	code := m.Run()
	if scratchRoot != "" {
		os.RemoveAll(scratchRoot)
	}
	os.Exit(code)
}

// scratch is a folder that lasts as long as all tests.
func scratch(t testing.TB, name string) string {
	t.Helper()
	if scratchRoot == "" {
		dir, err := os.MkdirTemp("", "cdpor-native-test-")
		if err != nil {
			t.Fatal(err)
		}
		scratchRoot = dir
	}
	dir := filepath.Join(scratchRoot, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
