package lang

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestMistakes: what people write who come from other languages, or who know the language for a day. Each file of
// mistakes.txtar is a program NAME.wrong with one mistake, the message about it, NAME.message, and NAME.right, where
// what the message says has been done. There is one message, not several that follow from one another; it marks a place
// and names a cure.
func TestMistakes(t *testing.T) {
	const path = "testdata/mistakes.txtar"
	archive := txtar.Parse(read(t, path))
	files := map[string]*txtar.File{}
	for i := range archive.Files {
		files[archive.Files[i].Name] = &archive.Files[i]
	}
	mistakes := 0
	for _, f := range archive.Files {
		name, wrong := strings.CutSuffix(f.Name, ".wrong")
		if !wrong {
			continue
		}
		mistakes++
		right, message := files[name+".right"], files[name+".message"]
		if right == nil || message == nil {
			t.Fatalf("%s: no %s.right or no %s.message", path, name, name)
		}
		_, err := Load(name+".yaml", f.Data, Options{})
		if err == nil {
			t.Errorf("%s is right", f.Name)
			continue
		}
		list := err.(ErrorList)
		got := snippets(err)
		if e := list[0]; len(list) != 1 || e.Hint == "" || e.Code == "" || !strings.Contains(got, "^") {
			t.Errorf("%s: want one message with a place and a cure, got\n%s", f.Name, got)
		}
		if *update {
			message.Data = []byte(got)
		} else if diff := cmp.Diff(string(message.Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message.Name, diff)
		}
		if _, err := Load(name+".yaml", right.Data, Options{}); err != nil {
			t.Errorf("%s is wrong:\n%s", right.Name, snippets(err))
		}
	}
	if mistakes < 100 {
		t.Errorf("only %d mistakes", mistakes)
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
