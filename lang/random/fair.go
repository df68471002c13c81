package random

import (
	"fmt"
	"strings"
)

// Programs whose executions need not end, or only under some fairness: small ones with locks and channels in loops.

// DrawLive chooses a configuration for a small program with loops that may go round for ever.
func DrawLive(r Source) Config {
	c := Config{Threads: 3, Steps: 1 + r.Intn(3), Vars: 1 + r.Intn(2), Spins: true, Waits: true}
	for _, p := range []*bool{&c.Guards, &c.Locks, &c.Sems, &c.Chans, &c.RW, &c.Choices, &c.Assumes, &c.Faults,
		&c.Atomics, &c.Locals, &c.Daemons} {
		*p = r.Intn(3) == 0
	}
	c.Locks = c.Locks || !c.Sems && !c.Chans && !c.RW && r.Intn(2) == 0
	if r.Intn(4) == 0 {
		c.Conds, c.Locks = true, true
	}
	if c.Crashes = r.Intn(6) == 0; c.Crashes {
		c.Threads, c.Steps = 2, min(c.Steps, 2)
	}
	c.Closed = r.Intn(2) == 0
	return c
}

// Liveness writes what a program that Program has written checks beside that: the lines go behind its last one.
func Liveness(r Source, c Config) string {
	g := &generator{r: r, c: c}
	g.c.Locals = false
	text := "  termination: " + g.pick("required", "fair", "fair") + "\n"
	text += g.pick("", "", "  fairness: weak\n", "  fairness: strong\n")
	text += fmt.Sprintf("  eventually: [%s, %s]\n", g.condition(), g.condition())
	text += fmt.Sprintf("  eventually_always: [%s, %s]\n", g.condition(), g.condition())
	return text + fmt.Sprintf("  leads_to: [{from: %s, to: %s}]\n", g.condition(), g.condition())
}

// wait writes a loop, or part of one, in which a thread waits for what others have; often none.
func (g *generator) wait() string {
	x, while := g.variable(), "while "+g.condition()
	if g.r.Intn(8) == 0 {
		while = "while true"
	}
	switch g.r.Intn(8) {
	case 0:
		if g.c.Locks {
			return g.pick(while+" { lock m; "+g.again()+"; unlock m }", while+" { lock m; unlock m }",
				"lock m; "+g.again()+"; unlock m")
		}
	case 1:
		if g.c.Sems {
			return g.pick(while+" { s.acquire(); "+g.again()+"; s.release() }",
				while+" { if s.try_acquire() { s.release(); break } }",
				"s.acquire(); s.release(); "+g.again())
		}
	case 2:
		if g.c.Chans {
			return g.pick(while+" { send ch, 0 }", while+" { "+x+" = recv ch }", while+" { send rd, 1 }",
				while+" { recv rd }",
				while+" { select { case recv ch { "+x+" = 1 } default { "+x+" = 0 } } }", x+" = recv ch; "+g.again())
		}
	case 3:
		if g.c.RW {
			return g.pick(while+" { w.wlock(); "+g.again()+"; w.wunlock() }", while+" { w.rlock(); w.runlock() }",
				"w.wlock(); "+g.again())
		}
	case 4:
		if g.c.Conds {
			return g.pick("with lock m { while "+g.condition()+" { cv.wait(m) } }", while+" { cv.signal() }",
				while+" { with lock m { cv.broadcast() } }")
		}
	case 5:
		return "await " + g.condition() + "; " + g.again()
	}
	if g.r.Intn(2) == 0 {
		return g.again()
	}
	return while + " { " + g.again() + "; " + g.again() + " }"
}

