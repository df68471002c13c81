package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang"
	"cdpor/lang/step"
)

const rich = `cdpor: 1
params: {N: 2}
types:
  Color: enum [red, green]
  Point: "record {x int, tags list[int, 2]}"
shared:
  c: Color
  p: Point
  ps: array[2] Point
  q: queue[int, N]
functions:
  twice(n int) int: return n + n
procedures:
  put(v int): |
    into: q.push(v)
threads:
  a:
    count: 2
    run: |
      let mine = twice(self)
      put(mine)
  b: |
    var mine int = 0
    take: mine = q.pop()
    // q.push(mine)
check:
  final: b.mine >= 0
`

// spots are places as LINE:COLUMN, both from 1.
func spots(list []location) (all []string) {
	for _, l := range list {
		all = append(all, fmt.Sprintf("%d:%d", l.Range.Start.Line+1, l.Range.Start.Character+1))
	}
	return all
}

func TestReferences(t *testing.T) {
	e, text := begin(t), rich
	e.open(uri, 1, text)
	for _, c := range []struct {
		part        string
		n           int
		declaration bool
		want        string
	}{
		{"q: queue", 1, true, "10:3 15:11 24:18"},
		{"q.pop", 1, false, "15:11 24:18"},
		{"put(mine", 1, true, "14:3 21:7"},
		{"mine = twice", 1, true, "20:11 21:11"},
		{"mine int", 1, true, "23:9 24:11 27:12"},
		{"n + n", 1, true, "12:9 12:28 12:32"},
		{"Point\n", 1, false, "8:6 9:16"},
		{"take", 1, true, "24:5"},
		{"// q", 1, true, ""},
	} {
		var list []location
		params := strings.TrimSuffix(where(uri, text, c.part, c.n), "}") +
			fmt.Sprintf(`, "context": {"includeDeclaration": %v}}`, c.declaration)
		e.request("textDocument/references", params, &list)
		if got := strings.Join(spots(list), " "); got != c.want {
			t.Errorf("references of %s: got %s, want %s", c.part, got, c.want)
		}
	}
	e.leave()
}

// renamed is the text after a rename, or why there is none.
func (e *editor) renamed(uri, text, part string, n int, name string) (string, string) {
	e.t.Helper()
	r := e.ask("textDocument/rename", strings.TrimSuffix(where(uri, text, part, n), "}")+
		fmt.Sprintf(`, "newName": %q}`, name))
	if r.Error != nil {
		return "", r.Error.Message
	}
	var edit workspaceEdit
	if err := json.Unmarshal(r.Result, &edit); err != nil {
		e.t.Fatal(err)
	}
	return applied(text, edit.Changes[uri]), ""
}

// applied is a text after edits, which are in order.
func applied(text string, edits []textEdit) string {
	d := newDocument("file:///p", nil, text)
	lines := strings.SplitAfter(text, "\n")
	at := func(p position) int {
		if p.Line >= len(lines) {
			return len(text)
		}
		return len(strings.Join(lines[:p.Line], "")) + len(string([]rune(d.lines[p.Line])[:d.pos(p).Col-1]))
	}
	for _, edit := range slices.Backward(edits) {
		text = text[:at(edit.Range.Start)] + edit.NewText + text[at(edit.Range.End):]
	}
	return text
}

