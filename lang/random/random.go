// Package random writes random small programs for differential tests. It produces the text of a program file, so that a
// failing one can be kept, shrunk and read as it is.
package random

import (
	"fmt"
	"strings"
)

// A Source supplies random choices: a *rand.Rand, or a property-testing library that can shrink them.
type Source interface {
	Intn(n int) int // 0 <= result < n
}

// A Config bounds the programs. The zero value is not useful; Small and Wide are.
type Config struct {
	Threads int // at most, at least 2
	Steps   int // per thread, at most
	Vars    int // shared integers
	Guards  bool
	Locks   bool
	Arrays  bool
	Queues  bool
	Loops   bool
	Faults  bool // assertions, indices out of range
	Assumes bool
	Locals  bool
	Atomics bool // cas, fetch_add, swap
	Access  bool // some programs with atomicity: access
	Counted bool // some threads with count: 2
	Records bool
	Sized   bool // integers that wrap around
	Maps    bool // and sets and bags
	Lists   bool
	Rows    bool // arrays of lists and of queues
	Params  bool // a constant
	Visits  bool // counts of who is inside, and flags that are taken back
	Calls   bool // functions and procedures
	Sems    bool
	RW      bool
	Conds   bool // needs Locks
	Meets   bool // barrier, once, waitgroup
	Chans   bool
	Closed  bool // channels that are closed, and receives that mind; needs Chans
	Choices bool
	Spawns  bool // threads that are spawned
	Actors  bool
	Mail    bool // mailboxes
	Ops     bool // operations, with a specification
	Daemons bool // some threads
	Crashes bool
	Spins   bool // loops that may go round for ever, through finitely many states
	Waits   bool // and wait in them, for locks and channels
}

// Small are programs like those of the trap table: blocks whose accesses depend on values, guards, locals.
func Small() Config {
	return Config{Threads: 3, Steps: 2, Vars: 3, Guards: true, Locals: true}
}

// Wide uses everything.
func Wide() Config {
	return Config{Threads: 4, Steps: 3, Vars: 3, Guards: true, Locks: true, Arrays: true, Queues: true, Loops: true,
		Faults: true, Assumes: true, Locals: true, Atomics: true, Access: true, Counted: true,
		Records: true, Sized: true, Maps: true, Lists: true, Rows: true, Params: true, Visits: true, Calls: true,
		Sems: true, RW: true, Conds: true, Meets: true, Chans: true, Closed: true, Choices: true, Spawns: true,
		Actors: true, Mail: true, Daemons: true, Crashes: true}
}

// Draw chooses a configuration for a program: mostly one with a few features, so that they meet often.
func Draw(r Source) Config {
	if r.Intn(3) == 0 {
		c := Small()
		c.Threads, c.Steps = 2+r.Intn(4), 1+r.Intn(3)
		if c.Threads > 3 {
			c.Steps = min(c.Steps, 2)
		}
		return c
	}
	c, coin := Wide(), func(p *bool) { *p = r.Intn(3) == 0 }
	for _, p := range []*bool{&c.Guards, &c.Locks, &c.Arrays, &c.Queues, &c.Loops, &c.Faults, &c.Assumes, &c.Locals,
		&c.Atomics, &c.Access, &c.Counted, &c.Records, &c.Sized, &c.Maps, &c.Lists, &c.Rows, &c.Params, &c.Visits,
		&c.Calls, &c.Sems, &c.RW, &c.Conds, &c.Meets, &c.Chans, &c.Choices, &c.Spawns, &c.Actors, &c.Mail} {
		coin(p)
	}
	c.Conds = c.Conds && c.Locks
	c.Closed, c.Daemons, c.Crashes = r.Intn(2) == 0, r.Intn(4) == 0, r.Intn(4) == 0
	c.Threads, c.Steps, c.Vars = 2+r.Intn(4), 1+r.Intn(4), 1+r.Intn(3)
	if c.Spawns || c.Actors || c.Crashes { // what they start, and who crashes, takes part as well
		c.Threads, c.Steps = min(c.Threads, 3), min(c.Steps, 2)
	}
	switch {
	case c.Threads == 5:
		c.Steps = min(c.Steps, 1)
	case c.Threads == 4:
		c.Steps = min(c.Steps, 2)
	case c.Threads == 3:
		c.Steps = min(c.Steps, 3)
	}
	return c
}

