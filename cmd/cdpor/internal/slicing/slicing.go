// Package slicing has the command that prints the part of a program that can influence something.
package slicing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
	"cdpor/lang/excerpt"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

type Command struct {
	flags.ProgramFlags
	For      []string `placeholder:"CRITERION" help:"What the slice is for: a shared variable, the label of a step, line:N, assert:N, final:N (and final_any, reachable, unreachable, always, transition), deadlock, or outcomes. Repeatable."`
	Mode     string   `enum:"context,insensitive" default:"context" placeholder:"MODE" help:"How exactly influence between threads is followed: context, only where the order is possible, or insensitive. Default: context."`
	Preserve string   `enum:"deadlock,values" default:"deadlock" placeholder:"WHAT" help:"What the slice keeps: deadlock, also what can block, fail or run for ever before; or values, as if nothing did. Default: deadlock."`
	Why      string   `placeholder:"line:N" help:"Show the chain of dependences that keeps a line, instead of the slice."`
	WhyNot   string   `placeholder:"line:N" help:"Show why a line was left out."`
	JSON     bool     `name:"json" help:"Print the slice as a JSON object, with a reason for each line."`
	flags.FormatFlags
}

func (c *Command) Help() string {
	return `Prints the part of a program that can influence a criterion, as a program: what the criterion is about has the same
values in it, and is reached or not, in the same cases. Comments and names stay; what is not needed goes, declarations and
whole threads included. What was kept of how much is said on the standard error output. Of a Go program the lines are marked
with >, as its slice is no Go program itself.`
}

func (c *Command) Run(e *environment.Environment) error {
	program, err := c.Load(e.Context)
	if err != nil {
		return err
	}
	criterion, err := criteria(program.Form(), c.For)
	if err != nil {
		return err
	}
	g := slice.New(program.Form(), c.preserve())
	var s *programSlice // of a program whose text is cut
	var r *slice.Result
	if src, yaml := program.(*lang.Source); yaml {
		if s, err = cutSlice(src, g, criterion, c.mode(), c.Options()); err != nil {
			return err
		}
		r = s.Result
	} else if c.JSON {
		return fault.Inputf("--json is for YAML programs; %s is a Go program", c.Program)
	} else if r, err = g.Slice(criterion, c.mode(), 0, nil); err != nil {
		return fault.Input{Err: err}
	}
	switch {
	case c.Why != "":
		return c.why(e.Stdout, r)
	case c.WhyNot != "":
		return c.whyNot(e.Stdout, program, r, criterion)
	case c.JSON:
		return c.printJSON(e.Stdout, s)
	}
	summary := fmt.Sprintf("slice for %s (%s, %s): ", strings.Join(c.For, ", "), c.Mode, c.Preserve)
	if s == nil { // the lines are marked in their files
		kept := 0
		for _, lines := range r.Files() {
			kept += len(lines)
		}
		fmt.Fprintf(e.Stderr, "%s%s\n", summary, terminal.Plural(kept, "line"))
		return printMarked(e.Stdout, program, r)
	}
	if _, err := terminal.Verbatim(e.Stdout).Write(s.text); err != nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "%s%s\n", summary, s.summary())
	if !s.Exact {
		fmt.Fprintln(e.Stderr, "a place had so many contexts that they were taken for one: the slice may be "+
			"larger than it has to be")
	}
	return nil
}

func (c *Command) mode() slice.Mode {
	if c.Mode == "insensitive" {
		return slice.Insensitive
	}
	return slice.Context
}

func (c *Command) preserve() slice.Preserve {
	if c.Preserve == "values" {
		return slice.Values
	}
	return slice.Deadlock
}

// criteria are the criteria that a list of texts mean, as one.
func criteria(p *step.Program, texts []string) (slice.Criterion, error) {
	if len(texts) == 0 {
		return slice.Criterion{}, fault.Inputf("say what the slice is for: --for with a variable, a label, line:N, " +
			"assert:N, final:N, deadlock or outcomes")
	}
	var list []slice.Criterion
	for _, text := range texts {
		c, err := slice.Named(p, text)
		if err != nil {
			return slice.Criterion{}, fault.Inputf("--for %s: %v", text, err)
		}
		list = append(list, c)
	}
	return slice.Join(list...), nil
}

