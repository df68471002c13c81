package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

func (c *Command) Run(e *environment.Environment) error {
	rec, err := c.recorded()
	if err = cmp.Or(err, c.publishFlags.check(c, rec != nil)); err != nil {
		return err
	}
	if c.Since != "" && !c.Changed {
		return fault.Inputf("--since goes with --changed")
	}
	return c.unexplored(e, "cdpor run ", c.Program, c.run(e, rec))
}

func (c *Command) run(e *environment.Environment, rec *replay.Record) error {
	switch {
	case rec != nil:
		return c.follow(e, rec)
	case c.Engine == "run":
		return c.runTests(e)
	case c.Watch && c.CheckpointFlags.Every() > 0:
		return fault.Inputf("--watch starts anew after a change; it makes no checkpoints")
	case c.Watch:
		return c.watch(e)
	}
	return c.once(e)
}

// once explores the program, or runs its one schedule.
func (c *Command) once(e *environment.Environment) error {
	alg, err := flags.FindAlgorithm(c.Algorithm)
	if err != nil {
		return err
	}
	opt, err := c.Options(alg)
	if err != nil {
		return err
	}
	if err := c.CheckpointFlags.Check(); err != nil {
		return err
	}
	if err := c.simulateFlags.check(c); err != nil {
		return err
	}
	s := &searching{Command: c, env: e, front: c.frontEnd(), algorithm: alg, runs: map[string]*testRun{}}
	defer s.unbuild()
	if err := s.front.check(c); err != nil {
		return err
	}
	ctx, cancel := c.Bounded(e, c.Timeout)
	defer cancel()
	if done, err := s.front.tests(ctx, s); !done && c.runsInstead(e, err) {
		return s.runTests()
	} else if done || err != nil {
		return err
	}
	src, err := reading(ctx, c, c.Load)
	if err != nil {
		if c.runsInstead(e, err) {
			return s.runTests()
		}
		return err
	}
	m, err := c.Machine(src.Form())
	if err != nil {
		return err
	}
	if err := cmp.Or(c.checkReports(opt.Workers), c.checkConnect(opt.Workers),
		c.checkNative(src, !c.JSON)); err != nil {
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
	if err := c.Reach(ctx, p); err != nil {
		return err
	}
	src, r, err := s.searchWithin(ctx, src, m)
	p.Done()
	if err != nil && c.runsInstead(e, err) { // it is too large, or cut everywhere, or running it is shorter
		return s.runTests()
	}
	if err == nil {
		err = c.finish(ctx, e, r)
		if _, verdict := err.(fault.Code); verdict || err == nil {
			err = cmp.Or(c.nativeResult(e, src, r), err)
		}
	}
	s.cluster.Leave(e, err)
	return err
}

// searchWithin searches, and again where the front end changes the bounds of the program. A test of which nothing comes
// to its end within them counts as one that cannot be read if it can be run.
func (c *searching) searchWithin(ctx context.Context, src step.Loaded, m *step.Machine) (
	_ step.Loaded, r *report.Report, err error) {
	given := c.Bound
	c.runnable = c.canRun()
	defer func() {
		if errors.As(err, &fault.Input{}) {
			c.Bound = given
		}
	}()
	if src, m, err = c.front.widened(ctx, c, src, m); err != nil {
		return src, nil, err
	}
	if r, err = c.search(ctx, src, m); err != nil {
		return src, nil, err
	}
	limited, cancel := ctx, func() {}
	if c.runnable && c.unended(r) != "" {
		limited, cancel = context.WithTimeout(ctx, mostReading)
	}
	defer cancel()
	if src, r, err = c.front.rebound(limited, c, src, r); err != nil || !c.runnable || c.unended(r) == "" {
		return src, r, err
	}
	return src, r, fault.Inputf("%s", c.unended(r))
}

// search explores a program as the flags say, and reports on it.
func (c *searching) search(ctx context.Context, src step.Loaded, m *step.Machine) (r *report.Report, err error) {
	alg, p := c.algorithm, c.progress
	if r, err = c.newReport(c.env, alg, m); err != nil {
		return nil, err
	}
	r.Source = src.Source
	if !c.JSON { // which does not say it
		r.Idle = src.WithoutInfluence()
	}
	r.Atomicity = c.front.atomicity(c.Command, src)
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
	r.Knowledge, err = c.Find(ctx, m.Program, alg, c.Wanted(alg), prove.Host(c.progress))
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
		if r.Result, err = c.explore(ctx, r, a); err != nil {
			return nil, err
		}
	}
	a.End()
	if err := r.AddSimulated(r.Simulated); err != nil {
		return nil, err
	}
	return r, c.excuse(ctx, r)
}

