package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/meter"
	"cdpor/explore/internal/reversal"
	"cdpor/lang/golang/native"
)

// An Executor runs a test once: native.Process.
type Executor interface {
	Execute(ctx context.Context, c *native.Command) (*native.Record, error)
	// SetWidth says how many actions a goroutine has.
	SetWidth(int)
	// SetCold sets whether each execution is the first one of a process, SetNames how goroutines are named in those
	// that are begun from now on.
	SetCold(bool)
	SetNames([]int32)
}

// Options say how to search.
type Options struct {
	Algorithm  *dpor.Algorithm `json:"-"`
	Instead    *dpor.Algorithm `json:"-"` // takes over if one in three executions is given up; nil: none does
	Executions int64           // at most; 0: any number
	Events     int             // of one execution, at most
	Random     int             // executions at random and by priorities before the systematic search
	OnlyRandom bool            // and nothing else
	Seed       int32
	All        bool   // go on behind the first finding
	Plain      bool   // operations of an object depend on each other whatever its state and their arguments
	Calls      *Calls `json:"-"` // of methods that are taken for one step
	Early      bool   // a test that fails only because a timer fires although somebody can go on is a finding, too
	// Preempt bounds how often a goroutine that could go on is left in an execution.
	Preempt     bool
	Preemptions int
	// Delays: where time ends the search, half of it is for schedules with few delays.
	Delays  bool
	Helpers []Executor `json:"-"` // that execute ahead what the search will ask for
	// Seen, if it is there, is called with each execution, Progress with what is known behind it.
	Seen     func(*native.Record) `json:"-"`
	Progress func(*Result)        `json:"-"`
	// Checkpoint, if it is there, may save the search: behind an execution, or because it has been stopped early.
	Checkpoint func(stopped string, save func() *Saved) `json:"-"`
	From       *Saved                                   `json:"-"` // go on from there
}

// What ends a search early, beside differences.
const (
	StoppedExecutions = "executions"
	StoppedContext    = "interrupted" // or out of time
	StoppedFound      = "at the first finding"
	StoppedDiffers    = "executions of the same schedule differ"
	StoppedRandom     = "random schedules are all that was asked for"
	StoppedSlow       = "an execution takes longer than half a minute: the test waits for what has no gate, such as " +
		"the network, or goes on for ever without one"
)

const (
	// patience is how long an execution may take to come to its end when the search is to, longest how long any may.
	patience = 2 * time.Second
	longest  = 30 * time.Second
)

var errSlow = errors.New("slow")

// Supported reports whether an algorithm can search a program that is run: what processes may still do is not known,
// nor are states compared.
func Supported(a *dpor.Algorithm) bool {
	switch a {
	case dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.ClassicAlgorithm, dpor.SleepAlgorithm,
		dpor.InterleavingsAlgorithm:
		return true
	}
	return false
}

// A Finding is an execution that should not be.
type Finding struct {
	Kind     Kind
	Schedule []int32
	Width    int            // of its actions
	Record   *native.Record `json:"-"`
}

// A Kind says what is wrong.
type Kind string

const (
	Failed   Kind = "failed test"
	Deadlock Kind = "deadlock"
	Leak     Kind = "leak"
	Race     Kind = "data race"
	Crash    Kind = "panic"
)

// A Result has the findings and counts of a search.
type Result struct {
	Algorithm  string
	Executions int64 // complete ones
	Blocked    int64 // given up because all that was possible slept
	Cut        int64 // ended by the bound of events
	Runs       int64 // of the test, those that answer questions included
	Events     int64
	Races      int64 // between operations, that were reversed
	Stuck      int64 // executions at whose end somebody waits for good
	Barred     int64 // prefixes behind which the bound of preemptions forbids something
	Goroutines int
	Findings   []Finding
	Stopped    string   // why the search has not come to its end; "": it has
	Unlike     string   // the first difference between two executions of the same prefix; "": none
	Timed      bool     // the test has timers
	Asked      bool     // it asks which goroutines there are, which has no gate
	Beside     bool     // a bubble of testing/synctest was not alone
	Early      *Finding // a test that has failed where a timer fires although somebody can go on
	Afresh     bool     // a process for each execution
	Kept       string   // a place in a module that the test's depends on: something there outlasts executions
	Delays     int      // all schedules with so many delays were executed
	Delayed    int64    // schedules with few delays that were executed
	Width      int      // of the actions in schedules
	Names      []int32

	late bool // what is wrong where no timer fires early has been looked for
}

