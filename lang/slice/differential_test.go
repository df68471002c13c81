package slice_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"testing"

	"cdpor/explore/oracle"
	"github.com/google/go-cmp/cmp"

	"cdpor/lang"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

var (
	programs = flag.Int("n", 100, "programs of the differential test")
	seed     = flag.Int64("seed", 1, "seed of its first program; the others follow")
)

// TestMain lets go test -short draw fewer programs.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		*programs /= 5
	}
	os.Exit(m.Run())
}

// Larger programs are left out.
const (
	maxStates = 3000
	maxTraces = 20_000
)

// A behaviour says for each outcome of a criterion whether there is a terminal state, or a state, that has it.
type behaviour map[string]bool

// A question is a criterion with what it means, written down independently of the slicer: what to look at in a state of
// the program or of a slice, which have the same words. normal says that all processes are at their end.
type question struct {
	name      string
	criterion slice.Criterion
	observe   func(m *step.Machine, s step.State, terminal, normal bool) (outcomes []string)
	terminal  bool // it is about the states in which nothing is enabled
	failing   bool // it is about what a step leaves behind that fails inside, too
}

// ask searches the whole state graph.
func ask(p *step.Program, q question, normal bool) (behaviour, *step.Machine, error) {
	m, err := step.NewMachine(p)
	if err != nil {
		return nil, nil, err
	}
	r, found := m.NewRunner(), behaviour{}
	start := m.Initial()
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		terminal := true
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			terminal = false
			next := slices.Clone(s)
			r.Take(next, a)
			if key := string(next.Bytes()); !seen[key] {
				if len(seen) == maxStates {
					return nil, nil, oracle.ErrLimit
				}
				seen[key] = true
				todo = append(todo, next)
			}
		}
		if crowdedIn(m, s) {
			return nil, nil, errCrowded
		}
		dropped := false
		for p := range m.NumProcs() {
			dropped = dropped || m.Dropped(s, p)
		}
		ended := terminal && m.EndingOf(s) == step.Ended
		if q.terminal && (!terminal || dropped || normal && !ended) {
			continue
		}
		for _, o := range q.observe(m, s, terminal, ended) {
			found[o] = true
		}
	}
	return found, m, nil
}

// crowded reports whether a pool has no identity left in some execution. In which ones depends on the order in which
// the executions are gone through, and cannot be compared.
func crowded(g *oracle.Graph) bool {
	for f := range g.Failures {
		if f.Fault == step.TooManyProcesses {
			return true
		}
	}
	return false
}

func crowdedIn(m *step.Machine, s step.State) bool {
	for p := range m.NumProcs() {
		if fault, _, failed := m.Failure(s, p); failed && fault == step.TooManyProcesses {
			return true
		}
	}
	return false
}

var errCrowded = errors.New("a pool has no identity left")

// questions are those that can be asked about a program.
func questions(p *step.Program) (list []question) {
	pools := slices.ContainsFunc(p.Templates, func(t *step.Template) bool { return t.Pool != nil })
	for _, v := range p.Shared {
		// Identities differ between machines.
		if v.Type.Words() == 0 || v.Type.Ref != "" || pools && (!v.Type.Scalar() || v.Temp) {
			continue
		}
		list = append(list, question{"variable " + v.Name, slice.Variable(v),
			func(_ *step.Machine, s step.State, _, _ bool) (outcomes []string) {
				return []string{fmt.Sprint(s[v.Offset : v.Offset+v.Type.Words()])}
			}, true, false})
	}
	if len(p.Shared) > 0 && !pools {
		v := p.Shared[len(p.Shared)-1]
		c := slice.Variable(v)
		c.Ends, c.Fails = true, true
		list = append(list, question{"normal ends and " + v.Name, c,
			func(_ *step.Machine, s step.State, _, ended bool) (outcomes []string) {
				if !ended {
					return nil
				}
				return []string{fmt.Sprint(s[v.Offset : v.Offset+v.Type.Words()])}
			}, true, false})
	}
	vars := slices.DeleteFunc(slices.Clone(p.Shared), func(v *step.Var) bool {
		return !v.Type.Scalar() || v.Temp || v.Type.Ref != ""
	})
	if len(vars) > 1 {
		g, seen := slice.New(p, slice.Deadlock), vars[len(vars)-2:]
		var criteria []slice.Criterion
		for _, v := range seen {
			e := &step.Expr{Op: step.VarRef, Type: v.Type, Var: v, Of: step.Own}
			criteria = append(criteria, g.Invariant(&step.Property{Expr: e}))
		}
		both := func(_ *step.Machine, s step.State, _, _ bool) (outcomes []string) {
			return []string{fmt.Sprint(s[seen[0].Offset], s[seen[1].Offset])}
		}
		list = append(list, question{"invariant of two variables", slice.Join(criteria...), both, false, true})
	}
	for _, t := range p.Templates {
		for i, n := range t.Nodes {
			switch {
			case n.Kind == step.Check:
				list = append(list, question{fmt.Sprintf("failure of %s.%d", t.Name, i), slice.Reached(n),
					func(m *step.Machine, s step.State, _, _ bool) (outcomes []string) {
						for p := range m.NumProcs() {
							if m.Program.Procs[p].Template.Name != t.Name {
								continue
							}
							if _, at, failed := m.Failure(s, p); failed && at == m.Program.Procs[p].Template.Nodes[i] {
								outcomes = append(outcomes, "fails in "+processName(m, p))
							}
						}
						return
					}, false, false})
			case n.Visible && i%3 == 0:
				list = append(list, question{fmt.Sprintf("step %s.%s", t.Name, n.Label), slice.Reached(n),
					func(m *step.Machine, s step.State, _, _ bool) (outcomes []string) {
						for p := range m.NumProcs() {
							if at := m.StepOf(s, p); at != nil && at.Template.Name == t.Name && at.Entry == i {
								outcomes = append(outcomes, "reached by "+processName(m, p))
							}
						}
						return
					}, false, false})
			}
		}
	}
	return
}

