package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// Executions made by hand: programs of a few steps, and schedules that name the processes that take one.

// handmade writes a program: its shared variables, and its threads, each a name, a colon, and what it runs. A thread
// that others start once has its parameters and a bar before that.
func handmade(shared string, threads ...string) string {
	text, bounds := "cdpor: 1\nshared: {"+shared+"}\nthreads:\n", ""
	for _, t := range threads {
		name, run, _ := strings.Cut(t, ": ")
		text += "  " + name + ":\n"
		if params, body, ok := strings.Cut(run, " | "); ok {
			text += "    params: [" + params + "]\n"
			run, bounds = body, "bounds: {"+name+": 1}\n"
		}
		text += "    run: |\n      " + run + "\n"
	}
	return text + bounds
}

// executing is a search, by optimal, that has taken a schedule: the names of processes, behind a slash the alternative.
func executing(t *testing.T, text string, conditions Conditions, schedule string) *executions.Search {
	t.Helper()
	m, err := load(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	x := standing(t, m, conditions)
	takeAll(t, x, schedule)
	return x
}

// takeAll takes a schedule.
func takeAll(t *testing.T, x *executions.Search, schedule string) {
	t.Helper()
	for _, name := range strings.Fields(schedule) {
		takeOne(t, x, name)
	}
}

// takeOne takes one action and returns its races.
func takeOne(t *testing.T, x *executions.Search, name string) []happens.Race {
	t.Helper()
	a, lv := actionNamed(t, x, name), x.Stack[x.Depth]
	if x.Enable(lv); !lv.Node.Enabled.Has(a) {
		t.Fatalf("after %s: %s cannot be taken", named(x, x.Schedule(nil)), name)
	}
	_, races := x.Execute(a)
	x.Strategy.(*dpor.Optimal).Remember(&x.Search, races)
	x.Depth++
	x.Enable(x.Stack[x.Depth])
	return races
}

// actionNamed is the action of a process with a name, or behind a slash one of its alternatives.
func actionNamed(t *testing.T, x *executions.Search, name string) int {
	t.Helper()
	name, alternative, _ := strings.Cut(name, "/")
	for p, proc := range machineOf(x).Program.Procs {
		if proc.Name == name || proc.Name == name+"[0]" {
			k := 0
			fmt.Sscan(alternative, &k)
			return machineOf(x).FirstAction(p) + k
		}
	}
	t.Fatalf("no process %s among %v", name, processNames(x))
	return 0
}

func processNames(x *executions.Search) (names []string) {
	for _, p := range machineOf(x).Program.Procs {
		names = append(names, p.Name)
	}
	return names
}

// actionsNamed is a set of actions.
func actionsNamed(t *testing.T, x *executions.Search, names string) (set actionset.Set) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		set.Add(actionNamed(t, x, name))
	}
	return set
}

// named writes actions as a schedule.
func named[T int | int32](x *executions.Search, actions []T) string {
	var names []string
	for _, a := range actions {
		p := machineOf(x).ProcOf(int(a))
		name := machineOf(x).Program.Procs[p].Name
		if k := int(a) - machineOf(x).FirstAction(p); k > 0 {
			name += fmt.Sprint("/", k)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func namedSet(x *executions.Search, s *actionset.Set) string {
	return named(x, actionset.Members[int](s, nil))
}

// equalWords fails unless a list is the same as another.
func equalWords[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// handmadeConditions are conditions by the names of two steps, "p.1 q.1"; both uniform and commute. Others are false
// and unknown.
type handmadeConditions map[string]constraints.Cond

func (c handmadeConditions) find(a, b *step.Step) (constraints.Cond, bool) {
	cond, known := c[a.Name()+" "+b.Name()]
	if !known {
		cond, known = c[b.Name()+" "+a.Name()]
	}
	return cond, known
}

func (c handmadeConditions) Uniform(_ int, a *step.Step, _ int, b *step.Step) constraints.Cond {
	if cond, known := c.find(a, b); known {
		return cond
	}
	return constraints.Cond{Kind: constraints.CondFalse}
}

func (c handmadeConditions) Commute(_ int, a *step.Step, _ int, b *step.Step) constraints.Cond {
	cond, _ := c.find(a, b)
	return cond
}

// whenWord is a condition that holds where a word of the state has a value.
func whenWord(word int, value int64) constraints.Cond {
	return constraints.Cond{Kind: constraints.CondEval,
		Eval: func(_ *step.Runner, s step.State) bool { return s[word] == value }}
}

// machineOf is the step machine of a search, runnerOf what takes its steps.
func machineOf(x *executions.Search) *step.Machine { return x.Machine.(*step.Machine) }
func runnerOf(x *executions.Search) *step.Runner   { return x.Runner.(*step.Runner) }
