package prove

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/steps"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth"
)

type Check struct {
	flags.ProgramFlags
	File    string `arg:"" predictor:"file" optional:"" help:"The constraint file. Default: beside the program, NAME.constraints.yaml."`
	JSON    bool   `name:"json" help:"Print the result as one JSON object."`
	Explain string `placeholder:"STEP,STEP" help:"Prove nothing; show for the entry of this pair a reachable state in which it holds and one in which it does not, with both orders, and what a third step would break."`
	Weakest bool   `help:"Show, for each entry that is right but could hold in more states, the weakest condition."`
	Against string `predictor:"file" placeholder:"FILE" help:"Prove nothing, but compare with an older constraint file by what both mean, or with the constraints of an older version of the program: a file, or a revision of git. Exit codes: 0 equal, 1 different, 3 undecided."`
	solverFlags
	flags.FormatFlags
}

func (c *Check) Help() string {
	return `With --against, conditions that are written differently and hold in the same states are equal. A condition is weaker than
that of the older file if it holds in more states, stronger if in fewer, incomparable if it gains some and loses others; a
state shows it. A pair that a file does not list counts as false there. Of an older version of the program (--against
old.yaml, --against HEAD), the file beside it is taken, or the constraints are synthesised; a pair is new or gone if one
of the versions does not have both steps, and states are those of the newer one.`
}

func (c *Check) Run(e *environment.Environment) error {
	p := progress.New(e)
	opt, questions, err := c.prepare(p)
	if err != nil {
		return err
	}
	src, err := c.Load(e.Context)
	if err != nil {
		return err
	}
	if c.Against != "" {
		return c.against(e, src, opt, questions, p)
	}
	path := cmp.Or(c.File, source.Beside(src.Form()))
	if c.File == "" && !files.Exists(path) {
		arguments := c.Arguments()
		return fault.Inputf("check proves constraints, and there is no file %s: cdpor synth %s writes it; "+
			"cdpor run %s explores the program", path, arguments, arguments)
	}
	set, err := source.Load(src.Form(), path)
	if err != nil {
		return err
	}
	ctx, cancel := e.Limited(c.Timeout)
	defer cancel()
	if c.Explain != "" {
		return c.explain(ctx, e, set, path, opt)
	}
	report, err := synth.Check(ctx, src.Form(), set, opt)
	p.Done()
	if failed := questions.close(e); failed != nil {
		return failed
	}
	if err != nil {
		if err = ended(ctx, e, err, "everything was proved"); ctx.Err() != nil && c.JSON {
			err = cmp.Or(c.printJSON(e, src, path, set, &synth.CheckReport{}, environment.WhyStopped(ctx)), err)
		}
		return err
	}
	if c.JSON {
		return cmp.Or(c.printJSON(e, src, path, set, report, explore.StoppedComplete), tallyOf(report).code())
	}
	wrong := printFindings(e, e.Stdout, set, report)
	wrong.declared = printInvariants(e, src, report)
	proved, notWeakest := 0, 0
	for i := range report.Pairs {
		if pair := &report.Pairs[i]; pair.Proved {
			proved++
			if !pair.Weakest {
				notWeakest++
				c.printWeaker(e, set, pair)
			}
		}
	}
	for _, d := range set.Unused() {
		e.Message(e.Stdout, &lang.Error{File: set.File, Pos: d.Head, Msg: "note: no condition uses the definition " +
			d.Name})
	}
	noteVersion(e, set)
	stronger := ""
	if notWeakest > 0 {
		stronger = fmt.Sprintf(" (%d of them not the weakest)", notWeakest)
	}
	fmt.Fprintf(e.Stdout, "%s: %d proved%s, %d refuted, %d undecided\n", output.PairsText(len(report.Pairs)),
		proved, stronger, wrong.refuted, wrong.open)
	if n := len(set.Assumed) + len(set.Invariants); n > 0 {
		fmt.Fprintf(e.Stdout, "%s: %d proved, %d refuted, %d undecided\n", terminal.Plural(n, "fact"),
			n-wrong.facts-wrong.falseFacts,
			wrong.falseFacts, wrong.facts)
	}
	return wrong.code()
}

// explain shows what an entry means.
func (c *Check) explain(ctx context.Context, e *environment.Environment, set *constraints.Set, path string,
	opt synth.Options) error {
	a, b, err := steps.FindPair(set.Program, c.Explain)
	switch {
	case err != nil:
		return err
	case c.JSON || c.Weakest:
		return fault.Inputf("--explain proves nothing: it goes with neither --json nor --weakest")
	}
	at := slices.IndexFunc(set.Pairs, func(p *constraints.Pair) bool {
		return p.A == a && p.B == b || p.A == b && p.B == a
	})
	if at < 0 {
		return fault.Inputf("%s has no entry for %s", path, c.Explain)
	}
	x, err := synth.ExamplesOf(ctx, set, set.Pairs[at], opt)
	if err != nil {
		return ended(ctx, e, err, "the states were looked at")
	}
	return terminal.Print(e.Stdout, "%s\n", strings.Join(x.Text(), "\n"))
}

// ended is the error of what the solver was asked for; that the context has ended is said.
func ended(ctx context.Context, e *environment.Environment, err error, before string) error {
	if ctx.Err() == nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "cdpor: %s before %s\n", environment.WhyStopped(ctx), before)
	return fault.ExitIncomplete
}

