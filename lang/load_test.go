package lang

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

var update = flag.Bool("update", false, "rewrite golden files")

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	return paths
}

// golden compares with a file beside the input, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	path = strings.TrimSuffix(path, ".yaml") + ".golden"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, path)), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func load(t testing.TB, text string) *Source {
	t.Helper()
	s, err := Load("test.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatalf("%s", snippets(err))
	}
	return s
}

func snippets(err error) string {
	list, ok := err.(ErrorList)
	if !ok {
		return "not an ErrorList: " + err.Error()
	}
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.Snippet())
		b.WriteByte('\n')
	}
	return b.String()
}

var want = regexp.MustCompile(`(?:#|//) want ("(?:[^"\\]|\\.)*")`)

// TestErrors loads programs that say on each faulty line what must be reported there, and nothing else may be.
func TestErrors(t *testing.T) {
	for _, path := range glob(t, "testdata/errors/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := read(t, path)
			_, err := Load(path, text, Options{})
			if err == nil {
				t.Fatal("no error")
			}
			reported := map[int][]string{}
			for _, e := range err.(ErrorList) {
				reported[e.Pos.Line] = append(reported[e.Pos.Line], e.Msg)
			}
			for i, line := range strings.Split(string(text), "\n") {
				for _, m := range want.FindAllStringSubmatch(line, -1) {
					part, err := strconv.Unquote(m[1])
					if err != nil {
						t.Fatalf("line %d: %v", i+1, err)
					}
					rest := reported[i+1]
					found := false
					for k, msg := range rest {
						if strings.Contains(msg, part) {
							reported[i+1] = append(append([]string{}, rest[:k]...), rest[k+1:]...)
							found = true
							break
						}
					}
					if !found {
						t.Errorf("line %d: want %q, got %q", i+1, part, rest)
					}
				}
			}
			for line, msgs := range reported {
				for _, msg := range msgs {
					t.Errorf("line %d: unexpected %q", line, msg)
				}
			}
		})
	}
}

func TestSnippets(t *testing.T) {
	for _, path := range glob(t, "testdata/snippets/*.yaml") {
		_, err := Load(filepath.Base(path), read(t, path), Options{})
		if err == nil {
			t.Fatalf("%s: no error", path)
		}
		golden(t, path, snippets(err))
	}
}

