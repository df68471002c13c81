package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

type runCommand struct {
	HelpAll helpAll `help:"Show all flags, with those for rarer purposes."`
	programFlags
	goFlags
	engineFlag
	algorithmFlags
	Schedule    *string `placeholder:"LIST" help:"Run exactly this schedule, as a report gives it, and show every step: the number of the thread that takes it, such as 0,1,1,0. 0*12 takes twelve steps, 0:2 the third alternative of a step; those that thread 0 starts are 0/0.0, 0/0.1, 0/1.0: the place in its text, and how many it has started there. The part in parentheses of 0,1,(0,0,1) goes round for ever. Of a Go program what a goroutine does in one line is shown as one step, whatever it takes of the schedule. With --engine run: h is what runs the tests, t the test, t.0 what that starts first, c the clock. Or a file that --save has written."`
	Step        bool    `help:"With a schedule: walk through it. Enter goes on, b goes back, s shows the state, q leaves."`
	StopAtFirst bool    `help:"End the search at the first violation, as soon as the execution that shows it is over."`
	Watch       bool    `help:"Run again whenever the program or its constraint file changes, until Ctrl-C."`
	reportFlags
	goSearchFlags
	searchFlags
	simulateFlags
	estimateFlag
	pictureFlags
	memoryFlags
	livenessFlags
	checkpointFlags
	vacuousFlag
	coverageFlag
	connectFlags
	nativeFlags
	changedFlags
	publishFlags
	formatFlags
}

func (c *runCommand) Run(e *environment.Environment) error {
	rec, err := c.recorded()
	if err = cmp.Or(err, c.checkStep(rec), c.publishFlags.check(c, rec != nil)); err != nil {
		return err
	}
	if c.Since != "" && !c.Changed {
		return fault.Inputf("--since goes with --changed")
	}
	return c.unexplored(e, "cdpor run ", c.Program, c.run(e, rec))
}

func (c *runCommand) run(e *environment.Environment, rec *replay.Record) error {
	switch {
	case rec != nil:
		return c.follow(e, rec)
	case c.Engine == "run":
		return c.runTests(e)
	case c.Watch && c.checkpointFlags.every() > 0:
		return fault.Inputf("--watch starts anew after a change; it makes no checkpoints")
	case c.Watch:
		return c.watch(e)
	}
	return c.once(e)
}

// once explores the program, or runs its one schedule.
func (c *runCommand) once(e *environment.Environment) error {
	alg, err := findAlgorithm(c.Algorithm)
	if err != nil {
		return err
	}
	opt, err := c.options(alg)
	if err != nil {
		return err
	}
	if err := c.checkpointFlags.check(); err != nil {
		return err
	}
	if err := c.simulateFlags.check(c); err != nil {
		return err
	}
	if c.CompareWith != "" && c.checkpointFlags.every() > 0 {
		return fault.Inputf("--compare-with runs two searches; checkpoints are for one")
	}
	compared, err := c.comparison()
	if err = cmp.Or(err, c.serve(compared)); err != nil {
		return err
	}
	s := &searching{runCommand: c, env: e, front: c.frontEnd(), algorithm: alg, compared: compared,
		runs: map[string]*testRun{}}
	if err := s.front.check(c); err != nil {
		return err
	}
	ctx, cancel := c.bounded(e, c.Timeout)
	defer cancel()
	if done, err := s.front.tests(ctx, s); !done && c.runsInstead(e, err) {
		return c.runTests(e)
	} else if done || err != nil {
		return err
	}
	src, err := c.goFlags.load(ctx, &c.programFlags)
	if err != nil {
		if c.runsInstead(e, err) {
			return c.runTests(e)
		}
		return err
	}
	m, err := c.machine(src.Form())
	if err != nil {
		return err
	}
	if err := cmp.Or(c.checkReports(opt.Workers), c.checkConnect(opt.Workers),
		c.checkNative(src, !c.Step && !c.JSON)); err != nil {
		return err
	}
	if c.Schedule != nil && !c.Estimate {
		return c.replay(e, src, m, nil)
	}
	p := progress.New(e)
	defer p.Done()
	if s.progress = p; c.Estimate {
		return s.estimate(ctx, m)
	}
	if err := c.reach(ctx, p); err != nil {
		return err
	}
	src, r, err := s.searchWithin(ctx, src, m)
	p.Done()
	if err == nil {
		err = c.finish(ctx, e, r)
		if _, verdict := err.(fault.Code); verdict || err == nil {
			err = cmp.Or(c.nativeResult(e, src, r), err)
		}
	}
	s.cluster.leave(e, err)
	return err
}