func TestRename(t *testing.T) {
	e, text := begin(t), rich
	e.open(uri, 1, text)
	for _, c := range []struct {
		part string
		n    int
		name string
		want string // the lines that change
		why  string
	}{
		{"mine int", 1, "own", "23:own 24:own 27:own", ""},
		{"q.push", 1, "fifo", "10:fifo 15:fifo 24:fifo", ""},
		{"put(v", 1, "store", "14:store 21:store", ""},
		{"a:\n", 1, "reader", "17:reader", ""},
		{"N: 2", 1, "Max", "2:Max 10:Max", ""},
		{"into", 1, "there", "15:there", ""},
		{"mine int", 1, "q", "", "with the name q the program would be wrong"},
		{"n int", 1, "N", "", "with the name N the program would be wrong"},
		{"put(v", 1, "twice", "", "with the name twice the program would be wrong"},
		{"b: |", 1, "a", "", "with the name a the program would be wrong"},
		{"b: |", 1, "c", "", "with the name c the program would be wrong"},
		{"mine = twice", 1, "red", "20:red 21:red", ""}, // there it hides no other
		{"q: queue", 1, "c", "", "with the name c the program would be wrong"},
		{"q: queue", 1, "mine", "", "with the name mine the program would be wrong"},
		{"mine = twice", 1, "while", "", `"while" cannot be a name`},
		{"mine = twice", 1, "x y", "", `"x y" cannot be a name`},
		{"mine = twice", 1, "", "", `"" cannot be a name`},
		{"red", 1, "blue", "", "here stands no name that can be renamed"},
		{"check", 1, "z", "", "here stands no name that can be renamed"},
	} {
		got, why := e.renamed(uri, text, c.part, c.n, c.name)
		if !strings.HasPrefix(why, c.why) || why == "" != (c.why == "") {
			t.Errorf("rename %s to %s: got %q, want %q", c.part, c.name, why, c.why)
		}
		if why != "" {
			continue
		}
		var changed []string
		was := strings.Split(text, "\n")
		for i, line := range strings.Split(got, "\n") {
			if line != was[i] {
				changed = append(changed, fmt.Sprintf("%d:%s", i+1, c.name))
			}
		}
		if strings.Join(changed, " ") != c.want {
			t.Errorf("rename %s to %s changes the lines %s, want %s:\n%s", c.part, c.name, changed,
				c.want, cmp.Diff(text, got))
		}
	}
	var p renameable
	e.request("textDocument/prepareRename", where(uri, text, "mine)", 1), &p)
	if p.Placeholder != "mine" || p.Range.Start != (position{20, 10}) {
		t.Errorf("prepareRename says %+v", p)
	}
	hides := strings.Replace(text, "put(mine)", "put(mine); print red", 1)
	e.change(uri, 2, hides)
	if _, why := e.renamed(uri, hides, "mine = twice", 1, "red"); why != "red is another thing "+
		"already where mine is used" {
		t.Errorf("a rename that hides a member: %q", why)
	}
	e.change(uri, 3, text+"  x: 1\n")
	if _, why := e.renamed(uri, text, "mine int", 1, "own"); !strings.HasPrefix(why, "the program has errors") {
		t.Errorf("rename in a program with errors: %q", why)
	}
	e.leave()
}

// TestRenameShipped: in the programs that are shipped a fifth of the names that are declared is given a new one and the
// old one again, or it is said why not.
func TestRenameShipped(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	s := &server{files: testFiles, open: map[string]*document{}, out: &writer{w: &strings.Builder{}}}
	done, refused := 0, map[string]int{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !testFiles.IsProgram(text) || len(text) > 3000 {
			continue
		}
		d := newDocument("file:///"+filepath.Base(path), nil, string(text))
		for i, m := range s.analyse(d).mentions {
			if m.Pos != m.Decl || i%5 != 0 || m.What == "member" || m.Name == "main" {
				continue
			}
			edit, err := s.rename(d, m.Pos, "zz9")
			if err != nil {
				why, _, _ := strings.Cut(err.Error(), ": ")
				refused[filepath.Base(path)+": "+why]++
				continue
			}
			done++
			after := newDocument(d.uri, nil, applied(string(text), edit.Changes[d.uri]))
			back, err := s.rename(after, edit.Changes[d.uri][0].at(after), d.between(m.Pos, m.End))
			if err != nil {
				t.Errorf("%s: %s back: %v", path, m.Name, err)
			} else if applied(string(after.text), back.Changes[d.uri]) != string(text) {
				t.Errorf("%s: %s is not the same after two renames", path, m.Name)
			}
		}
	}
	// Types and messages of several classes are known to mean the first only; an about may use any word; and the
	// operations of a spec have the names of procedures.
	want := map[string]int{"linearizable-treiber.yaml: with the name zz9 the program would be wrong": 1,
		"treiber-stack-aba.yaml: what below means on line 6 is not known": 1,
		"outbox-gap.yaml: what row means on line 5 is not known":          1,
		"fib.yaml: with the name zz9 the program would be wrong":          1,
		"merge-sort.yaml: with the name zz9 the program would be wrong":   1,
		"quick-sort.yaml: with the name zz9 the program would be wrong":   1}
	if diff := cmp.Diff(want, refused); diff != "" || done < 300 {
		t.Errorf("%d renames; those that are refused: %s", done, diff)
	}
}

