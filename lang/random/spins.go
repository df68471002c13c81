package random

import (
	"fmt"
	"strings"
)

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
