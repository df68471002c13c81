package lang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormat formats every program there is: the meaning must stay, and formatting again must change nothing.
func TestFormat(t *testing.T) {
	for _, pattern := range []string{"testdata/lower/*.yaml", "testdata/examples/*.yaml", "../testdata/programs/*.yaml",
		"../testdata/actors/*.yaml", "../testdata/liveness/*.yaml", "../testdata/traps/*.yaml"} {
		for _, path := range glob(t, pattern) {
			text := read(t, path)
			once, err := Format(path, text)
			if err != nil {
				t.Fatalf("%s", snippets(err))
			}
			if twice, err := Format(path, once); err != nil || string(twice) != string(once) {
				t.Errorf("%s: formatting twice: %v\n%s", path, err, cmp.Diff(string(once), string(twice)))
			}
			before, err := Load(path, text, Options{})
			if err != nil {
				t.Fatalf("%s", snippets(err))
			}
			after, err := Load(path, once, Options{})
			if err != nil {
				t.Fatalf("formatted:\n%s\n%s", once, snippets(err))
			}
			if diff := cmp.Diff(string(NormalForm(before.Program)), string(NormalForm(after.Program))); diff != "" {
				t.Errorf("%s means something else:\n%s", path, diff)
			}
		}
	}
}

func TestFormatGolden(t *testing.T) {
	for _, path := range glob(t, "testdata/format/*.yaml") {
		got, err := Format(path, read(t, path))
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		golden(t, path, string(got))
	}
}
