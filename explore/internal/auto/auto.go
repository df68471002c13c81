package auto

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/parallel"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/states"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// The default: Source-DPOR that stops at visited states, and what the search itself shows to be needed: sleep
// sequences (CAV'17) where it is small, independence constraints (CAV'18) for the pairs of steps that have met in a
// race, or the plain search of the state graph. All decisions are made on counts, so the same input gives the same
// search. README, "auto" says which, and why.

var Algorithm = &dpor.Algorithm{
	Name:  "auto",
	Title: "Source-DPOR that stops at visited states, with constraints when they pay",
	Help: "Begins as source with visited states. After the first execution that shows a race, constraints are " +
		"synthesised under a small budget; when many orders lead to the same states, or the search grows long, again " +
		"for the pairs of steps that have met in a race, under a budget that grows with the search. When states " +
		"are met again, sleep sequences are tried. When next to nothing is saved by leaving orders out, the state " +
		"graph is searched instead, as by exhaustive. The report says what was decided.",
	When: "When in doubt: nearly always the fastest or close to it, and it ends on loops that spin.\n" +
		"Not where counts of executions matter: they are the classes of no relation.",
	Paper: "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014; " +
		"Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey: Context-Sensitive Dynamic Partial Order Reduction, " +
		"CAV 2017; " +
		"Albert, Gomez-Zamalloa, Isabel, Rubio: Constrained Dynamic Partial Order Reduction, CAV 2018; " +
		"visited states: STATES, Visited states",
	Preserves:   dpor.PreservesTerminal,
	Constraints: true,
	Visits:      true,
	Chooses:     true,
	Races:       true,
	New:         makeAuto,
}

// In small searches auto also looks for sleep sequences (CAV'17), where a subtree that is not entered is a large part
// of the search: after the first execution, if that is short, and for a few nodes. Later they save little that visited
// states do not save, and cost more.
const (
	shortExecution = 12 // events
	seekingNodes   = 32
)

func makeAuto(opt dpor.Settings) dpor.Strategy {
	s := dpor.NewConstrained(dpor.Settings{NoAnticipate: true})
	s.Seek = func(r *dpor.Counts) bool {
		return r.Nodes <= seekingNodes && r.MaxDepth <= shortExecution && r.Executions+r.Blocked > 0 && opt.Workers <= 1
	}
	return s
}

// What auto may do instead: the plain search of the state graph, and Source-DPOR, Optimal-DPOR or sleep sequences
// without visited states.
var (
	States     = &dpor.Algorithm{Name: "auto", Preserves: dpor.PreservesTerminal, Stateful: true}
	Executions = &dpor.Algorithm{Name: "auto", Preserves: dpor.PreservesTerminal, Constraints: true, Traces: true,
		Races: true,
		New:   func(dpor.Settings) dpor.Strategy { return &dpor.Source{} }}
	autoOptimal = &dpor.Algorithm{Name: "auto", Preserves: dpor.PreservesTerminal, Constraints: true, Traces: true,
		Races: true,
		New:   func(dpor.Settings) dpor.Strategy { return dpor.NewOptimal() }}
	sequences = &dpor.Algorithm{Name: "auto", Preserves: dpor.PreservesTerminal, Constraints: true, Sequences: true,
		Races: true,
		New:   func(dpor.Settings) dpor.Strategy { return dpor.NewConstrained(dpor.Settings{}) }}
)

// Looks say at which sizes of the present search auto thinks again: a size is a number of nodes, and for so much work
// as a node usually takes one more.
type Looks struct {
	First int64 // then again at twice that, and so on
	Other int64 // another search may be tried; an execution as long is not explored twice
	Rarer int64 // it may be tried if less speaks for it
	Long  int64 // constraints are asked for in any case
	Share int64 // several workers go on, if there are to be several
	Last  int64 // nothing is decided any more
	Vain  int64 // blocked executions, of a search of executions, that do not matter yet
	// Steps is up to how many steps, all processes together, constraints are asked for after the first execution.
	Steps int
}

var defaultLooks = Looks{First: 1 << 10, Other: 1 << 11, Rarer: 1 << 13, Long: 1 << 15, Share: 1 << 18, Last: 1 << 24,
	Vain: 1 << 7, Steps: 1 << 6}

const (
	firstQuestions = 4 // when the first execution has shown a race
	crowded        = 2 // visited states that are met again, for each state: constraints are asked for early
	fewQuestions   = 64
	moreNodes      = 1 << 8 // for each question more
)

