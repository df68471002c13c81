package source

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func keyOf(b byte) string { return strings.Repeat(string([]byte{'a', '0' + b}), 32) }

// TestCacheFolder: what was put is there, what was spoiled is not, and what has not been used for longest goes first.
func TestCacheFolder(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	c := &Folder{dir: t.TempDir(), now: func() time.Time { return now }}
	if err := os.WriteFile(filepath.Join(c.dir, "mine"), make([]byte, 5000), 0o666); err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("x"), 1000)
	for i := range byte(4) {
		c.Put(keyOf(i), value)
		if err := os.Chtimes(c.path(keyOf(i)), now, now.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Get(keyOf(9)); ok {
		t.Error("there is something that was not put there")
	}
	for _, spoil := range []func([]byte) []byte{
		func([]byte) []byte { return nil },
		func(text []byte) []byte { return text[:len(text)-1] },
		func(text []byte) []byte { return append(text, 'x') },
		func(text []byte) []byte { return bytes.Replace(text, []byte("x"), []byte("y"), 1) },
		func(text []byte) []byte { return bytes.Replace(text, []byte("cache 3"), []byte("cache 1"), 1) },
	} {
		path := c.path(keyOf(8))
		c.Put(keyOf(8), value)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, spoil(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get(keyOf(8)); ok {
			t.Errorf("a spoiled entry is believed: %q", got)
		}
		os.Remove(path)
	}
	other := &Folder{dir: c.dir, build: "another", now: c.now}
	if got, ok := other.Get(keyOf(0)); ok {
		t.Errorf("what another build of cdpor has found is believed: %q", got)
	}
	now = now.Add(2 * touchEvery)
	if got, ok := c.Get(keyOf(0)); !ok || !bytes.Equal(got, value) {
		t.Error("an entry is lost")
	}
	if err := c.trim(1 << 20); err != nil {
		t.Fatal(err)
	}
	if err := c.trim(4100); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, false} { // 0 was used last
		if _, ok := c.Get(keyOf(byte(i))); ok != want {
			t.Errorf("entry %d: %v, want %v", i, ok, want)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "mine")); err != nil {
		t.Errorf("a file that is none of the cache's is removed: %v", err)
	}
}