// DrawCyclic is Draw, and in some programs lets loops go round for ever.
func DrawCyclic(r Source) Config {
	c := Draw(r)
	if c.Spins = r.Intn(5) == 0; c.Spins { // the states of a loop multiply those of the other threads
		c.Threads, c.Steps = min(c.Threads, 3), min(c.Steps, 2)
	}
	return c
}

// Program writes a random program.
func Program(r Source, c Config) string {
	g := &generator{r: r, c: c}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: random\n")
	if c.Access && r.Intn(2) == 0 {
		b.WriteString("atomicity: access\n")
	}
	if c.Params {
		fmt.Fprintf(&b, "params: {K: %d}\n", r.Intn(2))
	}
	g.variables(&b)
	if c.Calls {
		b.WriteString("functions:\n  most(i int, j int) int: if i > j { return i } else { return j }\n" +
			"  down(i int) int: |\n    if i <= 0 { return 0 }\n    return down(i - 1) + 1\n")
		x, y := g.variable(), g.variable()
		fmt.Fprintf(&b, "procedures:\n  bump(i int) int: |\n    %s += i\n    return %s\n  both(): |\n    %s = %s\n"+
			"    if %s == 0 { return }\n    atomic { %s = 1 - %s }\n",
			x, y, y, x, y, x, y)
	}
	limits := []string{}
	if bounds := map[[2]bool]string{{true, false}: "w1: 4, w2: 4", {false, true}: "A: 4, A.m: 4, A.r: 5, A.s: 5",
		{true, true}: "w1: 4, w2: 4, A: 4, A.m: 4, A.r: 5, A.s: 5"}[[2]bool{c.Spawns, c.Actors}]; bounds != "" {
		limits = append(limits, bounds)
	}
	if c.Ops {
		limits = append(limits, "operations: 4")
	}
	if len(limits) > 0 {
		b.WriteString("bounds: {" + strings.Join(limits, ", ") + "}\n")
	}
	if c.Actors {
		g.holds = r.Intn(3) == 0
		g.class(&b)
	}
	b.WriteString("threads:\n")
	if c.Mail {
		g.mailboxes()
	}
	for t := range 2 + r.Intn(c.Threads-1) {
		g.writeThread(&b, t)
	}
	if c.Spawns {
		g.spawned(&b)
	}
	if c.Ops && strings.Contains(b.String(), "op ") {
		b.WriteString(specification(c))
	}
	if c.Crashes {
		b.WriteString("crashes: " + g.pick("{count: 1, of: [p0]}", "{of: [p1, p0]}", "{count: 2, of: [p0, p1]}") + "\n")
	}
	b.WriteString("check:\n  deadlock: allowed\n")
	return b.String()
}

// variables writes the shared variables.
func (g *generator) variables(b *strings.Builder) {
	r, c := g.r, g.c
	b.WriteString("shared:\n")
	for v := range c.Vars {
		fmt.Fprintf(b, "  %s: int = %d\n", name(v), r.Intn(2))
	}
	if c.Arrays {
		fmt.Fprintf(b, "  t: array[2] int = %d\n", r.Intn(2))
	}
	b.WriteString(g.collections())
	if c.Locks {
		b.WriteString("  m: mutex\n")
	}
	for _, v := range []struct {
		on   bool
		text string
	}{
		{c.Records, "  r: \"record {f int, g int}\"\n  rs: \"array[2] record {f int, o int?}\"\n"},
		{c.Sized, "  u: uint8 = 255\n  v: int8 = 127\n"},
		{c.Visits, "  up: int\n  busy: \"array[2] bool\"\n"},
		{c.Sems, "  s: sem(1)\n"},
		{c.RW, "  w: rwlock\n"},
		{c.Conds, "  cv: cond\n"},
		{c.Meets, "  br: barrier(2)\n  on: once\n  wg: waitgroup\n"},
		{c.Actors, "  ra: A\n"},
		{c.Chans, fmt.Sprintf("  ch: \"chan[int, %d]\"\n  rd: \"chan[int]\"\n", 1+r.Intn(2))},
		{c.Chans && c.Closed, "  bit: bool\n"},
	} {
		if v.on {
			b.WriteString(v.text)
		}
	}
}

