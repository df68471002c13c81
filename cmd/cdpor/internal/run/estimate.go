package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/sample"
	"cdpor/lang/step"
)

// How large a search is going to be, from samples of it; and what makes it large.

const (
	TriedNodes   = 20_000 // of each search, to see what it costs
	triedByAuto  = 10 * TriedNodes
	triedToProve = 20 * time.Second // to find constraints for such a search
)

// An Estimate has the costs of the searches of a program.
type Estimate struct {
	Cdpor         int      `json:"cdpor"`
	Program       string   `json:"program"`
	Algorithms    []*cost  `json:"algorithms"`
	Interleavings treeSize `json:"interleavings"`
	Classes       treeSize `json:"classes"` // Mazurkiewicz traces: the tree of sleep sets
	Advice        []string `json:"advice"`
}

// A treeSize is the size of a tree, counted or estimated, or why it is not known.
type treeSize struct {
	Exact      bool           `json:"exact"`
	Samples    int            `json:"samples,omitempty"`
	Executions *sample.Number `json:"executions,omitempty"`
	Nodes      *sample.Number `json:"nodes,omitempty"`
	Unknown    string         `json:"unknown,omitempty"`
	size       *sample.Size
}

// A cost is the cost of a search by one algorithm. One that came to its end while it was tried is counted as a whole.
type cost struct {
	Algorithm  string         `json:"algorithm"`
	Complete   bool           `json:"complete"`
	Executions *sample.Number `json:"executions,omitempty"` // missing: not known
	AtMost     bool           `json:"at_most,omitempty"`    // so many executions
	Nodes      *sample.Number `json:"nodes,omitempty"`      // missing: more than were tried
	Tried      int64          `json:"tried_nodes"`
	Seconds    *sample.Number `json:"seconds,omitempty"`
	Synthesis  float64        `json:"synthesis_seconds,omitempty"` // to find constraints, which comes first
	Unknown    string         `json:"unknown,omitempty"`           // why it was not tried
}

// estimate prints what the algorithms cost.
func (c *searching) estimate(ctx context.Context, m *step.Machine) error {
	if flag := firstGiven([]givenFlag{{c.Schedule != nil, "--schedule"},
		{c.alone(), "--simulate"}, {c.Connect != "", "--connect"},
		{c.Save != "", "--save"}, {c.HTML != "", "--html"},
		{c.CheckpointFlags.Every() > 0, "--checkpoint"}}); flag != "" {
		return fault.Inputf("%s does not go with --estimate, which explores nothing", flag)
	}
	if err := c.checkSize(m); err != nil {
		return err
	}
	all := &Estimate{Cdpor: output.Version, Program: c.Program, Advice: []string{}}
	for _, tree := range []*treeSize{&all.Interleavings, &all.Classes} {
		if err := tree.sample(ctx, m, sample.Options{Sleep: tree == &all.Classes, Seed: c.Seed}); err != nil {
			return err
		}
	}
	for _, a := range explore.Algorithms() {
		if compare.UsesConstraints(a) && c.NoConstraints {
			continue
		}
		cost, err := c.try(ctx, m, a)
		if err != nil {
			return err
		}
		cost.guess(a, all)
		all.Algorithms = append(all.Algorithms, cost)
	}
	if !all.small() {
		all.Advice = append(all.Advice, c.large(ctx, m)...)
	}
	c.progress.Done()
	if c.JSON {
		return output.Write(c.env.Stdout, all)
	}
	return terminal.Folded(c.env.Stdout, func(w io.Writer) error {
		all.write(w, terminal.Columns(c.env.Stdout))
		return nil
	})
}

// sample looks at a tree.
func (t *treeSize) sample(ctx context.Context, m *step.Machine, opt sample.Options) error {
	size, err := sample.Tree(ctx, m, opt)
	if u := sample.Unknown(""); errors.As(err, &u) {
		t.Unknown = u.Error()
		return nil
	} else if err != nil {
		return fault.Unfinished{Err: err}
	}
	t.size, t.Exact = size, size.Exact
	if t.Executions, t.Nodes = sampled(size.Executions), sampled(size.Nodes); !t.Exact {
		t.Samples = size.Probes
	}
	return nil
}

