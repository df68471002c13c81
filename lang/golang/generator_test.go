package golang_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random concurrent Go programs. They end by construction, or deadlock, or panic. What goroutines share is an atomic,
// guarded by a mutex, or handed over through a channel, so that a program has no data race. Each goroutine records what
// it sees in a variable of its own.

// A randomProgram is a program: what is declared in it, and the statements of its goroutines. The last one is the
// function that starts the others.
type randomProgram struct {
	Channels   []int // their capacities; -1 for one that is nil
	Goroutines [][]statement
}

// A statement is a line, or a block of statements.
type statement struct {
	Text  string // a line; of a block what comes before its brace
	Block []statement
	End   string // behind the brace that ends a block
}

// A generator chooses statements for one goroutine.
type generator struct {
	*rand.Rand
	channels int
	locals   int  // declared so far
	depth    int  // of blocks
	locked   bool // under the mutex
	record   string
}

// newRandomProgram chooses a program. Equal seeds give equal programs.
func newRandomProgram(seed uint64) *randomProgram {
	r := rand.New(rand.NewPCG(seed, 20))
	p := &randomProgram{}
	for range 1 + r.IntN(2) {
		p.Channels = append(p.Channels, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, -1}[r.IntN(10)])
	}
	n := 2 + r.IntN(2)
	for k := range n {
		g := &generator{Rand: r, channels: len(p.Channels), record: recordOf(k)}
		size := 1 + r.IntN(4)
		if n > 2 {
			size = 1 + r.IntN(3)
		}
		p.Goroutines = append(p.Goroutines, g.statements(size))
	}
	return p
}

// recordOf is the variable of a goroutine for what it sees; % stands for the number of the program.
func recordOf(k int) string { return "r%_" + string(rune('0'+k)) }

// Records are the names of the variables that say what the goroutines of the program of a number saw.
func (p *randomProgram) Records(number string) (list []string) {
	for k := range p.Goroutines {
		list = append(list, strings.ReplaceAll(recordOf(k), "%", number))
	}
	return list
}

func (g *generator) statements(n int) (list []statement) {
	for range n {
		list = append(list, g.choose()...)
	}
	return list
}

// randomImports are the imports of generated programs.
const randomImports = "import (\n\t\"runtime\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ = runtime.Gosched\n\n" +
	"type point struct{ a, b int }\n"

// Source is the text of a program: the variables for records and a function, with a number in their names. With pauses
// there is a call of pause before each statement, and goroutines begin and end with calls of enter and leave.
func (p *randomProgram) Source(number string, pauses bool) string {
	var b strings.Builder
	for _, r := range p.Records(number) {
		fmt.Fprintf(&b, "var %s int\n", r)
	}
	fmt.Fprintf(&b, "\nfunc P%s() {\n", number)
	b.WriteString("var mu sync.Mutex\nvar once sync.Once\nvar a atomic.Int32\nvar x int\nvar s []int\n" +
		"m := map[int]int{}\np := &point{}\n")
	b.WriteString("_, _, _, _, _, _ = &mu, &once, &a, x, s, m\n")
	for k, capacity := range p.Channels {
		if capacity < 0 {
			fmt.Fprintf(&b, "var c%d chan int\n", k)
		} else {
			fmt.Fprintf(&b, "c%d := make(chan int, %d)\n", k, capacity)
		}
		fmt.Fprintf(&b, "_ = c%d\n", k)
	}
	b.WriteString("_ = p\n")
	for k, body := range p.Goroutines {
		last := k == len(p.Goroutines)-1
		if !last {
			if pauses {
				b.WriteString("enter()\n")
			}
			b.WriteString("go func() {\n")
			if pauses {
				b.WriteString("defer leave()\n")
			}
		}
		writeStatements(&b, body, pauses)
		if !last {
			b.WriteString("}()\n")
		}
	}
	b.WriteString("}\n")
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "r%_", "r"+number+"_"), "%%", "%")
}

func writeStatements(b *strings.Builder, body []statement, pauses bool) {
	for _, s := range body {
		isCase := strings.HasPrefix(s.Text, "case ") || s.Text == "default:"
		if pauses && !isCase {
			b.WriteString("pause()\n")
		}
		b.WriteString(s.Text)
		if s.Block != nil || strings.HasSuffix(s.Text, " ") {
			b.WriteString("{\n")
			writeStatements(b, s.Block, pauses && !strings.HasPrefix(s.Text, "select"))
			b.WriteString("}" + s.End)
		}
		b.WriteString("\n")
	}
}

func lineOf(format string, args ...any) []statement {
	return []statement{{Text: fmt.Sprintf(format, args...)}}
}

func (g *generator) note(what string) statement {
	return statement{Text: fmt.Sprintf("%s = %s*10 + %s", g.record, g.record, what)}
}

func (g *generator) channel() string { return fmt.Sprint("c", g.IntN(g.channels)) }

func (g *generator) local() string {
	g.locals++
	return fmt.Sprint("v", g.locals)
}

