package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/synth"

	"cdpor/cmd/cdpor/internal/fault"
)

var screenshots = flag.String("screenshots", "", "an existing folder that the browser tests save pictures to")

// writtenPage runs a program with --html and returns the page's path and text.
func writtenPage(t *testing.T, args ...string) (path, text string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "page.html")
	var stdout, stderr bytes.Buffer
	if code := runMain(append([]string{"run", "--html", path}, args...), nil, &stdout,
		&stderr); code > fault.ExitIncomplete || code == fault.ExitInput {
		t.Fatalf("cdpor run --html: exit code %d\n%s", code, &stderr)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(page)
}

// TestPageSaysKindOnce: in "What is wrong" the kind of a violation is not repeated by its text.
func TestPageSaysKindOnce(t *testing.T) {
	item := regexp.MustCompile(`<a class="bad" href="#violation-1">([^<]*)</a>\s*<(?:span|div) class="text">([^<]*)</`)
	for _, c := range []struct{ program, kind, text string }{
		{"shared: {m: mutex}\nthreads: {a: 'lock m; lock m'}\n", "deadlock", "a (line 3) waits in lock m"},
		{"shared: {x: int}\nthreads: {a: 'while x == 0 { skip }'}\ncheck: {termination: required}\n",
			"no way to end", "a goes round"},
		{"shared: {x: int}\nthreads: {a: 'while any(0..1) == 0 { x = 1 - x }'}\ncheck: {termination: fair}\n",
			"endless", "a goes round"},
		{"shared: {x: int}\nthreads: {a: x = 1}\ncheck: {final: x == 2}\n", "final",
			": x == 2 does not hold at the end"},
	} {
		path := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(path, []byte("cdpor: 1\n"+c.program), 0o666); err != nil {
			t.Fatal(err)
		}
		_, text := writtenPage(t, "--no-constraints", path)
		m := item.FindStringSubmatch(text)
		if m == nil || m[1] != c.kind || !strings.Contains(m[2], c.text) || strings.HasPrefix(m[2], c.kind) {
			t.Errorf("%s: the page says %q", c.kind, m)
		}
	}
}

// hostile is a program whose every text tries to break out of the page.
const hostile = `cdpor: 1
name: "</script><script>document.title='broken'</script>"
about: "<img src=x onerror=\"document.title='broken'\"> & </style> --> <!-- ${1} \u2028"
shared: {x: int = 0}
threads:
  a: |
    x = 1 // </script><script>document.title='broken'</script>
  b: |
    x = 2
    assert x == 2, "</script><script>document.title='broken'</script>"
observe: [x]
`

func hostileProgram(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "hostile.yaml")
	if err := os.WriteFile(path, []byte(hostile), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPageConstraints: a condition stands beside the statements of its two steps, with the values of a state in which
// it holds, and of one in which it does not, and with what it was good for.
func TestPageConstraints(t *testing.T) {
	if synth.Available() != nil {
		t.Skip("no solver")
	}
	_, text := writtenPage(t, "--algorithm", "constrained", "../../testdata/programs/producer-consumer.yaml")
	section := regexp.MustCompile(`(?s)<tr><td data-name="two steps">.*?</tr>`).FindString(text)
	for _, pattern := range []string{
		`<b>producer\.put</b> <code>[^<]*push`, `<b>consumer\.take</b> <code>[^<]*pop`,
		`data-name="commute"><code>!buf\.empty\(\)</code>`,
		`holds at <a href="#node-\d+">#\d+</a> <code>buf = \[1\]</code>`,
		`not at <a href="#node-\d+">#\d+</a> <code>buf = \[\]</code>`,
		`data-name="use"><div>\d+× no backtrack point</div><div>evaluated \d+×, held \d+×</div>`,
	} {
		if !regexp.MustCompile(pattern).MatchString(section) {
			t.Errorf("no %s in the first entry:\n%s", pattern, section)
		}
	}
}

// TestPageIsSelfContained checks that a page asks for nothing from elsewhere, and that no text of a program becomes
// markup.
func TestPageIsSelfContained(t *testing.T) {
	_, text := writtenPage(t, "--no-constraints", "--algorithm", "source", hostileProgram(t))
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d ends of script elements, want 2", n)
	}
	for _, pattern := range []string{`<img`, `<link`, `<iframe`, `@import`, `url\(`, `\bsrc=[^x]`, `<!--`} {
		for _, found := range regexp.MustCompile(pattern).FindAllString(text, -1) {
			if found != "url(" || strings.Count(text, "url(") != strings.Count(text, "url(#head)") {
				t.Errorf("the page has %s", found)
			}
		}
	}
	for _, address := range regexp.MustCompile(`https?://[^\s"'<]*`).FindAllString(text, -1) {
		if address != "http://www.w3.org/2000/svg" { // the name of a language, not asked for
			t.Errorf("the page names %s", address)
		}
	}
}

