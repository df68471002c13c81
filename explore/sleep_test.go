package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/future"
	"cdpor/lang/step"
)

// TestStillAsleep takes an event and looks at who is still asleep.
func TestStillAsleep(t *testing.T) {
	for _, c := range []struct {
		name, text string
		conditions Conditions
		event      string
		asleep     string
		want       string
	}{
		{"who touches something else",
			handmade("x: int, y: int, a: int", "p: x = 1", "q: x = 2", "r: y = 1", "s: a = x"),
			nil, "p", "q r s", "r"},
		{"who only reads", handmade("x: int, a: int, b: int", "p: a = x", "q: x = 2", "r: b = x"),
			nil, "p", "q r", "r"},
		{"who changes nothing", handmade("x: int, a: int", "p: a = x", "q: cas(x, 7, 1)", "r: cas(x, 0, 1)"),
			nil, "p", "q r", "q"},
		{"who changes nothing, behind a write", handmade("x: int", "p: x = 7", "q: cas(x, 7, 1)", "r: cas(x, 0, 1)"),
			nil, "p", "q r", ""},
		{"the other alternatives of the step",
			handmade("x: int, y: int", "p: choose { x = 1 } or { x = 2 }", "q: y = 2"),
			nil, "p", "p/1 q", "q"},
		{"a constraint that is true", handmade("x: int", "p: x += 1", "q: x += 1", "r: x += 1"),
			handmadeConditions{"p.1 q.1": constraints.Cond{Kind: constraints.CondTrue}}, "p", "q r", "q"},
		{"a constraint is evaluated in the state before", handmade("x: int", "p: x += 1", "q: x += 1", "r: x += 1"),
			handmadeConditions{"p.1 q.1": whenWord(0, 0), "p.1 r.1": whenWord(0, 1)}, "p", "q r", "q"},
		{"under constraints what changes nothing is a write",
			handmade("x: int, a: int", "p: a = x", "q: cas(x, 7, 1)"),
			handmadeConditions{}, "p", "q", ""},
	} {
		x := executing(t, c.text, c.conditions, c.event)
		asleep, kept := actionsNamed(t, x, c.asleep), actionsNamed(t, x, "p")
		x.Depth--
		x.StillAsleep(&asleep, &kept)
		equal(t, c.name, namedSet(x, &kept), c.want)
	}
}

func namedSequences(x *executions.Search, n *dpor.Node) (all []string) {
	for _, s := range n.Sequences {
		all = append(all, named(x, s.Actions))
	}
	return all
}

// TestFindSequences looks for sleep sequences after the last event of an execution made by hand.
func TestFindSequences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		conditions Conditions
		schedule   string
		asleep     string // at the bottom
		want       []string
	}{
		{"the same in both orders", handmade("x: int", "p: x = 1", "q: x = 1"), nil, "p q", "", []string{"q p"}},
		{"not the same", handmade("x: int", "p: x = 1", "q: x = 2"), nil, "p q", "", nil},
		{"with notdep", handmade("x: int, y: int", "p: x = 1", "q: y = 1; x = 1"),
			nil, "p q q", "", []string{"q q p"}},
		{"with dep", handmade("x: int, y: int, a: int", "p: atomic { x = 1; y = 1 }", "q: x = 1", "r: a = y"),
			nil, "p r q", "", []string{"q p"}},
		{"what is unrelated is left out", handmade("x: int, y: int", "p: x = 1", "q: x = 1", "r: y = 1"),
			nil, "p r q", "", []string{"q p"}},
		{"only with dep", handmade("x: int, a: int", "p: a = x; a = 0", "q: x = 1", "r: a = a"),
			nil, "p p q", "", []string{"q p p"}},
		{"it cannot run", handmade("x: int = 1", "p: await x > 0; x = 5", "q: x = 0"), nil, "p q", "", nil},
		{"the first of it is asleep", handmade("x: int", "p: x = 1", "q: x = 1"), nil, "p q", "q", nil},
		{"a constraint tells", handmade("x: int", "p: x += 1", "q: x += 1"),
			commuting{"p.1 q.1": whenWord(0, 0)}, "p q", "", []string{"q p"}},
		{"a weakest constraint tells", handmade("x: int", "p: x = 1", "q: x = 1"),
			commuting{"p.1 q.1": constraints.Cond{Kind: constraints.CondFalse, Weakest: true}}, "p q", "", nil},
	} {
		x := executing(t, c.text, c.conditions, "")
		last := strings.LastIndex(c.schedule, " ")
		takeAll(t, x, c.schedule[:last])
		x.Stack[0].Node.Sleep = actionsNamed(t, x, c.asleep)
		races := slices.Clone(takeOne(t, x, c.schedule[last+1:]))
		x.Depth--
		n := &x.Stack[0].Node
		s := dpor.NewConstrained(dpor.Settings{})
		s.FindSequences(&x.Search, races, &x.Stack[x.Depth].Event.Transition)
		equalWords(t, c.name, namedSequences(x, n), c.want)
	}
}

