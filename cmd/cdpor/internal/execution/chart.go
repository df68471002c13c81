package execution

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// A schedule on paper: time runs down, every process has a column. In a row only one process moves, so its text may run
// over the columns to its right.

const (
	traceMargin = 14 // number of the step and place in the source; the place may need more
	placeWidth  = 7
	traceWidth  = 100 // all columns should begin within this width, unless another one is known
	maxColumn   = 34
	minRoom     = 30 // of the text in the last column
)

// A Chart places the steps of a schedule on paper.
type Chart struct {
	prog   *step.Program
	colour terminal.Colour
	margin int         // of the number of the step and its place
	place  int         // the width of the latter
	files  bool        // the steps are in several
	file   string      // what the only one is called, of a Go program
	of     map[int]int // process -> column; those that never move have none
	procs  []int       // column -> process
	width  int
	named  bool // there is room for the names above the columns; else every step says whose it is
	first  int  // how many steps have gone before the first one
	legend []string
	stem   int // how many steps stand before those that go on for ever, if there is such a cycle
	cycle  int // and how many those are
	// columns are how wide the paper is, to which text is folded; 0: as wide as it takes.
	columns int
}

// NewChart gives a column to every process that takes one of the steps. columns are how wide the paper is, 0: as wide
// as it takes.
func NewChart(colour terminal.Colour, columns int, prog *step.Program, steps []replay.Step) *Chart {
	c := &Chart{prog: prog, colour: colour, of: map[int]int{}, columns: columns}
	c.places(steps)
	short := 0
	for p := range prog.Procs {
		if slices.ContainsFunc(steps, func(s replay.Step) bool { return s.Proc == p }) {
			c.of[p] = len(c.procs)
			c.procs = append(c.procs, p)
			short = max(short, len(c.name(p))+2)
		}
	}
	c.legend = legend(prog, steps, c.procs)
	c.width = min(maxColumn, (cmp.Or(columns, traceWidth)-c.margin)/max(1, len(c.procs)))
	least := 3
	if others := len(c.procs) - 1; columns > 0 && others > 0 {
		c.width = min(c.width, max(0, columns-c.margin-minRoom)/others)
		least = min(least, c.width)
	}
	c.named = c.width >= short
	c.width = max(c.width, least)
	return c
}

// places finds out how much room the places of steps take.
func (c *Chart) places(steps []replay.Step) {
	c.files = slices.ContainsFunc(steps, func(s replay.Step) bool { return s.File != steps[0].File })
	if c.prog.Native() && len(steps) > 0 {
		c.file = c.prog.CalledFile(steps[0].File)
	}
	c.place = placeWidth
	for i := range steps {
		c.place = max(c.place, len(c.placeOf(&steps[i])))
	}
	c.margin = traceMargin + c.place - placeWidth
}

// name returns the name of a process in the chart, without a file where all steps are in one.
func (c *Chart) name(proc int) string { return c.near(c.prog.Procs[proc].Called()) }

// placeOf is where a step stands: line and column, and of a Go program the line, with the file if there are several.
func (c *Chart) placeOf(s *replay.Step) string {
	switch {
	case !c.prog.Native():
		return fmt.Sprintf("%d:%d", s.Line, s.Column)
	case !c.files:
		return fmt.Sprint(s.Line)
	}
	return c.prog.Place(step.Pos{File: s.File, Line: s.Line})
}

// label stands before the text of a step: its name, and whose it is where no name stands above the column.
func (c *Chart) label(s *replay.Step) string {
	switch {
	case !c.prog.Native() && !numbered.MatchString(s.Label) && c.named:
		return s.Label + ": "
	case !c.prog.Native() && !numbered.MatchString(s.Label):
		return s.Step + ": "
	case c.named:
		return ""
	}
	return c.name(s.Proc) + ": "
}

// numbered is the name of a step that the program gives none.
var numbered = regexp.MustCompile(`^\d`)

// otherReads are the values that a step reads and does not change: a change tells both.
func otherReads(s *replay.Step) []replay.Value {
	return slices.DeleteFunc(slices.Clone(s.Reads), func(v replay.Value) bool {
		return slices.ContainsFunc(s.Writes, func(w replay.Change) bool { return w.Name == v.Name && w.Before != "" })
	})
}

// startLabel is the label of the first step of a goroutine that begins with one.
const startLabel = "start"

// Header writes what names with a number mean, and the names of the processes, if there is room for them above the
// columns.
func (c *Chart) Header(w io.Writer) {
	for _, text := range c.legend {
		fmt.Fprintf(w, "  %s\n", c.colour.Faint(text))
	}
	if !c.named {
		return
	}
	text := ""
	for _, p := range c.procs {
		text += fmt.Sprintf("%-*s", c.width, c.name(p))
	}
	fmt.Fprintf(w, "%*s%s\n", c.margin, "", strings.TrimRight(text, " "))
}

