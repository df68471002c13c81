//go:build cgo && !noz3

package synth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

const ring = `
cdpor: 1
name: ring
shared: {buf: "array[4] int", head: int, n: int, out: int}
threads:
  put: |
    s: atomic { if n < 4 { buf[(head + n) % 4] = 7; n += 1 } }
  get: |
    s: atomic { out = buf[head]; head = (head + 1) % 4 }
`

const forks = `
cdpor: 1
name: forks
params: {N: 4}
shared: {fork: "array[N] mutex"}
threads:
  t:
    count: N
    run: |
      var left int = self
      var right int = (self + 1) % N
      var far int = N - 1 - self
      for k in 1..3 {
        first: lock fork[left]
        second: lock fork[right]
        third: lock fork[far]
      }
`

// TestFacts pins what is assumed and what it leaves of the conditions.
func TestFacts(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a ring without invariants", ring, []string{"- always: head in 0..3", "commute: n >= 4 || buf[(n + head) % 4] == 7 && buf[(n + (head + 1) % 4) % 4] == 7"}},
		{"locals of instances", forks, []string{
			"- t.first: left == self", "- t.second: right == (self + 1) % N", "- t.third: far == 3 - self",
			"- [t.first, t.first]", "commute: p.left != q.right || fork[p.left].held()"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := synthesize(t, test.text)
			text := string(set.Format())
			for _, line := range test.want {
				if !strings.Contains(text, line) {
					t.Errorf("%q is missing in\n%s", line, text)
				}
			}
			again, err := constraints.Load(set.Program, "c.yaml", []byte(text))
			if err != nil || string(again.Format()) != text {
				t.Errorf("the file does not survive: %v\n%s", err, text)
			}
		})
	}
}

// TestWrongFact: a fact that a person adds must hold.
func TestWrongFact(t *testing.T) {
	for fact, ok := range map[string]bool{
		"always: head >= 0 && head < 4": true, "always: head <= 2": false, "put.s: n >= 0": true, "always: n <= 3": false,
	} {
		report := check(t, ring, "cdpor-constraints: 1\nassuming:\n  - "+fact+"\npairs: []\n")
		if report.OK() != ok {
			t.Errorf("%s: %v", fact, report.Findings)
		}
		if !ok && !strings.Contains(report.Findings[0].Text()[0], "cannot prove the fact") {
			t.Error(report.Findings[0].Text())
		}
	}
}

// TestFactsHold compares the facts of all shipped programs with states that are really reached.
func TestFactsHold(t *testing.T) {
	files, _ := filepath.Glob("../testdata/*/*.yaml")
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, err := lang.Load(file, text, lang.Options{})
		if err != nil {
			continue // programs for error messages, constraint files
		}
		m, err := step.NewMachine(src.Program)
		if err != nil {
			t.Fatal(err)
		}
		facts := everything(src.Program).list()
		c := &comparison{m: m, r: m.NewRunner(), set: &constraints.Set{Program: src.Program}}
		seen := map[string]bool{}
		states := []step.State{m.Initial()}
		for i := 0; i < len(states) && i < 3000; i++ {
			for _, f := range facts {
				count++
				if !c.fact(f)(states[i]) {
					t.Fatalf("%s: %s does not hold in %v", file, factText(f), states[i])
				}
			}
			for p := range m.NumProcs() {
				for _, a := range c.actions(states[i], p) {
					next := c.after(states[i], a)
					if k := string(next.Bytes()); !seen[k] && len(states) < 3000 {
						seen[k] = true
						states = append(states, next)
					}
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d evaluations", count)
	}
}

// TestFactNames: a bound that the code writes as a parameter is listed with its name, others are numbers.
func TestFactNames(t *testing.T) {
	set := synthesize(t, "cdpor: 1\nname: names\nparams: {N: 3}\nshared:\n  a: array[N + 1] int\n  x: int\nthreads:\n"+
		"  p: |\n    for i in 1..N {\n      w: a[i] = x\n    }\n  q: |\n    for j in 0..2 {\n      w: a[j] = x + 1\n    }\n")
	text := string(set.Format())
	for _, want := range []string{"p.w: i in 1..N\n", "q.w: j in 0..2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
