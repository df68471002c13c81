package random

import (
	"fmt"
	"strings"
)

// Imports are the imports of generated programs.
const Imports = "import (\n\t\"runtime\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ = runtime.Gosched\n\n" +
	"type point struct{ a, b int }\n"

// Source is the text of a program: the variables for records and a function, with a number in their names. With pauses
// there is a call of pause before each statement, and goroutines begin and end with calls of enter and leave.
func (p *Program) Source(number string, pauses bool) string {
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
		write(&b, body, pauses)
		if !last {
			b.WriteString("}()\n")
		}
	}
	b.WriteString("}\n")
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "r%_", "r"+number+"_"), "%%", "%")
}

func write(b *strings.Builder, body []Statement, pauses bool) {
	for _, s := range body {
		isCase := strings.HasPrefix(s.Text, "case ") || s.Text == "default:"
		if pauses && !isCase {
			b.WriteString("pause()\n")
		}
		b.WriteString(s.Text)
		if s.Block != nil || strings.HasSuffix(s.Text, " ") {
			b.WriteString("{\n")
			write(b, s.Block, pauses && !strings.HasPrefix(s.Text, "select"))
			b.WriteString("}" + s.End)
		}
		b.WriteString("\n")
	}
}
