//go:build cgo && !noz3

package synth

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/lang"
	"cdpor/synth/internal/uniform"

	"github.com/google/go-cmp/cmp"
)

// dense draws a program of n steps that each read and write several of a few variables, so that nearly every pair has
// common data and nearly every third step can disturb it.
func dense(r *rand.Rand, n, vars int) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	types := make([]string, vars)
	for i := range types {
		types[i] = pick("int", "int", "0..2", "0..3")
	}
	v := func() string { return fmt.Sprintf("x%d", r.Intn(vars)) }
	k := func() string { return fmt.Sprint(r.Intn(3)) }
	condition := func() string {
		switch r.Intn(4) {
		case 0:
			return v() + pick(" == ", " != ", " < ", " <= ") + v()
		case 1:
			return v() + " + " + v() + pick(" == ", " < ") + k()
		case 2:
			return v() + " % 2 == " + pick("0", "1")
		}
		return v() + pick(" == ", " != ", " < ", " > ") + k()
	}
	assign := func() string {
		i := r.Intn(vars)
		if types[i] != "int" { // stays in its range
			return pick(fmt.Sprintf("x%d = %s", i, k()), fmt.Sprintf("x%d = 2 - x%d %% 3", i, i),
				fmt.Sprintf("if x%[1]d < 2 { x%[1]d += 1 }", i), fmt.Sprintf("if x%[1]d > 0 { x%[1]d -= 1 }", i))
		}
		return fmt.Sprintf("x%d ", i) + pick("= "+v(), "= -"+v(), "+= "+v(), "+= 1", "= "+k(), "= "+v()+" % 2")
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: dense\nshared:\n")
	for i, t := range types {
		fmt.Fprintf(&b, "  x%d: %s\n", i, t)
	}
	b.WriteString("threads:\n")
	for i := 0; i < n; {
		fmt.Fprintf(&b, "  t%d: |\n", i)
		for range 1 + r.Intn(2) {
			if i++; i > n {
				break
			}
			body := assign()
			if r.Intn(2) == 0 {
				body = "if " + condition() + " { " + body + " }"
			}
			fmt.Fprintf(&b, "    atomic {\n      %s\n      %s\n    }\n", body, assign())
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestDenseAgainstInterpreter compares constraints of dense programs with the machine.
func TestDenseAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, *flagN/6, func(r *rand.Rand) string { return dense(r, 4+r.Intn(5), 2+r.Intn(3)) })
}

// TestWorkers: several workers give the same bytes at the same cost as one.
func TestWorkers(t *testing.T) {
	for i := range *flagN / 10 {
		r := rand.New(rand.NewSource(*flagSeed + int64(i)))
		prog := load(t, dense(r, 4+i%4, 3))
		opt := Options{AnyState: true}
		if i%3 == 0 { // the budget ends somewhere
			opt.MaxWork = int64(1000 + r.Intn(20_000))
		}
		one, first, err := Synthesize(context.Background(), prog, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Workers = 3
		many, second, err := Synthesize(context.Background(), prog, opt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(one.Format()), string(many.Format())); diff != "" || first.Cost != second.Cost {
			t.Fatalf("seed %d: %v with one worker, %v with several (+):\n%s", *flagSeed+int64(i),
				first.Cost, second.Cost, diff)
		}
	}
}

// TestEqualSteps: two steps that do the same get the same conditions, whatever their order in the text.
func TestEqualSteps(t *testing.T) {
	inc := "    inc: atomic { c += 1 }\n"
	prog := load(t, "cdpor: 1\nshared: {c: int}\nthreads:\n  a: |\n"+inc+"  b: |\n"+inc+
		"  d: |\n    test: atomic { if c != 0 { c += 1 } }\n")
	set, _, err := Synthesize(context.Background(), prog, Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range set.Pairs {
		if p.B.Name() == "d.test" {
			texts = append(texts, lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template))
		}
	}
	if len(texts) != 2 || texts[0] != texts[1] {
		t.Errorf("uniform parts of the same steps: %q", texts)
	}
}

var flagTimed = flag.Int("timed", 0, "random programs of ten dense steps to measure")

// TestTimes measures how long programs of ten dense steps take, of which there are as many as -timed says.
func TestTimes(t *testing.T) {
	if *flagTimed == 0 {
		t.Skip("measures only if -timed says how many programs")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	type measured struct {
		seed int64
		took time.Duration
	}
	var all []measured
	for i := range int64(*flagTimed) {
		r := rand.New(rand.NewSource(*flagSeed + i))
		prog := load(t, dense(r, 10, 2+r.Intn(3)))
		start := processorTime(t)
		if _, _, err := Synthesize(context.Background(), prog, Options{}); err != nil {
			t.Fatal(err)
		}
		all = append(all, measured{*flagSeed + i, processorTime(t) - start})
	}
	slices.SortFunc(all, func(a, b measured) int { return int(a.took - b.took) })
	at := func(percent int) string {
		m := all[min(len(all)*percent/100, len(all)-1)]
		return fmt.Sprintf("%v (seed %d)", m.took, m.seed)
	}
	t.Logf("processor time of %d programs: median %s, 90 %% %s, 99 %% %s, worst %s", len(all), at(50),
		at(90), at(99), at(100))
}

// TestExcerptsAgainstInterpreter: excerpts in place of nearly all tables make the family uniform, too, and depend not
// on what a cache holds.
func TestExcerptsAgainstInterpreter(t *testing.T) {
	defer func(limit int) { uniform.MaxTable = limit }(uniform.MaxTable)
	uniform.MaxTable = 3
	againstInterpreter(t, *flagN/10, func(r *rand.Rand) string { return dense(r, 4+r.Intn(5), 2+r.Intn(3)) })
	againstInterpreter(t, *flagN/3, records)
	t.Run("cache", TestCacheRandom)
}

// TestExcerpt: where the table of a pair with a third step is too large, what violates uniformity is asked for.
func TestExcerpt(t *testing.T) {
	prog := load(t, `cdpor: 1
params: {N: 6, ACCOUNTS: 4}
shared: {balance: "array[ACCOUNTS] int = 10", failed: int}
threads:
  transfer:
    count: N
    params: {a: self % ACCOUNTS, b: (self * self + 1) % ACCOUNTS, amount: 3 + self}
    run: |
      atomic {
        if balance[a] >= amount && a != b { balance[a] -= amount; balance[b] += amount } else { failed++ }
      }
`)
	for workers := range 2 {
		set, report, err := Synthesize(context.Background(), prog, Options{Readable: true, Workers: 1 + workers})
		if err != nil {
			t.Fatal(err)
		}
		p := set.Pairs[0]
		const want = "p.a != q.b && q.a != p.b && p.a != q.a"
		if got := lang.FormatExpr(p.Uniform, p.A.Template, p.B.Template); got != want {
			t.Errorf("%d workers: uniform is %s, not %s", 1+workers, got, want)
		}
		if report.Cost.Queries > 8000 { // the table took twice as many, and failed
			t.Errorf("%d workers: %d questions", 1+workers, report.Cost.Queries)
		}
	}
}
