package slots

import "slices"

// assign gives each slot an owner, none of which has more than one slot more than another. As many slots as possible
// stay with who owns them now, if anybody does: a slot that moves has to be read from the store.
func assign(now []string, slots int, workers []string) []string {
	if len(workers) == 0 {
		return nil
	}
	if now == nil {
		now = make([]string, slots)
	}
	workers = slices.Sorted(slices.Values(workers))
	if len(workers) > len(now) {
		workers = prefer(workers, now)[:len(now)]
	}
	next, has := make([]string, len(now)), map[string]int{}
	least := len(now) / len(workers)
	more := len(now) % len(workers) // of the workers have one more
	room := func(w string) bool { return has[w] < least || has[w] == least && more > 0 }
	give := func(slot int, w string) {
		if has[w]++; has[w] > least {
			more--
		}
		next[slot] = w
	}
	for slot, w := range now {
		if slices.Contains(workers, w) && room(w) {
			give(slot, w)
		}
	}
	for slot := range next {
		for _, w := range workers {
			if next[slot] == "" && room(w) {
				give(slot, w)
			}
		}
	}
	return next
}

// prefer puts those first who own something.
func prefer(workers, owners []string) (list []string) {
	for _, w := range workers {
		if slices.Contains(owners, w) {
			list = append(list, w)
		}
	}
	for _, w := range workers {
		if !slices.Contains(owners, w) {
			list = append(list, w)
		}
	}
	return list
}
