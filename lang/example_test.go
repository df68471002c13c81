package lang_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"cdpor/lang"
)

const counter = `cdpor: 1
params: {N: 2}
shared: {x: int}
threads:
  worker: {count: N, run: "x += 1"}
check: {final: [x == N]}
`

// A program is loaded from its text. Parameters may be changed without editing it.
func ExampleLoad() {
	src, err := lang.Load("counter.yaml", []byte(counter),
		lang.Options{Params: map[string]string{"N": "3"}, Atomicity: "access"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(src.Program.Procs), "processes")
	for _, t := range src.Program.Templates {
		for _, s := range t.Steps {
			fmt.Println("step", s.Name())
		}
	}
	// Output:
	// 3 processes
	// step worker.1
	// step worker.2
}

// What is wrong with a text comes as a list, with places and hints.
func ExampleLoad_errors() {
	_, err := lang.Load("wrong.yaml", []byte("cdpor: 1\nshared: {count: int}\nthreads: {p: cuont = 1}\n"),
		lang.Options{})
	var list lang.ErrorList
	if !errors.As(err, &list) {
		log.Fatal(err)
	}
	for _, e := range list {
		fmt.Println(e.Snippet())
	}
	// Output:
	// wrong.yaml:3:14: error[E201]: unknown name cuont
	//     3 | threads: {p: cuont = 1}
	//       |              ^^^^^
	//       = did you mean count?
}

func ExampleVet() {
	src, err := lang.Load("counter.yaml", []byte(counter), lang.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range lang.Vet(src) {
		fmt.Println(w)
	}
	// Output:
	// counter.yaml:5:28: warning[W001]: x += 1 reads and writes shared data in one step
}

// Declarations keep their lines, code is laid out anew.
func ExampleFormat() {
	text, err := lang.Format("untidy.yaml", []byte("cdpor: 1\nthreads:\n  p: |\n    if (y==0){x=1;x  += 2}\n"))
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(text)
	// Output:
	// cdpor: 1
	// threads:
	//   p: |
	//     if (y == 0) { x = 1; x += 2 }
}
