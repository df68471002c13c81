package random

import "fmt"

func line(format string, args ...any) []Statement {
	return []Statement{{Text: fmt.Sprintf(format, args...)}}
}

func (g *generator) note(what string) Statement {
	return Statement{Text: fmt.Sprintf("%s = %s*10 + %s", g.record, g.record, what)}
}

func (g *generator) channel() string { return fmt.Sprint("c", g.IntN(g.channels)) }

func (g *generator) local() string {
	g.locals++
	return fmt.Sprint("v", g.locals)
}

// statement chooses a statement, or a few that belong together.
func (g *generator) statement() []Statement {
	if g.depth < 2 && g.IntN(6) == 0 {
		return g.block()
	}
	if g.locked {
		return g.plain()
	}
	switch g.IntN(17) {
	case 0, 1:
		return line("%s <- %d", g.channel(), 1+g.IntN(3))
	case 2, 3:
		v := g.local()
		return append(line("%s := <-%s\n_ = %s", v, g.channel(), v), g.note(v))
	case 4:
		v, ok := g.local(), g.local()
		return append(line("%s, %s := <-%s\n_ = %s", v, ok, g.channel(), v),
			Statement{Text: "if " + ok + " ", Block: []Statement{g.note(v)}, End: " else { " + g.note("7").Text + " }"})
	case 5, 6, 7:
		return g.choice()
	case 8:
		return line("close(%s)", g.channel())
	case 9, 10:
		return g.guarded()
	case 11:
		return line("a.Add(%d)", 1+g.IntN(2))
	case 12:
		return []Statement{g.note("int(a.Load())")}
	case 13:
		return []Statement{{Text: fmt.Sprintf("if a.CompareAndSwap(%d, %d) ", g.IntN(2), 1+g.IntN(3)),
			Block: []Statement{g.note("5")}}}
	case 14:
		return []Statement{{Text: "once.Do(func() ", Block: append(line("a.Add(4)"), g.note("6")), End: ")"}}
	case 15:
		v := g.local()
		return append(line("%s := len(%s)\n_ = %s", v, g.channel(), v), g.note(v))
	}
	return line("runtime.Gosched()")
}

// block chooses a loop, a function literal, a deferred one, or one that recovers.
func (g *generator) block() []Statement {
	g.depth++
	defer func() { g.depth-- }()
	body := g.statements(1 + g.IntN(2))
	switch g.IntN(6) {
	case 0, 1:
		return []Statement{{Text: "for range 2 ", Block: body}}
	case 2:
		return []Statement{{Text: "func() ", Block: body, End: "()"}}
	case 3:
		if !g.locked {
			return []Statement{{Text: "defer func() ", Block: body, End: "()"}}
		}
	case 4:
		if !g.locked {
			recovers := Statement{Text: "defer func() { if recover() != nil { " + g.note("8").Text + " } }()"}
			return []Statement{{Text: "func() ", Block: append([]Statement{recovers}, body...), End: "()"}}
		}
	}
	return []Statement{{Text: fmt.Sprintf("if %s%%2 == %d ", g.record, g.IntN(2)), Block: body}}
}

// choice chooses a select.
func (g *generator) choice() []Statement {
	g.depth += 2
	defer func() { g.depth -= 2 }()
	var cases []Statement
	for range 1 + g.IntN(2) {
		if g.IntN(2) == 0 {
			cases = append(cases, Statement{Text: fmt.Sprintf("case %s <- %d:", g.channel(), 1+g.IntN(3))}, g.note("3"))
		} else {
			v := g.local()
			cases = append(cases, Statement{Text: fmt.Sprintf("case %s := <-%s:\n_ = %s", v, g.channel(), v)},
				g.note(v))
		}
	}
	if g.IntN(2) == 0 {
		cases = append(cases, Statement{Text: "default:"}, g.note("9"))
	}
	return []Statement{{Text: "select ", Block: cases}}
}

// guarded chooses statements under a mutex.
func (g *generator) guarded() []Statement {
	g.locked = true
	body := g.statements(1 + g.IntN(2))
	g.locked = false
	switch g.IntN(4) {
	case 0:
		return []Statement{{Text: "func() ", Block: append(line("mu.Lock()\ndefer mu.Unlock()"), body...), End: "()"}}
	case 1:
		return []Statement{{Text: "if mu.TryLock() ", Block: append(body, Statement{Text: "mu.Unlock()"})}}
	}
	return append(append(line("mu.Lock()"), body...), Statement{Text: "mu.Unlock()"})
}

// plain chooses a statement about what the mutex guards.
func (g *generator) plain() []Statement {
	switch g.IntN(12) {
	case 0:
		return line("x = x*2 + %d", g.IntN(2))
	case 10:
		return line("x %s= %d", []string{"&", "|", "^", "&^", "<<", ">>"}[g.IntN(6)], 1+g.IntN(3))
	case 11:
		return line("x = x%%8 >> (p.a %% 3 & 7) ^ 1<<uint8(p.b&3)")
	case 1:
		return []Statement{g.note("x%10")}
	case 2:
		return line("m[%d] += %d", g.IntN(2), 1+g.IntN(2))
	case 3:
		return []Statement{g.note("m[1] + len(m)")}
	case 4:
		return line("delete(m, %d)", g.IntN(2))
	case 5:
		return line("s = append(s, x)")
	case 6:
		return []Statement{g.note("len(s)")}
	case 7:
		return line("p.%s++", []string{"a", "b"}[g.IntN(2)])
	case 8:
		return append(line("{\nq := *p\np = &q\n}"), g.note("p.a"))
	}
	return []Statement{{Text: "for k := range m ", Block: []Statement{g.note("k")}}}
}