// commuting are conditions that say nothing about independence.
type commuting handmadeConditions

func (c commuting) Uniform(int, *step.Step, int, *step.Step) constraints.Cond {
	return constraints.Cond{Kind: constraints.CondFalse}
}

func (c commuting) Commute(p int, a *step.Step, q int, b *step.Step) constraints.Cond {
	return handmadeConditions(c).Commute(p, a, q, b)
}

// TestInheritSequences takes an event where sleep sequences begin and looks at what sleeps in the child.
func TestInheritSequences(t *testing.T) {
	text := handmade("x: int, y: int, z: int, m: int",
		"p: x = 1; y = 1", "q: x = 1; x = 2", "r: z = 1", "s: x = 5", "o: await x == 0")
	for _, c := range []struct {
		event     string
		sequences []string
		want      []string
		asleep    string
	}{
		{"q", []string{"q p"}, nil, "p"},
		{"q", []string{"q q p"}, []string{"q p"}, ""},
		{"r", []string{"q p", "q q p"}, []string{"q p", "q q p"}, ""},
		{"s", []string{"q p"}, nil, ""},
		{"p", []string{"q p"}, nil, ""},
		{"q", []string{"o p"}, nil, ""},
		{"r", []string{"q o"}, nil, ""}, // it cannot run
		{"q", []string{"q p", "r p", "q r"}, nil, "p r"},
	} {
		x := executing(t, text, nil, c.event)
		x.Depth--
		lv, child := x.Stack[0], x.Stack[1]
		for _, s := range c.sequences {
			var actions []int32
			for _, name := range strings.Fields(s) {
				actions = append(actions, int32(actionNamed(t, x, name)))
			}
			lv.Node.Sequences = append(lv.Node.Sequences, dpor.Sequence{Actions: actions})
		}
		dpor.NewConstrained(dpor.Settings{}).InheritSequences(&x.Search, lv, child)
		what := fmt.Sprintf("%v behind %s", c.sequences, c.event)
		equalWords(t, what, namedSequences(x, &child.Node), c.want)
		equal(t, what+": asleep", namedSet(x, &child.Node.StateSleep), c.asleep)
	}
}

// TestStateSleepers takes an event, p's, that wakes up q, and looks at whether q goes on sleeping because of its
// state, and then whether anything can still wake it up.
func TestStateSleepers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		conditions Conditions
		stays      bool
		forGood    bool
	}{
		{"the same value", handmade("x: int", "p: x = 1", "q: x = 1"), nil, true, true},
		{"two values", handmade("x: int", "p: x = 1", "q: x = 2"), nil, false, false},
		{"increments", handmade("x: int, z: int", "p: x += 1", "q: x += 2", "r: z = 1"), nil, true, true},
		{"disabled behind it", handmade("x: int", "p: x = 1", "q: await x == 0"), nil, false, false},
		{"it disables p", handmade("x: int", "p: await x == 0; x = 0", "q: x = 1"), nil, false, false},
		{"another one may wake it up", handmade("x: int, z: int", "p: x = 1", "q: x = 1", "r: z = 1; x = 7"),
			nil, true, false},
		{"only itself goes on", handmade("x: int", "p: x = 1", "q: x = 1; x = 2"), nil, true, true},
		{"p goes on", handmade("x: int", "p: x = 1; x = 2", "q: x = 1"), nil, true, false},
		{"a constraint tells that they do not commute", handmade("x: int", "p: x = 1", "q: x = 1"),
			commuting{"p.1 q.1": constraints.Cond{Kind: constraints.CondFalse, Weakest: true}}, false, false},
		{"a constraint tells that they commute", handmade("x: int", "p: x += 1", "q: x += 1"),
			commuting{"p.1 q.1": whenWord(0, 0)}, true, true},
	} {
		x := executing(t, c.text, c.conditions, "p")
		q := actionNamed(t, x, "q")
		x.Depth--
		lv, child := x.Stack[0], x.Stack[1]
		lv.Node.Sleep.Add(q)
		s := dpor.NewConstrained(dpor.Settings{})
		swaps, _ := s.Swaps(&x.Search, lv, q)
		equal(t, c.name+": swaps", swaps, c.stays)
		s.KeepStateSleepers(&x.Search, lv, child)
		equal(t, c.name+": asleep", child.Node.StateSleep.Has(q), c.stays)
		x.Depth++
		_, forGood := s.AsleepForGood(&x.Search, &child.Node)
		equal(t, c.name+": for good", forGood, c.forGood)
	}
}