// searching is how a run searches: once, or again within other bounds.
type searching struct {
	*runCommand
	env                 *environment.Environment
	front               frontEnd
	algorithm, compared *explore.Algorithm // compared may be nil
	progress            *progress.Progress
	see                 func(*explore.Result) // also called with the progress; may be nil
	cluster             *remote               // of --connect; else nil
	unsaved             bool                  // there are no checkpoints
	raised              map[string]int        // bounds that have been raised
	runs                map[string]*testRun   // by folder, where tests are run
}

// searchWithin searches, and again where the front end changes the bounds of the program.
func (c *searching) searchWithin(ctx context.Context, src step.Loaded, m *step.Machine) (
	step.Loaded, *report.Report, error) {
	r, err := c.search(ctx, src, m)
	if err != nil {
		return src, nil, err
	}
	return c.front.rebound(ctx, c, src, r)
}

// search explores a program as the flags say, and reports on it.
func (c *searching) search(ctx context.Context, src step.Loaded, m *step.Machine) (r *report.Report, err error) {
	alg, compared, p := c.algorithm, c.compared, c.progress
	if r, err = c.newReport(c.env, alg, m); err != nil {
		return nil, err
	}
	r.Source = src.Source
	if !c.JSON { // which does not say it
		r.Idle = src.WithoutInfluence()
	}
	r.Atomicity = c.front.atomicity(c.runCommand, src)
	a := progress.NewAnnouncer(p)
	defer a.Release() // if an error comes before the report
	simulated, err := c.simulate(ctx, r, p, a)
	if err != nil {
		return nil, err
	}
	if c.suffices(simulated) {
		a.End()
		return simulated, nil
	}
	if err := c.checkSize(m); err != nil {
		return nil, err
	}
	r.Simulated = simulated.Schedules()
	user := alg
	if compared != nil && !c.wanted(alg) && c.wanted(compared) {
		user = compared
	}
	r.Knowledge, err = c.Find(ctx, m.Program, user, c.wanted(user), host(c.progress))
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.Knowledge = &source.Source{Trust: source.None, Origin: "none: the synthesis did not come to its end (" +
			environment.WhyStopped(ctx) + ")"}
		r.Result = &explore.Result{Algorithm: alg.Name, Verdict: explore.Incomplete, Stopped: explore.StoppedContext}
	default:
		return nil, err
	}
	if r.Result == nil {
		if r.Result, err = c.explore(ctx, r, alg, a); err != nil {
			return nil, err
		}
	}
	if compared != nil {
		if r.Compared, err = c.explore(ctx, r, compared, a); err != nil {
			return nil, err
		}
		if difference := compare.Disagreement(r.Result, r.Compared); difference != "" {
			return nil, r.Knowledge.Blame(alg.Name, compared.Name, difference)
		}
	}
	a.End()
	if err := r.AddSimulated(r.Simulated); err != nil {
		return nil, err
	}
	return r, c.excuse(ctx, r)
}

// newReport is the report on a search of a machine, without a result.
func (c *runCommand) newReport(e *environment.Environment, alg *explore.Algorithm, m *step.Machine) (
	*report.Report, error) {
	p, err := replay.New(m)
	return &report.Report{Machine: m, Player: p, Out: e.Stdout, Colour: e.Colour(e.Stdout),
		Options: c.reported(e, alg), Algorithm: alg}, err
}

// reported returns the options of the report.
func (c *runCommand) reported(e *environment.Environment, alg *explore.Algorithm) report.Options {
	return report.Options{Program: c.Program, Arguments: c.goFlags.arguments(&c.programFlags), Saved: c.Save,
		Bounds:   report.Bounds{MaxExecutions: c.MaxExecutions, MaxDepth: c.MaxDepth, Preemptions: c.Preemptions},
		Symmetry: c.Symmetry, Constrained: c.wanted(alg), Alone: c.alone(),
		Verbose:       c.Verbose,
		EarlyCounts:   c.EarlyTimers || c.StopAtFirst || c.CompareWith != "",
		AllViolations: c.AllViolations, NoMinimize: c.NoMinimize, GitHub: e.GitHub, Show: c.Show}
}

// checkReports checks the flags about what is reported.
func (c *runCommand) checkReports(workers int) error {
	if err := c.pictureFlags.check(c.Schedule, workers); err != nil {
		return err
	}
	if c.Coverage && c.Schedule != nil {
		return fault.Inputf("--coverage is about a search; it does not go with --schedule")
	}
	if c.Show < 0 {
		return fault.Inputf("--show cannot be negative")
	}
	return nil
}

// checkSize refuses a program with more actions than a search can tell apart.
func (c *runCommand) checkSize(m *step.Machine) error {
	if n := m.NumActions(); n > explore.MaxActions {
		return fault.Inputf("%s has %s with %s, too many to explore: at most %d can be. cdpor run --simulate "+
			"N runs random schedules",
			c.Program, terminal.Plural(m.NumProcs(), "process"), terminal.Plural(n, "alternative"), explore.MaxActions)
	}
	return nil
}

