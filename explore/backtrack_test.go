package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// plannedAt writes the backtrack sets of the nodes on the stack, but for those with nothing in them.
func plannedAt(x *executions.Search) (sets []string) {
	for d := range x.Depth + 1 {
		if s := &x.Stack[d].Node.Backtrack; !s.Empty() {
			sets = append(sets, fmt.Sprintf("%d: %s", d, namedSet(x, s)))
		}
	}
	return sets
}

// TestBacktrack reverses the races of the last event of an execution made by hand, or of the first process that is
// disabled at its end, and looks at the backtrack sets.
func TestBacktrack(t *testing.T) {
	for _, c := range []struct {
		name       string
		text       string
		conditions Conditions
		schedule   string
		present    string // what is in the backtrack set at the bottom before
		reorder    bool   // reorderings are inserted, too
		want       []string
	}{
		{"the later step itself", handmade("x: int", "p: x = 1", "q: x = 2"),
			nil, "p q", "p", false, []string{"0: p q"}},
		{"it is there", handmade("x: int", "p: x = 1", "q: x = 2"), nil, "p q", "q", false, []string{"0: q"}},
		{"who leads to the later step", handmade("x: int, y: int", "p: x = 1", "q: y = 1; x = 2"),
			nil, "p q q", "p", false, []string{"0: p q"}},
		{"an initial of another process", handmade("x: int, y: int", "p: x = 1", "q: x = y", "r: y = 1"),
			nil, "p r q", "p", false, []string{"0: p r", "1: q"}},
		{"of two initials the one that is there",
			handmade("x: int, y: int, z: int", "p: x = 1", "q: x = y + z", "r: y = 1", "s: z = 1"),
			nil, "p r s q", "p s", false, []string{"0: p s", "1: s", "2: q"}},
		{"what happens after the race is left out",
			handmade("x: int, y: int, z: int", "p: atomic { x = 1; y = 1 }", "q: x = 2", "r: z = y"),
			nil, "p r q", "p r", false, []string{"0: p q r"}},
		{"a step that does not depend can come first", handmade("x: int, y: int", "p: x = 1", "q: x = 2", "r: y = 1"),
			nil, "p r q", "", false, []string{"0: q"}},
		{"its initial is there", handmade("x: int, y: int", "p: x = 1", "q: x = 2", "r: y = 1"),
			nil, "p r q", "r", false, []string{"0: r"}},

		{"disabled: the race of a step that cannot run", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x != 2"),
			nil, "p q", "", false, []string{"1: r"}},
		{"disabled: before what it needs", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x == 1"),
			nil, "p q", "p", false, []string{"0: p", "1: r"}},
		{"disabled by two, in the first of the sequences",
			handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"),
			nil, "p q", "p", false, []string{"0: p r"}},
		{"disabled by two, with reorderings",
			handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"),
			nil, "p q", "p", true, []string{"0: p r"}},
		{"disabled by two that are not independent",
			handmade("x: int, y: int", "p: x = 1", "q: x = 2", "r: await x == 0"),
			nil, "p q", "p", false, []string{"0: p r"}},
		{"what enables it is the initial",
			handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 1"),
			nil, "p q", "p", true, []string{"0: p q"}},
		{"a hidden race", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x == 1", "s: x = 1"),
			nil, "p q s r", "p", false, []string{"0: p", "1: r"}},

		{"a constraint that always holds", handmade("x: int", "p: x += 1", "q: x += 1"),
			handmadeConditions{"p.1 q.1": constraints.Cond{Kind: constraints.CondTrue}},
			"p q", "p", false, []string{"0: p"}},
		{"a constraint that takes a run",
			handmade("y: int, x: int, z: int", "p: z = 1", "q: x += 1", "r: atomic { x += 1; z = 2 }"),
			handmadeConditions{"q.1 r.1": whenWord(0, 0)}, "p q r", "p", false, []string{"0: p r"}},
		{"a constraint that holds in the sequence run no more",
			handmade("z: int, x: int", "p: z = 1", "q: x += 1", "r: atomic { x += 1; z = 2 }"),
			handmadeConditions{"q.1 r.1": whenWord(0, 1)}, "p q r", "p", false, []string{"0: p q"}},
	} {
		for _, without := range []happens.FastPaths{{}, referencePath} {
			x := executing(t, c.text, c.conditions, "")
			x.Without, x.Planner = without, nil
			lastOne := strings.LastIndex(" "+c.schedule, " ")
			takeAll(t, x, c.schedule[:max(0, lastOne-1)])
			races := takeOne(t, x, c.schedule[lastOne:])
			x.Depth--
			x.Stack[0].Node.Backtrack = actionsNamed(t, x, c.present)
			n, inTheEnd := &x.Stack[x.Depth].Event.Transition, true
			now := x.Stack[x.Depth+1]
			for p := range x.Procs {
				a := machineOf(x).FirstAction(p)
				enabled := program.EnabledOf(machineOf(x), &now.Node.Enabled, p) >= 0
				if machineOf(x).MayWait(now.State, p) && !enabled && inTheEnd {
					x.Depth++
					inTheEnd, n = false, &x.Idle
					x.Describe(n, now.State, a, make(step.Footprint, machineOf(x).FootprintWords()))
					for _, r := range slices.Clone(x.FindRaces(n, &x.IdlePast)) {
						x.ReverseGuardedRace(&r, n)
					}
				}
			}
			if inTheEnd {
				x.ReverseRaces(races, n)
			}
			if c.reorder {
				x.ReorderGuarded(n)
			}
			// Earlier events have had their say in a search; here only the last one has.
			equalWords(t, fmt.Sprintf("%s, without %+v", c.name, without), plannedAt(x), c.want)
		}
	}
}

// TestInsertInitial adds one of some initials to a backtrack set.
func TestInsertInitial(t *testing.T) {
	x := executing(t, handmade("x: int", "p: x = 1", "q: x = 2", "r: x = 3"), nil, "")
	for _, c := range []struct{ present, initials, preferred, want string }{
		{"", "q r", "r", "r"},
		{"", "q r", "p", "q"},
		{"p", "q r", "r", "p r"},
		{"q", "q r", "r", "q"},
		{"p", "", "r", "p"},
	} {
		n := &dpor.Node{Backtrack: actionsNamed(t, x, c.present)}
		initials := actionsNamed(t, x, c.initials)
		x.InsertInitial(n, &initials, actionNamed(t, x, c.preferred))
		equal(t, fmt.Sprintf("%+v", c), namedSet(x, &n.Backtrack), c.want)
	}
}