// A search is a depth-first search over executions of a test.
type search struct {
	dpor.Search
	happens happens.Execution
	builder reversal.Builder
	m       machine
	opt     Options
	ctx     context.Context // ends the search behind an execution
	hard    context.Context // ends that
	slow    *time.Timer     // ends one that takes too long
	exec    Executor
	res     *Result
	strat   dpor.Strategy
	left    []leaving // per depth
	deaths  int64     // of processes
	partial bool      // not all orders will be executed
	ahead   ahead
}

// stop ends a search from within a question.
type stop struct{ err error }

// Search explores a test.
func Search(ctx context.Context, exec Executor, opt Options) (res *Result, err error) {
	size := tooSmall{8, 16, 1, false}
	res = &Result{}
	if opt.From != nil {
		size = tooSmall{opt.From.Procs, opt.From.Objects, opt.From.Actions, opt.From.Bumps}
		*res = opt.From.Result
		exec.SetNames(res.Names)
		exec.SetCold(res.Afresh)
	}
	hard, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { end(nil) }) })()
	slow := time.AfterFunc(longest, func() { end(errSlow) })
	slow.Stop()
	systematic, cancel := opt.systematic(ctx)
	defer cancel()
	large := false
	for {
		next := &Result{Algorithm: opt.Algorithm.Name, Findings: res.Findings, Runs: res.Runs, Unlike: res.Unlike,
			Afresh: res.Afresh, Early: res.Early, Kept: res.Kept, late: res.late}
		x := &search{opt: opt, ctx: systematic, hard: hard, slow: slow, exec: exec, res: next}
		err := x.search(size)
		res = next
		var more tooSmall
		if errors.As(err, &more) {
			size, opt.From = larger(size, more), nil
			why := size.tooLarge(more)
			if why == "" {
				continue
			}
			large = true
			err = x.atRandom(size.width, why)
		}
		var unlike difference
		if errors.As(err, &unlike) {
			if res.Unlike = unlike.text; res.Afresh {
				res.Stopped = StoppedDiffers
				return res, nil
			}
		}
		if err == errInstead {
			opt.Algorithm, opt.Instead, opt.From = opt.Instead, nil, nil
			continue
		}
		if unlike.text != "" || err == errApart {
			res.Afresh, opt.From = true, nil
			exec.SetCold(true)
			continue
		}
		ended := func(err error) error {
			switch {
			case errors.Is(context.Cause(hard), errSlow):
				res.Stopped, err = StoppedSlow, nil
			case hard.Err() != nil:
				res.Stopped, err = StoppedContext, nil
			case errors.Is(err, errEnough):
				err = nil
			}
			return err
		}
		err = ended(err)
		partial := large || res.Stopped == StoppedContext
		if err == nil && !opt.OnlyRandom && (partial || res.Stopped == StoppedExecutions) {
			err = ended(lateOnly(ctx, x))
		}
		if err == nil && opt.Delays && len(res.Findings) == 0 && partial {
			err = ended((&delaying{search: x}).all(ctx))
		}
		return res, err
	}
}

var (
	errEnough  = errors.New("enough")
	errInstead = errors.New("another algorithm takes over")
)

// Another algorithm takes over behind so many executions, if they have no more events than it can plan quickly.
const (
	insteadBehind = 64
	insteadEvents = 200
)

// gaveUp counts an execution that is given up.
func gaveUp(x *search) {
	x.res.Blocked++
	all := x.res.Executions + x.res.Blocked
	if x.opt.Instead != nil && all >= insteadBehind && 2*x.res.Blocked > x.res.Executions && x.Depth <= insteadEvents {
		panic(stop{errInstead})
	}
}

// mostObjects is how many objects have places of their own: where there are more, some share one, and only conflict
// more often.
const mostObjects = 1024

// larger is a size that holds what an execution has: twice as many goroutines where their actions fit into a set.
func larger(size, needs tooSmall) tooSmall {
	grown := func(n, need int) int {
		for n < need {
			n *= 2
		}
		return n
	}
	width := max(size.width, needs.width)
	procs := grown(size.procs, needs.procs)
	if most := actionset.Max / width; procs > most {
		procs = max(needs.procs, most)
	}
	return tooSmall{procs, min(mostObjects, grown(size.objects, needs.objects)), width, needs.bumps}
}

