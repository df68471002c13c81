package native

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestKeepBinary: without a place nothing is touched, and no more are kept than there may be.
func TestKeepBinary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for i := range keptBinaries + 3 {
		if err := os.WriteFile(fmt.Sprint("mine", i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keepBinary("mine0", "")
	if files, _ := filepath.Glob("*"); len(files) != keptBinaries+3 {
		t.Errorf("%q", files)
	}
	folder := t.TempDir()
	for i := range keptBinaries + 3 {
		keepBinary(fmt.Sprint("mine", i), filepath.Join(folder, fmt.Sprint(i)))
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > keptBinaries || len(files) == 0 {
		t.Errorf("%q", files)
	}
}