// The searches of executions without visited states that may be tried.
const (
	BySource = iota // or Optimal-DPOR, where that is better
	BySequences
)

// Auto is the engine.
type Auto struct {
	ctx  context.Context
	m    *step.Machine
	opt  engine.Options
	Main *executions.Search
	last engine.Engine // what has ended the search, if not main
	// States and Executions, if not nil, are other searches that have been tried.
	States     *states.Exhaustive
	Executions [2]*executions.Search
	optimal    bool  // the one by source is Optimal-DPOR
	skipped    int64 // states that states does not search, because a search that was abandoned has closed them
	Looks      Looks
	Period     int64 // of its searches, 0: as always
	saved.Decided
	Abandoned []*results.Collector
	kept      func()             // to be called because constraints have been taken
	follows   func()             // as kept, if sequences come to the end
	plain     *executions.Search // in stage tried, the search without constraints; nil after a restart
}

func New(ctx context.Context, m *step.Machine, opt engine.Options) (*Auto, error) {
	x := &Auto{ctx: ctx, m: m, opt: opt, Looks: defaultLooks, Decided: saved.Decided{Look: defaultLooks.First}}
	if opt.Elsewhere != nil { // there may be many workers
		x.Looks.Share /= 4
	}
	x.Asked = opt.Conditions != nil || opt.Synthesize == nil || opt.Observer != nil
	var err error
	x.Main, err = x.newMain(opt.Conditions)
	return x, err
}

// newMain makes a search of executions that stops at visited states.
func (x *Auto) newMain(conditions happens.Conditions) (*executions.Search, error) {
	opt := x.opt
	opt.Conditions, opt.Visited, opt.Workers = conditions, true, 1
	main, err := executions.New(x.ctx, x.m, Algorithm, opt)
	if err != nil {
		return nil, err
	}
	main.Decided, main.NodeWork = x.save, nodeWork
	if x.Period > 0 {
		main.Period, main.Left = x.Period, 0
	}
	if !opt.Symmetry && !opt.Preempt {
		main.Visits.Log = &visited.StateLog{}
	}
	main.Met = make([][]uint64, x.m.NumSteps())
	return main, nil
}

func (x *Auto) Begin() { x.Proceed() }

// proceed explores what is left.
func (x *Auto) Proceed() {
	for x.last == nil && !x.Main.Advance(x.pauseAt()) {
		if x.sharing() {
			x.share()
			return
		}
		before, main := x.Decided, x.Main
		if x.look(); x.last == nil && engine.Interrupted(x.ctx) != "" { // all the same when the search is gone on with
			x.Decided, x.Main, x.kept = before, main, nil
			x.Abandoned = slices.DeleteFunc(x.Abandoned, func(r *results.Collector) bool { return r == main.Results })
			x.Main.Ending = engine.Interrupted(x.ctx)
			x.Main.AtSafePoint(x.Main.Save)
		}
		if x.last == nil && x.opt.StopAtFirst && x.ViolatedElsewhere() {
			x.Main.Ending = cmp.Or(x.Main.Ending, results.StoppedFirst)
			x.Main.AtSafePoint(x.Main.Save)
		}
		if x.kept != nil {
			x.kept()
			x.kept = nil
		}
	}
}

// ViolatedElsewhere reports whether a search that was tried has found something wrong.
func (x *Auto) ViolatedElsewhere() bool {
	return x.States != nil && x.States.Results.Violated ||
		slices.ContainsFunc(x.Abandoned, func(r *results.Collector) bool { return r.Violated }) ||
		slices.ContainsFunc(x.Executions[:], func(y *executions.Search) bool {
			return y != nil && y.Results.Violated
		})
}

// pauseAt is when to think again, 0: never.
func (x *Auto) pauseAt() int64 {
	switch {
	case x.opt.Observer != nil || x.Look >= x.Looks.Last && !x.sharing():
		return 0
	case x.Begun < begun:
		return 1
	}
	return x.Look
}

// sharing reports whether it is time to go on with several workers: then nothing is decided any more.
func (x *Auto) sharing() bool {
	return (x.opt.Workers > 1 || x.opt.Elsewhere != nil) && x.Look >= x.Looks.Share
}

// look thinks again.
func (x *Auto) look() {
	if x.Begun < begun {
		x.first()
		return
	}
	before := x.Main
	x.Look *= 2
	l := x.see()
	l.follow(askEarly)
	if x.Main == before && x.opt.MaxExecutions == 0 {
		if l.follow(sequencesRule); x.last == nil && l.size >= x.Looks.Other {
			l.follow(trying...)
		}
	}
	if x.last == nil {
		l.follow(askLate)
	}
}

