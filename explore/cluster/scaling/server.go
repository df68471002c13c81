package scaling

import (
	"time"

	"cdpor/explore/internal/joblog"
)

// A server is one queue of requests, a log and a queue of parcels.
type server struct {
	s    *simulation
	free time.Duration // from when on it has nothing to do
	busy time.Duration
	late time.Duration // the longest that a request waited

	heads   map[joblog.ID]*joblog.Record // the last records of the chains of parcels
	queue   []*delivery                  // parcels that wait for workers
	waiting []requester                  // workers that wait for parcels
	records int64                        // in the log
	bytes   float64
}

// A requester is a worker that has asked for a parcel.
type requester struct {
	w    *worker
	life int // of it
}

// A delivery is a parcel of the queue. Somebody has it until it is acknowledged or taken away.
type delivery struct {
	parcel *joblog.Parcel
	over   bool          // it has been acknowledged
	sign   time.Duration // when the last sign of life of who has it came
}

// call asks something of the server: do when it is done there, and then, if not nil, after the answer has come back,
// which takes longer for what is stored.
func (v *server) call(cost time.Duration, stored bool, do, then func()) {
	s := v.s
	s.after(s.p.Latency, func() {
		begin := max(s.now, v.free)
		v.late = max(v.late, begin-s.now)
		v.free = begin + cost
		v.busy += cost
		finished := v.free - s.now
		if stored {
			finished += s.p.stored()
		}
		s.after(finished, func() {
			if do != nil {
				do()
			}
			if then != nil {
				s.after(s.p.Latency, then)
			}
		})
	})
}

// append stores a record. then is told whether it was refused.
func (v *server) append(r *joblog.Record, has RecordCost, then func(refused bool)) {
	refused := false
	cost := v.s.p.Store + time.Duration(has.Bytes*v.s.p.ServerByte)
	v.call(cost, true, func() {
		if r.Take == nil {
			if head := v.heads[r.Parcel]; head == nil && r.Number != 0 || head != nil && r.Number != head.Number+1 {
				refused = true
				if len(r.Split) > 0 {
					v.s.account()
					v.s.giving--
				}
				return
			}
			v.heads[r.Parcel] = r
		}
		v.records++
		v.bytes += has.Bytes
		v.s.after(v.s.p.Latency, func() { v.s.coordinator.receive(r, has) })
	}, func() { then(refused) })
}

// offer queues a parcel.
func (v *server) offer(d *delivery) {
	v.queue = append(v.queue, d)
	v.match()
}

// match gives parcels to workers.
func (v *server) match() {
	for len(v.queue) > 0 && len(v.waiting) > 0 {
		first := v.waiting[0]
		w := first.w
		if v.waiting = v.waiting[1:]; w.life != first.life { // it has died
			continue
		}
		d := v.queue[0]
		v.queue = v.queue[1:]
		d.sign = v.s.now
		w.parcel = d
		w.become(handing)
		v.busy += v.s.p.Answer // on its way out
		v.free = max(v.free, v.s.now) + v.s.p.Answer
		v.s.after(v.s.p.Latency, w.living(w.receive))
	}
}

// abandoned gives the parcel of a worker that has died to somebody else after a while.
func (v *server) abandoned(d *delivery) {
	v.s.after(max(0, d.sign+v.s.p.Wait-v.s.now), func() {
		if !d.over {
			v.offer(d)
		}
	})
}

// head is which record of a parcel comes next, and what is left; nil: nothing.
func (v *server) head(p *joblog.Parcel) (left *joblog.Parcel, number int) {
	if r := v.heads[p.ID]; r != nil {
		return r.Left, r.Number + 1
	}
	return p, 0
}
