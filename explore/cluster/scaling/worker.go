package scaling

import (
	"time"

	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/internal/joblog"
)

// What a worker does.
type activity int

const (
	exploring activity = iota
	replaying          // on the way to where a parcel begins
	appending          // making a record, and waiting until it is stored
	handing            // between two parcels, waiting for answers of the server
	starving           // there is no parcel for it
	dead
	activities
)

// A worker does what a worker of package cluster does.
type worker struct {
	s      *simulation
	x      Explorer
	slices pacing.Slices
	wanted bool // it shall give something away
	life   int  // which of those that had its place it is
	parcel *delivery
	number int           // of the next record
	begun  time.Duration // the present slice
	over   bool          // the parcel is at its end
	does   activity
	since  time.Duration
	splits bool // it has something to give away
}

// become notes what the worker does from now on.
func (w *worker) become(a activity) {
	s := w.s
	s.account()
	if w.does == starving {
		s.starving--
	}
	if a == starving {
		s.starving++
	}
	s.out.spent[w.does] += s.now - w.since
	w.does, w.since = a, s.now
}

// divisible notes whether the worker has something to give away.
func (w *worker) divisible(is bool) {
	if is != w.splits {
		w.s.account()
		if w.splits = is; is {
			w.s.divisible++
		} else {
			w.s.divisible--
		}
	}
}

// living is something that happens unless the worker has died by then.
func (w *worker) living(do func()) func() {
	life := w.life
	return func() {
		if w.life == life {
			do()
		}
	}
}

// ask asks for a parcel.
func (w *worker) ask() {
	w.become(handing)
	w.parcel = nil
	w.s.server.call(w.s.p.Answer, false, w.living(func() {
		w.become(starving)
		w.s.server.waiting = append(w.s.server.waiting, requester{w, w.life})
		w.s.server.match()
	}), nil)
}

// receive gets a parcel, and asks for the head of its chain.
func (w *worker) receive() {
	s := w.s
	s.server.call(s.p.Answer, false, nil, w.living(func() {
		left, number := s.server.head(w.parcel.parcel)
		if left == nil { // who had it died before it could say so
			w.acknowledge()
			return
		}
		w.number = number
		w.become(replaying)
		if err := w.x.TakeUp(left); err != nil {
			s.fail(err)
			return
		}
		s.out.Parcels++
		s.after(time.Duration(len(left.Levels))*s.p.Replay, w.living(w.slice))
	}))
}

// slice begins to explore until the next record.
func (w *worker) slice() {
	w.become(exploring)
	w.begun = w.s.now
	w.look()
}

// look explores for a while.
func (w *worker) look() {
	s := w.s
	before := w.x.Nodes()
	over, err := w.x.Explore(w.slices.Nodes())
	if err != nil {
		s.fail(err)
		return
	}
	w.over = over
	took := time.Duration(w.x.Nodes()-before) * s.p.Node
	s.after(took, w.living(func() {
		if !over {
			w.slices.Looked(took)
		}
		w.divisible(!over && w.x.Divisible())
		if over || w.slices.Over(s.now-w.begun) || w.wanted && w.splits {
			w.record()
			return
		}
		w.look()
	}))
}

// record ends a slice.
func (w *worker) record() {
	s := w.s
	nodes := w.x.Nodes()
	s.out.Explored += nodes
	split := w.wanted
	w.wanted = false
	w.slices.Recorded(split, 0)
	r, err := w.x.Record(w.number, w.over, split)
	if err != nil {
		s.fail(err)
		return
	}
	if len(r.Split) > 0 {
		s.out.Splits++
	}
	has := s.p.record(nodes)
	w.number++
	w.divisible(false)
	w.become(appending)
	life := w.life
	s.after(has.Encode, func() {
		if w.life != life {
			s.out.Wasted += nodes
			return
		}
		if len(r.Split) > 0 {
			s.account()
			s.giving++
		}
		s.server.append(r, has, func(refused bool) {
			if w.life == life {
				w.stored(r, refused)
			}
		})
	})
}

// stored goes on when a record is in the log, or was refused because another worker had been quicker.
func (w *worker) stored(r *joblog.Record, refused bool) {
	s, d := w.s, w.parcel
	if refused {
		s.out.Refused++
		w.x = s.work.New()
		s.server.call(s.p.Answer, false, func() { s.server.offer(d) }, w.living(w.ask))
		return
	}
	if r.Left == nil {
		w.acknowledge()
		return
	}
	s.server.call(s.p.Pass, false, func() { d.sign = s.now }, nil)
	w.slice()
}

// acknowledge says that a parcel is at its end.
func (w *worker) acknowledge() {
	d := w.parcel
	w.become(handing)
	w.s.server.call(w.s.p.Answer, false, func() { d.over = true }, w.living(w.ask))
}

// die lets another worker take the place of this one after a while.
func (w *worker) die() {
	s := w.s
	if s.over {
		return
	}
	s.out.Died++
	w.life++
	w.divisible(false)
	if w.does == exploring {
		s.out.Wasted += w.x.Nodes()
		s.out.Explored += w.x.Nodes()
	}
	if w.parcel != nil {
		s.server.abandoned(w.parcel)
	}
	w.parcel = nil
	w.become(dead)
	s.after(s.p.Restart, w.living(w.begin))
}

// begin is a worker that knows nothing.
func (w *worker) begin() {
	s := w.s
	w.x, w.slices, w.wanted = s.work.New(), pacing.NewSlices(s.p.Slice), false
	if s.p.Deaths > 0 {
		s.after(time.Duration(s.draws.ExpFloat64()/s.p.Deaths*float64(time.Hour)), w.living(w.die))
	}
	w.ask()
}
