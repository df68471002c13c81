package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/explore"
	"cdpor/explore/simulate"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// How long a search of a Go program goes on, and within which bounds. All limits are counted in events, so they are the
// same on any machine.
//
// A ticker that is not stopped ticks until its bound is hit, and a loop without an end goes round until there are as
// many values and goroutines as there can be. Each round multiplies the search. A search that gets long and has found
// nothing wrong is abandoned, and the program is explored within smaller bounds.
//
// A short search that hits a bound which the user has not set is repeated with twice as much, until the bound is no
// longer hit or the search gets long. Where bounds cut each of some schedules, there is no search before they are
// larger: it would check nothing.

// widened is the program within bounds twice as large, and again, as long as they cut all of some schedules; as it was
// if that does not help.
func (goFrontEnd) widened(ctx context.Context, c *searching, src step.Loaded, m *step.Machine) (
	step.Loaded, *step.Machine, error) {
	p, ok := src.(*golang.Program)
	asItWas := m
	for up := map[string]int{}; ok && c.Constraints == "" && ctx.Err() == nil; {
		found, err := simulate.Run(ctx, m.Fresh(), simulate.Options{Schedules: fewCut, MaxEvents: fewEventsOfOne,
			Seed: c.Seed})
		if err != nil {
			return nil, nil, err
		}
		if found.Executions+found.Cut > 0 || found.Verdict == explore.Violated {
			if len(up) > 0 {
				c.bind(up)
				c.raised = up
			}
			return p, m, nil
		}
		q, more := c.twice(ctx, p, m, up)
		if q == nil {
			break
		}
		maps.Copy(up, more)
		p = q
		if m, err = c.Machine(p.Form()); err != nil {
			break // more processes than can be explored, for example
		}
	}
	return src, asItWas, nil
}

// rebound searches again within smaller or larger bounds.
func (goFrontEnd) rebound(ctx context.Context, c *searching, src step.Loaded, r *report.Report) (
	step.Loaded, *report.Report, error) {
	src, r, err := c.lower(ctx, src, r)
	if err != nil {
		return nil, nil, err
	}
	r, err = c.raise(ctx, src, r)
	return src, r, err
}

// bind sets bounds as if they had been given: commands in the report repeat them.
func (c *searching) bind(bounds map[string]int) {
	all := maps.Clone(c.Bound)
	if all == nil {
		all = map[string]int{}
	}
	maps.Copy(all, bounds)
	c.Bound = all
}

// enoughEvents are after how many a search of a small Go program ends in which something wrong was found, the
// simulation before it included. It is counted in events, so it is the same on any machine.
const enoughEvents = 200_000

// worth is as many events as take the time of so many of a small program.
func worth(m *step.Machine, events int64) int64 { return events / simulate.Cost(m) }

var errEnough = errors.New("something wrong was found")

// untilEnough is the context of a search that ends when it is long and something wrong was found: of a Go program.
// The user wants to see that and not to wait for the rest. It also ends when it is long and a smaller bound
// would make it shorter.
func (goFrontEnd) untilEnough(ctx context.Context, c *searching, r *report.Report, opt *explore.Options) (
	context.Context, context.CancelCauseFunc) {
	ctx, enough := context.WithCancelCause(ctx)
	if c.KeepGoing || c.Connect != "" {
		return ctx, enough
	}
	var ended atomic.Bool // some execution
	var beside sync.WaitGroup
	var once sync.Once
	run := func() {
		once.Do(func() {
			if c.runnable && c.Algorithm == "auto" && !c.tried {
				beside.Go(func() {
					if c.runBeside(ctx, &ended) {
						enough(errShorter)
					}
				})
			}
		})
	}
	long := time.AfterFunc(longReading, run)
	told, last, events := opt.Progress, int64(0), int64(0)
	opt.Progress = func(now *explore.Result) {
		told(now)
		ended.Store(ended.Load() || now.Executions > 0)
		if now.Events < last { // another search, of auto
			last = 0
		}
		events, last = events+now.Events-last, now.Events
		if events >= worth(r.Machine, runEvents) {
			run()
		}
		switch found := len(now.Violations)+len(r.Simulated) > 0; {
		case found && events >= worth(r.Machine, enoughEvents):
			enough(errEnough)
		case !found && c.tooLong(r.Machine, events):
			enough(errLong)
		}
	}
	return ctx, func(cause error) {
		enough(cause)
		long.Stop()
		once.Do(func() {})
		beside.Wait()
	}
}