// caught is deferred where what stops the search becomes an error.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.err
	default:
		panic(p)
	}
}

// search is one search with room for so much.
func (x *search) search(size tooSmall) (err error) {
	defer caught(&err)
	x.exec.SetWidth(size.width)
	x.res.Width = size.width
	x.m.tree, x.m.run = newTree(size.procs, size.objects, size.width), x.explored
	x.m.calls = x.opt.Calls
	x.m.counted, x.m.bumps = !x.opt.Plain, size.bumps
	work := &meter.Meter{}
	work.Ask = func(int64) {
		work.Reset()
		if err := x.hard.Err(); err != nil {
			panic(stop{err})
		}
	}
	x.happens = happens.Over(&x.m, &x.m, work)
	x.happens.Guards = &x.m
	x.happens.Without = happens.FastPaths{Clocks: true}
	x.m.x, x.m.foot = &x.happens, make([]uint64, 2*x.m.words())
	x.builder = reversal.NewBuilder(&x.happens)
	x.strat = x.opt.Algorithm.New(dpor.Settings{})
	var counts dpor.Counts
	x.Init(program{&x.m}, &x.happens, &x.builder, x, x.strat)
	x.Count, x.MaxDepth = &counts, x.opt.Events
	x.employ()
	defer x.dismiss()
	if x.opt.From != nil {
		ran, err := x.restore(x.opt.From)
		if err != nil {
			return err
		}
		x.branch(ran)
		x.rest()
		return nil
	}
	if !x.res.Afresh {
		x.compareCold()
	}
	first := x.execute(&native.Command{})
	defer x.hurry(len(first.Steps))()
	x.execute(&native.Command{Prefix: Actions(first)})
	for i := range x.opt.Random {
		if why := x.enough(); why != "" {
			x.end(why)
		}
		policy := native.Random + native.Policy(i%2)
		if x.opt.OnlyRandom && !x.opt.Early && i/2%2 == 1 {
			policy |= native.Late
		}
		x.execute(&native.Command{Policy: policy, Seed: x.opt.Seed + int32(i)})
	}
	if x.opt.OnlyRandom {
		x.end(StoppedRandom)
	}
	if x.res.Early != nil && !x.res.late && len(first.Steps) > manySteps {
		late(x)
	}
	x.Extend(1)
	x.Levels[0].State[0] = x.m.root.id
	if x.visit() {
		x.branch([]bool{false})
	}
	x.rest()
	return nil
}

func Actions(r *native.Record) (list []int32) {
	for _, s := range r.Steps[1:] {
		list = append(list, s.Action)
	}
	return list
}

const leftInUse = "something is in use from the beginning, perhaps by who an earlier execution has left"

// ran counts an execution.
func (x *search) ran(r *native.Record) {
	x.res.Runs++
	x.res.Goroutines = max(x.res.Goroutines, len(r.Names)/2+1)
	x.res.Names = r.Names
	x.res.Timed, x.res.Asked = x.res.Timed || r.Timed, x.res.Asked || r.Asked
	x.res.Beside = x.res.Beside || r.Beside
}

// errApart: each execution gets a process of its own, because executions leave it as it should not be for others.
var errApart = errors.New("apart")

// aDeath is how many processes of one execution cost as much as one that is begun because another one has died.
const aDeath = 100

// leaves looks at what an execution leaves behind: goroutines in the midst of what they do, or no process.
func leaves(x *search, r *native.Record) {
	if r.End == native.Crashed {
		x.deaths++
	}
	if !x.res.Afresh && (r.End == native.Cut || x.deaths*aDeath > x.res.Runs) {
		panic(stop{errApart})
	}
}

// once runs the test once.
func (x *search) once(c *native.Command) (*native.Record, error) {
	x.slow.Reset(longest)
	defer x.slow.Stop()
	return x.exec.Execute(x.hard, c)
}

// execute runs the test once, puts what it shows into the tree, and looks at how it has ended.
func (x *search) execute(c *native.Command) *native.Record {
	c.Events = x.opt.Events
	r := x.executed(c.Prefix)
	if r == nil {
		var err error
		if r, err = x.once(c); err != nil {
			panic(stop{err})
		}
	}
	x.ran(r)
	switch {
	case r.End == native.Diverged:
		panic(stop{difference{"a goroutine that was to go on waits"}})
	case r.Left:
		panic(stop{difference{leftInUse}})
	}
	end, err := x.m.add(r)
	if err != nil {
		panic(stop{err})
	}
	if x.opt.Seen != nil {
		x.opt.Seen(r)
	}
	x.judge(r, end.early)
	return r
}