// writeThread writes the thread with a number.
func (g *generator) writeThread(b *strings.Builder, t int) {
	g.own = g.mailboxOf(fmt.Sprint("p", t))
	g.counted = g.own == nil && g.c.Counted && g.r.Intn(4) == 0 && t < 2
	g.alike = g.counted && g.r.Intn(2) == 0
	body := g.thread()
	options := ""
	if g.own != nil {
		options = g.own.declaration()
	} else if g.counted {
		options = "    count: 2\n"
	}
	if g.c.Daemons && g.r.Intn(2) == 0 {
		options += "    daemon: true\n"
	}
	indent := "    "
	if options != "" {
		fmt.Fprintf(b, "  p%d:\n%s    run: |\n", t, options)
		indent = "      "
	} else {
		fmt.Fprintf(b, "  p%d: |\n", t)
	}
	for _, line := range body {
		b.WriteString(indent + line + "\n")
	}
}

func name(v int) string { return string(rune('a' + v)) }

type generator struct {
	r    Source
	c    Config
	loop int
	// Where the statement stands: the method, or the thread that is spawned; empty elsewhere.
	inside string
	holds  bool // methods may use get()
	boxes  []*mailbox
	own    *mailbox // of the thread that is being written
	// The thread that is being written has two instances; they are likely to be alike in spite of using their number.
	counted, alike bool
	performs       bool // inside of an operation
	ends           bool // lists change at their ends only
}

func (g *generator) thread() (lines []string) {
	if g.c.Locals {
		lines = append(lines, fmt.Sprintf("var l int = %d", g.r.Intn(2)))
	}
	for n := 1 + g.r.Intn(g.c.Steps); n > 0; n-- {
		lines = append(lines, g.step())
	}
	return
}

// step writes one or a few steps on a line.
func (g *generator) step() string {
	if g.c.Ops && !g.performs && g.r.Intn(3) > 0 {
		return g.operation()
	}
	if g.c.Mail && g.inside != "m" && g.inside != "r" && g.inside != "s" && g.r.Intn(2) == 0 {
		return g.mail()
	}
	if g.c.Waits && g.r.Intn(8) > 0 {
		return g.wait()
	}
	if g.c.Spins && g.r.Intn(3) == 0 {
		return g.spin()
	}
	if g.c.Spawns && g.r.Intn(3) == 0 {
		return g.spawn()
	}
	if g.c.Actors && g.inside == "" && g.r.Intn(3) == 0 {
		return g.messages()
	}
	if g.c.Visits && g.r.Intn(3) == 0 {
		return g.visit()
	}
	if g.r.Intn(2) == 0 {
		if s := g.several(); s != "" {
			return s
		}
	}
	switch k := g.r.Intn(12); {
	case k == 0 && g.c.Locks:
		if g.c.Faults && g.r.Intn(6) == 0 {
			return "unlock m"
		}
		if g.r.Intn(4) == 0 {
			return "lock m"
		}
		return "lock m; " + g.statement(1) + "; unlock m"
	case k == 1 && g.c.Loops:
		g.loop++
		i := fmt.Sprint("i", g.loop)
		return fmt.Sprintf("var %s int = 0; while %s < 2 && %s { %s += 1; %s }", i, i, g.condition(), i, g.statement(1))
	case k == 2 && g.c.Loops:
		return fmt.Sprintf("atomic { for k in 0..1 { %s } }", g.statement(1))
	case k == 3 && g.c.Guards:
		return "await " + g.condition()
	case k == 4:
		return fmt.Sprintf("if %s { %s }", g.condition(), g.statement(1))
	case k == 5 && g.c.Faults:
		return fmt.Sprintf("assert %s", g.condition())
	case k == 6 && g.c.Assumes:
		return fmt.Sprintf("assume %s", g.condition())
	case k <= 8:
		return g.statement(1)
	}
	var parts []string
	if g.c.Guards && g.r.Intn(3) == 0 {
		parts = append(parts, "await "+g.condition())
	}
	for n := 1 + g.r.Intn(2); n > 0; n-- {
		parts = append(parts, g.statement(0))
	}
	return "atomic { " + strings.Join(parts, "; ") + " }"
}