// sampled is an estimate; nil if no sample had one of what is counted.
func sampled(n sample.Number) *sample.Number {
	if math.IsInf(n.High, 1) {
		return nil
	}
	return &n
}

// counted is a number that is certain.
func counted(n float64) *sample.Number { return &sample.Number{Mean: n, Low: n, High: n} }

// write writes the table, where its numbers come from, and the advice.
func (all *Estimate) write(w io.Writer, columns int) {
	lines := [][]string{{"ALGORITHM", "EXECUTIONS", "NODES", "TIME"}}
	for _, c := range all.Algorithms {
		lines = append(lines, c.cells())
	}
	terminal.PrintTable(w, lines, []int{0}, 0, columns, false)
	fmt.Fprintln(w)
	interleavings, classes := all.Interleavings.source(), all.Classes.source()
	if interleavings == classes {
		fmt.Fprintf(w, "executions: %s\n", classes)
	} else {
		fmt.Fprintf(w, "executions: interleavings %s; their classes (Mazurkiewicz traces) %s\n", interleavings, classes)
	}
	fmt.Fprintf(w, "nodes: states of exhaustive, else steps\ntime: at the rate of the first %s nodes here\n",
		terminal.Short(TriedNodes))
	for _, c := range all.Algorithms {
		switch {
		case c.Unknown != "":
			fmt.Fprintf(w, "%s: not tried: %s\n", c.Algorithm, c.Unknown)
		case c.Synthesis > 0:
			fmt.Fprintf(w, "%s: and %s to find constraints\n", c.Algorithm, terminal.Seconds(c.Synthesis))
		}
	}
	if all.small() {
		fmt.Fprintln(w, "auto, the default, explores all of it")
	}
	for _, line := range all.Advice {
		fmt.Fprintf(w, "advice: %s\n", line)
	}
}

// small reports whether the search that runs unless another one is chosen came to its end.
func (all *Estimate) small() bool {
	return slices.ContainsFunc(all.Algorithms, func(c *cost) bool { return c.Algorithm == "auto" && c.Complete })
}

// source says where the size of a tree comes from.
func (t *treeSize) source() string {
	switch {
	case t.Unknown != "":
		return "not estimated: " + t.Unknown
	case t.Exact:
		return "counted"
	}
	return fmt.Sprintf("the mean of %d samples, ± the interval of 95%% (Knuth 1975, Chen 1992)", t.Samples)
}

// cells are the line of an algorithm in the table.
func (c *cost) cells() []string {
	line := []string{c.Algorithm, "not known", "more than " + terminal.Short(float64(c.Tried)), "not known"}
	if c.Unknown != "" {
		line[2] = "not known"
	}
	if n := c.Executions; n != nil && c.AtMost {
		line[1] = "at most " + large(n.High)
	} else if n != nil {
		line[1] = said(n)
	}
	if c.Nodes != nil {
		line[2] = said(c.Nodes)
	}
	if t := c.Seconds; t != nil && c.Complete {
		line[3] = terminal.Seconds(t.Mean)
	} else if t != nil {
		line[3] = spell(t.Low)
		if high := spell(t.High); high != line[3] {
			line[3] += " to " + high
		}
	}
	return line
}

// said is a number, and how far it may be off.
func said(n *sample.Number) string {
	switch {
	case n.Low == n.High && n.Mean < 1e6:
		return strconv.FormatFloat(n.Mean, 'f', 0, 64)
	case n.Low == n.High:
		return large(n.Mean)
	}
	return fmt.Sprintf("%s ±%.0f%%", large(n.Mean), math.Ceil(100*(n.High/n.Mean-1)))
}

