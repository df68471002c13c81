package explore

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// raceLeaves numbers the places of data races by word: what synchronises is none, a collection is one.
func raceLeaves(p *step.Program) []int {
	leaf, n := make([]int, p.SharedWords), 0
	var walk func(t *step.Type, at int)
	walk = func(t *step.Type, at int) {
		n++
		switch {
		case t.Sync != "" || t.Kind == step.Mutex:
		case t.Kind == step.Array:
			for i := range t.Len {
				walk(t.Elem, at+i*t.Elem.Words())
			}
		case t.Kind == step.Record:
			for i, f := range t.Fields {
				walk(f.Type, at+t.FieldAt(i))
			}
		default:
			for i := range t.Words() {
				leaf[at+i] = n
			}
		}
	}
	for _, v := range p.Shared {
		if !v.Temp {
			walk(v.Type, v.Offset)
		}
	}
	return leaf
}

// raced says whether a program, in which each access is a step, reaches a state in which two processes have conflicting
// accesses next of which one is plain; and whether it does so with steps that do not fail.
func raced(m *step.Machine, limit int) (ever, cleanly bool, err error) {
	tracer, err := step.NewTracer(m)
	if err != nil {
		return false, false, err
	}
	leaf := raceLeaves(m.Program)
	type attempt struct {
		proc   int
		plain  bool
		failed bool
		wrote  map[int]bool // by place
	}
	r, start := m.NewRunner(), m.Initial()
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		clean := true // a failure ends an execution
		for p := range m.NumProcs() {
			_, _, failed := m.Failure(s, p)
			clean = clean && !failed && !m.Dropped(s, p)
		}
		var next []attempt
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			p := m.ProcOf(a)
			entry := m.StepOf(s, p)
			x := attempt{proc: p, plain: entry.Template.Nodes[entry.Entry].Plain, wrote: map[int]bool{}}
			after := slices.Clone(s)
			for _, y := range tracer.Take(after, a).Accesses {
				for w := y.Word; w < y.Word+len(y.Words); w++ {
					if w < len(leaf) && leaf[w] != 0 {
						x.wrote[leaf[w]] = x.wrote[leaf[w]] || y.Write
					}
				}
			}
			var fault step.Fault
			if fault, _, x.failed = m.Failure(after, p); x.failed && fault == step.TooManyProcesses {
				return false, false, oracle.ErrLimit // when names run out depends on the order of the search
			}
			x.failed = x.failed || m.Dropped(after, p)
			if x.failed { // it may be reported for what it was about to access
				foot := r.Footprint(s, p, make(step.Footprint, m.FootprintWords()))
				for w, place := range leaf {
					if loc := m.Location(w); place != 0 && foot.Touches(loc) {
						x.wrote[place] = x.wrote[place] || foot.Writes(loc)
					}
				}
			}
			next = append(next, x)
			if key := string(after.Bytes()); !seen[key] {
				if len(seen) == limit {
					return false, false, oracle.ErrLimit
				}
				seen[key] = true
				todo = append(todo, after)
			}
		}
		for i, x := range next {
			for _, y := range next[:i] {
				if x.proc == y.proc || !x.plain && !y.plain {
					continue
				}
				for place, write := range x.wrote {
					if other, both := y.wrote[place]; both && (write || other) {
						ever, cleanly = true, cleanly || clean && !x.failed && !y.failed
					}
				}
			}
		}
	}
	return ever, cleanly, nil
}

// raceProgram is a random program in which each access is a step, and one in which data races are failures.
func raceProgram(rng *rand.Rand) (plain, forbidden string) {
	c := random.Draw(rng)
	c.Access, c.Crashes = false, false
	text := random.Program(rng, c)
	return text, strings.Replace(text, "check:\n", "check:\n  races: forbidden\n", 1)
}

// TestRaces: every algorithm reports a data race exactly if some state of the program, explored without marks, has one;
// and without races outcomes are the same.
func TestRaces(t *testing.T) {
	var done, racing int
	randomly(t, *programs/8, func(rng *rand.Rand, solve func(*step.Machine) (Conditions, error)) (string, error) {
		text, forbidden := raceProgram(rng)
		src, err := lang.Load("random.yaml", []byte(text), lang.Options{Atomicity: "access"})
		if err != nil {
			return text, err
		}
		m, err := step.NewMachine(src.Program)
		if err != nil {
			return text, err
		}
		ever, cleanly, err := raced(m, maxStates)
		if err != nil {
			return text, err
		}
		which := func(v *Violation) bool { return v.Kind == FailedStep && v.Fault == step.Race }
		if err := compareReported(forbidden, which, ever, cleanly, rng, solve); err != nil {
			return forbidden, err
		}
		done++
		if ever {
			racing++
			return text, nil
		}
		return forbidden, sameOutcomes(m, forbidden)
	})
	t.Logf("%d programs, %d with races", done, racing)
	if racing == 0 || racing == done {
		t.Error("that says nothing")
	}
}

// sameOutcomes compares the values of shared variables in which a program can end with those of the same program with
// marks. What is started has another number then, so programs that start something are left out.
func sameOutcomes(m *step.Machine, marked string) error {
	if slices.ContainsFunc(m.Program.Templates, func(t *step.Template) bool { return t.Pool != nil }) {
		return nil
	}
	with, err := load(marked)
	if err != nil {
		return err
	}
	shared := m.Program.SharedWords // the marks come behind them
	ends := func(m *step.Machine) (map[string]bool, error) {
		g, err := oracle.Search(m, maxStates)
		if err != nil {
			return nil, err
		}
		list := map[string]bool{}
		for s := range maps.Values(g.Terminals) {
			list[fmt.Sprint(m.EndingOf(s), s[:shared])] = true
		}
		return list, nil
	}
	want, err := ends(m)
	if err != nil {
		return err
	}
	got, err := ends(with)
	if err != nil {
		return err
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("without marks %v, with them %v", want, got)
	}
	return nil
}
