package constraints_test

import (
	"fmt"
	"log"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

const (
	program = `cdpor: 1
shared: {x: int, y: int}
threads:
  p: "a: x += 2"
  q: "b: if x >= 2 { y = 1 }"
`
	file = `cdpor-constraints: 1
program: p.yaml
pairs:
  - blocks: [p.a, q.b]
    commute:   x >= 2
    uniform: "false"
    status: manual
`
)

// A constraint file is read against its program. Nothing is proved here: see synth.Check.
func ExampleLoad() {
	src, err := lang.Load("p.yaml", []byte(program), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := constraints.Load(src.Program, "p.constraints.yaml", []byte(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("for this very program:", !set.Stale(), "- proved:", !set.HasManual())
	for _, p := range set.Pairs {
		fmt.Println(p.A.Name(), p.B.Name(), "commute if", lang.FormatExpr(p.Commute, p.A.Template, p.B.Template))
	}
	// Output:
	// for this very program: false - proved: false
	// p.a q.b commute if x >= 2
}

// Compiled for a machine, a constraint can be asked in a state.
func ExampleSet_Compile() {
	src, err := lang.Load("p.yaml", []byte(program), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := constraints.Load(src.Program, "p.constraints.yaml", []byte(file))
	if err != nil {
		log.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		log.Fatal(err)
	}
	s := m.Initial()
	c := set.Compile(m).Commute(0, m.StepOf(s, 0), 1, m.StepOf(s, 1))
	fmt.Println(c.Kind == constraints.CondEval, c.Eval(m.NewRunner(), s))
	// Output: true false
}