// A node costs about as much as nodeWork units of work, and as edgesForNode edges of the state graph, if a state has 16
// words. Where it costs as much as so many times those that are enabled at it, the search is a dear one.
const (
	nodeWork     = 16
	edgesForNode = 5
	someWords    = 48
	dear         = 16
)

// What is known from the start saves most, and most programs are small. So after the first execution, if it shows a
// race, constraints of all pairs of steps that may race are asked for, under a small budget; and after it has been
// explored with them they are given up if they have removed no race. The search begins with the same execution each
// time, which is counted once.
const (
	unasked = iota
	tried   // the first execution is explored with what was found
	begun   // decided
)

func (x *Auto) first() {
	stage := x.Begun
	x.Begun = begun
	switch r := &x.Main.Results.Result; {
	case stage == unasked && !x.Asked && r.Races > 0 && r.Nodes < x.Looks.Other && x.m.NumSteps() <= x.Looks.Steps:
		found, err := x.opt.Synthesize(x.ctx, x.mayRace(), firstQuestions)
		if err != nil {
			return
		}
		if x.Asked = found.Whole; found.Useful == 0 {
			return
		}
		if other, err := x.newMain(found.Conditions); err == nil {
			x.Begun, x.First, x.kept = tried, found.Pairs, found.Keep
			x.Main, x.plain = other, x.Main
		}
	case stage == tried && helped(x.Main.Pairs) == 0:
		plain, err := x.plain, error(nil)
		if plain == nil { // the search has been interrupted meanwhile
			plain, err = x.newMain(nil)
		}
		if err == nil {
			x.Main, x.First = plain, 0
		}
		x.plain = nil
	default:
		x.plain = nil
	}
}

// mayRace lists the pairs of steps of different processes that may touch the same, in the order of the program.
func (x *Auto) mayRace() (list [][2]*step.Step) {
	known, touched := map[[2]*step.Step]bool{}, make([]step.Footprint, x.m.NumSteps())
	for a := range touched {
		p, s := x.m.StepAt(a)
		touched[a] = x.m.AnyFootprint(p, s.Index)
		for b := range touched[:a] {
			q, t := x.m.StepAt(b)
			if p != q && !known[[2]*step.Step{s, t}] && step.Conflict(touched[a], touched[b]) {
				known[[2]*step.Step{s, t}], known[[2]*step.Step{t, s}] = true, true
				list = append(list, [2]*step.Step{t, s})
			}
		}
	}
	return list
}

// synthesise asks for constraints of the pairs of steps that have met in a race, and begins anew with them. If they
// are of no use in as many nodes as the search had before, that goes on instead. Constraints of other pairs, by which
// the search has left races out, stay.
func (x *Auto) synthesise(nodes int64) {
	pairs := x.Main.Met.Pairs(x.m)
	if len(pairs) == 0 {
		return
	}
	for pair, p := range x.Main.Pairs {
		if p.Removed+p.Static > 0 {
			pairs = append(pairs, pair)
		}
	}
	found, err := x.opt.Synthesize(x.ctx, pairs, int(fewQuestions+nodes/moreNodes))
	if err != nil || found.Useful == 0 {
		if err == nil {
			x.say("after %s nodes: constraints of %s of steps synthesised, none holds anywhere", nodes,
				plural(found.Pairs, "pair"))
		}
		return
	}
	other, err := x.newMain(found.Conditions)
	if err != nil {
		return
	}
	old := x.Main
	x.Main = other
	other.Opt.Checkpoint = nil // until it is known whether it stays
	done := other.Advance(nodes)
	if other.Stop != "" {
		if x.Main = old; other.Stop == results.StoppedFirst {
			x.abandon(other.Results)
		}
		return
	}
	removed := int64(0)
	for _, p := range other.Pairs {
		removed += p.Removed + p.Static
	}
	if !done && removed*20 < other.Results.Races {
		x.say("after %s nodes: constraints of %s of steps synthesised, they remove too few races", nodes,
			plural(found.Pairs, "pair"))
		x.Main = old
		x.abandon(other.Results)
		return
	}
	x.First, x.kept = 0, found.Keep
	x.say("after %s nodes: constraints of %s of steps synthesised, %d helped", nodes, plural(found.Pairs, "pair"),
		helped(other.Pairs))
	x.abandon(old.Results)
	for by := range x.Executions { // they were without these constraints
		x.giveUp(by)
	}
	other.Opt.Checkpoint = x.opt.Checkpoint
}

