//go:build cgo && !noz3

package synth

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"
	"cdpor/synth/internal/commute"

	"github.com/google/go-cmp/cmp"
)

var flagSubsets = flag.Int("subsets", 40, "random programs of TestSubsets")

// some chooses pairs at random; the order of the two steps does not matter.
func some(r *rand.Rand, prog *step.Program, share float64) func(a, b *step.Step) bool {
	chosen := map[[2]*step.Step]bool{}
	for ab := range constraints.PairsOf(prog) {
		if r.Float64() < share {
			chosen[ab], chosen[[2]*step.Step{ab[1], ab[0]}] = true, true
		}
	}
	return func(a, b *step.Step) bool { return chosen[[2]*step.Step{a, b}] }
}

// sums draws a program about sums with coefficients, quotients and remainders, which are hard for the solver.
func sums(r *rand.Rand) string {
	vars := []string{"x", "y", "z", "w", "u", "v"}
	variable := func() string { return vars[r.Intn(len(vars))] }
	sum := func() string {
		var parts []string
		for range 1 + r.Intn(4) {
			parts = append(parts, fmt.Sprintf("%d * %s", r.Intn(20)-9, variable()))
		}
		return strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- ")
	}
	compare := []string{"==", "<", "<=", "!="}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: sums\nshared: {x: int, y: int, z: int, w: int, u: int, v: int, a: " +
		"\"array[8] int\"}\nthreads:\n")
	for i := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n    atomic {\n", i)
		for range 1 + r.Intn(3) {
			switch r.Intn(4) {
			case 0:
				fmt.Fprintf(&b, "      if %s %s %s { %s = %s }\n", sum(), compare[r.Intn(4)], sum(), variable(), sum())
			case 1:
				fmt.Fprintf(&b, "      %s = %s\n", variable(), sum())
			case 2:
				rest, by := sum(), 2+r.Intn(9)
				fmt.Fprintf(&b, "      if (%s) %% %d == %d { %s = (%s) / %d }\n", rest, by, r.Intn(3),
					variable(), sum(), 2+r.Intn(5))
			case 3:
				fmt.Fprintf(&b, "      if %s > 0 && x >= 0 && x < 8 && y >= 0 && y < 8 { a[x] = a[y] + %s }\n",
					sum(), sum())
			}
		}
		b.WriteString("    }\n")
	}
	return b.String()
}

// drawn is a random program of some kind.
func drawn(r *rand.Rand) string {
	switch r.Intn(8) {
	case 0:
		return sums(r)
	case 1:
		return collections(r)
	}
	return random.Program(r, random.Draw(r))
}

// somePairs are a random program, some of its pairs, a budget, and what comes out.
type somePairs struct {
	seed    int64
	r       *rand.Rand
	text    string
	prog    *step.Program
	pairs   func(a, b *step.Step) bool
	queries int   // 0 is no limit
	work    int64 // 0 is no limit
	got     string
	set     *constraints.Set
	report  *Report
}

// drawSomePairs draws a program and some of its pairs. Budgets are drawn around what it takes, so that they end in all
// phases.
func drawSomePairs(t *testing.T, s *Session, seed int64) *somePairs {
	x := &somePairs{seed: seed, r: rand.New(rand.NewSource(seed))}
	x.text = drawn(x.r)
	src, err := lang.Load("random.yaml", []byte(x.text), lang.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, x.text)
	}
	x.prog = src.Program
	x.pairs = some(x.r, x.prog, x.r.Float64())
	_, _, whole := ask(t, s, x.prog, x.pairs, 100, 50_000)
	x.queries = x.r.Intn(2*whole.Cost.Queries + 3)
	if x.queries == 0 || x.r.Intn(4) > 0 {
		x.work = 1 + x.r.Int63n(3*whole.Cost.Work+10)
	}
	x.got, x.set, x.report = ask(t, s, x.prog, x.pairs, x.queries, x.work)
	return x
}