// finish reports what was found, and where the search is saved if it can be gone on with.
func (c *runCommand) finish(ctx context.Context, e *environment.Environment, r *report.Report) error {
	var end context.CancelFunc
	r.Patience, end = limits.Patience(ctx)
	defer end()
	if text := whereSaved(r.Checkpoint, r.Lost, r.Result.Stopped); text != "" {
		defer fmt.Fprint(e.Stderr, text)
	}
	if err := c.judge(ctx, r); err != nil {
		return err
	}
	if err := c.checkAtomicity(ctx, e, r); err != nil {
		return err
	}
	if c.Show > r.Result.Outcomes.Len() {
		verb := "are"
		if r.Result.Outcomes.Len() == 1 {
			verb = "is"
		}
		return fault.Inputf("--show %d: there %s %s", c.Show, verb, terminal.Plural(r.Result.Outcomes.Len(), "outcome"))
	}
	opt, _ := c.options(r.Algorithm) // checked
	if err := c.drawTree(ctx, r, opt); err != nil {
		return err
	}
	unwritten := errors.Join(c.saveResult(e, r), c.draw(e.Stderr, r)) // the report tells what was saved
	var list []*findings.Finding
	if c.publishFlags.publishes(e) {
		var err error
		if list, err = r.Findings(); err != nil {
			return err
		}
		c.mark(list)
		r.Know(list)
	}
	if err := cmp.Or(r.Write(c.JSON), unwritten); err != nil {
		return err
	}
	return publishOne(e, c, list, r.Verdict(), r.Machine.Program.From, verdictCode(r.Result.Verdict),
		withoutKnown(r.Result.Stopped == explore.StoppedComplete))
}

// whereSaved says where a search that has ended early is saved, if it is, or else what was lost.
func whereSaved(path, lost, stopped string) string {
	switch {
	case path == "" && lost == "":
		return ""
	case path == "":
		return fmt.Sprintf("cdpor: %s\n", lost)
	}
	further := ""
	if stopped == explore.StoppedExecutions {
		further = " --max-executions 0"
	}
	return fmt.Sprintf("cdpor: %s; go on with: cdpor resume %s%s\n", cmp.Or(lost, "the search is saved"),
		terminal.Quote(path), further)
}

// judge says what a search is worth: all that is in its report beside what it has found.
func (c *runCommand) judge(ctx context.Context, r *report.Report) error {
	graph := c.GraphStates
	if r.Raised != "" && r.Result.Stopped == explore.StoppedBounds {
		graph = min(graph, raisedWork)
	}
	if err := r.Judge(ctx, graph); err != nil {
		return err
	}
	var err error
	if r.Invariants, err = invariants.Everywhere(ctx, r.Machine, r.Knowledge, c.GraphStates, r.Result,
		r.Compared); err != nil {
		return err
	}
	for _, res := range []*explore.Result{r.Result, r.Compared} {
		if res == nil {
			continue
		}
		switch res.Stopped {
		case explore.StoppedContext, explore.StoppedTime, explore.StoppedMemory:
			res.Stopped = environment.WhyStopped(ctx)
		}
	}
	if err := r.Cover(ctx); err != nil {
		return err
	}
	c.allow(r.Result, r.Compared)
	return nil
}

// saveResult writes the file of --save, if it is wanted: of the outcome to show, or else of the first violation that
// has a schedule, or of the first deadlock.
func (c *runCommand) saveResult(e *environment.Environment, r *report.Report) error {
	if c.Save == "" {
		return nil
	}
	if c.Show > 0 {
		found := r.Result.Outcomes.At(c.Show - 1).Schedule
		return c.save(r.Player, &liveness.Lasso{Stem: r.Simplify(found)}, found)
	}
	for _, g := range r.Groups() {
		if v := g.Shown; v.Schedule != nil {
			if err := c.save(r.Player, r.LassoOf(v), v.Schedule); err != nil {
				return err
			}
			r.Recorded = v
			return nil
		}
	}
	if list := r.Result.Deadlocks; list.Len() > 0 {
		found := list.At(0).Schedule
		return c.save(r.Player, &liveness.Lasso{Stem: r.Simplify(found)}, found)
	}
	fmt.Fprintf(e.Stderr, "cdpor: --save: no violation has a schedule; --show N --save FILE "+
		"writes that of an outcome\n")
	return nil
}

// stoppedBy maps the cause that ended a context to the reason in the result.
var stoppedBy = map[error]string{errEnough: explore.StoppedEnough, errLong: stoppedLong}

