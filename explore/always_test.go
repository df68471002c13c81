package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// drawAlways writes a condition over one or two of the variables of a random program.
func drawAlways(rng *rand.Rand, c random.Config) string {
	name := func() string { return string(rune('a' + rng.Intn(c.Vars))) }
	term := func() string {
		if c.Arrays && rng.Intn(5) == 0 {
			return "t[" + fmt.Sprint(rng.Intn(2)) + "]"
		}
		if c.Locks && rng.Intn(5) == 0 {
			return "(m.held() ? 1 : 0)"
		}
		return name()
	}
	x, y, k := term(), term(), rng.Intn(3)
	return []string{
		fmt.Sprintf("%s != %d", x, k), fmt.Sprintf("%s <= %d", x, k), fmt.Sprintf("%s != %d || %s != %d", x, k, y, rng.Intn(2)),
		fmt.Sprintf("%s + %s != %d", x, y, k), fmt.Sprintf("%s <= %s", x, y), fmt.Sprintf("%s == %d || %s != %d", x, k, y, rng.Intn(2)),
	}[rng.Intn(6)]
}

// broken says whether a program without check.always reaches a state in which a condition is false: at all, and without a process
// having failed or been dropped before that or in the step that leads there.
func broken(m *step.Machine, that *step.Expr, limit int) (ever, cleanly bool, err error) {
	holds, r := m.CompileCondition(that, -1, -1), m.NewRunner()
	start := m.Initial()
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if ok, evaluated := holds(r, s); !ok || !evaluated {
			clean := true
			for p := range m.NumProcs() {
				_, _, failed := m.Failure(s, p)
				clean = clean && !failed && !m.Dropped(s, p)
			}
			ever, cleanly = true, cleanly || clean
		}
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			next := append(step.State(nil), s...)
			r.Take(next, a)
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

// alwaysProgram is a random program with a property, and the program without it whose invariant that property is.
func alwaysProgram(rng *rand.Rand) (with, without string) {
	c := random.Draw(rng)
	text := random.Program(rng, c)
	that := drawAlways(rng, c)
	with = text + fmt.Sprintf("  always: [%q]\n", that)
	without = strings.Replace(text, "threads:\n", fmt.Sprintf("invariant: [%q]\nthreads:\n", that), 1)
	return with, without
}

// TestAlways: every algorithm reports a broken check.always exactly if some state of the program without it breaks the condition.
// A step that fails or is dropped for another reason is not looked at; a state that only such steps lead to may be reported or not.
func TestAlways(t *testing.T) {
	solve, err := newSolver()
	if err != nil {
		t.Log(err)
	}
	var done, violated, intermediate int
	for i := int64(0); done < *programs; i++ {
		rng := rand.New(rand.NewSource(*seed + i))
		with, without := alwaysProgram(rng)
		var session func(*step.Machine) (Conditions, error)
		if *solver != 0 && i%10 == 0 {
			session = solve
		}
		ever, atEnd, err := compareAlways(with, without, rng, session)
		if errors.Is(err, oracle.ErrLimit) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", *seed+i, err, with)
		}
		done++
		if ever {
			violated++
			if !atEnd {
				intermediate++
			}
		}
	}
	t.Logf("%d programs, %d with a broken property, %d of these in no final state", done, violated, intermediate)
	if violated == 0 || intermediate == 0 || violated == done {
		t.Errorf("the programs say nothing: %d of %d break their property, %d of these in no final state", violated, done, intermediate)
	}
}

// compareAlways also says whether the property is broken, and whether a terminal state of the program without it shows that.
func compareAlways(with, without string, rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (ever, atEnd bool, err error) {
	plain, err := load(without)
	if err != nil {
		return false, false, err
	}
	that := plain.Program.Invariants[0].Expr
	ever, cleanly, err := broken(plain, that, maxStates)
	if err != nil {
		return false, false, err
	}
	g, err := oracle.Search(plain, maxStates)
	if err != nil {
		return false, false, err
	}
	holds, r := plain.CompileCondition(that, -1, -1), plain.NewRunner()
	for _, s := range g.Terminals {
		if ok, _ := holds(r, s); !ok {
			atEnd = true
		}
	}
	src, err := lang.Load("random.yaml", []byte(with), lang.Options{})
	if err != nil {
		return false, false, err
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		return false, false, err
	}
	var solved Conditions
	if solve != nil {
		if solved, err = solve(m); err != nil {
			return false, false, err
		}
	}
	table := &lazyTable{m: m, rng: rng}
	if _, err := oracle.Search(m, maxStates); err != nil {
		return false, false, err
	}
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
			return false, false, err
		}
		if res.Stopped != StoppedComplete {
			return false, false, oracle.ErrLimit
		}
		reported := false
		for _, violation := range res.Violations {
			reported = reported || violation.Kind == AlwaysBroken
		}
		switch {
		case cleanly && !reported:
			return false, false, fmt.Errorf("%v does not report the broken property", v)
		case reported && !ever:
			return false, false, fmt.Errorf("%v reports a property that holds in every state", v)
		}
	}
	return ever, atEnd, nil
}

// TestAlwaysTerminals compares the terminal states of programs with a property, and the number of their traces, like the differential test.
func TestAlwaysTerminals(t *testing.T) {
	for i := int64(0); i < int64(*programs)/10; i++ {
		rng := rand.New(rand.NewSource(*seed + i))
		with, _ := alwaysProgram(rng)
		if err := compareOne(with, rng, nil); err != nil && !errors.Is(err, oracle.ErrLimit) {
			t.Fatalf("seed %d: %v\n%s", *seed+i, err, with)
		}
	}
}