// judge looks for what is wrong with an execution. early: a timer has fired in it although somebody can go on.
func (x *search) judge(r *native.Record, early bool) {
	kind := Judge(r)
	if kind != "" && early && !x.opt.Early && x.fallout(kind, r) {
		if x.res.Early == nil {
			x.res.Early = &Finding{kind, Actions(r), x.res.Width, r}
			if x.partial {
				late(x)
			}
		}
	} else if kind != "" && !known(x.res.Findings, kind) {
		x.confirm(kind, r)
		x.found(kind, r)
	}
	leaves(x, r)
}

// fallout reports whether an execution in which a timer fires although somebody can go on is no more than a test that
// fails because of that: it has been marked as failed, its own goroutine panics, or a timer is there to do so, as one
// that watches over the test.
func (x *search) fallout(kind Kind, r *native.Record) bool {
	const clock, test = 0, 2
	if kind != Crash || r.Failing {
		return kind == Failed || r.Failing
	}
	last := r.Steps[len(r.Steps)-1].Proc
	byTimer := last == clock || last >= test && r.Names[2*(last-test)] == clock // who has started it
	return last == test || byTimer && !strings.Contains(r.Text, "panic: runtime error")
}

func (x *search) found(kind Kind, r *native.Record) {
	x.res.Findings = append(x.res.Findings, Finding{kind, Actions(r), x.res.Width, r})
	if !x.opt.All {
		x.end(StoppedFound)
	}
}

// confirm follows the schedule of a finding in a process that has executed nothing before: what is wrong only because
// of what executions leave behind is not to be reported.
func (x *search) confirm(kind Kind, r *native.Record) {
	if x.res.Afresh {
		return
	}
	again, err := follow(x.hard, x.exec, &native.Command{Prefix: Actions(r), Events: x.opt.Events})
	x.exec.SetCold(false)
	if err != nil {
		panic(stop{err})
	}
	if Judge(again) != kind {
		panic(stop{difference{fmt.Sprintf("a %s shows only behind other executions", kind)}})
	}
}

// compareCold compares the first execution of a process with a later one: where the program itself does something else,
// it keeps something in variables of packages.
func (x *search) compareCold() {
	var lists [2][]string
	raced := false
	for i, cold := range []bool{true, false} {
		x.exec.SetCold(cold)
		r, err := x.once(&native.Command{Events: x.opt.Events, Places: true})
		if err != nil {
			panic(stop{err})
		}
		x.ran(r)
		leaves(x, r)
		if r.Races > 0 && !raced && !known(x.res.Findings, Race) {
			if i > 0 {
				x.confirm(Race, r)
			}
			x.found(Race, r)
		}
		raced = raced || r.Races > 0
		lists[i] = append(own(r), fmt.Sprintf("ends (%d, failed: %t)", r.End, r.Failed))
	}
	if raced { // which fails the test, and is said only once
		for i, list := range lists {
			lists[i] = list[:len(list)-1]
		}
	}
	for i, now := range lists[1] {
		was := "nothing"
		if i < len(lists[0]) {
			was = lists[0][i]
		}
		switch {
		case was == now:
		case dependency(was) && dependency(now): // and what comes then may come in another order
			_, x.res.Kept, _ = strings.Cut(now, " at ")
			return
		default:
			panic(stop{difference{fmt.Sprintf("behind other executions the test does %q, and by itself %q", now, was)}})
		}
	}
}

// dependency reports whether an operation is one of a module that the test's depends on: what such a module keeps from
// one execution to the next, a cache perhaps, is taken for what the library keeps.
func dependency(operation string) bool {
	_, place, _ := strings.Cut(operation, " at ")
	return strings.Contains(place, "@v") || strings.Contains(place, "/vendor/")
}

// own are the operations of the program itself, in their order.
func own(r *native.Record) (list []string) {
	for _, s := range r.Steps {
		for _, c := range s.Changes {
			if c.Place != "" && !c.Library && !c.Op.None() {
				at, _, _ := strings.Cut(c.Place, " ")
				list = append(list, c.Op.Name()+" at "+at)
			}
		}
	}
	return list
}

func known(list []Finding, kind Kind) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Kind == kind })
}