// helped is how many pairs of steps were found independent by their constraints.
func helped(all map[[2]*step.Step]*happens.PairStats) (pairs int) {
	for _, p := range all {
		if p.Removed+p.Static > 0 {
			pairs++
		}
	}
	return pairs
}

// tryStates searches the state graph if it has not many edges. It goes on from one time to the next. What the present
// search has closed need not be searched again: it is complete (README, "auto"), and all executions end that go on from
// there, which is known of a search without constraints only.
func (x *Auto) tryStates(events int64) {
	if x.States == nil {
		opt := x.opt
		opt.Checkpoint, opt.Workers, opt.Visited = nil, 1, false
		other, err := states.New(x.ctx, x.m, States, opt)
		if err != nil {
			return
		}
		x.States = other
	}
	y := x.States
	before := int64(y.Seen.Set.Len())
	v := y.Seen.Set.Vector()
	if x.Main.Conditions == nil || y.Ends == nil {
		x.Main.Visits.Log.Each(func(s step.State) { y.Seen.Add(v, s) })
	}
	x.skipped += int64(y.Seen.Set.Len()) - before
	y.PauseEvents = events
	over := y.Advance(math.MaxInt64)
	if x.StatesTried = (results.Result{}); !over || y.Stop != "" {
		x.StatesTried.AddCounts(&y.Results.Result, &results.Result{})
		return
	}
	x.say("after %s nodes: the state graph instead, %s more states", x.Main.Results.Nodes,
		results.Short(y.Results.States))
	x.abandon(x.Main.Results)
	x.last = y
}

// tryExecutions explores executions without visited states: first a few, then, if the estimate of Result.Share promises
// an end that is worth the cost, up to that. It goes on from one time to the next, unless some execution is cut. Where
// most executions are explored in vain, Optimal-DPOR takes the place of Source-DPOR. Sleep sequences save exponentially
// more than visited states where orders lead to the same states, as those of messages to actors often do.
func (x *Auto) tryExecutions(by int) {
	now := x.Main.Size()
	few, most := now/2, now*mostBySource
	if by == BySequences { // what they save shows late, and often there is nothing
		few, most = few/2, now*mostBySequences
		if now >= x.Looks.Long {
			few /= 2
		}
	}
	for few > 0 {
		if x.Executions[by] == nil {
			x.Executions[by] = x.unvisited([...]*dpor.Algorithm{Executions, sequences}[by])
		}
		y := x.Executions[by]
		if y == nil {
			return
		}
		over := y.Results.Cut == 0 && y.Advance(y.Size()+few) && y.Results.Cut == 0
		r := &y.Results.Result
		x.ExecutionsTried[by] = results.Result{}
		x.ExecutionsTried[by].AddCounts(r, &results.Result{})
		switch expected := int64(float64(y.Size()) / y.Share()); {
		case over && y.Stop == "":
			why := [...]string{"hardly any state was met twice; executions", "sleep sequences"}[by]
			x.say("after %s nodes: "+why+" instead, %s", x.Main.Results.Nodes, results.Short(r.Executions))
			x.abandon(x.Main.Results)
			if by == BySequences && helped(y.Pairs) > 0 {
				x.kept = x.follows
			}
			x.last, x.Executions[by], x.ExecutionsTried[by] = y, nil, results.Result{}
			return
		case y.Stop != "" || r.Cut > 0 || y.Size() >= most:
			return
		case by == BySource && !x.optimal && r.Blocked > inVain*r.Executions+x.Looks.Vain:
			x.giveUp(by)
			x.optimal = true
			x.Executions[by], few = x.unvisited(autoOptimal), now/2
		case expected > most || by == BySequences && r.Sequences == 0 && helped(y.Pairs) == 0:
			return
		default:
			few = min(most-y.Size(), expected/4, 3*y.Size()) // it looks again, as it may expect more or less by then
		}
	}
}

// giveUp gives up a search of executions that has been tried.
func (x *Auto) giveUp(by int) {
	if y := x.Executions[by]; y != nil {
		x.Abandoned = append(x.Abandoned, y.Results)
	}
	x.Spent.AddCounts(&x.ExecutionsTried[by], &results.Result{})
	x.Executions[by], x.ExecutionsTried[by], x.optimal = nil, results.Result{}, false
}

