package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// broken says whether a program reaches a step, or for the initial state nil and a step to it, that bad says is wrong:
// at all, and without a process having failed or been dropped before or in it.
func broken(m *step.Machine, bad func(before, after step.State) bool, limit int) (ever, cleanly bool, err error) {
	r, start := m.NewRunner(), m.Initial()
	look := func(before, after step.State) {
		if !bad(before, after) {
			return
		}
		clean := true
		for p := range m.NumProcs() {
			_, _, failed := m.Failure(after, p)
			clean = clean && !failed && !m.Dropped(after, p)
		}
		ever, cleanly = true, cleanly || clean
	}
	look(nil, start)
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			next := slices.Clone(s)
			r.Take(next, a)
			look(s, next)
			if key := string(next.Bytes()); !seen[key] {
				if len(seen) == limit {
					return false, false, oracle.ErrLimit
				}
				seen[key] = true
				todo = append(todo, next)
			}
		}
	}
	return ever, cleanly, nil
}

// alwaysProgram is a random program with check.always, and the program without it whose invariant that property is.
func alwaysProgram(rng *rand.Rand) (with, without string) {
	c := random.Draw(rng)
	text := random.Program(rng, c)
	that := random.Always(rng, c)
	with = text + fmt.Sprintf("  always: [%q]\n", that)
	without = strings.Replace(text, "threads:\n", fmt.Sprintf("invariant: [%q]\nthreads:\n", that), 1)
	return with, without
}

// alwaysTally counts what the random programs show, lest they show nothing.
type alwaysTally struct{ done, broken, hidden int }

func (n *alwaysTally) log(t *testing.T) {
	t.Logf("%d programs, %d with a broken property, %d of these in no final state", n.done, n.broken, n.hidden)
	if n.broken == 0 || n.hidden == 0 || n.broken == n.done {
		t.Error("that says nothing")
	}
}