// Replay follows a schedule, and says where each operation is. names are those of the search that has found it.
func Replay(ctx context.Context, p *native.Process, names []int32, width int, schedule []int32, events int) (
	*native.Record, error) {
	p.SetNames(names)
	p.SetWidth(width)
	return follow(ctx, p, &native.Command{Prefix: schedule, Events: events, Places: true})
}

// follow follows a schedule in a process that has executed nothing before, or where the library fills caches on the way
// in one where that has been done.
func follow(ctx context.Context, exec Executor, c *native.Command) (r *native.Record, err error) {
	for _, cold := range []bool{true, false} {
		exec.SetCold(cold)
		if r, err = exec.Execute(ctx, c); err != nil || r.End != native.Diverged {
			break
		}
	}
	return r, err
}

// Judge says what is wrong with an execution, "" if nothing is; of several it is the one that Wrong lists first.
func Judge(r *native.Record) Kind {
	if list := Wrong(r); len(list) > 0 {
		return list[0]
	}
	return ""
}

// Wrong lists what is wrong with an execution. A test with a data race is marked as failed because of that.
func Wrong(r *native.Record) (list []Kind) {
	switch {
	case r.End == native.Crashed:
		return []Kind{Crash}
	case r.Races > 0:
		list = append(list, Race)
	case r.Failed:
		list = append(list, Failed)
	}
	switch {
	case r.End == native.Stuck && !r.Returned(), r.End == native.Cut && r.Entangled():
		list = append(list, Deadlock)
	case r.End == native.Stuck:
		list = append(list, Leak)
	}
	return list
}

// explored runs the prefix of a node and an action, which no execution has taken there.
func (x *search) explored(n *node, action int32) *node {
	c := &native.Command{Prefix: append(n.prefix(), action)}
	if x.Depth < len(x.Stack) && x.m.at(x.Levels[x.Depth].State) == n {
		x.look(action)
		lv := &x.Stack[x.Depth].Node
		c.Sleeping = actionset.Members[int32](&lv.Sleep, nil)
	}
	if x.Planner != nil {
		c.Plan = planned(x, n, c.Prefix)
	}
	x.execute(c)
	return n.child(action)
}

// planned is what is going to be taken behind a prefix, which is that of a node and an action: the rest of a sequence
// that is planned from a node on the stack, or of one that is about to be run.
func planned(x *search, n *node, prefix []int32) (rest []int32) {
	rest = x.m.following(n, prefix[n.depth])
	d := min(n.depth, x.Depth)
	for ; n.depth > d; n = n.parent {
	}
	for ; x.m.at(x.Levels[d].State) != n; d-- {
		n = n.parent
	}
	x.Planner.Sequences(&x.Stack[d].Node, func(sequence []int32) {
		if len(rest) == 0 && begins(sequence, prefix[d:]) {
			rest = slices.Clone(sequence[len(prefix)-d:])
		}
	})
	return rest
}

// visit enters the present node, and reports whether something is to be taken from it.
func (x *search) visit() (more bool) {
	lv := x.Stack[x.Depth]
	n, now := &lv.Node, x.m.at(lv.State)
	n.Backtrack = actionset.Set{}
	x.Enable(lv)
	n.EnabledLeft = true
	x.Strategy.Enter(&x.Search, n)
	if now.end == native.Dropped {
		return false
	}
	if n.Enabled.Empty() || x.Depth >= x.opt.Events {
		x.res.Executions++
		x.res.Events += int64(x.Depth)
		switch {
		case now.end == native.Stuck:
			x.res.Stuck++
		case !n.Enabled.Empty():
			x.res.Cut++
		}
		x.checkCounters()
		if x.opt.Progress != nil {
			x.opt.Progress(x.res)
		}
		return false
	}
	return true
}

// enough is why the search is to end if something is left to do.
func (x *search) enough() (why string) {
	switch {
	case x.ctx.Err() != nil:
		return StoppedContext
	case x.opt.Executions > 0 && x.res.Executions+x.res.Blocked >= x.opt.Executions:
		return StoppedExecutions
	}
	return ""
}

// end ends the search early.
func (x *search) end(why string) {
	x.res.Stopped = why
	panic(stop{errEnough})
}

