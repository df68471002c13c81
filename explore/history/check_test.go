package history

import (
	"flag"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/step"
)

var (
	histories = flag.Int("n", 3000, "random histories")
	seed      = flag.Int64("seed", 1, "seed of the random histories")
)

// specs are programs whose specifications are known here as well: see effectsOf.
var specs = map[string]string{
	"queue": "state: {items: \"queue[int, 9]\"}\n  operations:\n    put(v int): items.push(v)\n" +
		"    get() int: if items.empty() { return -1 } else { return items.pop() }",
	"stack": "state: {items: \"list[int, 9]\"}\n  operations:\n    put(v int): items.append(v)\n" +
		"    get() int: if items.empty() { return -1 } else { return items.pop() }",
	"register": "state: {n: int = -1}\n  operations:\n    put(v int): n = v\n    get() int: return n",
	// Any of the numbers, which may be taken only if there are some.
	"pool": "state: {items: \"bag[int, 9]\"}\n  operations:\n    put(v int): items.add(v)\n    get() int: |\n" +
		"      let v = any(0..2)\n      assume items.has(v)\n      items.remove(v)\n      return v",
	// A get that waits.
	"mailbox": "state: {items: \"queue[int, 9]\"}\n  operations:\n    put(v int): items.push(v)\n    get() int: |\n" +
		"      await !items.empty()\n      return items.pop()",
}

type outcome struct {
	state  []int64
	result []int64
}

// effectsOf are the specifications in Go.
func effectsOf(spec string, state []int64, op int, args []int64) []outcome {
	switch {
	case op == 0 && spec == "register":
		return []outcome{{[]int64{args[0]}, nil}}
	case op == 0:
		return []outcome{{append(slices.Clone(state), args[0]), nil}}
	case spec == "register" && len(state) == 0:
		return []outcome{{nil, []int64{-1}}}
	case spec == "register":
		return []outcome{{state, []int64{state[0]}}}
	case spec == "pool":
		var list []outcome
		for i, v := range state {
			list = append(list, outcome{slices.Delete(slices.Clone(state), i, i+1), []int64{v}})
		}
		return list
	case len(state) == 0 && spec == "mailbox":
		return nil
	case len(state) == 0:
		return []outcome{{nil, []int64{-1}}}
	case spec == "stack":
		last := len(state) - 1
		return []outcome{{slices.Clone(state[:last]), state[last:]}}
	}
	return []outcome{{slices.Clone(state[1:]), state[:1]}}
}

// inSomeOrder tries all orders.
func inSomeOrder(spec string, h *History) bool {
	used := make([]bool, len(h.Operations))
	var try func(state []int64) bool
	try = func(state []int64) bool {
		done := true
		for i := range h.Operations {
			o := &h.Operations[i]
			if used[i] {
				continue
			}
			done = done && o.Pending
			if slices.ContainsFunc(seq(len(used)), func(k int) bool { return !used[k] && h.Precedes(k, i) }) {
				continue
			}
			used[i] = true
			for _, e := range effectsOf(spec, state, o.Op, o.Args) {
				if (o.Pending || slices.Equal(e.result, o.Result)) && try(e.state) {
					return true
				}
			}
			used[i] = false
		}
		return done
	}
	return try(nil)
}

// randomHistory draws the operations of a few processes, with results that an order of them has, or nearly.
func randomHistory(r *rand.Rand, spec string) *History {
	procs := 2 + r.Intn(3)
	left, open, done := make([]int, procs), make([]int, procs), make([]int, procs)
	for p := range left {
		left[p], open[p] = 1+r.Intn(3), -1
	}
	h := &History{}
	var state []int64
	for {
		p := r.Intn(procs)
		switch {
		case open[p] >= 0:
			o := &h.Operations[open[p]]
			o.Pending = false
			list := effectsOf(spec, state, o.Op, o.Args)
			if len(list) > 0 && r.Intn(8) > 0 {
				e := list[r.Intn(len(list))]
				state, o.Result = e.state, e.result
			} else if o.Op == 1 {
				o.Result = []int64{int64(r.Intn(4)) - 1}
			}
			open[p] = -1
			done[p]++
		case left[p] > 0:
			left[p]--
			o := Operation{Proc: p, Op: r.Intn(2), Pending: true, Before: slices.Clone(done), Index: done[p], slot: p}
			if o.Op == 0 {
				o.Args = []int64{int64(r.Intn(3))}
			}
			open[p] = len(h.Operations)
			h.Operations = append(h.Operations, o)
		}
		if r.Intn(12) == 0 || slices.Max(left) == 0 && slices.Max(open) < 0 {
			return h
		}
	}
}

