package golang_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/replay"
	"cdpor/lang/golang"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestWaits: what is said of each way in which a goroutine can wait for good. Each test of the package has one; the
// first deadlock or leak of each is explained.
func TestWaits(t *testing.T) {
	const file = "testdata/waits.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, said := t.TempDir(), &archive.Files[len(archive.Files)-1]
	for _, f := range archive.Files[:len(archive.Files)-1] {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set, err := golang.Open(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	source, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range set.Entries() {
		name := e.Func
		p, err := set.Program(t.Context(), golang.Options{Path: folder, Func: name})
		if err != nil {
			t.Fatal(err)
		}
		m := machine(t, p)
		res, err := explore.Run(context.Background(), m, source, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Deadlocks.Len() == 0 {
			t.Errorf("%s: nobody waits", name)
			continue
		}
		d := res.Deadlocks.At(0)
		b.WriteString(name + ": " + replay.DeadlockName(m, d.Words) + "\n")
		for _, line := range deadlock.New(m).Explain(d.Words, d.Schedule).Lines() {
			b.WriteString("  " + line + "\n")
		}
	}
	if diff := cmp.Diff(string(said.Data), b.String()); diff != "" {
		t.Errorf("what is said (+, expected -; refresh with -update):\n%s", diff)
	}
	if *update {
		said.Data = []byte(b.String())
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
