package random

import (
	"fmt"
	"strings"
)

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
