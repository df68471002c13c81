package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang"
)

// testFiles are files as the command has them: NAME.constraints.yaml beside NAME.yaml.
var testFiles = Files{
	IsProgram:        func(text []byte) bool { return bytes.Contains(text, []byte("cdpor: 1")) },
	IsConstraintFile: func(text []byte) bool { return bytes.Contains(text, []byte("cdpor-constraints: 1")) },
	ConstraintsOf:    func(program string) string { return strings.TrimSuffix(program, ".yaml") + ".constraints.yaml" },
	ProgramOf: func(path string) (string, error) {
		return strings.TrimSuffix(path, ".constraints.yaml") + ".yaml", nil
	},
	ReplayOf:     func(program string) string { return strings.TrimSuffix(program, ".yaml") + ".replay.yaml" },
	ReplayOfTest: func(folder, test string) string { return filepath.Join(folder, test+".replay.yaml") },

	Read:   os.ReadFile,
	Format: lang.Format,
}

// An editor is the other end of a session.
type editor struct {
	t      *testing.T
	in     *io.PipeWriter
	out    chan reply
	result chan error
	last   int
	heard  []reply // notifications
}

// A reply is a message of the server: a response or a notification.
type reply struct {
	ID     *int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *responseError
}

// connect starts a server.
func connect(t *testing.T, ctx context.Context, files Files) *editor {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: t, in: inW, out: make(chan reply, 1000), result: make(chan error, 1)}
	go func() {
		defer close(e.out)
		for in := bufio.NewReader(outR); ; {
			var r reply
			length, err := header(in)
			if err != nil {
				return
			}
			if err := json.NewDecoder(io.LimitReader(in, length)).Decode(&r); err != nil {
				t.Errorf("the server sends what is no JSON: %v", err)
				return
			}
			e.out <- r
		}
	}()
	go func() {
		e.result <- Serve(ctx, inR, outW, "test", files)
		outW.Close()
		inR.Close()
	}()
	return e
}

// begin connects and initializes.
func begin(t *testing.T) *editor {
	e := connect(t, context.Background(), testFiles)
	var r struct{ Capabilities map[string]any }
	e.request("initialize", `{"capabilities": {"textDocument": {"hover": {"contentFormat": ["markdown"]},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "rename": {"prepareSupport": true}}}}`, &r)
	if r.Capabilities["hoverProvider"] != true || r.Capabilities["positionEncoding"] != "utf-16" {
		t.Fatalf("capabilities are %v", r.Capabilities)
	}
	e.notify("initialized", `{}`)
	return e
}

func (e *editor) raw(body string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n%s",
		len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) notify(method, params string) {
	e.t.Helper()
	e.raw(fmt.Sprintf(`{"jsonrpc": "2.0", "method": %q, "params": %s}`, method, params))
}

// ask sends a request and waits for its response.
func (e *editor) ask(method, params string) reply {
	e.t.Helper()
	e.last++
	e.raw(fmt.Sprintf(`{"jsonrpc": "2.0", "id": %d, "method": %q, "params": %s}`, e.last, method, params))
	for {
		r := e.read()
		if r.Method == "" && r.ID != nil && *r.ID == e.last {
			return r
		}
		e.heard = append(e.heard, r)
	}
}

func (e *editor) request(method, params string, result any) {
	e.t.Helper()
	r := e.ask(method, params)
	if r.Error != nil {
		e.t.Fatalf("%s: %v", method, r.Error)
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) read() reply {
	e.t.Helper()
	select {
	case r, ok := <-e.out:
		if !ok {
			e.t.Fatal("the server has gone")
		}
		return r
	case <-time.After(20 * time.Second):
		e.t.Fatal("the server says nothing")
		return reply{}
	}
}

// diagnostics waits until those of a version of a document are published.
func (e *editor) diagnostics(uri string, version int) (lines []string) {
	e.t.Helper()
	for {
		var r reply
		if len(e.heard) > 0 {
			r, e.heard = e.heard[0], e.heard[1:]
		} else {
			r = e.read()
		}
		var p struct {
			URI         string
			Version     int
			Diagnostics []diagnostic
		}
		if r.Method != "textDocument/publishDiagnostics" || json.Unmarshal(r.Params, &p) != nil || p.URI != uri ||
			p.Version != version {
			continue
		}
		for _, d := range p.Diagnostics {
			lines = append(lines, fmt.Sprintf("%d:%d-%d:%d %d %s %s", d.Range.Start.Line, d.Range.Start.Character,
				d.Range.End.Line, d.Range.End.Character,
				d.Severity, d.Code, d.Message))
		}
		return lines
	}
}

func (e *editor) open(uri string, version int, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen",
		quote(map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "yaml",
			"version": version, "text": text}}))
}

