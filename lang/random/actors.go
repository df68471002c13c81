package random

import (
	"fmt"
	"strings"
)

// Programs whose processes start while they run. A thread that is spawned spawns only those after it, and a method
// sends only methods after it, so that everything comes to an end.

// spawned writes the threads that others start.
func (g *generator) spawned(b *strings.Builder) {
	for _, name := range []string{"w1", "w2"} {
		g.inside, g.own = name, g.mailboxOf(name)
		fmt.Fprintf(b, "  %s:\n    params: [z int]\n", name)
		if g.own != nil {
			b.WriteString(g.own.declaration())
		}
		b.WriteString("    run: |\n")
		switch {
		case g.c.Spins && g.c.Locals && g.c.Faults && g.r.Intn(3) == 0:
			b.WriteString("      var l int = 1 / z\n")
		case g.c.Locals:
			b.WriteString("      var l int\n")
		}
		for n := 1 + g.r.Intn(2); n > 0; n-- {
			line := g.step()
			if g.r.Intn(3) == 0 {
				line = fmt.Sprintf("%s += z", g.variable())
			}
			b.WriteString("      " + line + "\n")
		}
		if name == "w1" && g.r.Intn(2) == 0 {
			b.WriteString("      " + g.spawn() + "\n")
		}
	}
	g.inside = ""
}

// spawn writes statements that start threads and wait for them.
func (g *generator) spawn() string {
	g.loop++
	name := "w1"
	if g.inside == "w1" || g.r.Intn(3) == 0 {
		name = "w2"
	}
	h, x := fmt.Sprint("h", g.loop), g.variable()
	start := fmt.Sprintf("spawn %s(%s)", name, g.pick("0", "1", x))
	if g.inside == "w2" {
		return g.statement(1)
	}
	return g.pick(start, fmt.Sprintf("let %s = %s; %s; join %s", h, start, g.statement(1), h),
		fmt.Sprintf("let %s = %s; join %s", h, start, h),
		fmt.Sprintf("let %s = %s; if %s.done() { %s } else { %s }", h, start, h, g.statement(1), g.statement(1)),
		fmt.Sprintf("if %s { %s }", g.condition(), start),
		fmt.Sprintf("atomic { if %s { %s }; %s }", g.condition(), start, g.statement(1)),
		fmt.Sprintf("var %s tid; if %s { %s = %s }; if %s != null { join %s }", h, g.condition(), h, start, h, h),
		fmt.Sprintf("for %s in 0..1 { spawn %s(%s) }", h, name, h),
		fmt.Sprintf("let %s = %s; %s", h, start, g.mailTo(name, h)))
}

// class writes the class of actors. Each of its three methods sends only those after it.
func (g *generator) class(b *strings.Builder) {
	b.WriteString("actors:\n  A(p int):\n    fields: {n: int, o: A}\n    methods:\n")
	for _, m := range []string{"m", "r", "s"} {
		g.inside = m
		result := ""
		if m == "m" {
			result = " int"
		}
		fmt.Fprintf(b, "      %s(k int)%s: |\n", m, result)
		if g.c.Locals {
			b.WriteString("        var l int\n")
		}
		for n := 1 + g.r.Intn(2); n > 0; n-- {
			b.WriteString("        " + g.inMethod() + "\n")
		}
		if m == "m" {
			fmt.Fprintf(b, "        return %s\n", g.pick("n", "k", "p + n"))
		}
	}
	g.inside = ""
}

// inMethod writes a statement of a method.
func (g *generator) inMethod() string {
	x, y := g.variable(), g.variable()
	if s := g.send("self"); s != "" && g.r.Intn(3) == 0 {
		return s
	}
	if s := g.send("o"); s != "" && g.r.Intn(4) == 0 {
		return "if o != null { " + s + " }"
	}
	if s := g.send("new A(1)"); s != "" && g.r.Intn(6) == 0 {
		return s
	}
	switch g.r.Intn(12) {
	case 0:
		return "n += k"
	case 1:
		return fmt.Sprintf("%s = n", x)
	case 2:
		return fmt.Sprintf("n = %s", x)
	case 3:
		return fmt.Sprintf("await %s", g.pick("n > 0", fmt.Sprintf("%s == %d", x, g.r.Intn(2)), "n == 0"))
	case 4:
		return fmt.Sprintf("if n == %d { %s = %s } else { n = 1 }", g.r.Intn(2), x, y)
	case 5:
		return fmt.Sprintf("%s = p", x)
	case 6:
		if g.inside != "s" {
			return "if o == null { o = new A(n) }"
		}
	case 7:
		if g.inside == "m" && g.r.Intn(2) == 0 {
			return "self.r(k)"
		}
	case 8:
		if g.inside == "m" {
			g.loop++
			return fmt.Sprintf("let f%d = %s!r(0); %s; await f%d", g.loop, g.pick("self", "new A(0)"),
				g.statement(1), g.loop)
		}
	case 9:
		if g.inside == "m" && g.holds {
			return g.pick("new A(1)!r(0).get()", "self!s(1).get()")
		}
	}
	return g.statement(1)
}

// send writes a message to what is named; a method sends only those after it.
func (g *generator) send(to string) string {
	x := g.variable()
	switch g.inside {
	case "s":
		return ""
	case "r":
		return fmt.Sprintf("%s!s(%s)", to, g.pick("0", x))
	case "m":
		return fmt.Sprintf("%s!%s(%s)", to, g.pick("r", "s"), g.pick("1", x))
	}
	return fmt.Sprintf("%s!%s(%s)", to, g.pick("m", "r", "s"), g.pick("0", "1", x))
}

// messages writes statements of a thread that have to do with actors.
func (g *generator) messages() string {
	g.loop++
	f, a, x := fmt.Sprint("f", g.loop), fmt.Sprint("a", g.loop), g.variable()
	return g.pick(g.send("new A(1)"), fmt.Sprintf("ra = new A(%s)", x),
		fmt.Sprintf("atomic { if ra != null { %s } }", g.send("ra")),
		fmt.Sprintf("let %s = new A(0); %s; %s", a, g.send(a), g.send(a)),
		fmt.Sprintf("let %s = new A(0); ra = %s; let %s = %s!m(1); %s = await %s", a, a, f, a, x, f),
		fmt.Sprintf("let %s = new A(1)!%s; await %s", f, g.pick("m(0)", "r(1)"), f),
		fmt.Sprintf("atomic { if ra == null { ra = new A(1) }; %s }", g.send("ra")),
		fmt.Sprintf("let %s = new A(0)!m(%s); %s = %s.get()", f, x, x, f))
}

func (g *generator) pick(list ...string) string { return list[g.r.Intn(len(list))] }