// noteVersion says where a constraint file may be of another version of the program.
func noteVersion(e *environment.Environment, set *constraints.Set) {
	switch {
	case set.Digest == "":
		fmt.Fprintln(e.Stdout, "note: the file does not say which version of the program it was "+
			"made for: it has no digest")
	case output.MadeForAnother(set):
		fmt.Fprintln(e.Stdout, "note: the file was made for another version of the program or other parameters")
	}
	if missing := output.WithoutEntry(set); len(missing) > 0 {
		fmt.Fprintf(e.Stdout, "note: no entry, so taken for dependent: %s\n", terminal.Listed(missing, 5))
	}
}

// printJSON writes the result for machines.
func (c *Check) printJSON(e *environment.Environment, src step.Loaded, path string, set *constraints.Set,
	report *synth.CheckReport, stopped string) error {
	out := output.CheckOf(src, path, set, report)
	out.Stopped = stopped
	return output.Write(e.Stdout, out)
}

// printWeaker says of an entry that is right that it could hold in more states.
func (c *Check) printWeaker(e *environment.Environment, set *constraints.Set, pair *synth.PairCheck) {
	at := &lang.Error{File: set.File, Pos: pair.Pair.CommutePos}
	switch {
	case c.Weakest && pair.Weaker != nil:
		at.Msg = "note: sound; the steps commute in more states, the weakest condition is:"
		if pair.WeakerStatus != constraints.Exact {
			at.Msg = "note: sound; the steps commute in more states, a weaker condition is:"
		}
		at.Hint = lang.FormatExpr(pair.Weaker, pair.Pair.A.Template, pair.Pair.B.Template)
	case c.Weakest:
		at.Msg = "note: sound; the steps may commute in more states, but no weaker condition was found"
	case pair.Pair.Status == constraints.Ordered:
		at.Msg = "note: sound, but the steps may well meet, and then commute in some states (--weakest shows them)"
	case pair.Pair.Status == constraints.Exact:
		at.Msg = "note: sound, but not exact: the steps commute in more states (--weakest shows them)"
	default:
		return
	}
	e.Message(e.Stdout, at)
}

// prove checks constraints before they are used; what cannot be proved is reported on stderr.
func prove(ctx context.Context, p *progress.Progress, prog *step.Program, set *constraints.Set) (
	wrong, open int, err error) {
	report, err := synth.Check(ctx, prog, set, solverOptions(p))
	if err != nil {
		return 0, 0, err
	}
	p.Done()
	t := printFindings(p.Env, p.Env.Stderr, set, report)
	return t.refuted + t.falseFacts, t.open + t.facts, nil
}

// A tally counts what is wrong with a constraint file.
type tally struct {
	refuted, open int // entries that are refuted, and those that are undecided
	facts         int // facts and invariants that are undecided
	falseFacts    int // and those that are refuted
	declared      int // invariants of the program that are refuted
}

// code is the exit code as an error, nil if everything is proved.
func (t tally) code() error {
	switch {
	case t.refuted+t.falseFacts+t.declared > 0:
		return fault.ExitViolation
	case t.open+t.facts > 0:
		return fault.ExitIncomplete
	}
	return nil
}

// printFindings writes what is wrong at its place in the file, with a state and what both orders make of it.
func printFindings(e *environment.Environment, w io.Writer, set *constraints.Set, report *synth.CheckReport) tally {
	for _, f := range report.Findings {
		lines := f.Text()
		at := &lang.Error{File: set.File, Pos: f.Pos, Msg: lines[0]}
		e.Message(w, at)
		printFolded(w, set.Program, f, lines[1:])
	}
	t := tallyOf(report)
	t.declared = 0 // said for themselves
	return t
}

// tallyOf counts what is wrong.
func tallyOf(report *synth.CheckReport) (t tally) {
	refuted := map[*constraints.Pair]bool{}
	for _, f := range report.Findings {
		switch {
		case f.Fact != nil && f.Wrong():
			t.falseFacts++
		case f.Fact != nil:
			t.facts++
		default:
			refuted[f.Pair] = refuted[f.Pair] || f.Wrong()
		}
	}
	for _, is := range refuted {
		if is {
			t.refuted++
		} else {
			t.open++
		}
	}
	for _, n := range report.Invariants {
		if n.Refuted != nil {
			t.declared++
		}
	}
	return t
}

// printInvariants writes which invariants of the program are wrong, and which are not proved, and counts the wrong
// ones. What is not proved is no fault: the constraints do not rely on it, and run looks at it.
func printInvariants(e *environment.Environment, src step.Loaded, report *synth.CheckReport) (wrong int) {
	for _, n := range report.Invariants {
		switch {
		case n.Refuted != nil:
			wrong++
			lines := n.Refuted.Text()
			e.Message(e.Stdout, &lang.Error{File: output.FileOf(src, n.Refuted.Pos), Pos: n.Refuted.Pos, Msg: lines[0]})
			printFolded(e.Stdout, src.Form(), n.Refuted, lines[1:])
		case !n.Used:
			fmt.Fprintf(e.Stdout, "note: the invariant %s of the program is not proved: %s\n", n.Text, n.Why)
		}
	}
	return wrong
}

// printFolded is printState, folded.
func printFolded(w io.Writer, prog *step.Program, f *synth.Finding, lines []string) {
	terminal.Folded(w, func(w io.Writer) error {
		printState(w, prog, f, lines)
		return nil
	})
}

// printState writes what a finding shows, and how to come there.
func printState(w io.Writer, prog *step.Program, f *synth.Finding, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(w, "      %s\n", line)
	}
	if f.Reach == synth.Reachable && len(f.Schedule) > 0 && len(f.Schedule) <= maxShownSchedule {
		fmt.Fprintf(w, "      how: cdpor run %s --schedule %s\n", source.CommandLine(prog),
			strings.Join(f.Schedule, ","))
	}
}

// maxShownSchedule is the length of the longest schedule that a finding shows.
const maxShownSchedule = 60