func (e *editor) change(uri string, version int, text string) {
	e.t.Helper()
	e.notify("textDocument/didChange",
		quote(map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
			"contentChanges": []any{map[string]any{"text": text}}}))
}

func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// where is the parameters of a request about the place where a part of a text begins, the n-th one of it.
func where(uri, text, part string, n int) string {
	i := 0
	for range n {
		i += strings.Index(text[i:], part) + 1
	}
	before := text[:i-1]
	line := strings.Count(before, "\n")
	return quote(map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": position{line, len(before) - 1 - strings.LastIndexByte(before, '\n')}})
}

// leave ends the session in order.
func (e *editor) leave() {
	e.t.Helper()
	var nothing any
	e.request("shutdown", "null", &nothing)
	if r := e.ask("textDocument/hover", "{}"); r.Error == nil || r.Error.Code != invalidRequest {
		e.t.Errorf("after shutdown: %+v", r)
	}
	e.notify("exit", "null")
	if err := e.ended(); err != nil {
		e.t.Error(err)
	}
}

func (e *editor) ended() error {
	e.t.Helper()
	select {
	case err := <-e.result:
		return err
	case <-time.After(20 * time.Second):
		e.t.Fatal("the server does not end")
		return nil
	}
}

const uri = "file:///tmp/a%20b/p.yaml"

func TestDiagnostics(t *testing.T) {
	e := begin(t)
	e.open(uri, 1, "cdpor: 1\nshared: {x: int}\nthreads:\n  t: |\n    assert x == 0, \"ä😀\"; x = yyy; x = zzz\n")
	const hint = "\ndeclare it with let or var; a variable of all threads stands in the section shared"
	want := []string{"4:30-4:33 1 E201 unknown name yyy" + hint, "4:39-4:42 1 E201 unknown name zzz" + hint}
	if diff := cmp.Diff(want, e.diagnostics(uri, 1)); diff != "" {
		t.Error(diff)
	}
	e.change(uri, 2, "cdpor: 1\nshared: {x: int}\nthreads:\n  t: {count: 2, run: x += 1}\n")
	got := e.diagnostics(uri, 2)
	if len(got) != 1 || !strings.HasPrefix(got[0], "3:21-3:27 2 W001 ") {
		t.Errorf("remarks are %q", got)
	}
	e.change(uri, 3, "cdpor: 1\nshared: {x: int}\nthreads:\n  t: x = 1\n")
	if got := e.diagnostics(uri, 3); got != nil {
		t.Errorf("of a program without errors: %q", got)
	}
	e.change(uri, 4, "")
	if got := e.diagnostics(uri, 4); got != nil {
		t.Errorf("of a text that is no program: %q", got)
	}
	e.change(uri, 5, "cdpor: 1\n"+strings.Repeat("#", 5<<20))
	if got := e.diagnostics(uri, 5); len(got) != 1 || !strings.HasPrefix(got[0], "0:0-0:8 1 E001 the file has ") {
		t.Errorf("of a huge text: %q", got)
	}
	for v := 6; v <= 60; v++ { // a burst: the last one counts
		e.change(uri, v, fmt.Sprintf("cdpor: 1\nshared: {x: int}\nthreads:\n  t: x = v%d\n", v))
	}
	if got := e.diagnostics(uri, 60); len(got) != 1 || got[0] != "3:9-3:12 1 E201 unknown name v60"+hint {
		t.Errorf("after a burst: %q", got)
	}
	e.notify("textDocument/didClose", quote(map[string]any{"textDocument": map[string]any{"uri": uri}}))
	if got := e.diagnostics(uri, 60); got != nil {
		t.Errorf("after closing: %q", got)
	}
	e.leave()
}

const twoThreads = `cdpor: 1
params: {N: 3}
shared: {x: int, "q": "queue[int, N]"}
procedures:
  put(v int): |
    into: q.push(v)
threads:
  a: |
    inc: x = x + N
    put(x)
  b: |
    let seen = x
    take: atomic { if !q.empty() { q.pop() } }
    x = seen
`

const twoConstraints = `cdpor-constraints: 1
program: p.yaml
pairs:
  - blocks: [a.put.into, b.take]
    commute: q.size() > 0
    uniform: "false"
    status: partial
independent:
  - [a.inc, b.take]
`

// hover is what the editor shows at a place, without the marks of code.
func (e *editor) hover(uri, text, part string, n int) string {
	var h *hover
	e.request("textDocument/hover", where(uri, text, part, n), &h)
	if h == nil {
		return ""
	}
	if h.Contents.Kind != "markdown" {
		e.t.Errorf("a hover is %s", h.Contents.Kind)
	}
	return strings.ReplaceAll(h.Contents.Value, "```\n", "")
}

// definition is where the editor goes from a place, as a file with a range.
func (e *editor) definition(uri, text, part string, n int) string {
	var l *location
	e.request("textDocument/definition", where(uri, text, part, n), &l)
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s %d:%d-%d", filepath.Base(l.URI), l.Range.Start.Line, l.Range.Start.Character,
		l.Range.End.Character)
}

