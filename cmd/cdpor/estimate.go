package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/sample"
	"cdpor/lang/step"
)

// How large a search is going to be, from samples of it; and what makes it large.

// estimateFlag asks for that in place of a search.
type estimateFlag struct {
	Estimate bool `help:"Explore nothing: say what each algorithm would cost, from random samples and the first ${tried} nodes of each, and what makes it much."`
}

// triedNodes are how many nodes of each search are visited to see what it costs.
const triedNodes = 20_000

// estimate prints what the algorithms cost.
func (c *runCommand) estimate(ctx context.Context, e *environment.Environment, m *step.Machine,
	p *progress.Progress) error {
	if flag := firstGiven([]givenFlag{{c.JSON, "--json"}, {c.Slice, "--slice"}, {c.Schedule != nil, "--schedule"},
		{c.alone(), "--simulate"}, {c.CompareWith != "", "--compare-with"}, {c.Connect != "", "--connect"},
		{c.Save != "", "--save"}, {c.HTML != "", "--html"}, {c.Tree != "", "--tree"},
		{c.checkpointFlags.every() > 0, "--checkpoint"}}); flag != "" {
		return fault.Inputf("%s does not go with --estimate, which explores nothing", flag)
	}
	if err := c.checkSize(m); err != nil {
		return err
	}
	trees, unknown := map[bool]*sample.Size{}, map[bool]string{}
	for _, sleep := range []bool{false, true} {
		size, err := sample.Tree(ctx, m, sample.Options{Sleep: sleep, Seed: c.Seed})
		var u sample.Unknown
		if errors.As(err, &u) {
			unknown[sleep] = u.Error()
		} else if err != nil {
			return fault.Unfinished{Err: err}
		}
		trees[sleep] = size
	}
	lines := [][]string{{"ALGORITHM", "EXECUTIONS", "NODES", "TIME"}}
	for _, a := range explore.Algorithms() {
		if a.Chooses || compare.UsesConstraints(a) {
			continue
		}
		tried, took, err := try(ctx, e, m, a)
		if err != nil {
			return err
		}
		lines = append(lines, costs(a, tried, took, trees))
	}
	p.Done()
	return terminal.Folded(e.Stdout, func(w io.Writer) error {
		terminal.PrintTable(w, lines, []int{0}, 0, 0, false)
		fmt.Fprintln(w)
		for _, sleep := range []bool{false, true} {
			name := map[bool]string{false: "the interleavings", true: "their classes (Mazurkiewicz traces)"}[sleep]
			switch size := trees[sleep]; {
			case size == nil:
				fmt.Fprintf(w, "%s are not estimated: %s\n", name, unknown[sleep])
			case size.Exact:
				fmt.Fprintf(w, "%s are counted, not estimated\n", name)
			default:
				fmt.Fprintf(w, "%s: mean of %d samples, with the interval of 95%% confidence (Knuth 1975, Chen 1992)\n",
					name, size.Probes)
			}
		}
		fmt.Fprintf(w, "nodes: states of exhaustive; steps, but for the first node, of the others\n"+
			"time: at the rate of the first %s nodes here; without constraints\n", terminal.Short(triedNodes))
		for _, line := range c.large(ctx, m) {
			fmt.Fprintf(w, "advice: %s\n", line)
		}
		return nil
	})
}

// try runs the beginning of a search. Its result has StoppedComplete if that was all.
func try(ctx context.Context, e *environment.Environment, m *step.Machine, a *explore.Algorithm) (
	*explore.Result, time.Duration, error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	start := e.Now()
	r, err := explore.Run(within, m.Fresh(), a, explore.Options{
		GiveUp: limits.GivingUp(ctx),
		Progress: func(r *explore.Result) {
			if max(r.Nodes, r.States) >= triedNodes {
				stop()
			}
		}})
	if err == nil && ctx.Err() != nil {
		err = fault.Unfinished{Err: errors.New("there was no time to try " + a.Name)}
	}
	return r, e.Now().Sub(start), err
}

