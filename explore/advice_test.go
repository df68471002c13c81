package explore

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/states"
	"cdpor/lang/langtest"
)

// A search without visited states that enters the same states over and over says so, one that does not says that, and
// one that has come to its end says nothing.
func TestAdvice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	const twice = `cdpor: 1
shared: {x: int}
threads:
  t:
    count: 6
    run: |
      for i in 1..3 {
        x += 1
        x -= 1
      }
`
	const readers = `cdpor: 1
shared: {x: int}
threads:
  writer: x = 42
  reader:
    count: 20
    run: var seen int = x
observe: [reader.seen]
`
	const distinct = `cdpor: 1
params: {N: 9}
bounds: {writer: N}
shared: {x: int}
threads:
  main: for i in 1..N { spawn writer(i) }
  writer:
    params: [k int]
    run: |
      x = 2 * x + 1
      x = 3 * x + k
`
	for _, c := range []struct {
		name, text string
		a          *Algorithm
		opt        Options
		want       string
	}{
		{"the same states", twice, dpor.SourceAlgorithm, Options{MaxExecutions: 300_000},
			"auto and exhaustive enter each once"},
		{"new states", readers, dpor.SourceAlgorithm, Options{MaxExecutions: 300_000}, "would save little"},
		{"short", twice, dpor.SourceAlgorithm, Options{MaxExecutions: 100}, ""},
		{"edges", distinct, states.Algorithm, Options{MaxExecutions: 20_000}, "most steps lead to new states"},
		{"visited", twice, dpor.SourceAlgorithm, Options{MaxExecutions: 300_000, Visited: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := langtest.Machine(t, "advice.yaml", c.text, nil)
			res, err := Run(context.Background(), m, c.a, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			got := Advice(res)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("advice %q of %d nodes, %d states, want %q (%s)",
					got, res.Nodes, res.States, c.want, res.Stopped)
			}
		})
	}
}

// A search that is interrupted while it looks around says in the end what an undisturbed one says.
func TestAdviceAfterInterruption(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	const text = `cdpor: 1
shared: {x: int}
threads:
  t:
    count: 6
    run: |
      for i in 1..3 {
        x += i
        x -= i
      }
`
	m, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	const last = 250_000
	whole, err := Run(context.Background(), m, dpor.SourceAlgorithm, Options{MaxExecutions: last})
	if err != nil {
		t.Fatal(err)
	}
	if whole.Stretch.Nodes == 0 {
		t.Fatalf("%d nodes are too few to look around", whole.Nodes)
	}
	const first, many = int64(executions.FirstStretch), executions.StretchNodes
	for nodes := first - many/2; nodes < first+2*many; nodes += many / 2 {
		var b bytes.Buffer
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		opt := Options{MaxExecutions: last,
			Progress: func(r *Result) {
				if r.Nodes >= nodes {
					cancel()
				}
			},
			Checkpoint: func(stopped string, save func() *Checkpoint) {
				if stopped != "" {
					err = save().Write(&b)
				}
			}}
		if _, failed := Run(ctx, m, dpor.SourceAlgorithm, opt); failed != nil || err != nil {
			t.Fatal(failed, err)
		}
		cp, err := ReadCheckpoint(&b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Resume(context.Background(), m, cp, Options{MaxExecutions: last})
		if err != nil {
			t.Fatal(err)
		}
		if got.Stretch != whole.Stretch || got.Nodes != whole.Nodes {
			t.Errorf("interrupted after %d nodes: %+v of %d nodes, want %+v of %d",
				nodes, got.Stretch, got.Nodes, whole.Stretch, whole.Nodes)
		}
	}
}