// Step writes step i. If it is the last one that its process takes for now and that cannot go on, then it says why.
func (c *Chart) Step(w io.Writer, steps []replay.Step, i int) {
	if c.cycle > 0 && i == c.stem {
		fmt.Fprintf(w, "%*s%s\n", c.margin, "",
			c.colour.Faint(fmt.Sprintf("--- for ever: %s", terminal.Plural(c.cycle, "step"))))
	}
	s := &steps[i]
	head := fmt.Sprintf("%4d %*s  ", c.first+i+1, c.place, c.placeOf(s))
	plain := func(text string) string { return text }
	painted := func(paint func(string) string, format string, args ...any) {
		for _, text := range c.fold(c.of[s.Proc], paint, fmt.Sprintf(format, args...)) {
			fmt.Fprintf(w, "%-*s%s\n", c.margin, head, text)
			head = ""
		}
	}
	row := func(format string, args ...any) { painted(plain, format, args...) }
	text := s.Text
	if c.columns == 0 {
		text = terminal.Shorten(text, 72)
	}
	if c.prog.Native() && s.Label == startLabel && s.Goroutine != c.prog.Procs[0].Called() {
		text = "starts"
	}
	if !c.prog.Native() && resumes(steps, i) {
		text += " goes on"
	}
	row("%s%s", c.label(s), text)
	if c.prog.Native() {
		waited := slices.ContainsFunc(steps[:i], func(o replay.Step) bool {
			return o.Proc == s.Proc && o.Line == s.Line && o.File == s.File && o.Then != ""
		})
		for _, text := range goEffects(s, c.prog.Procs[s.Proc].Task(), waited) {
			row("  %s", c.near(text))
		}
	} else {
		for _, way := range s.Takes {
			row("  takes %s", terminal.Shorten(way, 72))
		}
	}
	if reads := otherReads(s); len(reads) > 0 {
		painted(c.colour.Faint, "  reads %s", c.near(replay.Join(reads)))
	}
	for _, change := range s.Writes {
		text := change.String()
		if c.prog.Native() {
			text = goChange(s, &change)
		}
		if text != "" {
			row("  %s", c.near(text))
		}
	}
	for _, v := range s.Prints {
		row("  prints %s: %s", v.Name, v.Text)
	}
	if s.Fails != "" {
		fails := s.Fails
		if strings.HasPrefix(fails, step.Race.String()+": ") {
			fails = step.Race.String() // whose two sides stand above
		}
		painted(c.colour.Bad, "  FAILS: %s", fails)
	}
	if s.Then != "" && (i+1 == len(steps) || steps[i+1].Proc != s.Proc) {
		painted(c.colour.Doubt, "  (%s)", c.near(s.Then))
	}
}

// resumes reports whether step i is the second of a statement that has two, such as c.wait(m), in which its process has
// waited since the first.
func resumes(steps []replay.Step, i int) bool {
	s := &steps[i]
	for k := i - 1; k >= 0; k-- {
		if o := &steps[k]; o.Proc == s.Proc {
			return o.Then != "" && o.Line == s.Line && o.Column == s.Column && o.File == s.File && o.Label != s.Label
		}
	}
	return false
}

// near is a text that names lines of the only file without it.
func (c *Chart) near(text string) string {
	if c.prog.Native() && !c.files {
		return step.Within(c.file, text)
	}
	return text
}

// fold places a text into a column, behind the bars of those on its left. On paper of a known width it goes on in lines
// below; a word that is too long for the column is cut, or where the column is narrow, the lines have no bars.
func (c *Chart) fold(column int, paint func(string) string, text string) (lines []string) {
	bars := ""
	if c.width > 0 {
		bars = strings.Repeat(c.colour.Faint("|")+strings.Repeat(" ", c.width-1), column)
	}
	room := c.columns - c.margin - terminal.Displayed(bars)
	if lines = []string{text}; c.columns > 0 {
		lines = terminal.Fold(text, room)
	}
	wide := func(line string) bool { return c.columns > 0 && terminal.Displayed(line) > room }
	for i := 0; i < len(lines) && room >= minRoom; i++ {
		if long := []rune(lines[i]); wide(lines[i]) && len(long) > room { // letters that take two columns stay
			lines[i] = string(long[:room])
			lines = slices.Insert(lines, i+1, "    "+string(long[room:]))
		}
	}
	if slices.ContainsFunc(lines, wide) {
		lines, bars = terminal.Fold(text, c.columns-c.margin), ""
	}
	for i, line := range lines {
		sentence := strings.TrimLeft(line, " ")
		lines[i] = bars + line[:len(line)-len(sentence)] + paint(sentence)
	}
	return lines
}

// PrintTrace writes the last steps of a schedule. If it goes round for ever, a line
// stands before the last steps, those of the cycle, which begins behind a stem.
func PrintTrace(w io.Writer, colour terminal.Colour, columns int, prog *step.Program, before int, steps []replay.Step,
	stem, cycle int) {
	c := NewChart(colour, columns, prog, steps)
	c.first = before
	c.Header(w)
	c.stem, c.cycle = stem-before, cycle
	for i := range steps {
		c.Step(w, steps, i)
	}
}