// costs are the line of an algorithm in the table.
func costs(a *explore.Algorithm, tried *explore.Result, took time.Duration, trees map[bool]*sample.Size) []string {
	nodes := max(tried.Nodes, tried.States)
	if tried.Stopped == explore.StoppedComplete {
		return []string{a.Name, strconv.FormatInt(tried.Executions, 10), strconv.FormatInt(nodes, 10),
			terminal.Seconds(took.Seconds())}
	}
	rate := took.Seconds() / float64(nodes)
	line := []string{a.Name, "not known", "more than " + terminal.Short(float64(nodes)), "not known"}
	exact := a.Name == "interleavings" || a.Name == "sleep" // the tree itself
	switch size := trees[a.Name != "interleavings"]; {
	case size == nil || a.Stateful:
	case exact:
		line[1], line[2], line[3] = interval(size.Executions), interval(size.Nodes), times(size.Nodes, rate)
	case a.Traces:
		line[1] = interval(size.Executions)
		if tried.Executions > 0 && size.Executions.Mean > 0 {
			line[3] = times(size.Executions, took.Seconds()/float64(tried.Executions))
		}
	default:
		line[1] = "at most " + interval(size.Executions)
	}
	return line
}

// interval is a number, and between what it is if it is not certain.
func interval(n sample.Number) string {
	switch {
	case n.Low == n.High && n.Mean < 1e6:
		return strconv.FormatFloat(n.Mean, 'f', 0, 64)
	case n.Low == n.High:
		return large(n.Mean)
	case n.Mean == 0:
		return "none sampled"
	}
	return fmt.Sprintf("%s (%s to %s)", large(n.Mean), large(n.Low), large(n.High))
}

// large is a number with two digits at least.
func large(f float64) string {
	if f >= 1e15 {
		return strconv.FormatFloat(f, 'e', 1, 64)
	}
	return terminal.Short(f)
}

// times is how long so much takes at a rate.
func times(n sample.Number, rate float64) string {
	low, high := spell(n.Low*rate), spell(n.High*rate)
	if low == high {
		return low
	}
	return low + " to " + high
}

// spell writes some seconds with no more digits than an estimate deserves.
func spell(seconds float64) string {
	const year = 365.25 * 24 * 3600
	switch {
	case seconds < 1:
		return "under 1s"
	case seconds > 1000*year:
		return "more than 1000 years"
	case seconds > 2*year:
		return fmt.Sprintf("%.0f years", seconds/year)
	}
	return progress.Roughly(time.Duration(seconds * float64(time.Second)))
}

// much is how many times fewer steps there must be without something to name it.
const much = 3

// large says what makes a search large: which parameter or number of threads, and which loop. It looks at samples, so
// it says the same whatever the machine is.
func (c *runCommand) large(ctx context.Context, m *step.Machine) (list []string) {
	few := sample.Options{Sleep: true, Probes: 25, Budget: 50_000, Seed: c.Seed}
	all, err := sample.Tree(ctx, m, few)
	if err != nil {
		return nil
	}
	best, most := "", float64(much)
	better := func(m *step.Machine, opt sample.Options, say string) {
		if size, err := sample.Tree(ctx, m, opt); err == nil && all.Nodes.Mean/size.Nodes.Mean >= most {
			most = all.Nodes.Mean / size.Nodes.Mean
			best = fmt.Sprintf(say, large(most))
		}
	}
	for _, prm := range m.Program.Params {
		if prm.Type.Kind > step.Range || prm.Words[0] < 2 || isGo(c.Program) {
			continue
		}
		less := c.programFlags
		fewer := fmt.Sprintf("%s=%d", prm.Name, prm.Words[0]-1)
		less.Param = append(less.Param[:len(less.Param):len(less.Param)], fewer)
		src, err := less.loadText(less.Program, less.text)
		if err != nil {
			continue
		}
		if smaller, err := step.NewMachine(src.Program); err == nil {
			better(smaller, few, fmt.Sprintf("-p %s takes %%s times fewer steps than %s=%d", fewer, prm.Name,
				prm.Words[0]))
		}
	}
	last := map[*step.Template]int{}
	for p, proc := range m.Program.Procs {
		last[proc.Template] = p + 1
	}
	for _, t := range m.Program.Templates {
		if t.Count < 2 || t.Pool != nil {
			continue
		}
		without := few
		without.Without = last[t]
		better(m, without, fmt.Sprintf("count: %d of %s takes %%s times fewer steps than %d",
			t.Count-1, t.Name, t.Count))
	}
	if best != "" {
		list = append(list, best)
	}
	if l := sample.Rounds(m); l != nil && l.Share >= 0.3 {
		pos := l.Step.Pos
		list = append(list, fmt.Sprintf("the loop around %s takes %.0f%% of the steps, each thread goes round %.0f "+
			"times: fewer rounds, or several statements in one atomic { }, make it less",
			strings.TrimPrefix(m.Program.At(pos), ":"), 100*l.Share, l.Rounds))
	}
	return list
}
