package explore

import (
	"fmt"
	"strings"
	"testing"

	"cdpor/constraints"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// describeRaces writes what happens before a transition and its races, latest first.
func describeRaces(p *happens.Past, races []happens.Race) string {
	words := []string{fmt.Sprint(p.Clock)}
	for _, r := range races {
		text := fmt.Sprint("race ", r.At)
		switch {
		case r.Hidden && r.Apart:
			text += fmt.Sprint(" hidden apart via ", r.Via)
		case r.Hidden:
			text += fmt.Sprint(" hidden via ", r.Via)
		case r.First:
			text += " first"
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

var always = constraints.Cond{Kind: constraints.CondTrue}

// orders are executions with what happens before what in them.
var orders = []struct {
	name       string
	text       string
	conditions Conditions
	schedule   string
	want       []string // per event, and then of every process that is disabled at the end
}{
	{"two writes", handmade("x: int", "p: x = 1", "q: x = 2"), nil, "p q", []string{
		"[1 0]", "[1 1]; race 0 first"}},
	{"reads are independent", handmade("x: int, a: int, b: int", "p: a = x", "q: b = x", "r: x = 1"),
		nil, "p q r", []string{"[1 0 0]", "[0 1 0]", "[1 1 1]; race 1 first; race 0"}},
	{"nothing races beyond the last write", handmade("x: int", "p: x = 1", "q: x = 2", "r: x = 3"),
		nil, "p q r", []string{"[1 0 0]", "[1 1 0]; race 0 first", "[1 1 1]; race 1 first"}},
	{"steps of one process are ordered", handmade("x: int, y: int", "p: x = 1; y = 1", "q: y = 2; x = 2"),
		nil, "p p q q", []string{"[1 0]", "[2 0]", "[2 1]; race 1 first", "[2 2]"}},
	{"a race over an own event", handmade("x: int, y: int", "p: x = 1; y = 1", "q: y = 2; x = 2"),
		nil, "p q p q", []string{"[1 0]", "[0 1]", "[2 1]; race 1 first", "[1 2]; race 0"}},
	{"what changes nothing is a read", handmade("x: int", "p: cas(x, 7, 1)", "q: cas(x, 7, 2)"),
		nil, "p q", []string{"[1 0]", "[0 1]"}},
	{"what changes something is a write", handmade("x: int", "p: cas(x, 0, 1)", "q: cas(x, 0, 2)"),
		nil, "p q", []string{"[1 0]", "[1 1]; race 0 first"}},

	{"what knows of two others",
		handmade("x: int, y: int, z: int, a: int", "p: x = 1", "q: y = 1", "r: z = x + y", "s: a = z"),
		nil, "p q r s", []string{
			"[1 0 0 0]", "[0 1 0 0]", "[1 1 1 0]; race 1 first; race 0", "[1 1 1 1]; race 2 first"}},

	{"who enables a step is in no race with it", handmade("x: int", "p: x = 1", "q: await x == 1"),
		nil, "p q", []string{"[1 0]", "[1 1]"}},
	{"two enable a step", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 1 || y == 1"),
		nil, "p q r", []string{"[1 0 0]", "[0 1 0]", "[1 1 1]; race 1 first; race 0"}},
	{"both are needed", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 1 && y == 1"),
		nil, "p q r", []string{"[1 0 0]", "[0 1 0]", "[1 1 1]"}},
	{"behind an enabling event", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x == 1", "s: x = 1"),
		nil, "p q s r", []string{
			"[1 0 0 0]", "[1 1 0 0]; race 0 first", "[1 1 0 1]; race 1 first",
			"[1 1 1 1]; race 1 hidden via [0 0 0 0]"}},
	{"behind an enabling event, with what is apart",
		handmade("x: int = 1, y: int", "p: x = 1", "q: x = 2", "r: await x == 1 && y == 1", "s: y = 1"),
		nil, "q s p r", []string{
			"[0 1 0 0]", "[0 0 0 1]", "[1 1 0 0]; race 0 first", "[1 1 1 1]; race 0 hidden apart via [0 0 0 0]"}},
	{"disabled at the end", handmade("x: int", "p: x = 1", "q: x = 2", "r: await x != 2"), nil, "p q", []string{
		"[1 0 0]", "[1 1 0]; race 0 first", "[1 1 0]; race 1 first"}},
	{"disabled by two", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0 && y == 0"),
		nil, "p q", []string{"[1 0 0]", "[0 1 0]", "[1 1 0]; race 0 hidden via [0 0 0]"}},
	{"disabled by one of two", handmade("x: int, y: int", "p: x = 1", "q: y = 1", "r: await x == 0"),
		nil, "p q", []string{"[1 0 0]", "[0 1 0]", "[1 0 0]; race 0 first"}},

	{"a thread that is started and joined",
		handmade("x: int", "p: let h = spawn w(1); join h; x = 2", "w: k int | x = k"),
		nil, "p w p p", []string{"[1 0]", "[1 1]", "[2 1]", "[3 1]"}},
	{"a thread that is not joined", handmade("x: int", "p: let h = spawn w(1); x = 2", "w: k int | x = k"), nil,
		"p w p", []string{"[1 0]", "[1 1]", "[2 1]; race 1 first"}},

	{"a channel hands over",
		handmade("c: 'chan[int, 1]', x: int", "p: x = 1; send c, 5", "q: let v = recv c; x = v"),
		nil, "p p q q", []string{"[1 0]", "[2 0]", "[2 1]", "[2 2]"}},
	{"two senders", handmade("c: 'chan[int, 2]'", "p: send c, 1", "q: send c, 2"), nil, "p q", []string{
		"[1 0]", "[1 1]; race 0 first"}},
	{"the second sender waits", handmade("c: 'chan[int, 1]'", "p: send c, 1", "q: send c, 2"), nil, "p", []string{
		"[1 0]", "[1 0]; race 0 first"}},
	{"a lock", handmade("m: mutex, x: int", "p: lock m; unlock m", "q: lock m; unlock m"), nil, "p p q", []string{
		"[1 0]", "[2 0]", "[2 1]; race 0 hidden via [0 0]"}},

	{"a constraint that is true", handmade("x: int", "p: x += 1", "q: x += 1"),
		handmadeConditions{"p.1 q.1": always}, "p q", []string{"[1 0]", "[0 1]"}},
	{"a constraint about another pair", handmade("x: int", "p: x += 1", "q: x += 1", "r: x = 5"),
		handmadeConditions{"p.1 q.1": always}, "p q r", []string{
			"[1 0 0]", "[0 1 0]", "[1 1 1]; race 1 first; race 0"}},
	{"a constraint that holds", handmade("y: int, x: int", "p: y = 1", "q: x += 1", "r: x += 1"),
		handmadeConditions{"q.1 r.1": whenWord(0, 1)}, "p q r", []string{"[1 0 0]", "[0 1 0]", "[0 0 1]"}},
	{"a constraint that does not hold where they would stand next to each other",
		handmade("y: int, x: int", "p: y = 1", "q: x += 1", "r: x += 1"),
		handmadeConditions{"q.1 r.1": whenWord(0, 1)}, "q p r", []string{
			"[0 1 0]", "[1 0 0]", "[0 1 1]; race 0 first"}},
	{"a constraint that holds by what must come before",
		handmade("y: int, x: int", "p: y = 1", "q: x += 1", "r: x += y"),
		handmadeConditions{"q.1 r.1": whenWord(0, 1)}, "q p r", []string{
			"[0 1 0]", "[1 0 0]", "[1 0 1]; race 1 first"}},
	{"a refined step counts in full under constraints",
		handmade("x: int", "p: cas(x, 7, 1)", "q: cas(x, 7, 2)"),
		handmadeConditions{}, "p q", []string{"[1 0]", "[1 1]; race 0 first"}},
	{"a guarded step under constraints",
		handmade("x: int", "p: x = 1", "q: x = 2", "r: await x == 1", "s: x = 1"),
		handmadeConditions{}, "p q s r", []string{
			"[1 0 0 0]", "[1 1 0 0]; race 0 first", "[1 1 0 1]; race 1 first",
			"[1 1 1 1]; race 1 hidden via [0 0 0 0]"}},
}

// TestHappensBefore holds the clocks and races of executions made by hand against those found by hand, by the
// reference path and by all others. The components of a clock are in the order of the threads.
func TestHappensBefore(t *testing.T) {
	for _, c := range orders {
		for _, without := range []happens.FastPaths{referencePath, {}, {Plain: true}, {Lookup: true}, {Predict: true}} {
			x := executing(t, c.text, c.conditions, "")
			x.Without = without
			var got []string
			for _, name := range strings.Fields(c.schedule) {
				races := takeOne(t, x, name)
				got = append(got, describeRaces(&x.Stack[x.Depth-1].Event.Past, races))
			}
			now := x.Stack[x.Depth]
			for p := range x.Procs {
				enabled := program.EnabledOf(machineOf(x), &now.Node.Enabled, p) >= 0
				if a := machineOf(x).FirstAction(p); machineOf(x).MayWait(now.State, p) && !enabled {
					x.Describe(&x.Idle, now.State, a, make(step.Footprint, machineOf(x).FootprintWords()))
					races := x.FindRaces(&x.Idle, &x.IdlePast)
					got = append(got, describeRaces(&x.IdlePast, races))
				}
			}
			equalWords(t, fmt.Sprintf("%s, without %+v", c.name, without), got, c.want)
			if err := x.Validate(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}