// TestAgainstAllOrders compares the verdict on random histories with that of trying all orders.
func TestAgainstAllOrders(t *testing.T) {
	names := []string{"queue", "stack", "register", "pool", "mailbox"}
	checkers := map[string]*Checker{}
	for _, name := range names {
		text := "cdpor: 1\nshared: {x: int}\nthreads: {t: \"op put(1) { x = 1 }\"}\nspec:\n  " + specs[name] + "\n"
		src, err := lang.Load(name+".yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if checkers[name], err = NewChecker(src.Program.Spec); err != nil {
			t.Fatal(err)
		}
	}
	var counts [2]int
	for i := range *histories {
		r := rand.New(rand.NewSource(*seed + int64(i)))
		name := names[r.Intn(len(names))]
		h := randomHistory(r, name)
		want := inSomeOrder(name, h)
		if got := checkers[name].Linearizable(h); got != want {
			t.Fatalf("seed %d: the history of a %s is linearizable: %t, by trying all orders %t: %+v",
				*seed+int64(i), name, got, want, h)
		}
		o := checkers[name].Object(h)
		if (o == nil) != want {
			t.Fatalf("seed %d: objects to a %s that is linearizable: %t", *seed+int64(i), name, want)
		}
		if o != nil {
			counts[0]++
			for _, refused := range o.Next {
				if slices.ContainsFunc(refused.Results, func(r []int64) bool {
					return slices.Equal(r, h.Operations[refused.Operation].Result)
				}) {
					t.Fatalf("seed %d: %s refuses what it allows: %+v", *seed+int64(i), name, refused)
				}
			}
		} else {
			counts[1]++
		}
	}
	t.Logf("%d histories are not linearizable, %d are", counts[0], counts[1])
	if counts[0] < *histories/10 || counts[1] < *histories/10 {
		t.Error("hardly any of one kind")
	}
}

func TestDraw(t *testing.T) {
	// p enqueues 1, then both enqueue at once, then q, whose dequeue does not come to its end.
	h := &History{Operations: []Operation{
		{Proc: 0, Index: 0, slot: 0, Before: []int{0, 0}},
		{Proc: 0, Index: 1, slot: 0, Before: []int{1, 0}},
		{Proc: 1, Index: 0, slot: 1, Before: []int{1, 0}},
		{Proc: 1, Index: 1, slot: 1, Before: []int{2, 1}, Pending: true},
	}}
	name := func(p int) string { return []string{"p", "long"}[p] }
	label := func(i int) string { return []string{"enqueue(1)", "enqueue(2)", "enqueue(3)", "dequeue()"}[i] }
	wide := "p     |--enqueue(1)--| |--enqueue(2)--|\nlong                   |--enqueue(3)--| |--dequeue()--..."
	if got := strings.Join(Draw(h, name, label, 80).Lines(), "\n"); got != wide {
		t.Errorf("drawn as\n%s\nnot\n%s", got, wide)
	}
	narrow := "p     |--a--| |--b--|\nlong          |--c--| |--d--...\n" +
		"a: p enqueue(1)\nb: p enqueue(2)\nc: long enqueue(3)\nd: long dequeue()"
	if got := strings.Join(Draw(h, name, label, 40).Lines(), "\n"); got != narrow {
		t.Errorf("drawn as\n%s\nnot\n%s", got, narrow)
	}
	for _, line := range Draw(h, name, label, 10).Lanes {
		if len(line) > 26 { // at least 20 columns are used
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}

// TestFailures checks that an error of the specification is no operation that it allows, and is told.
func TestFailures(t *testing.T) {
	text := "cdpor: 1\nshared: {x: int}\nthreads: {t: \"op put(1) { x = 1 }\"}\n" +
		"spec:\n  state: {items: \"queue[int, 1]\"}\n  operations:\n    put(v int): items.push(v)\n"
	src, err := lang.Load("full.yaml", []byte(text), lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChecker(src.Program.Spec)
	if err != nil {
		t.Fatal(err)
	}
	put := Operation{Args: []int64{1}, Before: []int{0}}
	again := put
	again.Index, again.Before = 1, []int{1}
	if !c.Linearizable(&History{[]Operation{put}}) || c.Linearizable(&History{[]Operation{put, again}}) {
		t.Error("one fits, and two do not")
	}
	if list := c.Failures(); len(list) != 1 || list[0].Fault != step.Full ||
		list[0].String() != "put fails on line 7: capacity exceeded" {
		t.Errorf("failures %v", list)
	}
}