// statement writes a simple statement, or below depth 1 often an if.
func (g *generator) statement(depth int) string {
	x, y, k := g.variable(), g.variable(), g.r.Intn(2)
	if g.counted && g.inside == "" && g.r.Intn(3) == 0 {
		if s := g.number(x, y); s != "" {
			return s
		}
	}
	if (g.c.Lists || g.c.Rows) && g.r.Intn(3) == 0 {
		return g.list(x, y)
	}
	if g.r.Intn(3) == 0 {
		if s := g.data(x, y); s != "" {
			return s
		}
	}
	if depth == 0 && g.r.Intn(2) == 0 {
		s := fmt.Sprintf("if %s { %s }", g.condition(), g.statement(1))
		if g.r.Intn(3) == 0 {
			s += fmt.Sprintf(" else { %s }", g.statement(1))
		}
		return s
	}
	switch n := g.r.Intn(16); {
	case n == 0 && g.c.Locals:
		return "l = " + x
	case n == 1 && g.c.Locals:
		return x + " = l"
	case n == 2 && g.c.Locals:
		return fmt.Sprintf("%s += l", x)
	case n == 3 && g.c.Arrays:
		return fmt.Sprintf("t[%s] = %s", g.constant(k), y)
	case n == 4 && g.c.Arrays && g.c.Locals:
		return fmt.Sprintf("t[%s] = %d", g.index("l"), k)
	case n == 5 && g.c.Arrays:
		return fmt.Sprintf("%s = t[%s]", x, g.index(y))
	case n == 6 && g.c.Queues:
		if g.c.Faults && g.r.Intn(3) == 0 {
			return fmt.Sprintf("q.push(%s)", y)
		}
		return fmt.Sprintf("if !q.full() { q.push(%s) }", y)
	case n == 7 && g.c.Queues:
		if g.c.Faults && g.r.Intn(3) == 0 {
			return fmt.Sprintf("%s = q.pop()", x)
		}
		return fmt.Sprintf("if !q.empty() { %s = q.pop() }", x)
	case n == 8 && g.c.Atomics:
		return fmt.Sprintf("if cas(%s, %d, %d) { %s = %d }", x, k, g.r.Intn(2), y, g.r.Intn(2))
	case n == 9 && g.c.Atomics:
		if g.c.Locals && k == 0 {
			return fmt.Sprintf("l = swap(%s, %d)", x, g.r.Intn(2))
		}
		return fmt.Sprintf("fetch_add(%s, %d)", x, 1)
	case n == 10 && g.c.Atomics:
		return fmt.Sprintf("cas(%s, %d, %d)", x, k, 1-k)
	case n == 11:
		return fmt.Sprintf("%s = 1 - %s", x, y)
	case n <= 13:
		return fmt.Sprintf("%s = %s", x, y)
	}
	return fmt.Sprintf("%s = %s", x, g.constant(k))
}

// number writes a statement that uses the number of the instance; often none.
func (g *generator) number(x, y string) string {
	switch {
	case g.c.Arrays && g.alike:
		return g.pick("t[self] = "+x, x+" = t[self]", "t[self] += 1", "if t[self] == "+y+" { "+x+" = 1 }")
	case g.alike && g.c.Vars > 2: // c is used by others too, but often only as the number of a process
		return g.pick("c = self", "if c == self { "+x+" = 1 }", "if c != self { c = -1 }")
	case g.r.Intn(4) == 0:
		return g.pick(x+" = self", "if self > 0 { "+x+" = "+y+" }", "if "+x+" == self { "+y+" = 1 }")
	}
	return ""
}

