package explore

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"cdpor/explore/history"
	"cdpor/explore/oracle"
	"cdpor/lang/step"
)

var widened = flag.Int("intervals", 60, "programs of the test of where operations start and end")

// TestIntervals checks that operations that start with their first step and end with the last are as likely to show
// that a program is not linearizable as ones whose starts and ends are steps of their own: one program is written both
// ways, the other one with a list of what starts and ends.
func TestIntervals(t *testing.T) {
	counts := map[bool]int{}
	for i := 0; i < *widened; i++ {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		for {
			marked, written := twice(rng)
			narrow, err := badHistory(marked, markedHistory)
			wide, err2 := badHistory(written, writtenHistory)
			if errors.Is(err, oracle.ErrLimit) || errors.Is(err2, oracle.ErrLimit) {
				continue
			}
			if err != nil || err2 != nil {
				t.Fatalf("seed %d: %v, %v\n%s\n%s", *seed+int64(i), err, err2, marked, written)
			}
			if narrow != wide {
				t.Fatalf("seed %d: a history is not linearizable: %t, with starts and ends of their own: %t\n%s\n%s",
					*seed+int64(i), narrow, wide, marked, written)
			}
			counts[narrow]++
			break
		}
	}
	t.Logf("%d programs are not linearizable, %d are", counts[true], counts[false])
	if counts[true] == 0 || counts[false] == 0 {
		t.Error("the programs are all of one kind")
	}
}

// twice writes a program of a few threads with operations, and once more with events in their place.
func twice(r *rand.Rand) (marked, written string) {
	x := func() string { return []string{"a", "b"}[r.Intn(2)] }
	simple := func() string {
		return []string{x() + " = 1 - " + x(), x() + " = l", "l = " + x(), x() + " += 1", "l += 1", "l = 1",
			"if " + x() + " == 0 { " + x() + " = 1 }", "atomic { l = " + x() + "; " + x() + " = 1 }",
			"await " + x() + " < 2", "while " + x() + " == 1 { " + x() + " = 0 }", "if l == 1 { " + x() + " = 2 }",
			"choose { l = 1 } or { " + x() + " = 1 }", "if " + x() + " == 2 { break }", "l = any(0..1)",
			"if cas(" + x() + ", 0, 1) { break }", "if l == 0 { break }"}[r.Intn(16)]
	}
	head := "cdpor: 1\nshared: {a: int, b: int, ev: \"list[int, 16]\"}\nbounds: {operations: 4}\nthreads:\n"
	var m, w strings.Builder
	m.WriteString(head)
	w.WriteString(head)
	for p := range 2 + r.Intn(2) {
		fmt.Fprintf(&m, "  p%d: |\n    var l int\n", p)
		fmt.Fprintf(&w, "  p%d: |\n    var l int\n", p)
		for range 1 + r.Intn(2) {
			code := simple()
			if r.Intn(2) == 0 {
				code += "; " + simple()
			}
			if r.Intn(4) == 0 {
				line := "    " + strings.ReplaceAll(simple(), "break", "skip") + "\n"
				m.WriteString(line)
				w.WriteString(line)
			}
			// The loop that is left at once is there for break, which ends the operation too.
			if r.Intn(2) == 0 {
				k := r.Intn(2)
				fmt.Fprintf(&m, "    while true { op put(%d) { %s }; break }\n", k, code)
				fmt.Fprintf(&w, "    ev.append(%d); while true { %s; break }; ev.append(%d)\n",
					1000*p+k, code, 1000*p+500)
			} else {
				fmt.Fprintf(&m, "    while true { op l = get() { %s }; break }\n", code)
				fmt.Fprintf(&w, "    ev.append(%d); while true { %s; break }; ev.append(%d + l)\n",
					1000*p+100, code, 1000*p+500)
			}
		}
	}
	m.WriteString("spec:\n  state: {n: int}\n  operations:\n    put(k int): n = k\n    get() int: return n\n")
	m.WriteString("check: {deadlock: allowed}\n")
	w.WriteString("check: {deadlock: allowed}\n")
	return m.String(), w.String()
}

// badHistory reports whether an execution of a program has a history that is not linearizable.
func badHistory(text string, of func(*step.Machine) func(step.State) *history.History) (bool, error) {
	m, err := load(text)
	if err != nil {
		return false, err
	}
	g, err := oracle.Search(m, 20*maxStates)
	if err != nil {
		return false, err
	}
	read, seen := of(m), map[string]bool{}
	for _, s := range g.Terminals {
		if end := m.EndingOf(s); end != step.Ended && end != step.Deadlocked {
			continue
		}
		h := read(s)
		key := fmt.Sprint(h.Operations)
		if seen[key] {
			continue
		}
		seen[key] = true
		if !asRegister(h) {
			return true, nil
		}
	}
	return false, nil
}

func markedHistory(m *step.Machine) func(step.State) *history.History {
	r := history.NewReader(m)
	return func(s step.State) *history.History { return r.Decode(r.Words(nil, s)) }
}

// writtenHistory reads the list of events: 1000 times the process, and then the argument of put, 100 for get, or 500
// and the result.
func writtenHistory(m *step.Machine) func(step.State) *history.History {
	at := 2 // a and b are before
	slots := len(m.Program.Procs)
	return func(s step.State) *history.History {
		var events []history.Event
		for _, e := range s[at+1 : at+1+int(s[at])] {
			p, what := int(e/1000), e%1000
			switch {
			case what >= 500:
				events = append(events, history.Event{Proc: p, Ends: true, Result: []int64{what - 500}})
			case what >= 100:
				events = append(events, history.Event{Proc: p, Op: 1})
			default:
				events = append(events, history.Event{Proc: p, Op: 0, Args: []int64{what}})
			}
		}
		return history.FromEvents(slots, events)
	}
}

// asRegister tries all orders of the operations of a register.
func asRegister(h *history.History) bool {
	used := make([]bool, len(h.Operations))
	var try func(n int64) bool
	try = func(n int64) bool {
		done := true
		for i := range h.Operations {
			o, after := &h.Operations[i], n
			if used[i] {
				continue
			}
			done = done && o.Pending
			first := true
			for k := range h.Operations {
				first = first && (used[k] || !h.Precedes(k, i))
			}
			if o.Op == 0 {
				after = o.Args[0]
			}
			if !first || o.Op == 1 && !o.Pending && o.Result[0] != n {
				continue
			}
			used[i] = true
			if try(after) {
				return true
			}
			used[i] = false
		}
		return done
	}
	return try(0)
}
