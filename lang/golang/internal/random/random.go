package random

import (
	"math/rand/v2"
	"strings"
)

// A Program is a random program: what is declared in it, and the statements of its goroutines. The last one is the
// function that starts the others.
type Program struct {
	Channels   []int // their capacities; -1 for one that is nil
	Goroutines [][]Statement
}

// A Statement is a line, or a block of statements.
type Statement struct {
	Text  string // a line; of a block what comes before its brace
	Block []Statement
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

// New chooses a program. Equal seeds give equal programs.
func New(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 20))
	p := &Program{}
	for range 1 + r.IntN(2) {
		p.Channels = append(p.Channels, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, -1}[r.IntN(10)])
	}
	n := 2 + r.IntN(2)
	for k := range n {
		g := &generator{Rand: r, channels: len(p.Channels), record: record(k)}
		size := 1 + r.IntN(4)
		if n > 2 {
			size = 1 + r.IntN(3)
		}
		p.Goroutines = append(p.Goroutines, g.statements(size))
	}
	return p
}

// record is the variable of a goroutine for what it sees; % stands for the number of the program.
func record(k int) string { return "r%_" + string(rune('0'+k)) }

// Records are the names of the variables that say what the goroutines of the program of a number saw.
func (p *Program) Records(number string) (list []string) {
	for k := range p.Goroutines {
		list = append(list, strings.ReplaceAll(record(k), "%", number))
	}
	return list
}

func (g *generator) statements(n int) (list []Statement) {
	for range n {
		list = append(list, g.statement()...)
	}
	return list
}