const (
	// The most that a search without visited states may cost, for what the present one has cost.
	mostBySource    = 64
	mostBySequences = 10

	inVain = 1 // blocked executions for each other, from which on Optimal-DPOR pays
)

// unvisited makes a search of executions that does not stop at visited states, nil if that cannot be.
func (x *Auto) unvisited(a *dpor.Algorithm) *executions.Search {
	opt := x.opt
	opt.Checkpoint, opt.Workers, opt.Visited = nil, 1, false
	// One without an end, which the present search has not come to yet, is not followed for long.
	if most := 4*x.Main.Results.MaxDepth + 64; opt.MaxDepth <= 0 || opt.MaxDepth > most {
		opt.MaxDepth = most
	}
	switch opt.Conditions = x.Main.Conditions; {
	case a == sequences:
		x.constrainSequences(&opt)
	case helped(x.Main.Pairs) == 0:
		opt.Conditions = nil
	}
	y, err := executions.New(x.ctx, x.m, a, opt)
	if err != nil {
		return nil
	}
	y.NodeWork = nodeWork
	return y
}

// constrainSequences asks for constraints of the pairs of steps that have met in a race, under a small budget, for a
// search by sequences: they may help there although none removes a race of the present search, as two sequences that
// lead to one state may differ in a step for which they hold.
func (x *Auto) constrainSequences(opt *engine.Options) {
	if opt.Conditions != nil || x.opt.Synthesize == nil || x.opt.Observer != nil {
		return
	}
	pairs := x.Main.Met.Pairs(x.m)
	found, err := x.opt.Synthesize(x.ctx, pairs, int(firstQuestions+x.Main.Results.Nodes/moreNodes))
	if err == nil && found.Useful > 0 {
		opt.Conditions, x.follows = found.Conditions, found.Keep
	}
}

// share goes on with several workers.
func (x *Auto) share() {
	opt := x.opt
	opt.Conditions, opt.Visited = x.Main.Opt.Conditions, true
	if opt.Elsewhere != nil {
		x.shareElsewhere(opt)
		return
	}
	c, err := parallel.New(x.m, Algorithm, opt, func(opt engine.Options) (engine.Worker, error) {
		return executions.New(x.ctx, x.m, Algorithm, opt)
	})
	if err == nil {
		err = x.handTo(c)
	}
	if err != nil {
		x.Main.Invalid = err
		return
	}
	x.last = c
	c.Proceed()
}

// shareElsewhere lets others explore everything. What has been found so far is found again, unless they end early.
func (x *Auto) shareElsewhere(opt engine.Options) {
	a := dpor.SourceAlgorithm
	if opt.Conditions != nil {
		a = dpor.ConstrainedAlgorithm
	}
	opt.Checkpoint, opt.Synthesize, opt.Elsewhere, opt.Workers = nil, nil, nil, 1
	x.say("after %s nodes: by the workers of a cluster", x.Main.Results.Nodes)
	f, stopped, err := x.opt.Elsewhere(x.ctx, a, opt)
	if err != nil {
		x.Main.Invalid = err
		return
	}
	if x.abandon(x.Main.Results); stopped != "" {
		x.gather(f.Collector())
	}
	x.last = &concluded{f, stopped}
}

// A concluded search is one that others have explored.
type concluded struct {
	found   engine.SearchedElsewhere
	stopped string
}

func (c *concluded) Begin() {}

func (c *concluded) Proceed() {}

func (c *concluded) Restore(*saved.Checkpoint) error { return saved.ErrOtherState }

func (c *concluded) Conclude() (*results.Result, error) { return c.found.Result(c.stopped), nil }

// handTo hands what is left of the search to several workers, in the form of a checkpoint that is written and read.
func (x *Auto) handTo(c engine.Engine) error {
	var b bytes.Buffer
	if err := x.Main.Save().Write(&b); err != nil {
		return err
	}
	cp, err := saved.Read(&b)
	if err != nil {
		return err
	}
	return c.Restore(cp)
}

// abandon gives up what a search has found so far.
func (x *Auto) abandon(r *results.Collector) {
	x.Spent.AddCounts(&r.Result, &results.Result{})
	x.Abandoned = append(x.Abandoned, r)
}

func (x *Auto) say(format string, nodes int64, more ...any) {
	x.Lines = append(x.Lines, fmt.Sprintf(format, append([]any{results.Short(nodes)}, more...)...))
}

