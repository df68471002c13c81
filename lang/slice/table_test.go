package slice_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/excerpt"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// The tables of tablesPage, which -update writes anew.

const tablesPage = "../../testdata/tables/slicing.md"

// between replaces what stands between two marks of tablesPage, or compares it.
func between(t *testing.T, name, table string) {
	t.Helper()
	text, err := os.ReadFile(tablesPage)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table %s", tablesPage, name)
	}
	if *update {
		if err := os.WriteFile(tablesPage, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table {
		t.Errorf("%s (%s) says\n%s\nbut it is\n%s", tablesPage, name, old, table)
	}
}

func load(t testing.TB, path string) *lang.Source {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t testing.TB, text string) *lang.Source {
	t.Helper()
	src, err := lang.Load("program.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return src
}

// executions explores a program by Mazurkiewicz traces.
func executions(t *testing.T, p *step.Program) int64 {
	t.Helper()
	m, err := step.NewMachine(p)
	if err != nil {
		t.Fatal(err)
	}
	alg, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Run(context.Background(), m, alg, explore.Options{})
	if err != nil || r.Stopped != explore.StoppedComplete {
		t.Fatal(r.Stopped, err)
	}
	return r.Executions
}

// TestExecutions counts the executions of programs with loggers, statistics and monitors, and those of their slices.
func TestExecutions(t *testing.T) {
	var b strings.Builder
	b.WriteString("| program | for | steps | of the slice | executions | of the slice |\n|---|---|---|---|---|---|\n")
	for _, c := range []struct{ program, criterion string }{
		{"counted-transfers", "final:1"}, {"counted-transfers", "final:2"}, {"counted-transfers", "deadlock"},
		{"logged-lock", "final:1"}, {"logged-lock", "assert:1"}, {"monitored-pipeline", "final:1"},
		{"monitored-pipeline", "shown"},
	} {
		src := load(t, "../../testdata/programs/"+c.program+".yaml")
		criterion, err := slice.Named(src.Program, c.criterion)
		if err != nil {
			t.Fatal(err)
		}
		part, err := write(src, excerpt.NewOutline(src), slice.New(src.Program, slice.Deadlock), criterion,
			slice.Context, excerpt.Question{Deadlock: criterion.Ends})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", c.program, c.criterion, steps(src.Program),
			steps(part.src.Program),
			executions(t, src.Program), executions(t, part.src.Program))
	}
	between(t, "executions", b.String())
}

func steps(p *step.Program) (n int) {
	for _, t := range p.Templates {
		n += len(t.Steps)
	}
	return n
}

// minimality counts what can be left out of the slices of some programs.
type minimality struct{ programs, criteria, kept, needed, minimal int }

func (n minimality) row() string {
	return fmt.Sprintf("| %d | %d | %d | %d (%.0f%%) | %d |\n", n.programs, n.criteria, n.kept, n.needed,
		100*float64(n.needed)/float64(n.kept), n.minimal)
}

// TestMinimality leaves more and more lines out of the slices of small shipped programs, for each of their variables
// and assertions, as long as an exhaustive search finds the same afterwards. Of what is left then no line can go, nor a
// block. All programs take thousands of searches: without -update, every tenth is looked at, which has a row of its
// own.
func TestMinimality(t *testing.T) {
	var tenth, all minimality
	for i, path := range shipped(t) {
		if !strings.Contains(path, "programs") || !*update && i%10 != 0 {
			continue
		}
		n := needed(t, path)
		if all.add(n); i%10 == 0 {
			tenth.add(n)
		}
	}
	if *update {
		between(t, "minimality", "| programs | criteria | lines of code in the slices | of these needed | slices of "+
			"which no line can go |\n"+
			"|---|---|---|---|---|\n"+all.row()+tenth.row())
	} else if text, err := os.ReadFile(tablesPage); err != nil ||
		!strings.Contains(string(text), "|\n"+tenth.row()+"<!-- end -->") {
		t.Errorf("README.md lacks\n%s%v", tenth.row(), err)
	}
}

func (n *minimality) add(more minimality) {
	n.programs, n.criteria, n.kept = n.programs+more.programs, n.criteria+more.criteria, n.kept+more.kept
	n.needed, n.minimal = n.needed+more.needed, n.minimal+more.minimal
}

// needed counts what is needed in the slices of a program, nothing if it has too many states.
func needed(t *testing.T, path string) (n minimality) {
	src := load(t, path)
	if src.Program.Spec != nil || src.Program.Checks.RacesForbidden {
		return // cdpor slice refuses it
	}
	if m, err := step.NewMachine(src.Program); err != nil {
		t.Fatal(err)
	} else if _, err := oracle.Search(m, 600); err != nil {
		return
	}
	n.programs++
	o := excerpt.NewOutline(src)
	g := slice.New(src.Program, slice.Deadlock)
	for _, c := range topics(src.Program) {
		if strings.HasPrefix(c.name, "final") {
			continue // most hold whatever is left out
		}
		part, err := write(src, o, g, c.c, slice.Context, c.question)
		if err != nil {
			t.Fatal(err)
		}
		if part == nil {
			continue
		}
		want, err := endings(part.src.Program, c.c, false, lang.FormatValue)
		if err != nil {
			continue
		}
		text := string(part.text)
		left := greedy(text, func(smaller string) bool {
			src, err := lang.Load("smaller.yaml", []byte(smaller), lang.Options{})
			if err != nil {
				return false
			}
			got, err := endings(src.Program, c.c, false, lang.FormatValue)
			return err == nil && fmt.Sprint(got) == fmt.Sprint(want)
		})
		before, after := statements(text), statements(left)
		n.add(minimality{criteria: 1, kept: before, needed: after})
		if before == after {
			n.minimal++
		}
	}
	return n
}

// body tells the lines of code of a program from declarations.
func body(text string) (first, last int, lines []string) {
	lines = strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "threads:") || strings.HasPrefix(l, "procedures:") {
			first = i + 1
		}
		if first > 0 && i > first && l != "" && l[0] != ' ' && last == 0 && !strings.HasPrefix(l, "threads:") {
			last = i
		}
	}
	return first, max(last, first), lines
}