// try runs the beginning of a search. What it costs is complete if that was all.
func (c *searching) try(ctx context.Context, m *step.Machine, a *explore.Algorithm) (*cost, error) {
	m = m.Fresh() // searches give identities to processes that are started
	out, nodes := &cost{Algorithm: a.Name}, int64(TriedNodes)
	if a.Chooses {
		nodes = triedByAuto // auto runs unless another one is chosen
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	opt := explore.Options{GiveUp: limits.GivingUp(ctx), Progress: func(r *explore.Result) {
		if max(r.Nodes, r.States) >= nodes {
			stop()
		}
	}}
	if err := c.conditions(ctx, m, a, &opt, out); err != nil || out.Unknown != "" {
		return out, err
	}
	if a.Chooses && opt.Conditions == nil && !c.NoConstraints {
		ask, err := source.NewAsker(m, prove.Host(c.progress), &c.CacheFlags)
		if err != nil {
			return nil, err
		}
		defer ask.Close()
		ask.Answers(m, &opt, nil)
	}
	start := c.env.Now()
	r, err := explore.Run(within, m, a, opt)
	if err == nil && ctx.Err() != nil {
		err = fault.Unfinished{Err: errors.New("there was no time to try " + a.Name)}
	}
	if err != nil {
		return nil, err
	}
	out.Tried, out.Complete = max(r.Nodes, r.States), r.Stopped == explore.StoppedComplete
	out.Executions, out.Seconds = counted(float64(r.Executions)), counted(c.env.Now().Sub(start).Seconds())
	return out, nil
}

// conditions gives a search that is tried the constraints that it is to use.
func (c *searching) conditions(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt *explore.Options,
	out *cost) error {
	limited, end := context.WithTimeout(ctx, triedToProve)
	defer end()
	start := c.env.Now()
	know, err := c.Find(limited, m.Program, a, c.Wanted(a), prove.Host(c.progress))
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		out.Unknown = fmt.Sprintf("to find constraints takes more than %s", triedToProve)
		return nil
	case err != nil:
		return err
	case know.Set != nil:
		out.Synthesis, opt.Conditions = c.env.Now().Sub(start).Seconds(), know.Set.Compile(m)
	case compare.UsesConstraints(a):
		out.Unknown = "constraints: " + know.Origin
	}
	return nil
}

// guess says what a search costs whose beginning was tried, from the sizes of trees.
func (c *cost) guess(a *explore.Algorithm, all *Estimate) {
	executions, seconds := c.Executions, c.Seconds
	if c.Complete {
		c.Nodes = counted(float64(c.Tried))
		return
	}
	c.Executions, c.Seconds = nil, nil
	tree := &all.Classes
	if a.Name == "interleavings" {
		tree = &all.Interleavings
	}
	switch {
	case c.Unknown != "" || tree.size == nil || a.Stateful || a.Chooses:
	case a.Name == "interleavings" || a.Name == "sleep": // the tree itself
		c.Executions, c.Nodes = tree.Executions, tree.Nodes
		if tree.Nodes != nil {
			c.Seconds = times(tree.Nodes, seconds.Mean/float64(c.Tried))
		}
	case a.Traces:
		if c.Executions = tree.Executions; c.Executions != nil && executions.Mean > 0 {
			c.Seconds = times(tree.Executions, seconds.Mean/executions.Mean)
		}
	default:
		c.Executions, c.AtMost = tree.Executions, tree.Executions != nil
	}
}

// times is a number of times as much.
func times(n *sample.Number, f float64) *sample.Number {
	return &sample.Number{Mean: n.Mean * f, Low: n.Low * f, High: n.High * f}
}

// large is a number with two digits at least.
func large(f float64) string {
	if f >= 1e15 {
		return strings.Replace(strconv.FormatFloat(f, 'e', 1, 64), "e+", "e", 1)
	}
	return terminal.Short(f)
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
func (c *Command) large(ctx context.Context, m *step.Machine) (list []string) {
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
		if prm.Type.Kind > step.Range || prm.Words[0] < 2 || flags.IsGo(c.Program) {
			continue
		}
		less := c.ProgramFlags
		fewer := fmt.Sprintf("%s=%d", prm.Name, prm.Words[0]-1)
		less.Param = append(less.Param[:len(less.Param):len(less.Param)], fewer)
		src, err := less.LoadText(less.Program, less.Text)
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
