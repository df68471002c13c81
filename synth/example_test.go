//go:build cgo && !noz3

package synth_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

const buffer = `cdpor: 1
params: {N: 4, MAX: 5}
shared:
  buf: queue[int, MAX]
  got: list[int?, N]
threads:
  producer: |
    for i in 1..N { put: atomic { if !buf.full() { buf.push(i) } } }
  consumer: |
    for i in 1..N {
      take: atomic { if buf.empty() { got.append(null) } else { got.append(buf.pop()) } }
    }
`

// All of it: a program is loaded, its constraints are found, and it is explored with them and without.
func ExampleSynthesize() {
	ctx := context.Background()
	src, err := lang.Load("buffer.yaml", []byte(buffer), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, _, err := synth.Synthesize(ctx, src.Program, synth.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range set.Pairs {
		fmt.Printf("%s | %s: %s (%s)\n", p.A.Name(), p.B.Name(), lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template),
			p.Status)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"source", "constrained"} {
		a, err := explore.Find(name)
		if err != nil {
			log.Fatal(err)
		}
		opt := explore.Options{}
		if a.Constraints {
			opt.Conditions = set.Compile(m)
		}
		res, err := explore.Run(ctx, m, a, opt)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, res.Executions, "executions", res.Outcomes.Len(), "outcomes", res.Verdict)
	}
	// Output:
	// producer.put | consumer.take: !buf.empty() (exact)
	// source 70 executions 16 outcomes ok
	// constrained 16 executions 16 outcomes ok
}

// A condition that somebody wrote is proved, or refuted by a state with both orders and what they lead to.
func ExampleCheck() {
	src, err := lang.Load("buffer.yaml", []byte(buffer), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := constraints.Load(src.Program, "buffer.constraints.yaml", []byte(`cdpor-constraints: 1
pairs:
  - {blocks: [producer.put, consumer.take], commute: buf.size() < N, uniform: "false", status: manual}
`))
	if err != nil {
		log.Fatal(err)
	}
	report, err := synth.Check(context.Background(), src.Program, set, synth.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		text, _, _ := strings.Cut(f.Text()[0], ", but not where")
		fmt.Printf("%s %s\n%s\n", set.File.Name, f.Pos, text)
	}
	// Output:
	// buffer.constraints.yaml 3:54
	// commute of producer.put and consumer.take holds in a state in which they do not commute
}
