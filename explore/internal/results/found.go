package results

import "sync"

// Telling of violations when they are found (Options.Found), and stopping at the first one.

// announce tells of a violation that a worker has just found.
func (r *Collector) announce(v *Violation) {
	r.Violated = true
	if r.Found != nil {
		r.Found(v)
	}
}

// Once turns Options.Found into a function that several workers, and several searches of auto, may call with all that
// they find: it passes each distinct violation on once, as a copy, until it is told that that is enough.
func Once(found func(*Violation) bool) func(*Violation) bool {
	if found == nil {
		return nil
	}
	var mu sync.Mutex
	known, more := map[violationKey]bool{}, true
	return func(v *Violation) bool {
		mu.Lock()
		defer mu.Unlock()
		if key := v.Key(); more && !known[key] {
			known[key] = true
			c := *v // its count is the worker's
			more = found(&c)
		}
		return more
	}
}
