package slice_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/excerpt"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

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
	type counts struct {
		steps      int
		executions int64
	}
	for _, c := range []struct {
		program, criterion string
		whole, part        counts
	}{
		{"counted-transfers", "final:1", counts{10, 342}, counts{4, 6}},
		{"counted-transfers", "final:2", counts{10, 342}, counts{3, 6}},
		{"counted-transfers", "deadlock", counts{10, 342}, counts{0, 1}},
		{"logged-lock", "final:1", counts{10, 12}, counts{6, 2}},
		{"logged-lock", "assert:1", counts{10, 12}, counts{6, 2}},
		{"monitored-pipeline", "final:1", counts{9, 126}, counts{4, 2}},
		{"monitored-pipeline", "shown", counts{9, 126}, counts{6, 6}},
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
		of := func(p *step.Program) counts { return counts{steps(p), executions(t, p)} }
		if whole, part := of(src.Program), of(part.src.Program); whole != c.whole || part != c.part {
			t.Errorf("%s for %s: %v, of the slice %v", c.program, c.criterion, whole, part)
		}
	}
}

func steps(p *step.Program) (n int) {
	for _, t := range p.Templates {
		n += len(t.Steps)
	}
	return n
}

// minimality counts what can be left out of the slices of some programs.
type minimality struct{ programs, criteria, kept, needed, minimal int }

// TestMinimality leaves more and more lines out of the slices of small shipped programs, for each of their variables
// and assertions, as long as an exhaustive search finds the same afterwards. Of what is left then no line can go, nor a
// block. What an analysis cannot see, such as that a lock is never contended, counts as not needed. Every tenth program
// is looked at, as all of them take thousands of searches.
func TestMinimality(t *testing.T) {
	var all minimality
	for i, path := range shipped(t) {
		if strings.Contains(path, "programs") && i%10 == 0 {
			all.add(needed(t, path))
		}
	}
	if want := (minimality{programs: 12, criteria: 43, kept: 392, needed: 237, minimal: 8}); all != want {
		t.Errorf("%+v, not %+v", all, want)
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