func TestHoverAndDefinition(t *testing.T) {
	dir := t.TempDir()
	program := uriOf(filepath.Join(dir, "p.yaml"))
	e := begin(t)
	e.open(program, 1, twoThreads)
	for _, c := range []struct {
		part string
		n    int
		want string
	}{
		{"N: 3", 1, "parameter N: int = 3\n"},
		{"x = x", 1, "shared variable x: int\n"},
		{"q.push", 1, "shared variable q: queue[int, 3]\n"},
		{"put(x)", 1, "procedure put(v int)\n"},
		{"v)", 1, "variable v: int\n"},
		{"seen", 2, "variable seen: int\n"},
		{"a: |", 1, "thread a\n"},
		{"atomic", 1, ""},
		{"take:", 1, "step b.take\n\nNo constraints: cdpor synth writes them to " +
			filepath.Join(dir, "p.constraints.yaml") + ".\n"},
	} {
		if got := e.hover(program, twoThreads, c.part, c.n); got != c.want {
			t.Errorf("hover at %s: got %q, want %q", c.part, got, c.want)
		}
	}
	for _, c := range []struct {
		part string
		n    int
		want string
	}{
		{"x = x", 1, "p.yaml 2:9-10"},
		{"q.push", 1, "p.yaml 2:18-19"},
		{"put(x)", 1, "p.yaml 4:2-5"},
		{"v)", 1, "p.yaml 4:6-7"},
		{"seen", 2, "p.yaml 11:8-12"},
		{"take", 1, "p.yaml 12:4-8"},
		{"|", 1, ""},
	} {
		if got := e.definition(program, twoThreads, c.part, c.n); got != c.want {
			t.Errorf("definition of %s: got %q, want %q", c.part, got, c.want)
		}
	}

	e.leave()
}