// branch takes one action after the other from the present node, and from those that it comes to and has come from. ran
// says from which something has been taken.
func (x *search) branch(ran []bool) {
	executions := x.res.Executions
	for {
		lv := x.Stack[x.Depth]
		if why := x.enough(); why != "" && x.Waiting(&lv.Node, -1) > 0 {
			x.offer(why, ran)
			x.end(why)
		}
		if executions != x.res.Executions {
			executions = x.res.Executions
			x.offer("", ran)
		}
		if a := x.Frontier.Take(&lv.Node); a >= 0 {
			ran[x.Depth] = true
			if x.step(lv, a) {
				ran = append(ran, false)
			}
			continue
		}
		if !ran[x.Depth] {
			gaveUp(x)
		}
		if x.Depth == 0 {
			return
		}
		ran = ran[:x.Depth]
		x.back()
	}
}

// step takes an action from the present node and goes to the child, and reports whether something is to be taken there.
func (x *search) step(lv *dpor.Level, a int) bool {
	x.Extend(x.Depth + 1)
	child := x.Stack[x.Depth+1]
	if now := x.m.at(lv.State); now.child(int32(a)) == nil { // before it is described: it may end the program
		x.m.run(now, int32(a))
	}
	races := x.take(a)
	x.res.Races += int64(len(races))
	if !x.Strategy.AfterStep(&x.Search, lv, child, races) {
		x.done(lv, a)
		return false
	}
	x.Depth++
	if !x.visit() {
		x.back()
		return false
	}
	return true
}

// take takes an action from the present node, without going to the child.
func (x *search) take(a int) (races []happens.Race) {
	x.Take(a)
	if x.opt.Algorithm.Races {
		e := &x.Stack[x.Depth].Event
		races = x.FindRaces(&e.Transition, &e.Past)
		e.Clock[e.Proc] = e.Index
	}
	return races
}

// back returns from the present node, which is done.
func (x *search) back() {
	x.Depth--
	lv := x.Stack[x.Depth]
	x.done(lv, lv.Event.Action)
}

func (x *search) done(lv *dpor.Level, a int) {
	x.Frontier.Done(&lv.Node, a)
	x.m.forget(x.m.at(lv.State), int32(a))
}

// Extend makes the stack long enough for a depth.
func (x *search) Extend(depth int) {
	for len(x.Stack) <= depth {
		lv := &dpor.Level{}
		x.Stack = append(x.Stack, lv)
		x.happens.Extend(1, func(int) *happens.Level { return &lv.Level })
	}
}

// Enable finds out which actions are possible from a node. Where the program has come to its end early, all that was to
// be done is disabled.
func (x *search) Enable(lv *dpor.Level) {
	now, n := x.m.at(lv.State), &lv.Node
	n.Enabled, n.Blockable, n.Excluded = now.enabled, actionset.Set{}, actionset.Set{}
	for proc, next := range now.next {
		if next != nil && (next.Guarded || now.over()) {
			n.Blockable.Add(proc)
		}
	}
	if x.opt.Preempt {
		x.exclude(n)
	}
}

// A leaving says who has gone on last, the clock apart, and how often somebody who could go on was left.
type leaving struct{ last, times int }

// exclude leaves out what the bound of preemptions forbids at the present node.
func (x *search) exclude(n *dpor.Node) {
	now := leaving{}
	if x.Depth > 0 {
		before := &x.Stack[x.Depth-1].Node
		now = x.left[x.Depth-1]
		if proc := x.Levels[x.Depth-1].Event.Proc; proc > 0 {
			if now.last > 0 && proc != now.last && x.m.EnabledOf(&before.Enabled, now.last) >= 0 {
				now.times++
			}
			now.last = proc
		}
	}
	x.left = append(x.left[:x.Depth], now)
	if now.times < x.opt.Preemptions || now.last == 0 || x.m.EnabledOf(&n.Enabled, now.last) < 0 {
		return
	}
	for a := n.Enabled.Next(x.m.width); a >= 0; a = n.Enabled.Next(a + 1) {
		if x.m.ProcOf(a) != now.last {
			n.Excluded.Add(a)
		}
	}
	if !n.Excluded.Empty() {
		x.res.Barred++
	}
}

func (x *search) Any(set *actionset.Set) int { return x.preferred(set) }

// AnyFree prefers what has been executed already.
func (x *search) AnyFree(n *dpor.Node, _ int) int {
	free := n.Free()
	return x.preferred(&free)
}

func (x *search) preferred(set *actionset.Set) int {
	for _, c := range x.m.at(x.Levels[x.Depth].State).children {
		if set.Has(int(c.action)) {
			return int(c.action)
		}
	}
	return set.Next(0)
}