// statements counts the lines of code.
func statements(text string) (n int) {
	first, last, lines := body(text)
	for _, l := range lines[first:last] {
		if s := strings.TrimSpace(l); s != "" && s != "skip" && !strings.HasPrefix(s, "//") &&
			strings.Trim(s, "{}") != "" {
			n++
		}
	}
	return n
}

// greedy takes lines of code away, alone or up to the one that closes their block, as long as the rest does.
func greedy(text string, does func(string) bool) string {
	for again := true; again; {
		again = false
		first, last, lines := body(text)
		for i := first; i < last && !again; i++ {
			if statements(text) == 0 || strings.TrimSpace(lines[i]) == "" {
				continue
			}
			for _, to := range []int{i + 1, block(lines, i)} {
				smaller := strings.Join(append(append([]string{}, lines[:i]...), lines[to:]...), "\n")
				if to <= last && statements(smaller) < statements(text) && does(smaller) {
					text, again = smaller, true
					break
				}
			}
		}
	}
	return text
}

// block is the line after that which closes what a line opens.
func block(lines []string, i int) int {
	depth := 0
	for k := i; k < len(lines); k++ {
		depth += strings.Count(lines[k], "{") - strings.Count(lines[k], "}")
		if depth <= 0 {
			return k + 1
		}
	}
	return i + 1
}

// TestGrowth measures how long slicing takes, with the text of the slice. The times are those of one machine: they are
// written, not compared.
func TestGrowth(t *testing.T) {
	var b strings.Builder
	b.WriteString("| statements | analysis | context | insensitive | text |\n|---|---|---|---|---|\n")
	sizes := []int{500}
	if *update {
		sizes = []int{500, 1000, 2000, 5000}
	}
	for _, n := range sizes {
		src := parse(t, large(n))
		c, err := slice.Named(src.Program, "x0")
		if err != nil {
			t.Fatal(err)
		}
		took := func(f func()) string {
			start := time.Now()
			f()
			return time.Since(start).Round(time.Millisecond).String()
		}
		var g *slice.Graph
		fmt.Fprintf(&b, "| %d | %s ", n, took(func() { g = slice.New(src.Program, slice.Deadlock) }))
		for _, mode := range []slice.Mode{slice.Context, slice.Insensitive} {
			fmt.Fprintf(&b, "| %s ", took(func() {
				if _, err := g.Slice(c, mode, 0, nil); err != nil {
					t.Fatal(err)
				}
			}))
		}
		fmt.Fprintf(&b, "| %s |\n", took(func() {
			if _, err := write(src, excerpt.NewOutline(src), g, c, slice.Context,
				excerpt.Question{Observe: []string{"x0"}}); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if *update {
		between(t, "growth", b.String())
	}
}