// several writes statements that are several steps, of the kinds that only some programs have; often none.
func (g *generator) several() string {
	x, y := g.variable(), g.variable()
	switch g.r.Intn(7) {
	case 6:
		if g.c.Choices {
			if g.c.Chans && g.r.Intn(3) == 0 {
				return fmt.Sprintf("select { case %s = recv ch { %s = 1 } case send ch, %s { } }", x, y, y)
			}
			if g.c.Locals && g.r.Intn(3) == 0 { // among how many depends on what was read
				return fmt.Sprintf("l = %s; %s = any(0..(l > 0 ? 1 : 0))", x, y)
			}
			return g.pick(fmt.Sprintf("choose { %s } or { %s }", g.statement(1), g.statement(1)),
				fmt.Sprintf("%s = any(0..1)", x),
				fmt.Sprintf("atomic { if any(1..2) == 1 { %s } else { %s } }", g.statement(1), g.statement(1)),
				fmt.Sprintf("if any(0..2) == 1 { %s }", g.statement(1)),
				fmt.Sprintf("atomic { choose { %s } or { skip } or { %s } }", g.statement(1), g.statement(1)))
		}
	case 0:
		if g.c.Sems {
			return g.pick("s.acquire(); "+g.statement(1)+"; s.release()", "s.acquire()", "s.release()",
				fmt.Sprintf("if s.try_acquire() { %s; s.release() }", g.statement(1)))
		}
	case 1:
		if g.c.RW {
			return g.pick("w.rlock(); "+g.statement(1)+"; w.runlock()", "w.wlock(); "+g.statement(1)+"; w.wunlock()",
				"w.rlock()", "w.wlock()")
		}
	case 2:
		if g.c.Chans {
			if g.c.Faults && g.r.Intn(4) == 0 {
				return "ch.close()"
			}
			if g.c.Closed && g.r.Intn(2) == 0 {
				return g.closing(x, y)
			}
			if g.r.Intn(3) == 0 {
				return g.pick(fmt.Sprintf("select { case %s = recv ch { %s = 1 } case %s = recv rd { } }", x, y, y),
					fmt.Sprintf("select { case send ch, %s { %s = 1 } case %s = recv ch { } }", x, y, x),
					fmt.Sprintf("select { case send ch, %s { %s = 1 } case %s = recv rd { %s } default { %s = 0 } }", x,
						y, x, g.statement(1), y),
					fmt.Sprintf("select { case %s = recv ch { } case send ch, %s { } case recv rd { "+
						"%s = 1 } default { %s } }", x, y, x, g.statement(1)))
			}
			return g.pick("send ch, "+x, x+" = recv ch", "recv ch", "send rd, "+x, x+" = recv rd",
				fmt.Sprintf("select { case %s = recv ch { %s = 1 } default { %s = 0 } }", x, y, y),
				fmt.Sprintf("select { case send ch, %s { %s = 1 } default { } }", x, y),
				fmt.Sprintf("select { case %s = recv rd { %s = 1 } }", x, y))
		}
	case 3:
		if g.c.Conds {
			return g.pick(fmt.Sprintf("lock m; if %s { cv.wait(m) }; %s; unlock m", g.condition(), g.statement(1)),
				fmt.Sprintf("with lock m { while %s { cv.wait(m) } }", g.condition()), "cv.signal()", "cv.broadcast()")
		}
	case 4:
		if g.c.Meets {
			return g.pick("br.wait()", "br.wait()", fmt.Sprintf("once on { %s }", g.statement(1)), "wg.add(1)",
				"wg.wait()", "if wg.count > 0 { wg.done() }")
		}
	case 5:
		if g.c.Calls {
			return g.pick("both()", fmt.Sprintf("bump(%s)", x), fmt.Sprintf("%s = bump(1)", y),
				fmt.Sprintf("atomic { %s = bump(%s) }", x, y))
		}
	}
	return ""
}

// closing writes a step that closes a channel, or minds that it may be closed.
func (g *generator) closing(x, y string) string {
	ch := g.pick("ch", "ch", "rd")
	return g.pick(ch+".close()", fmt.Sprintf("if !%s.closed { %[1]s.close() }", ch),
		fmt.Sprintf("{ let got, ok = recv %s; if ok { %s = got } else { %s = 2 } }", ch, x, y),
		fmt.Sprintf("%s, bit = recv %s", x, ch), "_, bit = recv "+ch,
		fmt.Sprintf("atomic { %s, bit = recv %s; if bit { %s = 1 } }", x, ch, y),
		fmt.Sprintf("select { case %s, bit = recv %s { if bit { %s = 1 } } }", x, ch, y),
		fmt.Sprintf("select { case closed %s { %s = 2 } case %s = recv %[1]s { } }", ch, y, x),
		fmt.Sprintf("select { case _, bit = recv ch { } case %s, bit = recv rd { %s = 3 } }", x, y),
		fmt.Sprintf("select { case closed %s { %s = 2 } case send ch, %s { } }", ch, y, x),
		fmt.Sprintf("select { case closed %s { } default { %s } }", ch, g.statement(1)))
}