// TestMayRace asks what of a process may still race with the next step of q.
func TestMayRace(t *testing.T) {
	for _, c := range []struct {
		name, text string
		conditions Conditions
		schedule   string
		want       bool
	}{
		{"the next step", handmade("x: int", "p: x = 1", "q: x = 2"), nil, "", true},
		{"a later step", handmade("x: int, y: int", "p: y = 1; x = 1", "q: x = 2"), nil, "", true},
		{"a step that is over", handmade("x: int, y: int", "p: x = 1; y = 1", "q: x = 2"), nil, "p", false},
		{"a step that comes again", handmade("x: int, y: int", "p: while y < 3 { x = 1; y += 1 }", "q: x = 2"),
			nil, "p p", true},
		{"something else", handmade("x: int, y: int", "p: y = 1", "q: x = 2"), nil, "", false},
		{"two reads", handmade("x: int, a: int, b: int", "p: a = x", "q: b = x"), nil, "", false},
		{"a step of what it starts", handmade("x: int", "p: let h = spawn w(1)", "q: x = 2", "w: k int | x = k"),
			nil, "", true},
		{"both start something", "cdpor: 1\nshared: {x: int}\nthreads:\n  p: let h = spawn w(1)\n" +
			"  q: let h = spawn w(2)\n  w: {params: [k int], run: x = k}\nbounds: {w: 2}\n", nil, "", false},
		{"a start that a property of q's step asks for", "cdpor: 1\nshared: {x: int}\n" +
			"actors: {A: {fields: {n: int}}}\nthreads: {p: let a = new A(), q: x = 1}\nbounds: {A: 1}\n" +
			"check: {always: [x == 0 || A.one().n == 0]}\n", nil, "", true},
		{"a constraint that is true", handmade("x: int", "p: x += 1", "q: x += 1"),
			handmadeConditions{"p.1 q.1": constraints.Cond{Kind: constraints.CondTrue}}, "", false},
		{"a constraint that may hold", handmade("x: int", "p: x += 1", "q: x += 1"),
			handmadeConditions{"p.1 q.1": whenWord(0, 0)}, "", true},
		{"another part of an array", handmade("a: 'array[2] int'", "p: a[0] = 1", "q: a[1] = 2"), nil, "", false},
		{"the same part of an array, by a local",
			handmade("a: 'array[2] int'", "p: var i int = 0; while i < 2 { a[i] = 1; i = i + 1 }", "q: a[1] = 2"),
			nil, "", true},
		{"a part of an array that it is past",
			handmade("a: 'array[3] int'", "p: var i int = 0; a[i] = 1; i = i + 2; a[i] = 1", "q: a[1] = 2"),
			nil, "p", false},
	} {
		x := executing(t, c.text, c.conditions, c.schedule)
		now, p, q := x.Stack[x.Depth].State, 0, machineOf(x).ProcOf(actionNamed(t, x, "q"))
		f := future.New(machineOf(x), x.Unconditional).Of(now, p, machineOf(x).StepID(now, p))
		id := machineOf(x).StepID(now, q)
		foot := runnerOf(x).Footprint(now, q, make(step.Footprint, machineOf(x).FootprintWords()))
		equal(t, c.name, f.MayRace(id, foot), c.want)
	}
}