// statement chooses a statement, or a few that belong together.
func (g *generator) choose() []statement {
	if g.depth < 2 && g.IntN(6) == 0 {
		return g.block()
	}
	if g.locked {
		return g.plain()
	}
	switch g.IntN(17) {
	case 0, 1:
		return lineOf("%s <- %d", g.channel(), 1+g.IntN(3))
	case 2, 3:
		v := g.local()
		return append(lineOf("%s := <-%s\n_ = %s", v, g.channel(), v), g.note(v))
	case 4:
		v, ok := g.local(), g.local()
		return append(lineOf("%s, %s := <-%s\n_ = %s", v, ok, g.channel(), v),
			statement{Text: "if " + ok + " ", Block: []statement{g.note(v)}, End: " else { " + g.note("7").Text + " }"})
	case 5, 6, 7:
		return g.choice()
	case 8:
		return lineOf("close(%s)", g.channel())
	case 9, 10:
		return g.guarded()
	case 11:
		return lineOf("a.Add(%d)", 1+g.IntN(2))
	case 12:
		return []statement{g.note("int(a.Load())")}
	case 13:
		return []statement{{Text: fmt.Sprintf("if a.CompareAndSwap(%d, %d) ", g.IntN(2), 1+g.IntN(3)),
			Block: []statement{g.note("5")}}}
	case 14:
		return []statement{{Text: "once.Do(func() ", Block: append(lineOf("a.Add(4)"), g.note("6")), End: ")"}}
	case 15:
		v := g.local()
		return append(lineOf("%s := len(%s)\n_ = %s", v, g.channel(), v), g.note(v))
	}
	return lineOf("runtime.Gosched()")
}

// block chooses a loop, a function literal, a deferred one, or one that recovers.
func (g *generator) block() []statement {
	g.depth++
	defer func() { g.depth-- }()
	body := g.statements(1 + g.IntN(2))
	switch g.IntN(6) {
	case 0, 1:
		return []statement{{Text: "for range 2 ", Block: body}}
	case 2:
		return []statement{{Text: "func() ", Block: body, End: "()"}}
	case 3:
		if !g.locked {
			return []statement{{Text: "defer func() ", Block: body, End: "()"}}
		}
	case 4:
		if !g.locked {
			recovers := statement{Text: "defer func() { if recover() != nil { " + g.note("8").Text + " } }()"}
			return []statement{{Text: "func() ", Block: append([]statement{recovers}, body...), End: "()"}}
		}
	}
	return []statement{{Text: fmt.Sprintf("if %s%%2 == %d ", g.record, g.IntN(2)), Block: body}}
}

// choice chooses a select.
func (g *generator) choice() []statement {
	g.depth += 2
	defer func() { g.depth -= 2 }()
	var cases []statement
	for range 1 + g.IntN(2) {
		if g.IntN(2) == 0 {
			cases = append(cases, statement{Text: fmt.Sprintf("case %s <- %d:", g.channel(), 1+g.IntN(3))}, g.note("3"))
		} else {
			v := g.local()
			cases = append(cases, statement{Text: fmt.Sprintf("case %s := <-%s:\n_ = %s", v, g.channel(), v)},
				g.note(v))
		}
	}
	if g.IntN(2) == 0 {
		cases = append(cases, statement{Text: "default:"}, g.note("9"))
	}
	return []statement{{Text: "select ", Block: cases}}
}

// guarded chooses statements under a mutex.
func (g *generator) guarded() []statement {
	g.locked = true
	body := g.statements(1 + g.IntN(2))
	g.locked = false
	switch g.IntN(4) {
	case 0:
		return []statement{{Text: "func() ", Block: append(lineOf("mu.Lock()\ndefer mu.Unlock()"), body...), End: "()"}}
	case 1:
		return []statement{{Text: "if mu.TryLock() ", Block: append(body, statement{Text: "mu.Unlock()"})}}
	}
	return append(append(lineOf("mu.Lock()"), body...), statement{Text: "mu.Unlock()"})
}

// plain chooses a statement about what the mutex guards.
func (g *generator) plain() []statement {
	switch g.IntN(12) {
	case 0:
		return lineOf("x = x*2 + %d", g.IntN(2))
	case 10:
		return lineOf("x %s= %d", []string{"&", "|", "^", "&^", "<<", ">>"}[g.IntN(6)], 1+g.IntN(3))
	case 11:
		return lineOf("x = x%%8 >> (p.a %% 3 & 7) ^ 1<<uint8(p.b&3)")
	case 1:
		return []statement{g.note("x%10")}
	case 2:
		return lineOf("m[%d] += %d", g.IntN(2), 1+g.IntN(2))
	case 3:
		return []statement{g.note("m[1] + len(m)")}
	case 4:
		return lineOf("delete(m, %d)", g.IntN(2))
	case 5:
		return lineOf("s = append(s, x)")
	case 6:
		return []statement{g.note("len(s)")}
	case 7:
		return lineOf("p.%s++", []string{"a", "b"}[g.IntN(2)])
	case 8:
		return append(lineOf("{\nq := *p\np = &q\n}"), g.note("p.a"))
	}
	return []statement{{Text: "for k := range m ", Block: []statement{g.note("k")}}}
}