// data writes a simple statement about data that only some programs have; often none.
func (g *generator) data(x, y string) string {
	switch g.r.Intn(4) {
	case 0:
		if g.c.Records {
			return g.pick("r.f = "+x, "r.g += 1", x+" = r.f", "r = {f: "+x+", g: r.f}", "rs[0].f = "+x,
				y+" = rs["+g.index(x)+"].f",
				"rs["+g.index(x)+"].o = "+y, "rs[1] = rs[0]", "if rs[0].o != null { "+x+" = rs[0].o! }",
				"if r == {f: 1, g: "+y+"} { "+x+" = 0 }")
		}
	case 1:
		if g.c.Sized {
			return g.pick("u += 1", "u -= 1", "v = -v", "if u > 1 { "+x+" = 1 }", x+" = int(v) % 2", "v *= 2",
				"if u == 0 { "+y+" = 1 }", "u = uint8("+x+")", "v = 1")
		}
	case 2:
		if g.c.Maps {
			if g.c.Faults && g.r.Intn(3) == 0 {
				return g.pick("h["+x+"] = "+y, x+" = h["+y+"]", "e.add("+x+")", x+" = e.min()")
			}
			return g.pick("if h.has("+x+") || !h.full() { h["+x+"] = "+y+" }", "h.remove("+x+")", "if h.get("+x+
				") != null { "+y+" = 1 }",
				"if !e.full() { e.add("+x+") }", "e.remove("+x+")", "if e.has("+x+") { "+y+" = e.size() }",
				"if !pot.full() { pot.add("+x+") }", "pot.remove("+x+")", y+" = pot.count(each, each == "+x+")")
		}
	case 3:
		if g.c.Calls {
			return g.pick(x+" = most("+x+", "+y+")", fmt.Sprintf("if down(%s) == 1 { %s = 0 }", x, y))
		}
	}
	return ""
}

// index keeps an index in range, except sometimes when faults are wanted.
func (g *generator) index(of string) string {
	if g.c.Faults && g.r.Intn(3) == 0 {
		return of
	}
	return fmt.Sprintf("%s == 0 ? 0 : 1", of)
}

func (g *generator) variable() string { return name(g.r.Intn(g.c.Vars)) }

func (g *generator) condition() string {
	x := g.variable()
	switch g.r.Intn(8) {
	case 0:
		if g.c.Locals {
			return fmt.Sprintf("l == %d", g.r.Intn(2))
		}
	case 1:
		return fmt.Sprintf("%s == %s", x, g.variable())
	case 2:
		return fmt.Sprintf("%s == %d && %s == %d", x, g.r.Intn(2), g.variable(), g.r.Intn(2))
	case 3:
		return fmt.Sprintf("%s > 0", x)
	}
	if (g.c.Lists || g.c.Rows) && g.r.Intn(3) == 0 {
		l, _ := g.row()
		return g.pick(l+".empty()", "!"+l+".full()", l+".size() > "+g.constant(0), l+".contains("+x+")")
	}
	return fmt.Sprintf("%s == %s", x, g.constant(g.r.Intn(2)))
}

// operation makes an operation of a step, if it is code that may be inside of a block.
func (g *generator) operation() string {
	g.performs = true
	code := g.step()
	if g.r.Intn(3) == 0 {
		code += "; " + g.step()
	}
	g.performs = false
	if strings.Contains(code, "spawn") || strings.Contains(code, "let ") {
		return code
	}
	x := g.variable()
	switch k := g.r.Intn(8); {
	case k == 0 && g.c.Calls:
		return g.pick("op both()", fmt.Sprintf("op bump(%s)", x), fmt.Sprintf("%s = op bump(1)", x))
	case k == 1 && !strings.Contains(code, "var "):
		g.loop++
		return fmt.Sprintf("for j%d in 1..2 { op put(j%d) { %s } }", g.loop, g.loop, code)
	case k == 2 && g.c.Choices:
		return fmt.Sprintf("op put(1) { choose { skip } or { %s } }", code)
	case k == 3 && g.c.Guards:
		return fmt.Sprintf("op put(1) { await %s; %s }", g.condition(), code)
	case k == 4:
		return fmt.Sprintf("atomic { op put(1) { %s } }", g.statement(1))
	case k == 5 && g.inside == "":
		return fmt.Sprintf("while true { op put(0) { %s; if %s { break } }; break }", code, g.condition())
	case k > 3 && g.c.Locals && g.inside == "":
		return fmt.Sprintf("op l = get() { %s; l = %s }", code, x)
	}
	return fmt.Sprintf("op put(%d) { %s }", g.r.Intn(2), code)
}

// specification writes the specification of a register, which threads written at random hardly ever meet.
func specification(c Config) string {
	s := "spec:\n  state: {n: int}\n  operations:\n    put(k int): n = k\n    get() int: return n\n"
	if c.Calls {
		s += "    bump(i int) int: |\n      n += i\n      return n\n    both(): n = 1 - n\n"
	}
	return s
}
