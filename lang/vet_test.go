package lang

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVet compares the warnings about a program full of oddities, each marked on its line.
func TestVet(t *testing.T) {
	for _, path := range glob(t, "testdata/vet/*.yaml") {
		text := read(t, path)
		s, err := Load(path, text, Options{})
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		got := map[int]string{}
		for _, w := range Vet(s) {
			got[w.Pos.Line] += w.Msg + "\n"
		}
		marked := map[int]string{}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range want.FindAllStringSubmatch(line, -1) {
				marked[i+1] += strings.Trim(m[1], `"`) + "\n"
			}
		}
		if diff := cmp.Diff(marked, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestVetQuiet: nothing is said about programs that are as they should be.
func TestVetQuiet(t *testing.T) {
	for _, name := range []string{"dining-philosophers", "producer-consumer", "bounded-buffer-cond",
		"treiber-stack", "accounts"} {
		path := filepath.Join("../testdata/programs", name+".yaml")
		s, err := Load(path, read(t, path), Options{})
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		for _, w := range Vet(s) {
			t.Errorf("%s", w.Snippet())
		}
	}
}
