package explore_test

import (
	"context"
	"fmt"
	"log"

	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/step"
)

const lostUpdate = `cdpor: 1
atomicity: access
shared: {x: int}
threads:
  worker: {count: 2, run: "x += 1"}
check: {final: [x == 2]}
`

// A program is explored by an algorithm; what was found is data.
func ExampleRun() {
	src, err := lang.Load("lost.yaml", []byte(lostUpdate), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		log.Fatal(err)
	}
	source, err := explore.Find("source")
	if err != nil {
		log.Fatal(err)
	}
	res, err := explore.Run(context.Background(), m, source, explore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Verdict, "after", res.Executions, "executions;", res.Stopped)
	for _, o := range res.Outcomes.All() {
		x := src.Program.Observe[0]
		fmt.Println(x.Name, "=", lang.FormatValue(src.Program, x.Expr.Type, o.Words), "by", o.Schedule)
	}
	for _, v := range res.Violations {
		schedule := schedules.Simplify(context.Background(), m, v.Schedule)
		fmt.Println(v.Kind, v.Property.Text, "does not hold after", schedule)
	}
	// Output:
	// violation after 4 executions; complete
	// x = 1 by [0 1 0 1]
	// x = 2 by [0 0 1 1]
	// final x == 2 does not hold after [1 0 0 1]
}

// Constraints are passed on as conditions. Here they come from a file; synth.Synthesize finds them.
func ExampleRun_constraints() {
	src, err := lang.Load("add.yaml", []byte(`cdpor: 1
shared: {x: int}
threads:
  adder: {count: 3, run: "add: x += 2"}
`), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := constraints.Load(src.Program, "add.constraints.yaml", []byte(`cdpor-constraints: 1
pairs:
  - {blocks: [adder.add, adder.add], commute: "true", uniform: "true", status: manual}
`))
	if err != nil {
		log.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		log.Fatal(err)
	}
	optimal, err := explore.Find("optimal")
	if err != nil {
		log.Fatal(err)
	}
	for _, opt := range []explore.Options{{}, {Conditions: set.Compile(m)}} {
		res, err := explore.Run(context.Background(), m, optimal, opt)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Executions, "executions,", res.Outcomes.Len(), "outcome")
	}
	// Output:
	// 6 executions, 1 outcome
	// 1 executions, 1 outcome
}