// processName says which process it is, in a program or a slice of it: identities in a pool depend on the order in
// which a search meets them.
func processName(m *step.Machine, p int) string {
	proc := m.Program.Procs[p]
	if proc.Template.Pool == nil {
		return fmt.Sprint(p)
	}
	of := m.Origins()[slices.Index(m.Program.Templates, proc.Template)][proc.Self]
	return fmt.Sprintf("%s started by %s after %d", proc.Template.Name, processName(m, of.Creator), of.Before)
}

// TestDifferential compares random programs with their slices, in a search of all states.
func TestDifferential(t *testing.T) {
	if total := compareRandom(t, (*tally).compare, 4); total.Exacter == 0 {
		t.Errorf("no slice with contexts is smaller: %+v", total)
	}
}

// compareRandom compares random programs with some slices each.
func compareRandom(t *testing.T, compare func(c *tally, text string, rng *rand.Rand, some int) error, some int) (
	total tally) {
	for k := range *programs {
		at := *seed + int64(k)
		rng := rand.New(rand.NewSource(at))
		text := random.Program(rng, random.DrawCyclic(rng))
		if err := compare(&total, text, rng, some); err != nil {
			t.Fatalf("seed %d: %v\n%s", at, err, shrunk(text, compare))
		}
		if (k+1)%1000 == 0 {
			t.Logf("%d programs: %+v", k+1, total)
		}
	}
	t.Logf("%+v", total)
	if total.Slices == 0 || total.Smaller == 0 {
		t.Errorf("nothing was compared: %+v", total)
	}
	return total
}

// Programs that the comparison once failed for.
var regressions = []string{`
cdpor: 1
shared: {a: int = 0, v: "int8 = 127"}
threads:
  p0: |
    let h1 = spawn w1(1)
    assert a == 0
  w1: # without its first step, the next one would be that
    params: [z int]
    run: |
      v *= 2
      atomic { for k in 0..1 { a = a } }
      a = a
`, `
cdpor: 1
shared:
  a: int = 0
  b: int = 1
  c: int = 1
  r: "record {f int, g int}"
  rs: "array[2] record {f int, o int?}"
bounds: {w2: 4}
threads:
  p0: |
    var l int = 1
    atomic { for k in 0..1 { if rs[0].o != null { b = rs[0].o! } } }
    a = c
  p1: |
    var l int = 0
    var h1 tid; if c == 0 { h1 = spawn w2(b) }; if h1 != null { join h1 }
  w2: # one way to what is kept passes steps that go, the other does not
    params: [z int]
    run: |
      var l int
      var i3 int = 0; while i3 < 2 && l == 1 { i3 += 1; r = {f: a, g: r.f} }
      atomic { a = a; if b == 0 { rs[c == 0 ? 0 : 1].o = a } }
`}

func TestRegressions(t *testing.T) {
	for _, text := range regressions {
		if err := new(tally).compare(text, rand.New(rand.NewSource(1)), 100); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if err := new(tally).compareText(text, rand.New(rand.NewSource(1)), 100); err != nil {
			t.Errorf("as text: %v\n%s", err, text)
		}
	}
}

// shrunk is a smaller program that fails a comparison as well.
func shrunk(text string, compare func(c *tally, text string, rng *rand.Rand, some int) error) string {
	return random.Shrink(text, func(smaller string) bool {
		if _, err := lang.Load("random.yaml", []byte(smaller), lang.Options{}); err != nil {
			return false
		}
		return compare(new(tally), smaller, rand.New(rand.NewSource(1)), 100) != nil
	})
}

// A tally counts what a run compared.
type tally struct {
	Programs, Cyclic, Large, Slices, Smaller, Exacter, Nodes, Kept, Traces, SliceTraces int
}

