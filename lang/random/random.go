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
}

// Small are programs like those of the trap table: blocks whose accesses depend on values, guards, locals.
func Small() Config {
	return Config{Threads: 3, Steps: 2, Vars: 3, Guards: true, Locals: true}
}

// Wide uses everything.
func Wide() Config {
	return Config{Threads: 4, Steps: 3, Vars: 3, Guards: true, Locks: true, Arrays: true, Queues: true, Loops: true,
		Faults: true, Assumes: true, Locals: true, Atomics: true, Access: true, Counted: true}
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
		&c.Atomics, &c.Access, &c.Counted} {
		coin(p)
	}
	c.Threads, c.Steps, c.Vars = 2+r.Intn(4), 1+r.Intn(4), 1+r.Intn(3)
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

// Program writes a random program.
func Program(r Source, c Config) string {
	g := &generator{r: r, c: c}
	var b strings.Builder
	b.WriteString("cdpor: 1\nname: random\n")
	if c.Access && r.Intn(2) == 0 {
		b.WriteString("atomicity: access\n")
	}
	b.WriteString("shared:\n")
	for v := range c.Vars {
		fmt.Fprintf(&b, "  %s: int = %d\n", name(v), r.Intn(2))
	}
	if c.Arrays {
		fmt.Fprintf(&b, "  t: array[2] int = %d\n", r.Intn(2))
	}
	if c.Queues {
		b.WriteString("  q: \"queue[int, 2]\"\n")
	}
	if c.Locks {
		b.WriteString("  m: mutex\n")
	}
	b.WriteString("threads:\n")
	for t := range 2 + r.Intn(c.Threads-1) {
		body := g.thread()
		indent := "    "
		if c.Counted && r.Intn(4) == 0 && t < 2 {
			fmt.Fprintf(&b, "  p%d:\n    count: 2\n    run: |\n", t)
			indent = "      "
		} else {
			fmt.Fprintf(&b, "  p%d: |\n", t)
		}
		for _, line := range body {
			b.WriteString(indent + line + "\n")
		}
	}
	b.WriteString("check:\n  deadlock: allowed\n")
	return b.String()
}

func name(v int) string { return string(rune('a' + v)) }

type generator struct {
	r    Source
	c    Config
	loop int
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
		return fmt.Sprintf("t[%d] = %s", k, y)
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
	return fmt.Sprintf("%s = %d", x, k)
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
	return fmt.Sprintf("%s == %d", x, g.r.Intn(2))
}