// TestConstraintFile: a constraint file is open in the editor, though not on the disk yet.
func TestConstraintFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.yaml")
	program, constraints := uriOf(path), uriOf(filepath.Join(dir, "p.constraints.yaml"))
	e := begin(t)
	e.open(program, 1, twoThreads)
	e.open(constraints, 1, twoConstraints)
	stale := "The constraint file was made for another version of the program.\n\n"
	want := "step b.take\n\n" + stale + "a.put.into | b.take: commute if q.size() > 0; uniform: false\n" +
		"a.inc | b.take: commute always\n"
	if got := e.hover(program, twoThreads, "take:", 1); got != want {
		t.Errorf("hover with constraints: got %q, want %q", got, want)
	}
	if got := e.hover(program, twoThreads, "into:", 1); !strings.HasPrefix(got, "step a.put.into\n") ||
		!strings.Contains(got, "commute if q.size() > 0;") {
		t.Errorf("hover at a label in a procedure: %q", got)
	}
	if err := os.WriteFile(path, []byte(twoThreads), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := e.hover(constraints, twoConstraints, "b.take", 2); got != "b.take: if !q.empty()\n" {
		t.Errorf("hover at a step of a constraint file: %q", got)
	}
	if got := e.definition(constraints, twoConstraints, "inc, b", 1); got != "p.yaml 8:9-10" {
		t.Errorf("definition of a step of a constraint file: %q", got)
	}
	named := strings.Replace(twoConstraints, "pairs:\n", "define:\n  filled: q.size() > 0\npairs:\n", 1)
	named = strings.Replace(named, "commute: q.size() > 0", "commute: filled", 1)
	e.change(constraints, 3, named)
	if got := e.hover(constraints, named, "filled", 2); got != "filled: q.size() > 0\n" {
		t.Errorf("hover at the name of a condition: %q", got)
	}
	if got := e.definition(constraints, named, "filled", 2); got != "p.constraints.yaml 3:2-8" {
		t.Errorf("definition of the name of a condition: %q", got)
	}
	e.change(constraints, 4, strings.Replace(twoConstraints, "b.take", "b.tke", 1))
	if got := e.diagnostics(constraints, 4); len(got) != 1 || got[0] != "3:25-3:26 1 E601 unknown step \"b.tke\"\n"+
		"did you mean b.take?" {
		t.Errorf("of a constraint file: %q", got)
	}
	var fixes []codeAction
	e.request("textDocument/codeAction",
		fmt.Sprintf(`{"textDocument": {"uri": %q}, "range": {"start": {"line": 3, "character": 0},
		"end": {"line": 3, "character": 0}}}`, constraints), &fixes)
	if len(fixes) != 1 || applied(strings.Replace(twoConstraints, "b.take", "b.tke", 1),
		fixes[0].Edit.Changes[constraints]) != twoConstraints {
		t.Errorf("quick fixes of a constraint file: %+v", fixes)
	}
	e.leave()
}

// TestWrongRequests: what an editor does wrong is answered, and the session goes on.
func TestWrongRequests(t *testing.T) {
	e := connect(t, context.Background(), testFiles)
	failure := func(what string, r reply, code int) {
		t.Helper()
		if r.Error == nil || r.Error.Code != code {
			t.Errorf("%s: got %+v, want error %d", what, r, code)
		}
	}
	failure("too early", e.ask("textDocument/hover", `{}`), serverNotInitialized)
	e.notify("textDocument/didOpen", `{}`) // dropped
	e.ask("initialize", `{}`)
	failure("initialize twice", e.ask("initialize", `{}`), invalidRequest)
	failure("unknown", e.ask("textDocument/foldingRange", `{}`), methodNotFound)
	failure("not open", e.ask("textDocument/hover", `{"textDocument": {"uri": "file:///none.yaml"}}`), invalidParams)
	failure("not an object", e.ask("textDocument/hover", `[1]`), invalidParams)
	e.notify("$/cancelRequest", `{"id": 1}`)
	for _, body := range []string{"{", "", "[]", "\xff", `{"method": 1}`, strings.Repeat("[", 20000)} {
		e.raw(body)
		failure("malformed "+body[:min(len(body), 9)], e.read(), parseError)
	}
	go func() {
		fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n", maxMessage+1)
		io.Copy(e.in, io.LimitReader(zeros{}, maxMessage+1))
	}()
	failure("too large", e.read(), parseError)
	for _, change := range []string{`{"textDocument": {"uri": "u"}, "contentChanges": []}`,
		`{"contentChanges": {}}`, "null"} {
		e.notify("textDocument/didChange", change)
		if r := e.read(); r.Method != "window/logMessage" {
			t.Errorf("%s: got %+v", change, r)
		}
	}
	e.open("untitled:Untitled-1", 1, "cdpor: 1\nthreads: {t: x = 1}\n")
	if got := e.diagnostics("untitled:Untitled-1", 1); len(got) != 1 {
		t.Errorf("of a text that is no file: %q", got)
	}
	for _, at := range []string{`{"line": -1, "character": -1}`, `{"line": 1000000000, "character": 0}`,
		`{"line": 1, "character": 1000000000}`} {
		if r := e.ask("textDocument/hover", `{"textDocument": {"uri": "untitled:Untitled-1"}, "position": `+
			at+`}`); r.Error != nil {
			t.Errorf("hover at %s: %v", at, r.Error)
		}
	}
	e.leave()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestEnds: how a session can end otherwise.
func TestEnds(t *testing.T) {
	e := begin(t)
	e.notify("exit", "null")
	if err := e.ended(); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("exit without shutdown: %v", err)
	}
	e = begin(t)
	e.in.Close()
	if err := e.ended(); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("the editor is gone: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e = connect(t, ctx, testFiles)
	cancel()
	if err := e.ended(); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("an interrupt: %v", err)
	}
	for _, header := range []string{"\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n",
		"nothing\r\n\r\n", "Content-Length: 5", "Content-Length: 5\r\n\r\n{"} {
		e := connect(t, context.Background(), testFiles)
		go func() {
			io.WriteString(e.in, header)
			e.in.Close()
		}()
		if err := e.ended(); err == nil || errors.Is(err, ErrNoShutdown) {
			t.Errorf("%.20q: %v", header, err)
		}
	}
}