// compare asks some of the questions about a program.
func (c *tally) compare(text string, rng *rand.Rand, some int) error {
	src, err := lang.Load("random.yaml", []byte(text), lang.Options{})
	if err != nil {
		return err
	}
	p := src.Program
	m, err := step.NewMachine(p)
	if err != nil {
		return err
	}
	graph, err := oracle.Search(m, maxStates)
	if err != nil || crowded(graph) {
		c.Large++
		return nil
	}
	c.Programs++
	if graph.Cyclic {
		c.Cyclic++
	}
	all := questions(p)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, q := range all[:min(len(all), some)] {
		for _, preserve := range []slice.Preserve{slice.Deadlock, slice.Values} {
			if q.failing && preserve == slice.Values {
				continue
			}
			if err := c.question(p, m, q, preserve, !graph.Cyclic); err != nil {
				return fmt.Errorf("%s (preserve %d): %w", q.name, preserve, err)
			}
		}
	}
	return nil
}

// question compares the answers of a program and of its slices. ends says that all executions of the program come to
// an end.
func (c *tally) question(p *step.Program, m *step.Machine, q question, preserve slice.Preserve, ends bool) error {
	want, _, err := ask(p, q, preserve == slice.Values)
	if err != nil {
		return err
	}
	g := slice.New(p, preserve)
	var kept [2]int
	for _, mode := range []slice.Mode{slice.Context, slice.Insensitive} {
		r, err := g.Slice(q.criterion, mode, 0, nil)
		if err != nil {
			return nil // dead code
		}
		kept[mode] = len(r.Nodes())
		part := r.Cut(nil, step.Checks{})
		got, cut, err := ask(part, q, false)
		// which may start what the program never does
		if err == oracle.ErrLimit || err == errCrowded && preserve == slice.Values {
			continue
		}
		if err != nil {
			return fmt.Errorf("mode %d: %w", mode, err)
		}
		for o := range want {
			if !got[o] {
				return fmt.Errorf("mode %d lost %s: program %v, slice %v", mode, o, slices.Sorted(maps.Keys(want)),
					slices.Sorted(maps.Keys(got)))
			}
		}
		if preserve == slice.Deadlock && len(got) > len(want) {
			return fmt.Errorf("mode %d invented an outcome: program %v, slice %v", mode, slices.Sorted(maps.Keys(want)),
				slices.Sorted(maps.Keys(got)))
		}
		c.Slices++
		if err := again(part, q, r, preserve, mode); err != nil {
			return fmt.Errorf("mode %d: %w", mode, err)
		}
		if !ends || preserve != slice.Deadlock || !q.terminal && drops(p) {
			continue // executions with a dropped process are no traces, and the slice may have left the assumption out
		}
		if err := c.traces(m, cut); err != nil {
			return fmt.Errorf("mode %d: %w", mode, err)
		}
	}
	if kept[slice.Context] > kept[slice.Insensitive] {
		return fmt.Errorf("the exact slice has %d nodes, the other one %d", kept[slice.Context],
			kept[slice.Insensitive])
	}
	nodes := 0
	for _, proc := range p.Procs {
		nodes += len(proc.Template.Nodes)
	}
	c.Nodes, c.Kept = c.Nodes+nodes, c.Kept+kept[slice.Context]
	if kept[slice.Context] < nodes {
		c.Smaller++
	}
	if kept[slice.Context] < kept[slice.Insensitive] {
		c.Exacter++
	}
	return nil
}

// traces compares how many there are.
func (c *tally) traces(m, cut *step.Machine) error {
	before, err := langtest.Traces(m, maxTraces)
	if err != nil {
		return nil
	}
	after, err := langtest.Traces(cut, maxTraces)
	if err != nil {
		return nil // traces with less order have more prefixes, which is what is limited
	}
	if after > before {
		return fmt.Errorf("%d traces, the slice %d", before, after)
	}
	c.Traces, c.SliceTraces = c.Traces+before, c.SliceTraces+after
	return nil
}

// drops reports whether a process may be dropped.
func drops(p *step.Program) bool {
	return slices.ContainsFunc(p.Templates, func(t *step.Template) bool {
		return slices.ContainsFunc(t.Nodes, func(n *step.Node) bool {
			return n.Kind == step.Assume ||
				n.Kind == step.Choose
		})
	})
}

// again slices a slice for the same criterion: nothing changes.
func again(part *step.Program, q question, r *slice.Result, preserve slice.Preserve, mode slice.Mode) error {
	c := q.criterion
	c.At = nil
	for k, t := range r.Graph.Program.Templates {
		for i, n := range t.Nodes {
			if slices.Contains(q.criterion.At, n) {
				c.At = append(c.At, part.Templates[k].Nodes[i])
			}
		}
	}
	second, err := slice.New(part, preserve).Slice(c, mode, 0, nil)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(r.Nodes(), second.Nodes()); diff != "" {
		return fmt.Errorf("the slice of the slice is not the slice: %s", diff)
	}
	return nil
}