// explore runs one algorithm with the constraints of the run, if it uses some.
func (c *searching) explore(ctx context.Context, r *report.Report, alg *explore.Algorithm, a *progress.Announcer) (
	*explore.Result, error) {
	p := c.progress
	opt, _ := c.options(r.Algorithm) // checked
	p.Advise = func(res *explore.Result) []string {
		return append(report.Crowd(r.Machine.Program, res), c.large(ctx, r.Machine)...)
	}
	opt.Progress, opt.Found, opt.StopAtFirst = p.Exploring, a.Found(r, "search"), c.StopAtFirst
	if c.see != nil {
		opt.Progress = func(r *explore.Result) {
			p.Exploring(r)
			c.see(r)
		}
	}
	ctx, enough := c.front.untilEnough(ctx, c, r, &opt)
	defer enough(nil)
	if set := r.Knowledge.Set; set != nil && c.wanted(alg) {
		opt.Conditions = set.Compile(r.Machine)
	}
	var ask *source.Asker
	if alg.Chooses && opt.Conditions == nil && !c.NoConstraints {
		var err error
		if ask, err = source.NewAsker(r.Machine, host(c.progress), &c.CacheFlags); err != nil {
			return nil, err
		}
		defer ask.Close()
	}
	if alg == r.Algorithm && !alg.Chooses { // else see drawTree
		if r.Tree = c.observer(); r.Tree != nil {
			opt.Observer = r.Tree
		}
	}
	opt.Symmetry = opt.Symmetry && r.Result == nil // not the second algorithm
	opt.GiveUp = limits.GivingUp(ctx)
	start := p.Env.Now()
	w := &checkpoint.Writer{Progress: p, Run: c.savedRun(r.Knowledge, r.Machine.Program), Path: c.Checkpoint,
		Every: c.every(), Ends: c.every() > 0, Begun: start, Last: start,
		Off:    c.CompareWith != "" || c.Watch || c.Connect != "" || c.unsaved || c.see != nil,
		Enough: func() bool { return context.Cause(ctx) == errEnough }}
	if r.Machine.Program.From != "" {
		w.Base = strings.TrimSuffix(source.Beside(r.Machine.Program), ".constraints.yaml")
	}
	if !w.Off {
		opt.Checkpoint = w.Offer
	}
	w.Run.Simulated = r.Simulated
	used := r.Knowledge
	ask.Answers(r.Machine, &opt, func(k *source.Source) {
		used, w.Run.Constraints = k, checkpoint.SaveConstraints(k)
	})
	run := explore.Run
	if c.Connect != "" {
		if c.cluster != nil { // of the search before
			c.cluster.forget()
		}
		c.cluster = c.remote(r, func() *source.Source { return used })
		run = c.cluster.run
	}
	res, err := run(ctx, r.Machine, alg, opt)
	if err == nil && c.Connect != "" && !c.cluster.submitted {
		c.cluster.say("explored here: the search ended before workers were needed; --algorithm source is for them " +
			"from the start")
	}
	switch {
	case err != nil || ask == nil:
	case res.Constrained && ask.Found != nil:
		r.Knowledge = ask.Found
	case r.Knowledge.Set == nil:
		r.Knowledge = source.WithoutAny()
	}
	if err == nil && res.Stopped == explore.StoppedContext {
		res.Stopped = cmp.Or(stoppedBy[context.Cause(ctx)], res.Stopped)
	}
	if r.Checkpoint, r.Lost = w.Saved(res); alg == r.Algorithm {
		r.Time = p.Env.Now().Sub(start)
	}
	return res, err
}

// savedRun is the run for a checkpoint.
func (c *runCommand) savedRun(k *source.Source, prog *step.Program) *checkpoint.Run {
	return &checkpoint.Run{Cdpor: version, Program: c.Program, Param: c.Param, Atomicity: c.Atomicity,
		Text: string(c.text), Constraints: checkpoint.SaveConstraints(k), Go: c.savedGo(prog)}
}

// verdictCode is the exit code of a verdict as an error, nil for ok.
func verdictCode(v explore.Verdict) error {
	switch v {
	case explore.OK:
		return nil
	case explore.Violated:
		return fault.ExitViolation
	}
	return fault.ExitIncomplete
}

// save writes a schedule to the file of --save. found is the schedule before it was simplified.
func (c *runCommand) save(p *replay.Player, l *liveness.Lasso, found []int32) error {
	rec, err := p.Record(context.Background(), l, found, c.liveness())
	if err != nil {
		return execution.ReplayError(err)
	}
	rec.Program, rec.Param, rec.Atomicity, rec.Text = c.Program, c.Param, c.Atomicity, string(c.text)
	rec.Go = c.goFlags.record(p.Machine().Program)
	return record.Write(rec, c.Save)
}