func TestLowering(t *testing.T) {
	for _, path := range append(glob(t, "testdata/lower/*.yaml"), glob(t, "testdata/examples/*.yaml")...) {
		s, err := Load(path, read(t, path), Options{})
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		golden(t, path, string(NormalForm(s.Program)))
		if _, err := step.NewMachine(s.Program); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWholeFileErrors(t *testing.T) {
	tests := map[string]struct {
		text string
		opt  Options
		want string
	}{
		"empty": {"", Options{}, "f.yaml: error[E001]: the file is empty"},
		"list":  {"- a", Options{}, "f.yaml:1:1: error[E007]: a program is a map of sections"},
		"large": {strings.Repeat("#", 10<<20), Options{},
			"f.yaml: error[E001]: the file has 10485760 bytes; a program may have 4194304"},
		"not utf-8": {"cdpor: 1\nname: \xff\n", Options{}, "f.yaml:2:1: error[E001]: the text is not UTF-8"},
		"line break": {"cdpor: 1\nname: \u2028\n", Options{},
			"f.yaml:2:1: error[E001]: the line has a character that is not for program text"},
		"no version": {"shared: {x: int}\nthreads: {t: x = 1}", Options{},
			"f.yaml:1:1: error[E008]: the version of the language is missing"},
		"no threads": {"cdpor: 1", Options{}, "f.yaml:1:1: error[E010]: the program has no threads"},
		"atomicity": {minimal, Options{Atomicity: "x"},
			`f.yaml: error[E009]: atomicity is statement or access, not "x"`},
		"unknown -p": {minimal, Options{Params: map[string]string{"M": "1"}},
			"f.yaml: error[E210]: the program has no parameter M"},
		"wrong -p": {minimal, Options{Params: map[string]string{"N": "true"}},
			"-p N:1:1: error[E210]: the parameter is int, and this is bool"},
		"malformed -p": {minimal, Options{Params: map[string]string{"N": "1 +"}},
			"-p N:1:4: error[E102]: expected an expression, found the end of the code"},
		"tab": {"cdpor: 1\nshared:\n\tx: int\n", Options{},
			"f.yaml:3:2: error[E002]: not valid YAML: the line begins with a tab"},
	}
	for name, test := range tests {
		_, err := Load("f.yaml", []byte(test.text), test.opt)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestHostile loads programs that are made to be slow or deep. None may take long or end in anything but errors.
func TestHostile(t *testing.T) {
	program := func(body string) string {
		return "cdpor: 1\nshared: {x: int, b: bool, a: array[300] int, m: array[60000] int}\nthreads:\n" +
			"  t: {count: 1000, run: '" + body + "'}\n"
	}
	tests := map[string]string{
		"nested macros":     program("b = a.all(u, a.all(v, a.all(w, u + v + w > 0)))"),
		"nested abs":        program("x = " + strings.Repeat("abs(", 90) + "x" + strings.Repeat(")", 90)),
		"deep parentheses":  program("x = " + strings.Repeat("(", 100000)),
		"deep blocks":       program(strings.Repeat("{", 100000)),
		"deep negation":     program("b = " + strings.Repeat("!", 100000) + "b"),
		"long sum":          program("x = " + strings.Repeat("x + ", 100000) + "x"),
		"nested conditions": program("let y = " + strings.Repeat("(b ? ", 90) + "z" + strings.Repeat(" : 1)", 90)),
		"nested lists":      program("let y = " + strings.Repeat("[", 300) + "z" + strings.Repeat("]", 300)),
		"else if":           program("if b { }" + strings.Repeat(" else if b { }", 10000)),
		"many locals":       program("let c = m"),
		"deep flow": "cdpor: 1\nparams: {N: " + strings.Repeat("[", 5000) + "1" +
			strings.Repeat("]", 5000) + "}\n",
		"deep type": "cdpor: 1\nshared: {x: " + strings.Repeat("array[9] ", 10000) +
			"int}\nthreads: {t: skip}\n",
		"many options": "cdpor: 1\nshared: {x: int" + strings.Repeat("?", 10000) + "}\nthreads: {t: skip}\n",
		"right && with cas": program("b = " + strings.Repeat("b && (", 150) + "cas(x, 1, y)" +
			strings.Repeat(")", 150)),
		"many wrong lines":   program(strings.Repeat("x = zz; ", 100000)),
		"aliases of aliases": "cdpor: 1\nparams:\n  A: &a [1, 1]\n  B: &b [*a, *a]\n  C: [*b, *b]\n",
	}
	for name, text := range tests {
		if _, err := Load("f.yaml", []byte(text), Options{}); err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const minimal = "cdpor: 1\nparams: {N: 1}\nshared: {x: int}\nthreads: {t: x = N}\n"

func TestErrorsAreCapped(t *testing.T) {
	_, err := Load("f.yaml", []byte("cdpor: 1\nshared: {x: int}\nthreads:\n  t: |\n"+
		strings.Repeat("    x = y\n", 100)), Options{})
	list := err.(ErrorList)
	if last := list[len(list)-1]; len(list) != syntax.MaxErrors+1 || last.Msg != "too many errors, 70 more not shown" {
		t.Errorf("%d errors, the last %q", len(list), last.Msg)
	}
}

func TestParams(t *testing.T) {
	text := "cdpor: 1\nparams: {N: 3, B: false, L: [1, 2], C: red}\ntypes: {Color: \"enum [red, green]\"}\n" +
		"shared: {x: int, c: Color = C}\nthreads: {t: {count: N, run: x = L[0]}}\n"
	s, err := Load("f.yaml", []byte(text),
		Options{Params: map[string]string{"N": "2 * 3", "B": "true", "L": "[7]", "C": "green"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.Program.Params {
		got = append(got, p.Name+"="+FormatValue(s.Program, p.Type, p.Words))
	}
	if diff := cmp.Diff([]string{"N=6", "B=true", "L=[7]", "C=green"}, got); diff != "" {
		t.Error(diff)
	}
	if len(s.Program.Procs) != 6 || s.Program.Procs[5].Name != "t[5]" || s.Program.Init[1] != 1 {
		t.Errorf("%d processes, initial state %v", len(s.Program.Procs), s.Program.Init)
	}
}

// TestPropertyText: a property is told with all of its parentheses.
func TestPropertyText(t *testing.T) {
	texts := []string{"(x + 1) * 2 == 4", "((x)) == 1", "(x == 1) && (x > 0)", "!(x == 0)", "x == (1)"}
	src := "cdpor: 1\nshared: {x: int}\nthreads: {t: x = 1}\ncheck:\n  final:\n"
	for _, text := range texts {
		src += "    - \"" + text + "\"\n"
	}
	s, err := Load("p.yaml", []byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.Program.Checks.Final {
		if p.Text != texts[i] {
			t.Errorf("%q is told as %q", texts[i], p.Text)
		}
	}
}

func TestSections(t *testing.T) {
	s := load(t, `cdpor: 1
name: all
about: every section
params: {N: 2}
shared: {x: int, l: list[int?, 2], o: int?}
invariant: [x >= 0]
threads:
  t: {count: N, params: {k: 2*self, big: self > 0}, run: "let seen = x + k"}
  u: x = 1
observe: [x, t.seen, l, t[1].k + 1]
check:
  deadlock: required
  final: [{that: t[0].seen < 2, message: small}, x == 1]
  reachable: x == 1
  outcomes:
    - [1, 0, 2, [1, null], 3]
    - {x: 1, "t[0].seen": 0, "t[1].seen": 2, l: [], "t[1].k + 1": 3}
expect:
  - {traces: 4, with: {N: 3, }, algorithm: [source, optimal], verdict: ok}
`)
	p := s.Program
	var names []string
	for _, o := range p.Observe {
		names = append(names, o.Name)
	}
	if diff := cmp.Diff([]string{"x", "t[0].seen", "t[1].seen", "l", "t[1].k + 1"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int64{{1, 0, 2, 0, 0, 0, 0, 0, 3}, {1, 0, 2, 2, 1, 1, 0, 0, 3}},
		p.Checks.Outcomes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{2, 1, 0}, p.Procs[1].Init); diff != "" {
		t.Error(diff)
	}
	e := s.Expect[0]
	if *e.Traces != 4 || e.Outcomes != nil || e.With["N"] != "3" || len(e.Algorithms) != 2 || e.Verdict != "ok" {
		t.Errorf("expect is %+v", e)
	}
	if p.Checks.Deadlock != step.DeadlockRequired || p.Checks.Final[0].Msg != "small" ||
		p.Checks.Final[0].Text != "t[0].seen < 2" {
		t.Errorf("checks are %+v", p.Checks)
	}
	for _, v := range p.Templates[0].Locals {
		if v.Keep != (v.Name != "big") {
			t.Errorf("Keep of %s is %v", v.Name, v.Keep)
		}
	}
}

// TestPositions makes sure that what is marked in a message is what is meant, wherever code may stand.
func TestPositions(t *testing.T) {
	tests := map[string]string{
		"block":         "  t: |\n    x = 1\n    x = yyy\n",
		"indented more": "  t: |\n      x = 1\n\n      x = yyy\n",
		"plain":         "  t: x = yyy\n",
		"quoted":        "  t: \"x = yyy\"\n",
		"single":        "  t: 'x = yyy'\n",
		"flow":          "  t: {count: 2, run: x = l[0] + yyy}\n",
		"wide keys":     "  t: {params: {äöü: 1}, run: x = äöü + yyy}\n",
		"wide runes":    "  t: |-\n    x = 1 // äöü\n    assert x == 1, \"äöü\"; x = yyy\n",
	}
	for name, body := range tests {
		for _, eol := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll("cdpor: 1\nshared: {x: int, l: list[int, 2]}\nthreads:\n"+body, "\n", eol)
			_, err := Load("f.yaml", []byte(text), Options{})
			list, ok := err.(ErrorList)
			if !ok || len(list) != 1 {
				t.Errorf("%s: got %v", name, err)
				continue
			}
			if e := list[0]; e.File.Between(e.Pos, e.End) != "yyy" {
				t.Errorf("%s: %s marks %q", name, e.Msg, e.File.Between(e.Pos, e.End))
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml"} {
		for _, path := range glob(f, pattern) {
			f.Add(read(f, path))
		}
	}
	for _, file := range txtar.Parse(read(f, "testdata/mistakes.txtar")).Files {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, opt := range []Options{{}, {Atomicity: "access"}} {
			s, err := Load("fuzz.yaml", text, opt)
			if err != nil {
				if strings.Contains(err.Error(), "internal error") {
					t.Error(err)
				}
				_ = snippets(err)
				continue
			}
			NormalForm(s.Program)
		}
	})
}