// A programSlice is a slice as a program.
type programSlice struct {
	*slice.Result
	whole *lang.Source
	part  *lang.Source
	text  []byte
}

// uncut says what keeps the text of a program from being cut, "" if nothing does.
func uncut(p *step.Program) string {
	switch {
	case p.Spec != nil:
		return "a specification"
	case p.Checks.RacesForbidden: // the marks of what is left out would be missing in the text
		return "races: forbidden"
	case p.Crashes(): // each step of the text would have its guard, also where the slice has none
		return "crashes"
	}
	return ""
}

// cutSlice slices a program and makes a text of the slice. That the text is the slice is checked.
func cutSlice(src *lang.Source, g *slice.Graph, criterion slice.Criterion, mode slice.Mode, opt lang.Options) (
	*programSlice, error) {
	if what := uncut(src.Program); what != "" {
		return nil, fault.Inputf("a program with %s cannot be cut", what)
	}
	outline := excerpt.NewOutline(src)
	r, err := g.Slice(criterion, mode, 0,
		func(r *slice.Result, add func(n, because *step.Node)) { outline.Close(r, add) })
	if err != nil {
		return nil, fault.Input{Err: err}
	}
	q := excerpt.Question{Options: opt, Observed: criterion.Observed, Deadlock: criterion.Ends,
		Property: func(p *step.Property) bool {
			return slices.Contains(criterion.Properties, p)
		}}
	for _, v := range criterion.Vars {
		q.Observe = append(q.Observe, lang.Observable(v)...)
	}
	e, err := outline.Cut(r, q)
	if err != nil {
		return nil, fmt.Errorf("the slice is no program: %w", err)
	}
	part, err := lang.Load(src.File.Name, e.InFile, lang.Options{})
	if err == nil {
		err = r.Matches(part.Program, e.Origin)
	}
	if err == nil {
		part, err = lang.Load(src.File.Name, e.Text, lang.Options{})
	}
	if err != nil {
		return nil, fmt.Errorf("the slice is another program than its text: please report this program: %v", err)
	}
	return &programSlice{r, src, part, e.Text}, nil
}

// sizeOf counts what a program consists of: steps, threads and shared variables.
func sizeOf(p *step.Program) (steps, threads, variables int) {
	for _, t := range p.Templates {
		steps += len(t.Steps)
		if t.Count > 0 && len(t.Nodes) > 0 {
			threads++
		}
	}
	for _, v := range p.Shared {
		if !v.Temp {
			variables++
		}
	}
	return
}

func (s *programSlice) summary() string {
	steps, threads, variables := sizeOf(s.part.Program)
	ofSteps, ofThreads, ofVariables := sizeOf(s.whole.Program)
	return fmt.Sprintf("%d of %s, %d of %s, %d of %s", steps, terminal.Plural(ofSteps, "step"), threads,
		terminal.Plural(ofThreads, "thread"),
		variables, terminal.Plural(ofVariables, "variable"))
}

