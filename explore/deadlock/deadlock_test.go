package deadlock

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/schedules"
	"cdpor/lang/langtest"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expected explanations anew")

func load(t testing.TB, name string, text []byte) *step.Machine {
	return langtest.Machine(t, name, string(text), nil)
}

// TestPrimitives: the explanations of the deadlocks of a program for each primitive of the language. Each file has
// the programs, one after the other, and behind each, what is said of its first deadlocks.
func TestPrimitives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := load(t, filepath.Base(file), text)
			source, err := explore.Find("source")
			if err != nil {
				t.Fatal(err)
			}
			res, err := explore.Run(context.Background(), m, source, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			x := New(m)
			var b strings.Builder
			for i, d := range res.Deadlocks.All() {
				if i == 2 {
					break
				}
				why := x.Explain(d.Words, schedules.Simplify(context.Background(), m, d.Schedule))
				for _, line := range why.Lines() {
					fmt.Fprintln(&b, line)
				}
				data, err := json.MarshalIndent(why, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s\n\n", data)
			}
			if res.Deadlocks.Len() == 0 {
				t.Fatal("no deadlock")
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
