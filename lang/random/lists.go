package random

import (
	"fmt"
	"strings"
)

// Programs whose lists, queues and maps have elements at first, and that count who is inside of something.

// collections writes the variables that hold several elements, which often have some at first.
func (g *generator) collections() (text string) {
	list := func() string { return g.pick("[]", "[]", "[0]", "[1]", "[1, 1]", "[0, 1]", "[1, 0]") }
	if g.c.Queues {
		text += fmt.Sprintf("  q: \"queue[int, 2] = %s\"\n", list())
	}
	if g.c.Maps {
		text += fmt.Sprintf("  h: \"map[int, int, 2] = %s\"\n  e: \"set[int, 2] = %s\"\n  pot: \"bag[int, 2] = %s\"\n",
			g.pick("{}", "{}", "{0: 1}", "{0: 0, 1: 1}"), g.pick("[]", "[]", "[1]", "[0, 1]"), list())
	}
	if g.c.Lists {
		text += fmt.Sprintf("  xs: \"list[int, 3] = %s\"\n", list())
	}
	if g.c.Rows {
		text += fmt.Sprintf("  ls: \"array[2] list[int, 2] = [%s, %s]\"\n  qs: \"array[2] queue[int, 2] = [%s, %s]\"\n",
			list(), list(), list(), list())
	}
	g.ends = (g.c.Lists || g.c.Rows) && g.r.Intn(2) == 0
	return text
}

// row is a list or a queue, perhaps an element of an array: the own one of a process, one with a constant number, or
// one that depends on a variable.
func (g *generator) row() (place string, queue bool) {
	if g.c.Lists && (!g.c.Rows || g.r.Intn(2) == 0) {
		return "xs", false
	}
	at := "[" + g.pick("0", g.constant(1), g.index(g.variable())) + "]"
	if g.counted && g.inside == "" && g.r.Intn(3) > 0 {
		at = "[self]"
	}
	if g.r.Intn(2) == 0 {
		return "ls" + at, false
	}
	return "qs" + at, true
}

// list writes a simple statement about a list or a queue.
func (g *generator) list(x, y string) string {
	l, queue := g.row()
	add, first, k := "L.append", "L[0]", g.r.Intn(4)
	if queue {
		add, first = "L.push", "L.front()"
	}
	texts := []string{"if L.contains(Y) { X = 1 }", "X = L.size()", "X = L.count(each, each == 1)",
		"if L == [1] { X = 0 }", "for each in L { X = each }", "if L.size() > 1 { X = 1 }"}
	switch {
	case k == 0 && g.c.Faults:
		texts = []string{"ADD(Y)", "X = L.pop()", "X = FIRST"}
	case k <= 1:
		texts = []string{"if !L.full() { ADD(Y) }", "if !L.full() { ADD(BIT) }", "if !L.empty() { X = L.pop() }",
			"if !L.empty() { X = FIRST }"}
	case k == 2 && !queue && !g.ends:
		texts = []string{"if !L.empty() { L[0] = Y }", "if !L.full() { L.insert(0, Y) }",
			"if !L.empty() { L.remove(0) }", "L = [Y]", "L = L.reverse()", "if !L.empty() { L = L[1:] }",
			"if L.empty() { L += [1, Y] }"}
	case !queue:
		texts = append(texts, "if L.size() > 1 && L[1] == BIT { X = 0 }", "if !L.empty() { X = L.last() }")
	}
	s := strings.NewReplacer("ADD", add, "FIRST", first, "BIT", g.constant(g.r.Intn(2))).Replace(g.pick(texts...))
	return strings.NewReplacer("L", l, "X", x, "Y", y).Replace(s)
}

// visit writes steps that go in and come out: they count who is inside, or set a flag and take it back.
func (g *generator) visit() string {
	g.loop++
	in, x, does := fmt.Sprint("in", g.loop), g.variable(), g.statement(1)
	if g.c.Faults && g.r.Intn(2) == 0 {
		does += fmt.Sprintf("; assert up <= %d", 1+g.r.Intn(2))
	} else if g.r.Intn(2) == 0 {
		does += g.pick("; "+x+" = up", "; if up > 1 { "+x+" = 1 }", "; await up < 2")
	}
	if g.counted && g.inside == "" && g.r.Intn(2) == 0 {
		return "busy[self] = true; await !busy[1 - self]; " + does + "; busy[self] = false"
	}
	return g.pick("atomic { await !busy[0]; busy[0] = true }; "+does+"; busy[0] = false", "up += 1; "+does+"; up -= 1",
		fmt.Sprintf("var %s bool; atomic { if up < %d { up += 1; %[1]s = true } }; %[3]s; if %[1]s { up -= 1 }", in,
			1+g.r.Intn(2), does))
}

// constant is a number, or sometimes the name of a constant that has it or another one.
func (g *generator) constant(k int) string {
	if g.c.Params && g.r.Intn(3) == 0 {
		return "K"
	}
	return fmt.Sprint(k)
}