// ask synthesises constraints for some pairs within a budget, and gives all that must not depend on a cache as text.
func ask(t *testing.T, s *Session, prog *step.Program, pairs func(a, b *step.Step) bool, queries int, work int64) (
	string, *constraints.Set, *Report) {
	s.Ask(pairs, queries, work)
	set, report, err := s.Synthesize(context.Background(), prog)
	if err != nil {
		t.Fatal(err)
	}
	return string(set.Format()) + fmt.Sprint(report.Cost, report.Open, len(report.Asked)), set, report
}

func (x *somePairs) fail(t *testing.T, why string) {
	t.Fatalf("seed %d, %d questions, %d units: %s\n%s\n%s", x.seed, x.queries, x.work, why, x.text, x.got)
}

// withinBudget: no more is spent than may be, and nothing is claimed of pairs that were not asked for.
func (x *somePairs) withinBudget(t *testing.T) {
	if x.queries > 0 && x.report.Cost.Queries > x.queries || x.report.Queries != x.report.Cost.Queries {
		x.fail(t, fmt.Sprintf("%d questions of %d", x.report.Queries, x.queries))
	}
	if x.work > 0 && x.report.Cost.Work > x.work {
		x.fail(t, fmt.Sprintf("%v is too much", x.report.Cost))
	}
	for _, p := range x.set.Pairs {
		always := p.Status == constraints.Exact && constraints.IsTrue(p.Commute)
		never := constraints.IsFalse(p.Commute) && constraints.IsFalse(p.Uniform)
		if constraints.Independent(p.A, p.B) != always && !x.pairs(p.A, p.B) ||
			p.Status == constraints.Unknown && !never {
			x.fail(t, "something is claimed of "+p.A.Name()+" and "+p.B.Name())
		}
	}
}

// proved: Check refutes nothing, and leaves nothing open but of sums, which are hard.
func (x *somePairs) proved(t *testing.T, prover *Session) {
	verdict, err := prover.Check(context.Background(), x.prog, x.set)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range verdict.Findings {
		if f.Refuted || !strings.Contains(x.text, "name: sums") {
			x.fail(t, strings.Join(f.Text(), "\n"))
		}
	}
}

// again asks another session, whose result must be the same, and counts the pairs that a cache knew.
func (x *somePairs) again(t *testing.T, s *Session) (cached int) {
	again, _, report := ask(t, s, x.prog, x.pairs, x.queries, x.work)
	if again != x.got {
		x.fail(t, "the cache changes the result: "+cmp.Diff(x.got, again))
	}
	for _, p := range report.Asked {
		if p.Cached {
			cached++
		}
	}
	return cached
}

