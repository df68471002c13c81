package native

import (
	"fmt"

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
	why := fmt.Sprintf("%d goroutines are too many", needs.procs-2)
	if needs.width > 1 {
		why += fmt.Sprintf(", with selects of %d alternatives", needs.width)
	}
	return why + " for a search"
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
		r, err := x.once(&native.Command{Policy: native.Random + native.Policy(done%2),
			Seed: x.opt.Seed + int32(done), Events: x.opt.Events})
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
		x.judge(r, clockGoesOn(r))
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

// clockGoesOn reports whether time has passed in an execution.
func clockGoesOn(r *native.Record) bool {
	for i := range r.Steps {
		if i > 0 && r.Steps[i].Action == 0 {
			return true
		}
	}
	return false
}
