package main

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/expect"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

// familyNodes bounds a search of these tests; a program that is larger is left out.
const familyNodes = 300_000

// search runs an algorithm as cdpor compare would; nil if it is too large.
func search(t *testing.T, s *subject, set explore.Conditions, name string) *explore.Result {
	t.Helper()
	v, err := compare.FindVariant(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt := v.Options
	opt.MaxDepth = 200 // some programs have no end
	opt.Progress = func(r *explore.Result) {
		if r.Nodes > familyNodes {
			cancel()
		}
	}
	if v.Constraints {
		opt.Conditions = set
	}
	r, err := explore.Run(ctx, s.m, v.Algorithm, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if ctx.Err() != nil || r.Stopped == explore.StoppedDepth {
		return nil
	}
	return r
}

// A subject is a program with parameters.
type subject struct {
	src *lang.Source
	m   *step.Machine
	t   *replay.Player
}

func load(t *testing.T, path string, params map[string]string) *subject {
	t.Helper()
	text, err := files.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := lang.Load(path, text, lang.Options{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{src: src, m: m}
}

// constraintsOf synthesises constraints, nil without a solver.
func constraintsOf(t *testing.T, s *subject) explore.Conditions {
	t.Helper()
	if synth.Available() != nil {
		return nil
	}
	set, _, err := synth.Synthesize(context.Background(), s.src.Program, synth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set.Compile(s.m)
}

// TestFamily holds the algorithms against each other on the shipped programs with all parameters of their expect
// sections: what optimal starts is what it completes, source starts no less, and classic no less than source;
// context visits about as few nodes as source, or fewer, and constrained as context.
func TestFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	paths, err := files.Programs([]string{"../../testdata"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if filepath.Base(filepath.Dir(path)) == "liveness" {
			continue // these go round for ever, so no search without states ends
		}
		seen := map[string]bool{}
		for _, e := range append([]*lang.Expect{{}}, load(t, path, nil).src.Expect...) {
			name := filepath.Base(path) + expect.Overrides(e)
			if seen[name] {
				continue
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) {
				s := load(t, path, e.With)
				total := func(r *explore.Result) int64 { return r.Executions + r.Dropped + r.Blocked }
				source := search(t, s, nil, "source")
				if source == nil {
					t.Skip("too large")
				}
				optimal := search(t, s, nil, "optimal")
				if optimal == nil {
					t.Skip("too large")
				}
				if optimal.Blocked != optimal.Spinning {
					t.Errorf("optimal has %d blocked executions", optimal.Blocked)
				}
				if optimal.Executions != source.Executions || total(optimal) > total(source) {
					t.Errorf("optimal has %d executions, source %d and %d blocked", optimal.Executions,
						source.Executions, source.Blocked)
				}
				if classic := search(t, s, nil, "classic"); classic != nil &&
					(classic.Executions != source.Executions || total(classic) < total(source)) {
					t.Errorf("source has %d executions and %d blocked, classic %d and %d",
						source.Executions, source.Blocked,
						classic.Executions, classic.Blocked)
				}
				context := search(t, s, nil, "context")
				if context == nil {
					return
				}
				if !aboutAsFew(context, source) {
					t.Errorf("source visits %d nodes, context %d", source.Nodes, context.Nodes)
				}
				constrained := search(t, s, constraintsOf(t, s), "constrained")
				if constrained == nil || !aboutAsFew(constrained, context) {
					t.Errorf("context visits %d nodes, constrained more: %+v", context.Nodes, constrained)
				}
			})
		}
	}
}

// aboutAsFew reports whether one search visits hardly more nodes than another: a race that a constraint removes yields
// no sleep sequence, and a sequence may cut more than the race costs.
func aboutAsFew(a, b *explore.Result) bool { return 10*(a.Nodes-1) <= 11*b.Nodes }

// TestPapers holds numbers that no expect section can state.
func TestPapers(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	programs := "../../testdata/programs/"
	slides := load(t, programs+"slides2.yaml", nil)
	for name, most := range map[string]int64{"source": 16, "context": 12, "constrained": 9} {
		if r := search(t, slides, constraintsOf(t, slides), name); r.Nodes > most {
			t.Errorf("slides2: %s visits %d nodes, at most %d expected", name, r.Nodes, most)
		}
	}
	if r := search(t, load(t, programs+"popl14-four.yaml", nil), nil, "source"); r.Blocked == 0 {
		t.Error("popl14-four: source has no blocked executions, and should")
	}
	for n := 2; n <= 10; n++ {
		s := load(t, programs+"producer-consumer.yaml", map[string]string{"N": strconv.Itoa(n), "MAX": "N + 2"})
		r := search(t, s, constraintsOf(t, s), "constrained")
		outcomes := int64(1) << n
		if r.Executions != outcomes || int64(r.Outcomes.Len()) != outcomes {
			t.Errorf("producer-consumer %d: %d executions and %d outcomes, %d expected", n, r.Executions,
				r.Outcomes.Len(), outcomes)
		}
		if most := outcomes * int64(n+2); r.Nodes > most {
			t.Errorf("producer-consumer %d: %d nodes, at most %d expected: they are to grow like the outcomes",
				n, r.Nodes, most)
		}
	}
}