// runEvents are after how many events of a search, of a small program, a test that can be run is run beside it, and
// longReading is after which time. What comes to its end first, or finds something wrong, is what is reported.
const (
	runEvents   = 1_000_000
	longReading = 3 * time.Second
)

// runBeside executes the test of a model whose search is long, and reports whether that leaves nothing to be searched:
// it comes to its end or shows that something is wrong, or no execution of the model has ended meanwhile.
func (c *searching) runBeside(ctx context.Context, ended *atomic.Bool) bool {
	c.progress.Line("cdpor: the search is long; beside it the test is executed (--engine run)")
	verdict, ok := c.executes(ctx)
	c.tried = ok
	return ok && (verdict == explore.OK || verdict == explore.Violated || !ended.Load())
}

// manyEvents are after how many, of a small program, a search is abandoned for one within smaller bounds.
const manyEvents = 300_000

// smallBounds are the smaller values of bounds that cut executions.
var smallBounds = map[string]int{"goroutines": 2, "ticks": 1}

var errLong = errors.New("long, and within bounds")

var errShorter = fault.Inputf("that is shorter than the search of its model")

// unended says why nothing was checked, empty if something was.
func (c *searching) unended(r *report.Report) string {
	switch res := r.Result; {
	case res.Executions > 0 || res.Verdict == explore.Violated:
		return ""
	case res.Stopped == explore.StoppedTime && c.Algorithm == "auto":
		return fmt.Sprintf("no execution came to its end within %s (--timeout)", c.Timeout)
	}
	return r.Unended()
}

// stoppedLong is why a search stopped that was abandoned for one within smaller bounds. No report has it.
const stoppedLong = "long, and within bounds"

// smaller are the bounds that a search has hit and that can be smaller, as what they become.
func (c *searching) smaller(m *step.Machine) map[string]int {
	found := map[string]int{}
	for _, n := range m.BoundsHit() {
		_, given := c.Bound[n.Bound]
		if less := smallBounds[n.Bound]; less > 0 && !given {
			found[n.Bound] = less
		}
	}
	return found
}

// tooLong reports whether a search is to be abandoned for one within smaller bounds after so many events.
func (c *searching) tooLong(m *step.Machine, events int64) bool {
	raising := c.see != nil
	return events >= worth(m, manyEvents) && !raising && c.Constraints == "" &&
		len(c.smaller(m)) > 0
}

