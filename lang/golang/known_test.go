package golang_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// textChecks are conditions about texts that the program chooses among, all true. s, u and k go through what the loops
// around them say.
var textChecks = []string{
	`len(s) == strings.Count(s, "")-1`, `(s == "") == (len(s) == 0)`, `strings.HasPrefix(s, s)`,
	`strings.HasPrefix(s, "a") == (s == "a" || s == "a.b" || s == "aB")`,
	`strings.HasSuffix(s, u) || s != u`, `strings.Contains(s, u) == (strings.Index(s, u) >= 0)`,
	`strings.EqualFold(s, "AB") == (s == "aB")`, `strings.ToLower(s) != "ab" || s == "aB"`,
	`strings.ToUpper(s) != s || s == ""`, `strings.TrimPrefix(s, "a.") == "b" == (s == "a.b" || s == "b")`,
	`strings.TrimSuffix(strings.TrimSpace(" x "), "x") == ""`, `strings.Trim("--x-", "-") == "x"`,
	`strings.Compare(s, u) == 0 == (s == u)`, `strings.LastIndex(s, "b") != 2 || s == "a.b"`,
	`fmt.Sprintf("w-%d", k) == "w-3" == (k == 3)`, `fmt.Sprintf("%03d|%v", k, s) == "002|b" == (k == 2 && s == "b")`,
	`strconv.Itoa(k) == "1" == (k == 1)`, `s+"/" != "a.b/" || s == "a.b"`,
	`"k"+strconv.Itoa(k)+s == "k0" == (k == 0 && s == "")`, `fmt.Sprintf("%q%%", s) != "\"b\"%" || s == "b"`,
	`names["w-"+strconv.Itoa(k)] == (k%2 == 0)`, `fmt.Sprintf("%x", k+10) == "b" == (k == 1)`,
	`apply(strings.ToUpper, s) != s || s == ""`, `starts[k%2](s, "a") || starts[1-k%2](s, "a") || s == "" || s == "b"`,
	`apply([]func(string) string{strings.ToLower, strings.TrimSpace}[k%2], "A") == "a" == (k%2 == 0)`,
}

// TestTexts evaluates conditions about texts in a program that goes through several, in Go and in step form.
func TestTexts(t *testing.T) {
	var body bytes.Buffer
	body.WriteString(`package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

var wrong, done int

var starts = []func(s, t string) bool{strings.HasPrefix, strings.HasSuffix}

func apply(f func(string) string, s string) string { return f(s) }

func check(n int, ok bool) {
	done++
	if !ok {
		wrong = n
	}
}

func main() {
	names := map[string]bool{"w-0": true, "w-2": true}
	texts, short := []string{"", "a", "b", "a.b", "aB"}, []string{"b", "a"}
	for k := range 4 {
		for _, s := range texts {
			for _, u := range short {
`)
	for n, text := range textChecks {
		fmt.Fprintf(&body, "\t\t\t\tcheck(%d, %s)\n", n+1, text)
	}
	body.WriteString("\t\t\t}\n\t\t}\n\t}\n\tprintln(wrong, done)\n\tif wrong > 0 {\n\t\tos.Exit(1)\n\t}\n}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, body.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", file)
	out, err := run.CombinedOutput()
	if want := fmt.Sprintln(0, 4*5*2*len(textChecks)); err != nil || string(out) != want {
		t.Fatalf("Go says %s, want %s: %v", out, want, err)
	}
	p, err := golang.Load(t.Context(), golang.Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	m := machine(t, p)
	alg, err := explore.Find("optimal")
	if err != nil {
		t.Fatal(err)
	}
	res, err := explore.Run(t.Context(), m, alg, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict != explore.OK || res.Outcomes.Len() != 1 {
		t.Fatalf("verdict %s, %d outcomes, bounds %v", res.Verdict, res.Outcomes.Len(), hits(m))
	}
	for k, v := range p.Step.Observe {
		want := map[string]int64{"wrong": 0, "done": int64(4 * 5 * 2 * len(textChecks))}
		got := res.Outcomes.At(0).Words[k]
		if got != want[v.Name] {
			t.Errorf("%s is %d, not %d: %s", v.Name, got, want[v.Name], strings.Join(textChecks, "; "))
		}
	}
}

// hits are the bounds that were hit, with their places.
func hits(m *step.Machine) (list []string) {
	for _, n := range m.BoundsHit() {
		list = append(list, m.Program.At(n.Pos)+": "+n.Msg)
	}
	return list
}