// TestSubsets synthesises constraints for some pairs of random programs, under all kinds of budgets. What comes out
// holds for the machine in many states (commute is sound, the family that an explorer uses is uniform), is proved by
// Check, and does not depend on what a cache holds or on the order in which a session gets the programs. The budget is
// kept.
func TestSubsets(t *testing.T) {
	session := func(cache Cache) *Session {
		s, err := NewSession(Options{RLimit: 10_000, Short: true, Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	prover, err := NewSession(Options{RLimit: 20_000, Short: true})
	if err != nil {
		t.Fatal(err)
	}
	plain, caching, behind := session(nil), session(&Memory{}), &Memory{}
	var count tally
	asked, open, narrowed, useful, cached := 0, 0, 0, 0, 0
	for i := range *flagSubsets {
		x := drawSomePairs(t, plain, *flagSeed+int64(i))
		x.withinBudget(t)
		for _, p := range x.report.Asked {
			asked++
			pair, _ := x.set.Find(p.A, p.B)
			if !constraints.IsFalse(pair.Uniform) {
				useful++
			}
			if p.Open {
				open++
			}
			if p.Narrowed {
				narrowed++
			}
		}
		count.pairs += x.report.Pairs
		if msg := newComparison(t, x.set, x.r, x.seed).run(&count); msg != "" {
			x.fail(t, msg)
		}
		if i%6 == 0 { // a proof takes longer than all the rest
			x.proved(t, prover)
		}
		// With a cache: of nothing or of more than it, of what it has found, of nothing again.
		if x.r.Intn(2) == 0 {
			ask(t, caching, x.prog, nil, 1+x.r.Intn(60), 50_000)
		}
		for _, s := range []*Session{caching, caching, session(&Memory{Behind: behind})} {
			cached += x.again(t, s)
		}
	}
	t.Logf("%+v; of %d pairs asked for %d are open, %d narrowed, %d useful; %d from a cache",
		count, asked, open, narrowed, useful, cached)
	if *flagSubsets >= 40 && (open < asked/50 || useful < asked/10 || cached < asked/2) ||
		*flagSubsets >= 300 && narrowed == 0 {
		t.Error("the budgets do not cover the cases")
	}
}

// TestSubsetFamily: the constraints of some pairs are those that come out when all pairs have been worked on, and the
// others are taken for dependent before the family is made uniform. So commute is the same as in the constraints of
// all pairs, and uniform is usually larger: there is less that a repair could have to do with.
func TestSubsetFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	programs := shipped(t)
	for i := range *flagN / 3 {
		r := rand.New(rand.NewSource(*flagSeed + int64(i)))
		programs[fmt.Sprintf("random %d", i)] = load(t, random.Program(r, random.Draw(r)))
	}
	r := rand.New(rand.NewSource(*flagSeed))
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range programs {
			if !yield(name) {
				return
			}
		}
	})
	for _, name := range names {
		prog := programs[name]
		pairs := some(r, prog, 0.5)
		s.Ask(pairs, 0, 0)
		set, _, err := s.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		s.Ask(nil, 0, 0)
		e, err := s.engine(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		left, err := e.begin()
		if err != nil {
			t.Fatal(err)
		}
		if left > 0 && len(prog.Invariants) > 0 {
			e.invariants()
		}
		for _, n := range e.Entries {
			if n.Asked {
				e.remembered(n)
			}
			if !n.Independent && !pairs(n.A, n.B) {
				*n = *commute.UnknownEntry(n.A, n.B)
			}
		}
		e.uniformParts()
		want := &constraints.Set{Program: prog, Assumed: set.Assumed, InvariantsUsed: set.InvariantsUsed,
			Generator: set.Generator, ProgramName: set.ProgramName, Digest: set.Digest}
		for _, n := range e.Entries {
			want.Pairs = append(want.Pairs, n.Result())
		}
		want.Define()
		want.SealAll()
		if diff := cmp.Diff(string(want.Format()), string(set.Format())); diff != "" {
			t.Errorf("%s: of some pairs (+), of all with the others taken for dependent (-):\n%s", name, diff)
		}
	}
}

// TestGrowingSubsets: who asks again for more pairs with a larger budget pays in work only for what is new.
func TestGrowingSubsets(t *testing.T) {
	prog := load(t, manyTemplates(12, 2, 2))
	memory := &Memory{}
	s, err := NewSession(Options{RLimit: 10_000, Short: true, Cache: memory})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(constraints.PairsOf(prog))
	before := 0
	for n := 1; n <= len(all); n *= 3 {
		wanted := map[[2]*step.Step]bool{}
		for _, ab := range all[:n] {
			wanted[ab] = true
		}
		s.Ask(func(a, b *step.Step) bool {
			return wanted[[2]*step.Step{a, b}] || wanted[[2]*step.Step{b, a}]
		}, 1000, 1_000_000)
		_, report, err := s.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		if report.Cached != before || report.Open > 0 {
			t.Errorf("%d of %d pairs from the cache, want %d; %d open", report.Cached, len(report.Asked),
				before, report.Open)
		}
		before = len(report.Asked)
	}
}
