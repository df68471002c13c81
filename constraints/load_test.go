package constraints

import (
	"slices"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

const programText = `
cdpor: 1
name: demo
shared: {x: int, y: int, a: array[3] int}
threads:
  writer: |
    put: x = 5
    a[0] = 1
  reader:
    count: 2
    run: |
      get: y = x
      a[1] = 2
`

func program(t testing.TB) *step.Program {
	t.Helper()
	src, err := lang.Load("demo.yaml", []byte(programText), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src.Program
}

// defining is a file with definitions and one condition.
func defining(define, condition string) string {
	return define + "\npairs:\n  - blocks: [writer.put, reader.get]\n    commute: " + condition + "\n"
}

func TestLoadErrors(t *testing.T) {
	head := "cdpor-constraints: 1\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "c.yaml:1:1: error[E601]: the constraint file is empty"},
		{"no version", "program: x\n", "c.yaml:1:1: error[E601]: this is not a constraint file"},
		{"future version", "cdpor-constraints: 7\n",
			`c.yaml:1:20: error[E601]: constraint file version "7" is not supported`},
		{"unknown key", head + "pair: []\n", `c.yaml:2:1: error[E601]: unknown key "pair"`},
		{"duplicate key", head + "program: a\nprogram: b\n", `c.yaml:3:1: error[E601]: duplicate key "program"`},
		{"unknown step", head + "pairs:\n  - blocks: [writer.pat, reader.get]\n    commute: x == 5\n",
			`c.yaml:3:14: error[E601]: unknown step "writer.pat"`},
		{"three steps", head + "pairs:\n  - blocks: [writer.put]\n    commute: x == 5\n",
			"c.yaml:3:13: error[E601]: blocks must name two steps"},
		{"no condition", head + "pairs:\n  - blocks: [writer.put, reader.get]\n",
			"c.yaml:3:5: error[E601]: the pair writer.put, reader.get has no commute condition"},
		{"unknown name", head + "pairs:\n  - blocks: [writer.put, reader.get]\n    commute: z == 5\n", "c.yaml:4:14: "},
		{"alone", head + "ordered: [[writer.put]]\n",
			"an entry of ordered names a step and those it never meets, as in [a.1, b.1]"},
		{"no status", head + "pairs: [{blocks: [writer.put, reader.get], commute: x == 1, status: ordered}]\n",
			"unknown status \"ordered\""},
		{"twice", head + "independent:\n  - [writer.put, reader.get]\n  - [reader.get, writer.put]\n",
			"stands already at line 3"},
		{"same thread", head + "pairs:\n  - blocks: [writer.put, writer.put]\n    commute: \"true\"\n",
			"has no second instance"},
		{"status", head + "pairs:\n  - blocks: [writer.put, reader.get]\n    commute: x == 5\n    status: sure\n",
			`c.yaml:5:13: error[E601]: unknown status "sure"`},
		{"alias", head + "pairs: &p []\n", "anchors and aliases are not allowed"},
		{"tag", head + "program: !x\n", "tags are not allowed"},
		{"folded", head + "pairs:\n  - blocks: [writer.put, reader.get]\n    commute: >\n      x == 5\n",
			"one expression on one line"},
		{"not yaml", head + "pairs: [\n", "c.yaml:"},
		{"large", head + strings.Repeat("# filler\n", 600_000), "the limit is"},
		{"not a mapping", "- 1\n", "must be a mapping"},
		{"definition of nothing", head + defining("define: {free: \"\"}", "x == 5"),
			"what a definition stands for must be one"},
		{"no head", head + defining("define: {\"free(r)\": x == 5}", "x == 5"),
			"c.yaml:2:10: error[E601]: \"free(r)\" is not the head"},
		{"no mapping", head + defining("define: [x]", "x == 5"), "define must be a mapping"},
		{"defined twice", head + defining("define:\n  five: x == 5\n  five: x == 6", "five"),
			"c.yaml:4:3: error[E601]: five is defined already at line 3"},
		{"shadowing a variable", head + defining("define:\n  y: x == 5", "y"),
			"c.yaml:3:3: error[E601]: y is a shared variable already"},
		{"shadowing a thread", head + defining("define:\n  writer: x == 5", "x == 5"), "writer is a thread already"},
		{"shadowing a word", head + defining("define:\n  max: x == 5", "x == 5"),
			"max is a function of the language already"},
		{"not defined", head + defining("define:\n  five: x == 5", "five && fiv"), "c.yaml:6:22: "},
		{"not defined, called", head + defining("define:\n  five(p): p.self == 5", "fiv(q)"), "unknown function fiv"},
		{"recursive", head + defining("define:\n  a1: x == 5 && b1\n  b1: a1", "a1"),
			"c.yaml:4:7: error[E601]: the definition a1 uses itself"},
		{"without process", head + defining("define:\n  a1: p.self == 5", "a1"),
			"c.yaml:3:7: error[E601]: p is not among the processes of the definition a1"},
		{"with too few", head + defining("define:\n  a1(p, q): p.self == q.self", "a1(p)"),
			"this is not how the definition a1 is used"},
		{"with too many", head + defining("define:\n  a1: x == 5", "a1(p)"),
			"this is not how the definition a1 is used"},
		{"of another type", head + defining("define:\n  a1: x + 5", "a1"), "c.yaml:3:7: "},
		{"fact without step", head + "assuming: [x > 0]\n",
			"c.yaml:2:12: error[E601]: an entry of assuming names a step, or always"},
		{"fact at an unknown step", head + "assuming:\n  - reader.got: x > 0\n",
			`c.yaml:3:5: error[E601]: unknown step "reader.got"`},
		{"fact with an unknown name", head + "assuming:\n  - reader.get: z > 0\n", "c.yaml:3:17: "},
		{"fact about two steps", head + "assuming:\n  - reader.get: q.self > 0\n", "c.yaml:3:17: "},
		{"fact about everything and self", head + "assuming:\n  - always: self > 0\n", "c.yaml:3:13: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(program(t), "c.yaml", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

const canonical = `cdpor-constraints: 1
program: demo.yaml
digest: "sha256:0"
generator: somebody
assuming: # in every reachable state, or whenever a thread stands at the step; proved
  - always: x in 0..5
  - reader.get: self <= 1
pairs:
  - blocks: [writer.put, reader.get]
    commute: x == 5
    uniform: "false"
    status: manual
independent: # p and q use the same data and commute in every state
  - [reader.get, reader.get]
ordered: # [p, q, ...]: two processes never stand at p and at a q in one state
  - [writer.2, reader.get]
`

func TestFormatLoad(t *testing.T) {
	prog := program(t)
	text := "ordered:\n- [reader.get, writer.2]\nindependent:\n- [reader.2, writer.put]\n- [reader.get, " +
		"reader.get]\ncdpor-constraints: 1\n" +
		"digest: sha256:0\npairs:\n- blocks: [writer.put, reader.get]\n  commute: 'x==5'\n" +
		"program: demo.yaml\ngenerator: somebody\nassuming:\n- {always: 'x>=0 && (x<=5)'}\n- {reader.get: self<=1}\n"
	set, err := Load(prog, "c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(canonical, `"sha256:0"`, "sha256:0", 1)
	if diff := cmp.Diff(want, string(set.Format())); diff != "" {
		t.Error(diff)
	}
	if !set.Stale() || !set.HasManual() {
		t.Error("the set is for another program and has a manual entry")
	}
	if p, swapped := set.Find(set.Pairs[1].A, set.Pairs[1].B); p == nil || swapped {
		t.Error("a pair is not found")
	}
}

// TestOpen looks at a pair that a budget was not enough for.
func TestOpen(t *testing.T) {
	text := "cdpor-constraints: 1\npairs:\n  - blocks: [writer.put, reader.get]\n    commute: \"false\"\n" +
		"    uniform: \"false\"\n    status: \"unknown: budget\"\n"
	set, err := Load(program(t), "c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p := set.Pairs[0]; p.Status != Unknown || !p.Open {
		t.Errorf("status %q, open %t", p.Status, p.Open)
	}
	if got := string(set.Format()); !strings.Contains(got, text[strings.Index(text, "pairs:"):]) {
		t.Errorf("written otherwise:\n%s", got)
	}
}

func TestIndependent(t *testing.T) {
	prog := program(t)
	step := func(name string) *step.Step {
		for _, tm := range prog.Templates {
			for _, s := range tm.Steps {
				if s.Name() == name {
					return s
				}
			}
		}
		t.Fatalf("no step %s", name)
		return nil
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"writer.put", "reader.get", false}, {"reader.get", "reader.get", false},
		{"writer.2", "reader.2", true}, {"reader.2", "reader.2", false}, {"writer.put", "reader.2", true},
	} {
		if got := Independent(step(test.a), step(test.b)); got != test.want {
			t.Errorf("%s, %s: %v", test.a, test.b, got)
		}
	}
	if got := len(slices.Collect(PairsOf(prog))); got != 2*2+3 {
		t.Errorf("%d pairs", got)
	}
}

func TestCompiled(t *testing.T) {
	prog := program(t)
	set, err := Load(prog, "c.yaml",
		[]byte("cdpor-constraints: 1\npairs:\n  - blocks: [reader.get, writer.put]\n    commute: x == 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(prog)
	if err != nil {
		t.Fatal(err)
	}
	c, r, s := set.Compile(m), m.NewRunner(), m.Initial()
	w, g := m.StepOf(s, 0), m.StepOf(s, 1)
	if c.Commute(1, g, 2, g).Kind != CondUnknown || c.Uniform(0, w, 1, g).Kind != CondFalse {
		t.Error("an absent pair must be unknown, an absent uniform false")
	}
	cond := c.Commute(0, w, 2, g)
	if cond.Kind != CondEval || cond.Eval(r, s) {
		t.Error("x == 5 must not hold with x = 0")
	}
	s[0] = 5
	if !cond.Eval(r, s) {
		t.Error("x == 5 must hold")
	}
	if n := testing.AllocsPerRun(100, func() { c.Commute(0, w, 2, g).Eval(r, s) }); n != 0 {
		t.Errorf("%v allocations per evaluation", n)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(canonical)
	f.Add("cdpor-constraints: 1\nindependent:\n  - [writer.put, reader.get]\n")
	prog := program(f)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Load(prog, "c.yaml", []byte(text))
		if err == nil {
			set.Format()
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	prog := program(b)
	set, err := Load(prog, "c.yaml",
		[]byte("cdpor-constraints: 1\npairs:\n  - blocks: [writer.put, reader.get]\n    commute: x == 5\n"))
	if err != nil {
		b.Fatal(err)
	}
	m, err := step.NewMachine(prog)
	if err != nil {
		b.Fatal(err)
	}
	c, r, s := set.Compile(m), m.NewRunner(), m.Initial()
	w, g := m.StepOf(s, 0), m.StepOf(s, 1)
	b.ReportAllocs()
	for b.Loop() {
		c.Commute(0, w, 1, g).Eval(r, s)
	}
}

// TestSeal: an entry fits its seal however the file is laid out, and no longer when something of it is edited, its
// definitions and facts included.
func TestSeal(t *testing.T) {
	prog := program(t)
	const head = "cdpor-constraints: 1\n"
	load := func(text string) *Set {
		t.Helper()
		set, err := Load(prog, "c.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return set
	}
	set := load(head + `digest: sha256:0
assuming: [always: "a[0] >= 0", always: x >= 0, reader.get: x < 9]
define: {five: x == 5, spare: x == 6}
pairs: [{blocks: [writer.put, reader.get], commute: five, uniform: five, status: exact}]
independent: [[reader.get, reader.get]]
`)
	if edited := set.Edited(); len(edited) != 2 || set.Headed() {
		t.Errorf("without seals %d entries are edited, headed: %t", len(edited), set.Headed())
	}
	set.SealAll()
	sealed := string(set.Format())
	for _, test := range []struct {
		old, new string
		want     int
		headed   bool
	}{
		{"", "", 0, true},
		{"blocks: [writer.put, reader.get]", "blocks: [reader.get, writer.put] # turned", 0, true},
		{"commute: five", "commute: x==5", 0, true},
		{"always: a[0] >= 0", "always: a[0] >= 1", 0, false},
		{"commute: five", "commute: x >= 5", 1, true},
		{"uniform: five", "uniform: \"false\"", 1, true},
		{"status: exact", "status: partial", 1, true},
		{"five: x == 5", "five: x == 7", 1, true},
		{"always: x >= 0", "always: x >= 1", 0, false},
		{"reader.get: x < 9", "reader.get: x < 8", 0, false},
		{"digest: sha256:0", "digest: sha256:1", 0, false},
	} {
		if !strings.Contains(sealed, test.old) {
			t.Fatalf("no %q in\n%s", test.old, sealed)
		}
		set := load(strings.Replace(sealed, test.old, test.new, 1))
		if edited := set.Edited(); len(edited) != test.want || set.Headed() != test.headed {
			t.Errorf("%q for %q: %d entries are edited, headed: %t", test.new, test.old, len(edited), set.Headed())
		}
	}
	if !strings.Contains(sealed, "spare: x == 6") {
		t.Errorf("a definition that no condition uses is lost:\n%s", sealed)
	}
	if unused := load(sealed).Unused(); len(unused) != 1 || unused[0].Name != "spare" {
		t.Errorf("unused: %v", unused)
	}
}
