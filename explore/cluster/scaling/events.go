package scaling

import "time"

// An event is something that happens at a time.
type event struct {
	at    time.Duration
	order uint64 // of those at the same time
	do    func()
}

// events are what is going to happen: a heap, the first of them at its top.
type events struct {
	now   time.Duration
	list  []event
	order uint64
}

// after lets something happen after some time.
func (e *events) after(d time.Duration, do func()) {
	e.order++
	e.list = append(e.list, event{e.now + d, e.order, do})
	for i := len(e.list) - 1; i > 0; {
		up := (i - 1) / 2
		if !e.before(i, up) {
			return
		}
		e.list[i], e.list[up] = e.list[up], e.list[i]
		i = up
	}
}

func (e *events) before(i, k int) bool {
	a, b := &e.list[i], &e.list[k]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// next takes out what happens first. It reports whether there is anything.
func (e *events) next() (first event, is bool) {
	last := len(e.list) - 1
	if last < 0 {
		return first, false
	}
	first = e.list[0]
	e.list[0] = e.list[last]
	e.list[last].do = nil
	e.list = e.list[:last]
	for i := 0; ; {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < last; k++ {
			if e.before(k, least) {
				least = k
			}
		}
		if least == i {
			return first, true
		}
		e.list[i], e.list[least] = e.list[least], e.list[i]
		i = least
	}
}
