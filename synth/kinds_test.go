//go:build cgo && !noz3

package synth

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestQueuesAgainstInterpreter compares constraints with the machine in programs about queues and channels, also of
// which hardly a part is ever filled.
func TestQueuesAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, *flagN/3, queues).holdsOn(t, 98, 80)
}

// queues draws a program of three threads that use two queues and a channel.
func queues(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	room := pick("2", "2", "3", "7")
	value := func() string { return pick("x", "y", "0", "1") }
	statement := func() string {
		q := pick("q", "q", "w")
		return pick("if !"+q+".full() { "+q+".push("+value()+") }", "if !"+q+".empty() { x = "+q+".pop() }",
			"if !"+q+".empty() { y = "+q+".front() }", q+".push("+value()+")", "y = "+q+".size()",
			"if !q.empty() && !w.full() { w.push(q.pop()) }", "b = "+q+".empty()", "if "+q+".full() { x = 0 }",
			q+".clear()", "x = y", "if !"+q+".empty() && "+q+"[0] == "+value()+" { b = true }")
	}
	first := func() string {
		return pick("await !q.full(); q.push("+value()+")", "await !q.empty(); x = q.pop()", "send ch, "+value(),
			"y = recv ch", statement(), statement(), statement())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cdpor: 1\nname: random\nshared:\n  q: \"queue[int, %s]\"\n  w: \"queue[int, 2]\"\n"+
		"  ch: \"chan[int, 2]\"\n  x: int\n  y: int = 1\n  b: bool\nthreads:\n", room)
	for t := range 3 {
		fmt.Fprintf(&b, "  t%d: |\n    atomic { %s }\n    atomic { %s; %s }\n", t, first(), first(), statement())
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestRecordsAgainstInterpreter does the same with records: variables, elements of arrays and of maps.
func TestRecordsAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, *flagN/3, records).holdsOn(t, 89, 79)
}

// records draws a program of three threads that change and copy records.
func records(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	place := func() string { return pick("one", "all[0]", "all[i]", "all[self]", "all[1 - self]") }
	statement := func() string {
		at := place()
		return pick(at+".n += 1", at+".n = "+pick("0", "x"), at+".on = !"+at+".on", at+".e = "+pick("red", "green"),
			at+".by = "+pick("self", "null"), at+" = "+place(), "x = "+at+".n", "if "+at+".on { x += 1 }",
			"if "+at+".by == self { "+at+".by = null; "+at+".n += 1 }", "if "+at+".by == null { "+at+".by = self }",
			"if "+at+".e == red { "+at+".n -= 1 }", "i = 1 - i", "x = all.sum(a, a.n)", "y = all.any(a, a.on)",
			"y = "+at+" == "+place(), "if named.has(0) { named.put(0, one) }", "named[0] = "+at, "named.remove(0)")
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: random\ntypes: {E: \"enum [red, green]\", " +
		"R: \"record {n int, on bool, by 0..1?, e E}\"}\nshared:\n  one: R\n  all: \"array[2] R\"\n" +
		"  named: \"map[0..1, R, 2]\"\n  i: 0..1\n  x: int\n  y: bool\nthreads:\n")
	for t := range 2 {
		fmt.Fprintf(&b, "  t%d:\n    count: %d\n    run: |\n", t, 2-t)
		for range 2 {
			fmt.Fprintf(&b, "      atomic { %s; %s }\n", statement(), pick("skip", statement()))
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}

// TestParametersAgainstInterpreter does the same with steps that depend on parameters and locals of their threads.
func TestParametersAgainstInterpreter(t *testing.T) {
	againstInterpreter(t, *flagN/3, parameters).holdsOn(t, 98, 68)
}

// parameters draws a program of transfers.
func parameters(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	who := func() string { return pick("from", "to", "to", "self") }
	statement := func() string {
		a := who()
		return pick("if t["+a+"] >= n { t["+a+"] -= n; t["+who()+"] += n }", "t["+a+"] += n", "t["+a+"] = n",
			"x = max(x, n)", "x += n * from", "if x < n { x = n } else { y = "+a+" }", "y = t["+a+"]",
			"if "+a+" != y { t["+a+"] += 1 }", "x = t[from] + t[to]", "if from == to { x = 0 }", "y = n",
			"if t["+a+"] + n <= MAX { t["+a+"] += n }")
	}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: random\nparams: {MAX: 4}\nshared:\n  t: \"array[3] int = 2\"\n  x: int\n" +
		"  y: int\nthreads:\n")
	for t := range 2 {
		fmt.Fprintf(&b, "  t%d:\n    count: 2\n    params: {from: %s, to: %s}\n    run: |\n", t,
			pick("self", "1 - self", "0", "1"), pick("self", "(self + 1) % 3", "2", "1"))
		b.WriteString("      let n = any(0..2)\n")
		for range 1 + r.Intn(2) {
			fmt.Fprintf(&b, "      atomic { %s; %s }\n", statement(), pick("skip", "skip", statement()))
		}
	}
	b.WriteString("check: {deadlock: allowed}\n")
	return b.String()
}