// checkReports checks the flags about what is reported.
func (c *Command) checkReports(workers int) error {
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

// finish reports what was found, and where the search is saved if it can be gone on with.
func (c *Command) finish(ctx context.Context, e *environment.Environment, r *report.Report) error {
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
	opt, _ := c.Options(r.Algorithm) // checked
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
func (c *Command) judge(ctx context.Context, r *report.Report) error {
	graph := c.GraphStates
	if r.Raised != "" && r.Result.Stopped == explore.StoppedBounds {
		graph = min(graph, raisedWork)
	}
	if err := r.Judge(ctx, graph); err != nil {
		return err
	}
	var err error
	if r.Invariants, err = invariants.Everywhere(ctx, r.Machine, r.Knowledge, c.GraphStates,
		r.Result); err != nil {
		return err
	}
	switch r.Result.Stopped {
	case explore.StoppedContext, explore.StoppedTime, explore.StoppedMemory:
		r.Result.Stopped = environment.WhyStopped(ctx)
	}
	if err := r.Cover(ctx); err != nil {
		return err
	}
	c.Allow(r.Result)
	return nil
}

// saveResult writes the file of --save, if it is wanted: of the outcome to show, or else of the first violation that
// has a schedule, or of the first deadlock.
func (c *Command) saveResult(e *environment.Environment, r *report.Report) error {
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

// explore runs the algorithm with the constraints of the run, if it uses some.
func (c *searching) explore(ctx context.Context, r *report.Report, a *progress.Announcer) (*explore.Result, error) {
	p, alg := c.progress, r.Algorithm
	opt, _ := c.Options(alg) // checked
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
	if set := r.Knowledge.Set; set != nil && c.Wanted(alg) {
		opt.Conditions = set.Compile(r.Machine)
	}
	var ask *source.Asker
	if alg.Chooses && opt.Conditions == nil && !c.NoConstraints {
		var err error
		if ask, err = source.NewAsker(r.Machine, prove.Host(c.progress), &c.CacheFlags); err != nil {
			return nil, err
		}
		defer ask.Close()
	}
	if !alg.Chooses { // else see drawTree
		if r.Tree = c.observer(); r.Tree != nil {
			opt.Observer = r.Tree
		}
	}
	opt.GiveUp = limits.GivingUp(ctx)
	start := p.Env.Now()
	w := &checkpoint.Writer{Progress: p, Run: c.savedRun(r.Knowledge, r.Machine.Program), Path: c.Checkpoint,
		Every: c.Every(), Ends: c.Every() > 0, Begun: start, Last: start,
		Off:    c.Watch || c.Connect != "" || c.unsaved || c.see != nil,
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
			c.cluster.Forget()
		}
		c.cluster = c.remote(r, func() *source.Source { return used })
		run = c.cluster.Run
	}
	res, err := run(ctx, r.Machine, alg, opt)
	if context.Cause(ctx) == errShorter {
		return nil, errShorter
	}
	if err == nil && c.Connect != "" && !c.cluster.Submitted {
		c.cluster.Say("explored here: the search ended before workers were needed; --algorithm source is for them " +
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
	r.Checkpoint, r.Lost = w.Saved(res)
	r.Time = p.Env.Now().Sub(start)
	return res, err
}
