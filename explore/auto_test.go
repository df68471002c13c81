package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/internal/auto"
	"cdpor/lang/step"
)

// TestTriedSpin: auto tries executions without visited states before it has come to a loop that spins. It must not
// follow an execution without an end up to the largest depth.
func TestTriedSpin(t *testing.T) {
	m, err := load(`cdpor: 1
shared: {f: bool, g: bool, x: int, z: int}
threads:
  c: "for i in 1..12 { z += 1 }"
  a: f = true; g = true; x += 1
  b: "await f; while !g {}; x += 2"
`)
	if err != nil {
		t.Fatal(err)
	}
	x, err := auto.New(context.Background(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x.Looks, x.Look = auto.Looks{First: 1, Other: 1, Rarer: 1, Long: 1 << 20, Share: 1 << 20, Last: 1 << 24}, 1
	x.Main.Period, x.Main.Left = 1, 0
	x.Begin()
	if y := x.Executions[auto.BySequences]; y == nil || y.Results.Events < 64 {
		t.Fatal("executions were not tried, or all of them have an end")
	}
	res, err := x.Conclude()
	if err != nil {
		t.Fatal(err)
	}
	if res.Stopped != StoppedComplete || res.Outcomes.Len() != 1 || res.Events > 5000 {
		t.Errorf("stopped %q, %d outcomes, %d events", res.Stopped, res.Outcomes.Len(), res.Events)
	}
}

// TestKeptConstraints: where auto asks for constraints of the pairs that have met in a race, those of pairs that are in
// use are asked for again.
func TestKeptConstraints(t *testing.T) {
	m, err := load(`cdpor: 1
shared: {x: int, y: int = 1}
threads:
  w: {count: 5, run: "same: x = 5; mixed: y = 2 * y + self"}
`)
	if err != nil {
		t.Fatal(err)
	}
	set, err := constraints.Load(m.Program, "c.yaml", []byte(`cdpor-constraints: 1
pairs: [{blocks: [w.same, w.same], commute: "true", uniform: "true", status: manual}]
`))
	if err != nil {
		t.Fatal(err)
	}
	var asked [][][2]*step.Step
	x, err := auto.New(context.Background(), m, Options{
		Synthesize: func(_ context.Context, pairs [][2]*step.Step, _ int) (Synthesis, error) {
			asked = append(asked, pairs)
			return Synthesis{Conditions: set.Compile(m), Pairs: len(pairs), Useful: 1}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	x.Looks, x.Look = auto.Looks{First: 16, Other: 1 << 20, Rarer: 1 << 20, Long: 16, Share: 1 << 20, Last: 1 << 24,
		Steps: 64}, 16
	x.Main.Period, x.Main.Left = 1, 0
	x.Begin()
	if len(asked) != 2 {
		t.Fatalf("asked %d times in %d nodes", len(asked), x.Main.Results.Nodes)
	}
	if same := m.Program.Templates[0].Steps[0]; !slices.Contains(asked[1], [2]*step.Step{same, same}) {
		t.Error("constraints that are in use are not asked for again")
	}
}

// TestTriedSequences: where messages come in any order, sleep sequences explore exponentially fewer nodes than visited
// states, and auto finds that out.
func TestTriedSequences(t *testing.T) {
	m := loadFile(t, "../testdata/actors/merge-sort.yaml",
		map[string]string{"DATA": "[8, 3, 1, 15, 22, 2, 78, 8, 4, 17, 9, 6, 5, 33, 12, 7, 14, 19, 21, 2]"})
	res, err := Run(context.Background(), m, auto.Algorithm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := slices.ContainsFunc(res.Decisions, func(s string) bool { return strings.Contains(s, "sleep sequences") })
	if !said || res.Stopped != StoppedComplete || res.Executions != 1 || res.Nodes > 1200 {
		t.Errorf("%q, stopped %q, %d executions, %d nodes", res.Decisions, res.Stopped, res.Executions, res.Nodes)
	}
}
