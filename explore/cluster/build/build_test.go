package build

import (
	"bytes"
	"os"
	"runtime"
	"testing"
)

// TestDigest: a binary is known by what the linker calls it; one that has no such name, or one that somebody has
// chosen, by its contents.
func TestDigest(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	of := func(text []byte) string {
		t.Helper()
		build, err := digestOf(bytes.NewReader(text))
		if err != nil || len(build) != 64 {
			t.Fatalf("%q, %v", build, err)
		}
		return build
	}
	this, err := Digest()
	if err != nil || of(text) != this {
		t.Fatalf("this is %s, %v; its contents are of %s", this, err, of(text))
	}
	if of([]byte("no binary")) == of([]byte("another one")) {
		t.Error("two files are the same build")
	}
	id := linkedAs(bytes.NewReader(text))
	if runtime.GOOS == "linux" && id == "" {
		t.Fatal("the binary has no name")
	}
	if id == "" {
		return
	}
	another := bytes.ReplaceAll(text, []byte(id), append([]byte("another"), id[7:]...))
	if of(another) == this {
		t.Error("a binary of another name is the same build")
	}
	chosen := bytes.ReplaceAll(text, []byte(id), append([]byte("chosen/"), id[7:]...))
	longer := append(bytes.Clone(chosen), 0)
	if linkedAs(bytes.NewReader(chosen)) != "" || of(chosen) == of(longer) {
		t.Error("a name that the linker does not give tells builds apart, or contents do not")
	}
}
