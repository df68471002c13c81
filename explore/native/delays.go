package native

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cdpor/lang/golang/native"
)

// Where there is no time for all orders, those with few delays are executed (Emmi, Qadeer, Rakamarić, POPL'11): a
// goroutine goes on until it waits, and then the next one does. A delay lets the next in line go on instead. How many
// schedules have so many delays depends on the number of events, and not on that of goroutines.

// systematic is the context of the search for all orders: half of the time is for schedules with few delays.
func (o *Options) systematic(ctx context.Context) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !o.Delays || !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-time.Until(end)/2))
}

// manyEvents are those of an execution for which a search for all orders is hopeless, and gets a quarter of its time.
const manyEvents = 1000

// hurry shortens the time that the search for all orders has where executions have many events.
func (x *search) hurry(events int) (end func()) {
	limit, limited := x.ctx.Deadline()
	if !x.opt.Delays || !limited || events < manyEvents {
		return func() {}
	}
	x.ctx, end = context.WithDeadline(x.ctx, time.Now().Add(time.Until(limit)/4))
	return end
}

// A delaying search is about them.
type delaying struct {
	*search
	straight *native.Record // without any delay
	every    bool           // none is left out
	open     []*stretch     // that the next execution belongs to
}

// all executes what has no delay, then what has one, and so on, until the time is over.
func (x *delaying) all(ctx context.Context) (err error) {
	x.ctx = ctx
	x.exec.SetWidth(x.res.Width)
	for bound := 0; ctx.Err() == nil; {
		before := x.res.Delayed
		err := x.within(bound)
		var more tooSmall
		var unlike difference
		switch {
		case errors.As(err, &more):
			x.res.Width, x.res.Delays, x.res.Delayed, bound = more.width, 0, 0, 0
			x.straight = nil
			x.exec.SetWidth(x.res.Width)
		case errors.As(err, &unlike) && x.res.Afresh:
			x.res.Unlike = unlike.text
			return nil
		case unlike.text != "" || err == errApart:
			x.res.Unlike, x.res.Afresh, x.res.Delays, x.res.Delayed, bound = unlike.text, true, 0, 0, 0
			x.straight = nil
			x.exec.SetCold(true)
		case err != nil:
			return err
		case x.res.Delayed == before: // none has so many
			if x.res.Cut == 0 {
				x.res.Executions, x.res.Stopped = x.res.Delayed, ""
			}
			return nil
		default:
			x.res.Delays = bound
			bound++
		}
	}
	return nil
}

// within executes what has so many delays at most.
func (x *delaying) within(bound int) (err error) {
	defer caught(&err)
	x.open = nil
	x.delayed(nil, bound, false, nil)
	return nil
}

// Of the schedules with so many delays those are left out that differ from another one only by the order of independent
// operations (stretch.go).

// delayed executes a prefix, in which from was followed up to its last action, and what has so many more delays. early
// says that the clock has been let go on although somebody else could.
func (x *delaying) delayed(prefix []int32, left int, early bool, from *native.Record) {
	if x.ctx.Err() != nil {
		panic(stop{errEnough})
	}
	r, err := x.once(&native.Command{Prefix: prefix, Policy: native.Turns, Seed: int32(left), Events: x.opt.Events})
	switch {
	case err != nil:
		panic(stop{err})
	case r.Width > x.res.Width:
		panic(stop{larger(tooSmall{width: x.res.Width}, tooSmall{width: r.Width})})
	}
	alike := len(prefix)
	if from == nil { // without a delay it is as it was before
		from, alike = x.straight, len(r.Steps)
		x.straight = r
	}
	if why := unlike(r, from, alike); why != "" {
		panic(stop{difference{why}})
	}
	x.ran(r)
	if x.opt.Seen != nil {
		x.opt.Seen(r)
	}
	x.judge(r, early)
	for _, s := range x.open {
		s.note(r)
	}
	if r.End == native.Cut {
		x.res.Cut++
	}
	if left == 0 {
		x.res.Delayed++
		if x.opt.Progress != nil {
			x.opt.Progress(x.res)
		}
		return
	}
	actions, ops := Actions(r), executed(r)
	for k := range left {
		var later *stretch
		for i := len(actions) - 1; i >= len(prefix); i-- {
			others := r.Steps[i].Others
			switch {
			case k >= len(others):
				later = nil
				continue
			case later != nil && later.covers(r, i, k, ops) && !x.every:
				x.lengthen(later)
				continue
			}
			later = &stretch{proc: r.Steps[i+1].Proc, from: i, touched: map[int32]bool{}}
			x.open = append(x.open, later)
			x.delayed(append(actions[:i:i], others[k]), left-k-1, early || others[k] == 0, r)
			x.open = x.open[:len(x.open)-1]
		}
	}
}

// lengthen adds a stretch to those of the same goroutine that are open: where that is delayed once more right when it
// would go on, they last so long.
func (x *delaying) lengthen(by *stretch) {
	for _, s := range x.open {
		if s.proc == by.proc {
			s.join(by)
		}
	}
}

// unlike says where an execution is not like the one that it follows for so many events but the last, "" if it is.
func unlike(r, from *native.Record, events int) string {
	switch {
	case r.End == native.Diverged:
		return "a goroutine that was to go on waits"
	case r.Left:
		return leftInUse
	case from == nil:
		return ""
	}
	for i := range min(events, len(r.Steps), len(from.Steps)) {
		now, was := r.Steps[i].Changes, from.Steps[i].Changes
		same := len(now) == len(was)
		for k := 0; same && k < len(now); k++ {
			same = now[k].Proc == was[k].Proc && now[k].Op.Equal(&was[k].Op)
		}
		if !same {
			return fmt.Sprintf("event %d comes to something else", i)
		}
	}
	return ""
}
