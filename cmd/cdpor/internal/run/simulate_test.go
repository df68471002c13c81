package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/explore"
	"cdpor/lang/step"
)

// TestShallowBug: however large the program, a shallow bug is shown before the search begins, after few events.
func TestShallowBug(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.yaml")
	if err := os.WriteFile(path, []byte(`cdpor: 1
params: {N: 10, LOOPS: 1000000}
shared: {x: int, at: "array[N] int"}
threads:
  worker:
    count: N
    run: |
      for i in 1..LOOPS {
        var t int = x
        x = t + 1
        assert x > t
        at[self] = i
      }
`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 10, 100, 250, 1000} {
		c := &Command{StopAtFirst: true}
		c.Program, c.Param = path, []string{fmt.Sprintf("N=%d", n)}
		src, err := c.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m, err := step.NewMachine(src.Form())
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		e := &environment.Environment{Stdout: &said, Stderr: &said, Now: time.Now, Context: context.Background()}
		of, err := c.newReport(e, &explore.Algorithm{}, m)
		if err != nil {
			t.Fatal(err)
		}
		p := progress.New(e)
		r, err := c.simulate(context.Background(), of, p, progress.NewAnnouncer(p))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d threads: %d events", n, r.Result.Events)
		if r.Result.Verdict != explore.Violated || r.Result.Events > fewEvents ||
			!strings.Contains(said.String(), "cdpor: violation") {
			t.Errorf("%d threads: verdict %s after %d events", n, r.Result.Verdict, r.Result.Events)
		}
	}
}