// printMarked prints the program with a mark before each line of a result; of a program of several files those with
// such lines, each under its name.
func printMarked(w io.Writer, src step.Loaded, r *slice.Result) error {
	files := r.Files()
	if src.Form().From == "" && len(files) == 0 {
		files[""] = nil
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := string(src.Source(name))
		if text == "" {
			continue
		}
		if name != "" {
			fmt.Fprintln(w, name)
		}
		for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			mark := " "
			if files[name][i+1] {
				mark = ">"
			}
			if _, err := fmt.Fprintln(w, strings.TrimRight(mark+" "+line, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// lineOf reads line:N.
func lineOf(flag, text string) (int, error) {
	number, is := strings.CutPrefix(text, "line:")
	n, err := strconv.Atoi(number)
	if !is || err != nil || n < 1 {
		return 0, fault.Inputf("%s %s: write %s line:N", flag, text, flag)
	}
	return n, nil
}

// printLink prints a place, and how the next one depends on it.
func printLink(w io.Writer, l slice.Link, how string) {
	if l.Node == nil {
		fmt.Fprintf(w, "      %s begins or ends%s\n", l.Thread, how)
		return
	}
	fmt.Fprintf(w, "%5d %s: %s%s\n", l.Node.Pos.Line, l.Thread, l.Node.Text, how)
}

var edgeText = map[slice.EdgeKind]string{slice.Control: "decides whether this is executed:",
	slice.Data:         "writes what this reads:",
	slice.Interference: "writes what this reads, in another thread:", slice.Creation: "starts the thread of:",
	slice.Structure: "is needed to tell what comes next here:", slice.Sibling: "is the same code as:",
	slice.Text: "is there in the text with:"}

func printChain(w io.Writer, chain []slice.Link) {
	for _, l := range chain {
		how := "\n        " + edgeText[l.Kind]
		if l.Kind == slice.Root {
			how = "\n        is what the slice is for"
		}
		printLink(w, l, how)
	}
}

func (c *Command) why(w io.Writer, s *slice.Result) error {
	line, err := lineOf("--why", c.Why)
	if err != nil {
		return err
	}
	chain := s.Why(line)
	if chain == nil {
		return fault.Inputf("nothing of line %d is in the slice; --why-not line:%d says why", line, line)
	}
	printChain(w, chain)
	return nil
}

func (c *Command) whyNot(w io.Writer, src step.Loaded, s *slice.Result, criterion slice.Criterion) error {
	line, err := lineOf("--why-not", c.WhyNot)
	if err != nil {
		return err
	}
	if s.Why(line) != nil {
		return fault.Inputf("line %d is in the slice; --why line:%d says why", line, line)
	}
	if _, err := slice.Named(src.Form(), "line:"+strconv.Itoa(line)); err != nil {
		return fault.Inputf("--why-not line:%d: %v", line, err)
	}
	dependents := s.Dependents(line)
	if len(dependents) == 0 {
		fmt.Fprintf(w, "nothing depends on line %d\n", line)
		return nil
	}
	fmt.Fprintf(w, "nothing in the slice depends on line %d. It\n", line)
	for _, l := range dependents {
		fmt.Fprintf(w, "        %s\n", edgeText[l.Kind])
		printLink(w, l, "")
	}
	if c.mode() == slice.Insensitive {
		return nil
	}
	wide, err := s.Graph.Slice(criterion, slice.Insensitive, 0, nil)
	if err != nil {
		return fault.Input{Err: err}
	}
	if chain := wide.Why(line); chain != nil {
		fmt.Fprintln(w, "\nIn the insensitive mode it would be kept by this chain, which no order "+
			"of the threads allows:")
		printChain(w, chain)
	}
	return nil
}

// The JSON of a slice.
type sliceJSON struct {
	Cdpor    int             `json:"cdpor"`
	Program  string          `json:"program"`
	For      []string        `json:"for"`
	Mode     string          `json:"mode"`
	Preserve string          `json:"preserve"`
	Exact    bool            `json:"exact"`
	Kept     sizeJSON        `json:"kept"`
	Of       sizeJSON        `json:"of"`
	Lines    []sliceLineJSON `json:"lines"`
	Text     string          `json:"text"`
}

type sizeJSON struct {
	Steps     int `json:"steps"`
	Threads   int `json:"threads"`
	Variables int `json:"variables"`
}

// A line of the program with the shortest chain that keeps it.
type sliceLineJSON struct {
	Line int        `json:"line"`
	Why  []linkJSON `json:"why"`
}

type linkJSON struct {
	Thread string `json:"thread"`
	Line   int    `json:"line,omitempty"`
	Code   string `json:"code,omitempty"`
	Edge   string `json:"edge"`
}

func (c *Command) printJSON(w io.Writer, s *programSlice) error {
	out := sliceJSON{Cdpor: output.Version, Lines: []sliceLineJSON{}, Program: s.whole.Program.Name, For: c.For,
		Mode: c.Mode, Preserve: c.Preserve, Exact: s.Exact, Text: string(s.text)}
	out.Kept.Steps, out.Kept.Threads, out.Kept.Variables = sizeOf(s.part.Program)
	out.Of.Steps, out.Of.Threads, out.Of.Variables = sizeOf(s.whole.Program)
	for _, line := range s.Lines() {
		l := sliceLineJSON{Line: line}
		for _, link := range s.Why(line) {
			j := linkJSON{Thread: link.Thread, Edge: link.Kind.String()}
			if link.Node != nil {
				j.Line, j.Code = link.Node.Pos.Line, link.Node.Text
			}
			l.Why = append(l.Why, j)
		}
		out.Lines = append(out.Lines, l)
	}
	return output.Write(w, out)
}