// Waiting writes a small program in which a thread goes round until another one has done something, which may need
// what the first takes and gives back, or be possible only now and then. Liveness fits behind it.
func Waiting(r Source) string {
	g := &generator{r: r}
	g.c.Vars = 2
	held := func(s string) string { // s with something taken around it
		return g.pick("lock m; "+s+"; unlock m", "s.acquire(); "+s+"; s.release()", "w.wlock(); "+s+"; w.wunlock()",
			"w.rlock(); "+s+"; w.runlock()", "send ch, 0; "+s+"; recv ch", "await b == 0; "+s, "lock m; "+s, s, s)
	}
	flip := g.pick("b = 1; b = 0", "b = 1 - b", "skip", "skip", "atomic { b = 1; b = 0 }")
	loop := func() string {
		body := held(flip)
		if r.Intn(3) == 0 {
			body += "; " + held("skip")
		}
		if r.Intn(4) == 0 {
			body = "choose { " + body + " } or { " + g.pick("skip", "b = 1", "a = 1") + " }"
		}
		return fmt.Sprintf("while %s { %s }", g.pick("a == 0", "a == 0", "a == 0", "true", "b == 0 && a == 0"), body)
	}
	set := func() string {
		s := held(g.pick("a = 1", "a = 1", "a = 1", "b = 1 - b", "a = 0"))
		return g.pick(s, s, "await "+g.condition()+"; "+s, "while "+g.condition()+" { skip }; "+s,
			"lock m; "+s+"; unlock m")
	}
	text := "cdpor: 1\nname: waiting\nshared:\n  a: int\n  b: int\n  m: mutex\n  s: sem(1)\n  w: rwlock\n" +
		"  ch: \"chan[int, 1]\"\nthreads:\n"
	text += "  p0: |\n    " + loop() + "\n  p1: |\n    " + set() + "\n"
	if r.Intn(3) == 0 {
		text += "  p2: |\n    " + g.pick(loop(), set()) + "\n"
	}
	return text + "check:\n  deadlock: allowed\n"
}

// Always writes a condition over one or two of the variables of a program with this configuration, for check.always.
func Always(r Source, c Config) string {
	x, y, k := term(r, c), term(r, c), r.Intn(3)
	return []string{
		fmt.Sprintf("%s != %d", x, k), fmt.Sprintf("%s <= %d", x, k),
		fmt.Sprintf("%s != %d || %s != %d", x, k, y, r.Intn(2)),
		fmt.Sprintf("%s + %s != %d", x, y, k), fmt.Sprintf("%s <= %s", x, y),
		fmt.Sprintf("%s == %d || %s != %d", x, k, y, r.Intn(2)),
	}[r.Intn(6)]
}

func term(r Source, c Config) string {
	switch n := r.Intn(10); {
	case n < 4 && c.Arrays:
		return fmt.Sprintf("t[%d]", r.Intn(2))
	case n < 6 && c.Locks:
		return "(m.held() ? 1 : 0)"
	}
	return name(r.Intn(c.Vars))
}

// Loops that may go round for ever. What they do over and over must not make a variable ever larger: the state graph
// stays finite.

// spin writes a loop on a line.
func (g *generator) spin() string {
	x := g.variable()
	shared := g.pick(fmt.Sprintf("%s == %d", x, g.r.Intn(2)), fmt.Sprintf("%s == %s", x, g.variable()), x+" > 0")
	switch k := g.r.Intn(10); {
	case k == 0:
		return "while true { " + g.again() + " }"
	case k == 1:
		return fmt.Sprintf("while true { %s = (%s + 1) %% %d }", x, x, 2+g.r.Intn(2))
	case k == 2:
		return fmt.Sprintf("while %s { skip }", shared)
	case k == 3:
		return fmt.Sprintf("while true { for k in 0..1 { %s; if %s { break } } }", g.again(), g.condition())
	case k == 4:
		return fmt.Sprintf("while true { %s; if %s { break }; %s }", g.again(), shared, g.again())
	case k == 5:
		return fmt.Sprintf("while !cas(%s, %d, %d) { %s }", x, g.r.Intn(2), g.r.Intn(2), g.pick("skip", g.again()))
	case k == 6 && g.c.Guards:
		return fmt.Sprintf("while true { await %s; %s }", shared, g.again())
	case k == 7 && g.c.Faults:
		return fmt.Sprintf("while true { %s; assert %s }", g.again(), g.condition())
	case k == 8 && g.c.Assumes:
		return fmt.Sprintf("while %s { %s; assume %s }", shared, g.again(), g.condition())
	case k == 9 && g.c.Locks:
		return fmt.Sprintf("while %s { lock m; %s; unlock m }", shared, g.again())
	}
	return fmt.Sprintf("while %s { %s }", shared, g.again())
}

// again writes a simple statement that may be executed over and over.
func (g *generator) again() string {
	for range 20 {
		s := g.statement(1)
		grows := func(sign string) bool { return strings.Contains(s, sign) }
		if !grows("+= ") && !grows("-= ") && !grows("*= ") && !grows("fetch_add") {
			return s
		}
	}
	return fmt.Sprintf("%s = %d", g.variable(), g.r.Intn(2))
}