// TestPanic: a bug costs one answer, not the session.
func TestPanic(t *testing.T) {
	files := testFiles
	files.IsProgram = func(text []byte) bool { panic("a bug") }
	e := connect(t, context.Background(), files)
	e.ask("initialize", `{}`)
	e.open(uri, 1, "x")
	if r := e.read(); r.Method != "window/logMessage" || !strings.Contains(string(r.Params), "a bug") {
		t.Errorf("got %+v", r)
	}
	e.change(uri, 2, "y")
	if r := e.ask("textDocument/hover",
		quote(map[string]any{"textDocument": map[string]any{"uri": uri}, "position": position{}})); r.Error == nil ||
		r.Error.Code != internalError {
		// The diagnostics may have met it before; then there is nothing to say.
		if string(r.Result) != "null" {
			t.Errorf("got %+v", r)
		}
	}
	e.leave()
}

func TestPositions(t *testing.T) {
	d := newDocument("file:///p", nil, "\ufeffa😀b\r\nä\n")
	for _, p := range []position{{0, 0}, {0, 1}, {0, 3}, {0, 4}, {1, 0}, {1, 1}, {2, 0}} {
		if got := d.position(d.pos(p)); got != p {
			t.Errorf("%v becomes %v and then %v", p, d.pos(p), got)
		}
	}
	if p := d.pos(position{0, 2}); p.Col != 2 {
		t.Errorf("the second half of a rune is column %d", p.Col)
	}
}

func TestURIs(t *testing.T) {
	for uri, path := range map[string]string{"file:///tmp/a%20b.yaml": "/tmp/a b.yaml",
		"file:///c%3A/x.yaml": "c:/x.yaml", "untitled:x": "untitled:x"} {
		if got := filepath.ToSlash(pathOf(uri)); got != path {
			t.Errorf("%s is %s, want %s", uri, got, path)
		}
	}
	if got := uriOf("/tmp/a b#ä.yaml"); pathOf(got) != filepath.FromSlash("/tmp/a b#ä.yaml") {
		t.Errorf("%s is not the file", got)
	}
}

func FuzzServe(f *testing.F) {
	say := func(bodies ...string) (all string) {
		for _, b := range bodies {
			all += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(b), b)
		}
		return all
	}
	f.Add(say(`{"id": 1, "method": "initialize", "params": {}}`,
		`{"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "u", "text": "cdpor: 1\nthreads: {t: x = 1}"}}}`,
		`{"id": 2, "method": "textDocument/hover", "params": {"textDocument": {"uri": "u"}, "position": {"line": 1, "character": 13}}}`,
		`{"id": 3, "method": "shutdown"}`, `{"method": "exit"}`))
	f.Add("Content-Length: 3\n\n{}}")
	f.Fuzz(func(t *testing.T, input string) {
		files := testFiles
		files.Read = func(string) ([]byte, error) { return nil, os.ErrNotExist }
		_ = Serve(context.Background(), strings.NewReader(input), io.Discard, "test", files)
	})
}