// TestAlways: every algorithm reports a broken check.always exactly if some state of the program without it breaks the
// condition. A step that fails or is dropped for another reason is not looked at; a state that only such steps lead to
// may be reported or not.
func TestAlways(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	var n alwaysTally
	randomly(t, *programs/4, func(rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (string, error) {
		with, without := alwaysProgram(rng)
		plain, err := load(without)
		if err != nil {
			return without, err
		}
		holds, r := plain.CompileCondition(plain.Program.Invariants[0].Expr, -1, -1), plain.NewRunner()
		wrong := func(s step.State) bool { ok, evaluated := holds(r, s); return !ok || !evaluated }
		ever, cleanly, err := broken(plain, func(_, s step.State) bool { return wrong(s) }, maxStates)
		if err != nil {
			return without, err
		}
		if err := compareKept(with, AlwaysBroken, ever, cleanly, rng, solve); err != nil {
			return with, err
		}
		g, err := oracle.Search(plain, maxStates)
		if err != nil {
			return without, err
		}
		n.done++
		if ever {
			n.broken++
			if !slices.ContainsFunc(slices.Collect(maps.Values(g.Terminals)), wrong) {
				n.hidden++
			}
		}
		return with, nil
	})
	n.log(t)
}

// A stepCondition is a condition on steps and how to evaluate it from the values of x and y before and after.
type stepCondition struct {
	text  string // of two names
	holds func(x0, y0, x, y int64) bool
}

var stepConditions = []stepCondition{
	{"%[1]s >= old(%[1]s) || %[2]s == 0", func(x0, _, x, y int64) bool { return x >= x0 || y == 0 }},
	{"%[1]s == old(%[1]s) + 1 || %[2]s == old(%[2]s)", func(x0, y0, x, y int64) bool { return x == x0+1 || y == y0 }},
	{"old(%[1]s + %[2]s) != %[1]s", func(x0, y0, x, _ int64) bool { return x0+y0 != x }},
	{"old(%[1]s) == 0 || %[1]s != old(%[2]s)", func(x0, y0, x, _ int64) bool { return x0 == 0 || x != y0 }},
	{"%[1]s <= old(%[1]s) && %[2]s >= 0", func(x0, _, x, y int64) bool { return x <= x0 && y >= 0 }},
}

// TestTransition is the same for check.transition: exactly if some step of the program that changes x or y breaks the
// condition.
func TestTransition(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	var done, wrong int
	randomly(t, *programs/4, func(rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (string, error) {
		c := random.Draw(rng)
		text := random.Program(rng, c)
		plain, err := load(text)
		if err != nil {
			return text, err
		}
		pick := func() *step.Var { return plain.Program.Shared[rng.Intn(c.Vars)] } // the integers come first
		kind, x, y := stepConditions[rng.Intn(len(stepConditions))], pick(), pick()
		ever, cleanly, err := broken(plain, func(s, next step.State) bool {
			if s == nil || s[x.Offset] == next[x.Offset] && s[y.Offset] == next[y.Offset] {
				return false
			}
			return !kind.holds(s[x.Offset], s[y.Offset], next[x.Offset], next[y.Offset])
		}, maxStates)
		if err != nil {
			return text, err
		}
		with := text + fmt.Sprintf("  transition: [%q]\n", fmt.Sprintf(kind.text, x.Name, y.Name))
		if err := compareKept(with, StepBroken, ever, cleanly, rng, solve); err != nil {
			return with, err
		}
		done++
		if ever {
			wrong++
		}
		return with, nil
	})
	t.Logf("%d programs, %d with a broken transition", done, wrong)
	if wrong == 0 || wrong == done {
		t.Error("that says nothing")
	}
}

// randomly calls f until it has had its say about some random programs; those that are too large do not count.
func randomly(t *testing.T, count int,
	f func(rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (text string, err error)) {
	session, err := newSolver()
	if err != nil && *solver != 0 {
		t.Errorf("%v; with -solve=0 nothing is synthesised", err)
	}
	for i, done := int64(0), 0; done < count; i++ {
		var solve func(*step.Machine) (Conditions, error)
		if *solver != 0 && i%int64(20**solver) == 0 {
			solve = session
		}
		text, err := f(rand.New(rand.NewSource(*seed+i)), solve)
		switch {
		case errors.Is(err, oracle.ErrLimit):
		case err != nil:
			t.Fatalf("seed %d: %v\n%s", *seed+i, err, text)
		default:
			done++
		}
	}
}

// compareKept explores a program with a property in all ways and says which one is wrong about it.
func compareKept(text string, kind ViolationKind, ever, cleanly bool, rng *rand.Rand,
	solve func(*step.Machine) (Conditions, error)) error {
	return compareReported(text, func(v *Violation) bool { return v.Kind == kind }, ever, cleanly, rng, solve)
}

// compareReported does so for violations of some kind: ever says whether there may be one, cleanly whether there must.
func compareReported(text string, which func(*Violation) bool, ever, cleanly bool, rng *rand.Rand,
	solve func(*step.Machine) (Conditions, error)) error {
	m, err := load(text)
	if err != nil {
		return err
	}
	if _, err := oracle.Search(m, maxStates); err != nil {
		return err
	}
	var solved Conditions
	if solve != nil {
		if solved, err = solve(m); err != nil {
			return err
		}
	}
	table := &lazyTable{m: m, rng: rng}
	for _, v := range variants(m, table, solved, table.uniformAt, rng) {
		ctx, cancel := context.WithCancel(context.Background())
		v.opt.Progress = func(r *Result) {
			if r.Nodes > maxNodes {
				cancel()
			}
		}
		res, err := Run(ctx, m, v.algorithm, v.opt)
		cancel()
		if err != nil {
			return err
		}
		if res.Stopped != StoppedComplete {
			return oracle.ErrLimit
		}
		reported := slices.ContainsFunc(res.Violations, which)
		switch {
		case cleanly && !reported:
			return fmt.Errorf("%v does not report what is broken", v)
		case reported && !ever:
			return fmt.Errorf("%v reports what is not broken", v)
		}
	}
	return nil
}

// TestAlwaysTerminals compares the terminal states of programs with a property, and the number of their traces, like
// the differential test.
func TestAlwaysTerminals(t *testing.T) {
	for i := int64(0); i < int64(*programs)/10; i++ {
		rng := rand.New(rand.NewSource(*seed + i))
		with, _ := alwaysProgram(rng)
		if err := compareOne(with, rng, nil); err != nil && !errors.Is(err, oracle.ErrLimit) {
			t.Fatalf("seed %d: %v\n%s", *seed+i, err, with)
		}
	}
}

// TestAlwaysReport looks at what is said about a broken property: who broke it first, and the initial state.
func TestAlwaysReport(t *testing.T) {
	m, err := load(`cdpor: 1
shared: {x: int, y: int = 1, z: int, w: int}
threads:
  a: {count: 2, run: "x += 1"}
  b: y = 1
  c: z = 1 / z
  d: w = 2
check:
  always: [x != 1, y == 0, "1 / (x - 2) <= 0"]
  transition: [w <= old(w) + 1]
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Algorithms() {
		res, err := Run(context.Background(), m, a, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, v := range res.Violations {
			text := string(v.Kind)
			if v.Property != nil {
				text += " " + v.Property.Text
			}
			switch {
			case v.Kind == FailedStep:
				text += " " + v.Fault.String()
			case v.Fault == step.BadProperty:
				text += " cannot be evaluated"
			case v.Node == nil:
				text += " at the start"
				if len(v.Schedule) != 0 {
					t.Errorf("%s: %s after %v", a.Name, text, v.Schedule)
				}
			case len(v.Schedule) == 0 || m.ProcOf(int(v.Schedule[len(v.Schedule)-1])) != v.Proc:
				t.Errorf("%s: %s by %d after %v", a.Name, text, v.Proc, v.Schedule)
			}
			got[text]++
		}
		want := map[string]int{"always y == 0 at the start": 1, "always x != 1": 2,
			"always 1 / (x - 2) <= 0 cannot be evaluated": 2, "transition w <= old(w) + 1": 1,
			"failure division by zero": 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.Name, diff)
		}
	}
}