func (e textEdit) at(d *document) (p step.Pos) { return d.pos(e.Range.Start) }

func TestCompletion(t *testing.T) {
	e, text := begin(t), rich
	for _, c := range []struct {
		old, with string // the cursor is behind with
		want      []string
		not       []string
	}{
		{"put(mine)", "put(m", []string{"mine: variable mine: int", "min"}, []string{"q", "v"}},
		{"put(mine)", "", []string{"q: shared variable q: queue[int, 2]", "twice: function twice(n int) int",
			"N", "while",
			"red", "put", "a", "await"}, []string{"v", "take", "n", "x"}},
		{"put(mine)", "q.", []string{"push", "pop", "empty"}, []string{"append", "mine"}},
		{"put(mine)", "p.", []string{"x: int", "tags"}, []string{"push"}},
		{"put(mine)", "ps[0].tags.", []string{"append", "size"}, []string{"push"}},
		{"b.mine >= 0", "b.", []string{"mine: int"}, []string{"v"}},
		{"check:", "ch", []string{"check"}, []string{"shared"}},
		{"// q.push(mine)", "// q", nil, []string{"q"}},
	} {
		at := strings.Index(text, c.old) + len(c.with)
		now := strings.Replace(text, c.old, c.with, 1)
		e.open(uri, 1, text) // as it was before it is written
		e.diagnostics(uri, 1)
		e.change(uri, 2, now)
		var list []completion
		before := now[:at]
		e.request("textDocument/completion", quote(map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": position{strings.Count(before, "\n"), len(before) - 1 - strings.LastIndexByte(before, '\n')}}),
			&list)
		offered := map[string]string{}
		for _, item := range list {
			offered[item.Label] = item.Label + ": " + item.Detail
			if item.Kind == 0 {
				t.Errorf("%s has no kind", item.Label)
			}
		}
		for _, want := range c.want {
			label, detail, _ := strings.Cut(want, ": ")
			if got, is := offered[label]; !is || detail != "" && got != want {
				t.Errorf("at %q: %s is %q", c.with, want, got)
			}
		}
		for _, not := range c.not {
			if _, is := offered[not]; is {
				t.Errorf("at %q: %s is offered", c.with, not)
			}
		}
	}
	e.leave()
}

// tree is symbols as NAME(CHILDREN).
func tree(list []*symbol) string {
	var all []string
	for _, s := range list {
		text := s.Name
		if len(s.Children) > 0 {
			text += "(" + tree(s.Children) + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestSymbols(t *testing.T) {
	e, text := begin(t), rich
	e.open(uri, 1, text)
	var list []*symbol
	e.request("textDocument/documentSymbol", where(uri, text, "cdpor", 1), &list)
	const want = "N Color Point c p ps q twice(n) put(v into) a(mine) b(mine take)"
	if got := tree(list); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var check func(list []*symbol, in span)
	check = func(list []*symbol, in span) {
		for _, s := range list {
			if s.Range.Start.before(in.Start) || in.End.before(s.Range.End) ||
				s.SelectionRange.Start.before(s.Range.Start) ||
				s.Range.End.before(s.SelectionRange.End) {
				t.Errorf("%s has %v within %v, in %v", s.Name, s.SelectionRange, s.Range, in)
			}
			check(s.Children, s.Range)
		}
	}
	check(list, span{End: position{Line: 1000}})
	e.leave()

	e = connect(t, t.Context(), testFiles) // one that knows no tree
	e.ask("initialize", `{}`)
	e.open(uri, 1, text)
	var all []symbolInformation
	e.request("textDocument/documentSymbol", where(uri, text, "cdpor", 1), &all)
	if len(all) != 17 || all[16].Name != "take" || all[16].Within != "b" {
		t.Errorf("without a tree: %+v", all)
	}
	e.leave()
}

func TestFormatting(t *testing.T) {
	e := begin(t)
	const head = "cdpor: 1\nshared: {x: int}\nthreads:\n  t: |\n"
	const wrong, right = head + "    x   =  1 ;  x=3\n", head + "    x = 1; x = 3\n"
	for _, c := range [][2]string{{wrong, right}, {right, right}} {
		e.open(uri, 1, c[0])
		var edits []textEdit
		e.request("textDocument/formatting", where(uri, c[0], "cdpor", 1), &edits)
		if got := applied(c[0], edits); got != c[1] {
			t.Errorf("got %q, want %q", got, c[1])
		}
		if c[0] == c[1] && len(edits) > 0 {
			t.Errorf("nothing to change, but %v", edits)
		}
	}
	e.open(uri, 1, "cdpor: 1\nthreads: [\n")
	if r := e.ask("textDocument/formatting", where(uri, "cdpor", "cdpor", 1)); r.Error == nil {
		t.Errorf("a text with errors is formatted: %s", r.Result)
	}
	e.leave()
}

func TestQuickFixes(t *testing.T) {
	e := begin(t)
	current := "cdpor: 1\nshared: {x: int, m: mutex, ü: int}\nthreads:\n  t: |\n    ü = 1; m.lock(); y = 1\n" +
		"    if x = 0 { skip }\n"
	var titles []string
	for range 9 {
		e.open(uri, 1, current)
		var list []codeAction
		e.request("textDocument/codeAction",
			fmt.Sprintf(`{"textDocument": {"uri": %q}, "range": {"start": {"line": 0, "character": 0},
			"end": {"line": 99, "character": 0}}, "context": {"diagnostics": []}}`, uri), &list)
		if len(list) == 0 {
			break
		}
		if list[0].Kind != "quickfix" || len(list[0].Diagnostics) != 1 {
			t.Errorf("an action is %+v", list[0])
		}
		titles = append(titles, list[0].Title)
		current = applied(current, list[0].Edit.Changes[uri])
	}
	if diff := cmp.Diff([]string{"write lock m", "insert var", "write =="}, titles); diff != "" {
		t.Error(diff)
	}
	const want = "cdpor: 1\nshared: {x: int, m: mutex, ü: int}\nthreads:\n  t: |\n    ü = 1; lock m; var y = 1\n" +
		"    if x == 0 { skip }\n"
	if current != want {
		t.Errorf("got\n%s", current)
	}
	e.open(uri, 1, "cdpor: 1\nshared: {x: int}\nthreads:\n  t: |\n    xx = 1\n    x = xx + 1\n")
	for _, c := range []struct {
		line int
		only string
		want int
	}{{4, "", 1}, {4, `, "only": ["quickfix"]`, 1}, {4, `, "only": ["refactor"]`, 0}, {5, "", 0}} {
		var list []codeAction
		e.request("textDocument/codeAction",
			fmt.Sprintf(`{"textDocument": {"uri": %q}, "range": {"start": {"line": %d, "character": 5},
			"end": {"line": %[2]d, "character": 5}}, "context": {"diagnostics": []%s}}`, uri, c.line, c.only), &list)
		if len(list) != c.want {
			t.Errorf("line %d%s: %d actions, want %d", c.line, c.only, len(list), c.want)
		}
	}
	e.leave()
}

func TestLenses(t *testing.T) {
	dir := t.TempDir()
	e, text, program := begin(t), "# first\ncdpor: 1\nthreads: {t: skip}\n", uriOf(filepath.Join(dir, "p.yaml"))
	commands := func(uri string) (all []string) {
		var list []lens
		e.request("textDocument/codeLens", fmt.Sprintf(`{"textDocument": {"uri": %q}}`, uri), &list)
		for _, l := range list {
			args := strings.ReplaceAll(strings.Join(l.Command.Arguments, " "), dir+string(filepath.Separator), "")
			all = append(all, fmt.Sprintf("%d %s %s: %s", l.Range.Start.Line, l.Command.Title, l.Command.Command, args))
		}
		return all
	}
	e.open(program, 1, text)
	run := []string{"1 run cdpor.run: run p.yaml --save p.replay.yaml"}
	if diff := cmp.Diff(run, commands(program)); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "p.replay.yaml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(run, "1 replay cdpor.replay: run p.replay.yaml", "1 debug cdpor.debug: p.replay.yaml"),
		commands(program)); diff != "" {
		t.Error(diff)
	}
	e.open(uriOf(filepath.Join(dir, "p_test.go")), 1, "package p\n\nfunc TestÄ(t *testing.T) {}\n"+
		"func Testing(t *testing.T) {}\nfunc TestTwo(a, b int) {}\nfunc TestMain(m *testing.M) {}\n"+
		"func Test(t *testing.T)")
	want := []string{"2 explore cdpor.run: run " + dir + " --func TestÄ --save TestÄ.replay.yaml",
		"6 explore cdpor.run: run " + dir + " --func Test --save Test.replay.yaml"}
	if diff := cmp.Diff(want, commands(uriOf(filepath.Join(dir, "p_test.go")))); diff != "" {
		t.Error(diff)
	}
	e.open(uriOf(filepath.Join(dir, "p.go")), 1, "package p\n\nfunc TestX(t *testing.T) {}\n")
	if got := commands(uriOf(filepath.Join(dir, "p.go"))); got != nil {
		t.Errorf("got %q", got)
	}
	e.open("untitled:x", 1, text) // no file that could be run
	if got := commands("untitled:x"); got != nil {
		t.Errorf("got %q", got)
	}
	e.leave()
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// TestAnyText: whatever the text and the place, no answer panics, and what is offered as a quick fix lies within the
// text.
func TestAnyText(t *testing.T) {
	answered := 0
	wrong := strings.Replace(rich, "q.pop()", "q.dequeue()", 1)
	for cut := 0; cut <= len(wrong); cut += 3 {
		s := &server{files: testFiles, open: map[string]*document{}, last: map[string][]lang.Mention{},
			out: &writer{w: &strings.Builder{}}}
		d := newDocument(uri, nil, wrong[:cut]+"\n"+wrong[min(len(wrong), cut+11):])
		s.open[uri] = d
		for _, at := range []position{{-1, -1}, {0, 0}, {strings.Count(wrong[:cut], "\n"), 3},
			{1 << 30, 1 << 30}, {24, 1 << 30}} {
			for method, answer := range answers {
				q := &question{Position: at, NewName: "zz9", Range: span{position{}, position{Line: 99}}}
				result, err := answer(s, d, q)
				if err != nil && method != "textDocument/rename" && method != "textDocument/prepareRename" &&
					method != "textDocument/formatting" {
					t.Errorf("%s: %v", method, err)
				}
				answered++
				if list, is := result.([]codeAction); is {
					for _, a := range list {
						applied(string(d.text), a.Edit.Changes[uri])
					}
				}
			}
		}
	}
	if answered < 5000 {
		t.Errorf("only %d answers", answered)
	}
}