// expect, contains, shows and is hold what the page shows against what it should. What a click or a key leads to is
// shown a little later: shows and is wait for it.
func (b *browser) expect(what, got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (b *browser) contains(what, got, want string) {
	b.t.Helper()
	if !strings.Contains(got, want) {
		b.t.Errorf("%s: no %q in %q", what, want, got)
	}
}

func (b *browser) shows(what, selector, want string) {
	b.t.Helper()
	b.contains(what, b.textWhen(selector, func(text string) bool { return strings.Contains(text, want) }), want)
}

func (b *browser) is(what, selector, want string) {
	b.t.Helper()
	b.expect(what, b.textWhen(selector, func(text string) bool { return text == want }), want)
}

// TestPageInBrowser uses the page as a person does.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := newBrowser(t)
	useTree(t, b)
	usePages(t, b)
	if list := b.complaints(); len(list) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(list, "\n"))
	}
}

// TestPageWords: the second step of c.wait(m) is told as one that goes on, and #2 behind the name of a goroutine is
// explained.
func TestPageWords(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := newBrowser(t)
	path, _ := writtenPage(t, "--no-constraints", "../../testdata/programs/signal-not-broadcast.yaml")
	b.open(path, "")
	b.shows("c.wait", ".event[data-step='15'] .what", "changed.wait(m) goes on")
	path, _ = writtenPage(t, "testdata/report/names", "--func", "TestNames")
	b.open(path, "")
	b.shows("the legend", ".diagram-legend", "#2: another goroutine started in the same line")
}

// useTree goes through the tree of one search: folds, searches, looks at nodes, at the map and at an outcome.
func useTree(t *testing.T, b *browser) {
	rows := func() int {
		return js[int](b, "return parseInt(document.getElementById('rows').style.height) / "+
			"document.querySelector('.row').offsetHeight")
	}
	path, _ := writtenPage(t, "--no-constraints", "--algorithm", "source",
		"../../testdata/programs/producer-consumer.yaml")
	b.look(1400, 1000, "light")
	b.open(path, "")
	b.is("the verdict", ".verdict", "ok")
	b.is("what is shown first", "#detail-title", "Outcome 1\nafter 6 steps")

	t.Log("fold")
	before := rows()
	b.click("#row-1 .handle")
	b.shows("a folded branch", "#row-1", "nodes")
	if b.element("#row-2") != "" || rows() >= before {
		t.Errorf("folding leaves %d of %d rows", rows(), before)
	}
	b.click("#row-1 .handle")
	b.the("#row-2")
	b.click("#fold")
	b.expect("all folded", fmt.Sprint(rows()), "3")
	b.click("#unfold")
	if got := rows(); got != before {
		t.Errorf("%d rows when all is unfolded, not %d", got, before)
	}

	t.Log("search")
	b.keys("#search", "consumer.take got: [] → [1]")
	b.shows("matches", "#matches", "matches")
	b.keys("#search", "\ue007")
	b.shows("the first match", "#matches", "1 of ")
	b.shows("the node found", ".row.chosen.found", "consumer.take")
	b.shows("its state", "#state", "[1]")
	b.keys("#search", "\ue00c")
	b.is("no search", "#matches", "")

	t.Log("a node and its state")
	b.click("#row-2")
	b.is("the node", "#detail-title", "Node #2\nafter 2 steps")
	b.shows("its schedule", ".replay code", "--schedule 0,0")
	b.shows("its state", "#state", "buf [1, 2]")
	b.keys("#tree", "\ue015")
	b.is("arrow down", "#detail-title", "Node #3\nafter 3 steps")
	b.keys("#tree", "\ue012\ue012")
	b.is("arrow left, twice", "#detail-title", "Node #2\nafter 2 steps")
	if js[bool](b, "return document.querySelector('#row-3') !== null && document.querySelector('#row-4') !== null") {
		t.Error("arrow left does not fold")
	}
	b.keys("#tree", "\ue014")

	t.Log("the map")
	b.click("#map")
	b.shows("a click on the middle", "#detail-title", "Node #")
	b.the(".row.chosen")
	if empty := js[bool](b, "const m = document.getElementById('map'); return !m.getContext('2d').getImageData(0, "+
		"0, m.width, m.height).data.some(x => x)"); empty {
		t.Error("the map is empty")
	}

	t.Log("an outcome and its diagram")
	b.click(`a[href="#outcome-4"]`)
	b.shows("the outcome", "#detail-title", "Outcome 4")
	steps := js[int](b, "return document.querySelectorAll('.diagram .event').length")
	dots := js[int](b, "return document.querySelectorAll('.diagram .dot').length")
	arrows := js[int](b, "return document.querySelectorAll('.diagram .arrow').length")
	if steps != 6 || dots != 6 || arrows == 0 {
		t.Errorf("a diagram of %d steps, %d dots and %d arrows", steps, dots, arrows)
	}
	js[any](b, "document.querySelector('.diagram .event[data-step=\"1\"]').dispatchEvent(new MouseEvent('click', "+
		"{bubbles: true}))")
	b.shows("the state after step 1", ".state h3", "State after step 1")
	b.shows("the state after step 1", "#state", "[1]")
	b.expect("what happens before step 1",
		fmt.Sprint(js[int](b, "return document.querySelectorAll('.event.before').length")), "1")
}

