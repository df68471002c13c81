package record

import (
	"os"
	"path/filepath"
	"testing"

	"cdpor/explore/replay"

	"github.com/google/go-cmp/cmp"
)

// TestRecord: what is written is read back as the same, whatever the program text looks like.
func TestRecord(t *testing.T) {
	texts := []string{"", "  a\n b\n", "a: |\n  \tx\n\n\n", "no end of line", "cr\r\nlf\r\n", "# only\n#  comments",
		"ü\u00a0\ufeff",
		"a very long line that goes on and on and on and on and on and on and on and on and on and on and on\n"}
	paths, err := filepath.Glob("../../../../testdata/*/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	path := filepath.Join(t.TempDir(), "r.yaml")
	for _, text := range texts {
		want := &replay.Record{Version: replay.RecordVersion, Program: "p q.yaml", Param: []string{"N=2", "D=[1, 2]"},
			Verdict: "violation",
			Wrong:   []string{"a: b"}, Schedule: "0x5,1:2", Steps: []string{"p.1", "q[0].put"}, Text: text}
		if err := Write(want, path); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
