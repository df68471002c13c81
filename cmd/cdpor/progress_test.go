package main

import (
	"bytes"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang/step"
	"cdpor/synth"
)

// TestSolvingProgress pins what a terminal shows while constraints are found, a second after each other.
func TestSolvingProgress(t *testing.T) {
	s := load(t, "../../testdata/programs/producer-consumer.yaml", nil)
	var a, b *step.Step
	for _, tmpl := range s.src.Program.Templates {
		a, b = b, tmpl.Steps[0]
	}
	seconds := int64(0)
	p := progress.New(&environment.Environment{Terminal: true, Now: func() time.Time { return time.Unix(seconds, 0) }})
	for _, c := range []struct {
		stage synth.Stage
		want  string
	}{
		{synth.Stage{Done: 0, Total: 9, A: a, B: b}, "10s: constraints: 0 of 9 pairs; at producer.put | consumer.take"},
		{synth.Stage{Done: 0, Total: 9, A: a, B: b}, "20s: constraints: 0 of 9 pairs; at producer.put | consumer.take"},
		{synth.Stage{Done: 1, Total: 9}, "30s: constraints: 1 of 9 pairs, about 3m left"},
		{synth.Stage{Phase: synth.Uniform, Round: 1, Done: 3, Total: 9, A: a, B: b},
			"40s: uniform parts: round 1, 3 of 9 pairs; at producer.put | consumer.take"},
		{synth.Stage{Phase: synth.Uniform, Round: 1, Done: 8, Total: 9, A: a, B: b},
			"50s: uniform parts: round 1, 8 of 9 pairs, about 2s of the round left; at producer.put | consumer.take"},
		{synth.Stage{Phase: synth.Uniform, Round: 2, Done: 0, Total: 9, A: a, B: b},
			"1m0s: uniform parts: round 2, 0 of 9 pairs; at producer.put | consumer.take"},
		{synth.Stage{Phase: synth.Proving, Done: 2, Total: 9}, "1m10s: proofs: 2 of 9 pairs"},
	} {
		var out bytes.Buffer
		p.Env.Stderr, p.Width = &terminal.Sink{Writer: &out}, 0
		seconds += 10
		p.Solving(c.stage)
		if got := out.String(); got != "\r"+c.want {
			t.Errorf("%+v shows %q, want %q", c.stage, got, c.want)
		}
	}
}
