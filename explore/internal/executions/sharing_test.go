package executions

import (
	"context"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/happens"
	"cdpor/lang"
	"cdpor/lang/step"
)

// TestAdoptedEvents lets a search go on behind the first event of another one, and takes another action in its place,
// its own first. That touches too much to be looked up by it.
func TestAdoptedEvents(t *testing.T) {
	src, err := lang.Load("three.yaml", []byte(`
cdpor: 1
name: three
shared: {x: int, y: "array[9] int"}
threads:
  a: x = 1
  b: "atomic { for i in 0..8 { y[i] = 1 } }"
  c: x = 2
`), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *Search {
		x, err := New(context.Background(), m, dpor.SourceAlgorithm, engine.Options{Validate: true})
		if err != nil {
			t.Fatal(err)
		}
		x.Enable(x.Stack[0])
		return x
	}
	giver, taker := fresh(), fresh()
	giver.Join(nil, 0)
	taker.Join(nil, 1)
	take := func(x *Search, a int) (races []happens.Race) {
		_, races = x.Execute(a)
		x.Depth++
		x.Enable(x.Stack[x.Depth])
		return races
	}
	giver.Frontier.(*sharedFrontier).publish(&giver.level(0).Node, -1)
	take(giver, 0)
	giver.Frontier.(*sharedFrontier).publish(&giver.level(1).Node, -1)
	taker.ResumeAt(giver.Frontier.(*sharedFrontier).copyWork(1))
	if err := taker.Validate(); err != nil {
		t.Fatal(err)
	}
	taker.Depth = 0
	take(taker, 1)
	if races := take(taker, 2); len(races) != 0 {
		t.Errorf("c has %d races behind b", len(races))
	}
	if err := taker.Validate(); err != nil {
		t.Error(err)
	}
}