// lower searches again within smaller bounds, if the search was abandoned for that.
func (c *searching) lower(ctx context.Context, src step.Loaded, r *report.Report) (
	step.Loaded, *report.Report, error) {
	p, ok := src.(*golang.Program)
	if !ok || r.Result.Stopped != stoppedLong {
		return src, r, nil
	}
	less, before := c.smaller(r.Machine), map[string]int{}
	b := p.Bounds
	for name, n := range less {
		to := flags.BoundsByName(&b)[name]
		before[name], *to = *to, min(*to, n)
		less[name] = *to
	}
	q, err := p.Within(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.Machine(q.Form())
	if err != nil {
		return nil, nil, err
	}
	c.bind(less)
	next, err := c.search(ctx, q, m)
	if err != nil {
		return nil, nil, err
	}
	next.Raised = fmt.Sprintf("lowered to %s: within %s the search is long, and nothing was wrong in its beginning; "+
		"%s goes there", boundsText(less), boundsText(before), flags.BoundArguments(before))
	return q, next, nil
}

const (
	largestBound = 64
	fewCut       = 5       // schedules, all of which are cut before bounds are raised without a search
	littleWork   = 50_000  // events of a search after which bounds are raised
	raisedWork   = 300_000 // events of a search within raised bounds, which is abandoned after that; also of a graph
)

// raise searches again within larger bounds while what came out is within bounds that can be raised. It returns the
// report of the last search that came to its end.
func (c *searching) raise(ctx context.Context, src step.Loaded, r *report.Report) (*report.Report, error) {
	if len(c.raised) > 0 {
		r.Raised = fmt.Sprintf("raised to %s", boundsText(c.raised))
	}
	for {
		p, larger := c.larger(ctx, src, r)
		if p == nil {
			return r, nil
		}
		m, err := c.Machine(p.Form())
		if err != nil {
			return nil, err
		}
		given := c.Bound
		c.bind(larger)
		limited, end := context.WithCancel(ctx)
		c.see = func(r *explore.Result) {
			if r.Events > raisedWork {
				end()
			}
		}
		next, err := c.search(limited, p, m)
		c.see = nil
		end()
		input := fault.Input{}
		switch {
		case err == errShorter:
			return nil, err
		case errors.As(err, &input): // more processes than can be explored, for example
			c.Bound, r.Raised = given, fmt.Sprintf("%s is too large: %v", boundsText(larger), err)
			return r, nil
		case err != nil:
			return nil, err
		case next.Result.Stopped == explore.StoppedTime && next.Result.Verdict != explore.Violated:
			c.Bound, r.Raised = given, fmt.Sprintf("there was no time for %s; %s goes there", boundsText(larger),
				flags.BoundArguments(larger))
			return r, nil
		case next.Result.Stopped == explore.StoppedContext && next.Result.Verdict != explore.Violated:
			c.Bound, r.Raised = given, fmt.Sprintf("within %s the search has more than %d events; %s goes there",
				boundsText(larger), raisedWork, flags.BoundArguments(larger))
			return r, nil
		}
		if c.raised == nil {
			c.raised = map[string]int{}
		}
		maps.Copy(c.raised, larger)
		src, r = p, next
		r.Raised = fmt.Sprintf("raised to %s", boundsText(c.raised))
	}
}

// larger is the program within bounds twice as large, and those that are, by name; nil if what has cut executions of a
// search cannot be raised, or should not.
func (c *searching) larger(ctx context.Context, src step.Loaded, r *report.Report) (*golang.Program,
	map[string]int) {
	p, ok := src.(*golang.Program)
	if res := r.Result; !ok || r.Simulation != nil || res.Stopped != explore.StoppedBounds ||
		res.Verdict == explore.Violated || res.Events > littleWork || r.Knowledge.Path != "" {
		return nil, nil
	}
	return c.twice(ctx, p, r.Machine, c.raised)
}

// twice is the program within twice the bounds that have cut executions of its machine, and those, by name; nil if one
// of them cannot be raised. Those that a user has set cannot, unless they are among the raised ones.
func (c *searching) twice(ctx context.Context, p *golang.Program, m *step.Machine, raised map[string]int) (
	*golang.Program, map[string]int) {
	b, up := p.Bounds, map[string]int{}
	for _, n := range m.BoundsHit() {
		v := flags.BoundsByName(&b)[n.Bound]
		_, given := c.Bound[n.Bound]
		if v == nil || n.Bound == "ticks" || given && raised[n.Bound] == 0 || *v >= largestBound {
			return nil, nil // something would still be cut
		}
		up[n.Bound] = min(2**v, largestBound)
	}
	for name, n := range up {
		*flags.BoundsByName(&b)[name] = n
	}
	q, err := p.Within(ctx, b)
	if err != nil {
		return nil, nil // too large, for example
	}
	return q, up
}

// boundsText is bounds as a report names them.
func boundsText(bounds map[string]int) string { return flags.JoinBounds(bounds, "", " and ") }