// gather adds what the searches that were abandoned have found. Bounds that they met do not matter.
func (x *Auto) gather(to *results.Collector) {
	cut, barred := to.Cut, to.Barred
	for _, r := range x.Abandoned {
		to.Merge(r)
	}
	to.Arrange()
	to.Cut, to.Barred = cut, barred
	x.Spent = results.Result{}
}

func (x *Auto) Conclude() (*results.Result, error) {
	if x.States != nil && x.last != engine.Engine(x.States) {
		x.Abandoned = append(x.Abandoned, x.States.Results)
	}
	for by, y := range x.Executions {
		if y != nil {
			x.Abandoned = append(x.Abandoned, y.Results)
		}
		x.Spent.AddCounts(&x.ExecutionsTried[by], &results.Result{})
	}
	x.Spent.AddCounts(&x.StatesTried, &results.Result{})
	switch {
	case x.last == nil && x.Main.Stop != "": // what has been found anywhere is true
		x.gather(x.Main.Results)
	case x.States != nil && x.last == engine.Engine(x.States) && x.skipped > 0: // what is reachable from closed states
		x.gather(x.States.Results)
	}
	last := x.last
	if last == nil {
		last = x.Main
	}
	res, err := last.Conclude()
	if err != nil {
		return nil, err
	}
	x.cover(res)
	if res.Ends != nil && x.skipped > 0 {
		res.Ends.Entered = res.States
	}
	res.Weigh()
	res.SetVerdict()
	spent := &x.Spent
	if len(res.Growing) == 0 {
		res.Growing = spent.Growing
	}
	res.Nodes, res.Events, res.States = res.Nodes+spent.Nodes, res.Events+spent.Events, res.States+spent.States
	res.Races, res.Revisits, res.Cycles = res.Races+spent.Races, res.Revisits+spent.Revisits, res.Cycles+spent.Cycles
	if y, is := last.(*executions.Search); is {
		res.Constrained = y.Conditions != nil
	}
	if res.Decisions = x.Lines; len(x.Lines) == 0 {
		line := results.Short(res.States) + " states, "
		switch helped := helped(x.Main.Pairs); {
		case x.First > 0 && helped > 0:
			line += fmt.Sprintf("constraints of %s of steps synthesised at the first race, %d helped",
				plural(x.First, "pair"), helped)
		case x.First > 0 || x.Main.Conditions == nil:
			line += "no constraints needed"
		default:
			line += "constraints from the start"
		}
		res.Decisions = []string{line}
	}
	return res, nil
}

// restore goes to where a checkpoint was made.
func (x *Auto) Restore(cp *saved.Checkpoint) error {
	if cp.Auto == nil {
		return saved.ErrOtherState
	}
	x.Decided = *cp.Auto
	x.Decided.Lines = slices.Clone(x.Lines)
	err := x.Main.Restore(cp)
	x.Main.Running = true
	x.Main.HaveRun()
	x.Main.Visits.Tried, x.Main.Visits.Enabled = x.Tried, x.Enabled
	x.Main.Meter.Restore(x.Work)
	if len(x.Met) > len(x.Main.Met) {
		return saved.ErrOtherState
	}
	for i, row := range x.Met {
		if n := len(row); n > 0 && n*64-bits.LeadingZeros64(row[n-1]) > len(x.Main.Met) {
			return saved.ErrOtherState
		}
		x.Main.Met[i] = slices.Clone(row)
	}
	return err
}

// save is what has been decided so far.
func (x *Auto) save() *saved.Decided {
	d := x.Decided
	d.Work, d.Tried, d.Enabled, d.Met = x.Main.Meter.Total(), x.Main.Visits.Tried, x.Main.Visits.Enabled,
		make([][]uint64, len(x.Main.Met))
	for i, row := range x.Main.Met {
		d.Met[i] = slices.Clone(row)
	}
	return &d
}

func plural(n int, what string) string {
	return fmt.Sprintf("%d %s%s", n, what, map[bool]string{true: "", false: "s"}[n == 1])
}

// cover adds what the searches that auto has begun have gone through. A search of states that takes what others have
// closed for visited does not go through everything.
func (x *Auto) cover(res *results.Result) {
	res.CoveredAll = res.CoveredAll && x.skipped == 0
	if res.Covered == nil {
		return
	}
	res.Covered.Add(x.Main.Results.Covered)
	if x.States != nil {
		res.Covered.Add(x.States.Results.Covered)
	}
	for _, y := range x.Executions {
		if y != nil {
			res.Covered.Add(y.Results.Covered)
		}
	}
}
