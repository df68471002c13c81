package native

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/golang/native"
)

// mostAtRandom is how many schedules at random a test has that is too large for a search.
const mostAtRandom = 1000

// tooLarge is why a test cannot be searched, "" if it can.
func (s tooSmall) tooLarge(needs tooSmall) string {
	if s.procs*s.width <= actionset.Max {
		return ""
	}
	why := fmt.Sprintf("%d goroutines", needs.procs-2)
	if needs.width > 1 {
		why += fmt.Sprintf(" with selects of %d alternatives", needs.width)
	}
	return why + " are too many for a search"
}

// atRandom executes schedules at random and by priorities, in turn, of a test that cannot be searched.
func (x *search) atRandom(width int, why string) (err error) {
	defer caught(&err)
	number, done := mostAtRandom, 0
	if x.opt.OnlyRandom {
		number = x.opt.Random
	}
	x.exec.SetWidth(width)
	x.res.Width = width
	for ; done < number && x.enough() == ""; done++ {
		policy := native.Random + native.Policy(done%2)
		late := !x.opt.Early && done/2%2 == 1
		if late {
			policy |= native.Late
		}
		r, err := x.once(&native.Command{Policy: policy, Seed: x.opt.Seed + int32(done), Events: x.opt.Events})
		if err != nil {
			return err
		}
		if r.Width > width {
			width = r.Width
			x.exec.SetWidth(width)
			x.res.Width = width
			done--
			continue
		}
		x.ran(r)
		x.judge(r, !late && clockGoesOn(r))
		if r.End == native.Cut {
			x.res.Cut++
		}
		if x.opt.Progress != nil {
			x.opt.Progress(x.res)
		}
	}
	if done > 0 {
		why += fmt.Sprintf(": %d schedules at random were executed", done)
	}
	x.end(why)
	return nil
}

// manySteps are those of an execution for which it is not to be expected that all orders will be executed.
const manySteps = 100

// mostLate is how many executions may find out whether a test fails also where no timer fires early.
const mostLate = 100

// late looks for what is wrong with a test that fails where a timer fires early in executions in which none does: half
// of them begin as that which fails, up to where one has.
func late(x *search) {
	x.res.late = true
	prefix := x.res.Early.Schedule
	if first := slices.Index(prefix, 0); first >= 0 {
		prefix = prefix[:first]
	}
	for i := int32(0); i < mostLate && x.ctx.Err() == nil; i++ {
		c := &native.Command{Policy: native.Random + native.Policy(i/2%2) | native.Late, Seed: x.opt.Seed + i,
			Events: x.opt.Events}
		if i%2 == 0 && x.res.Early.Width == x.res.Width {
			c.Prefix = prefix
		}
		r, err := x.once(c)
		if err != nil {
			panic(stop{err})
		}
		if x.ran(r); r.End != native.Diverged && r.Width == 0 {
			x.judge(r, false)
		}
	}
}

// lateOnly does so, if it has not been done, where not all orders will be executed.
func lateOnly(ctx context.Context, x *search) error {
	once := func() (err error) {
		defer caught(&err)
		late(x)
		return nil
	}
	for x.ctx, x.partial = ctx, true; x.res.Early != nil && !x.res.late; {
		err := once()
		var unlike difference
		if err != errApart && !errors.As(err, &unlike) {
			return err
		}
		if !x.res.Afresh {
			x.res.Unlike, x.res.Afresh, x.res.late = unlike.text, true, false
			x.exec.SetCold(true)
		}
	}
	return nil
}

// clockGoesOn reports whether time has passed in an execution.
func clockGoesOn(r *native.Record) bool {
	for i := range r.Steps {
		if i > 0 && r.Steps[i].Action == 0 {
			return true
		}
	}
	return false
}