// usePages opens pages of other searches: what they show first, on which screens, and what a hostile program does.
func usePages(t *testing.T, b *browser) {
	t.Log("a violation")
	path, _ := writtenPage(t, "--no-constraints", "--algorithm", "source",
		"../../testdata/programs/check-then-act.yaml")
	b.open(path, "")
	b.shows("what is shown first", "#detail-title", "Violation 1")
	b.shows("what fails", ".diagram", "FAILS: empty in")
	b.keys("#search", "fails")
	b.keys("#search", "\ue007")
	b.shows("why", ".why", "a step of it failed")

	t.Log("a narrow page, dark and light")
	for _, width := range []int{400, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, 1000, scheme)
			b.open(path, "#node-7")
			if beyond := js[int](b, "return document.documentElement.scrollWidth - innerWidth"); beyond > 0 {
				t.Errorf("at a width of %d, the page is %d pixels too wide", width, beyond)
			}
			b.screenshot(*screenshots, fmt.Sprintf("check-then-act-%d-%s", width, scheme))
		}
	}

	t.Log("where a Go test fails, behind its last step: only the rows that the report has")
	path, _ = writtenPage(t, "--func", "TestBug", "../../testdata/go/lostupdate")
	b.look(1920, 1000, "light")
	b.open(path, "#violation-2")
	b.shows("the line that fails", ".listing li.fails", `t.Fatal("an update is lost")`)
	b.shows("how many steps", "#detail h2", "after 6 steps")

	t.Log("a long schedule, and a line with many steps")
	path, _ = writtenPage(t, "--no-constraints", "--algorithm", "source", "-p", "N=5",
		"../../testdata/programs/producer-consumer.yaml")
	b.open(path, "#node-7")
	b.shows("its schedule", ".replay code", "-p N=5 --schedule '0*5,1,1'")
	b.shows("more steps than have room", ".listing .steps .faint", "…")
	b.look(1400, 1000, "light")

	t.Log("an execution that goes round for ever")
	path, _ = writtenPage(t, "--no-constraints", "../../testdata/liveness/commit-retry.yaml")
	b.open(path, "#violation-1")
	b.shows("where the cycle begins", ".diagram .round text", "for ever: 6 steps ↻")

	t.Log("a cap")
	b.look(1400, 1000, "light")
	path, _ = writtenPage(t, "--no-constraints", "--algorithm", "interleavings", "--tree-nodes", "9",
		"../../testdata/programs/producer-consumer.yaml")
	b.open(path, "")
	b.shows("the cap", "#cap", "the first 9 of 69 nodes")

	t.Log("a hostile program")
	path, _ = writtenPage(t, "--no-constraints", "--algorithm", "source", hostileProgram(t))
	b.open(path, "")
	b.contains("the title", js[string](b, "return document.title"),
		"</script><script>document.title='broken'</script>")
	b.shows("the name", "h1", "</script>")
	b.shows("the message", "#detail .why", "</script><script>")
}
