package deadlock

import "slices"

// cycle finds a shortest cycle of processes of which each cannot go on before the next one does, the first repeated
// at the end; nil if there is none.
func cycle(waits []Wait) (best []int) {
	next := map[int][]int{}
	for _, w := range waits {
		for _, n := range w.Needs {
			if n.only >= 0 && !slices.Contains(next[w.proc], n.only) {
				next[w.proc] = append(next[w.proc], n.only)
			}
		}
	}
	for _, w := range waits {
		from := map[int]int{} // breadth first
		for queue := []int{w.proc}; len(queue) > 0; queue = queue[1:] {
			for _, q := range next[queue[0]] {
				if _, seen := from[q]; !seen {
					from[q] = queue[0]
					queue = append(queue, q)
				}
			}
		}
		if _, back := from[w.proc]; !back {
			continue
		}
		path := []int{w.proc}
		for p := from[w.proc]; p != w.proc; p = from[p] {
			path = append(path, p)
		}
		path = append(path, w.proc)
		slices.Reverse(path)
		if best == nil || len(path) < len(best) {
			best = path
		}
	}
	return best
}

// knot finds a smallest set of processes, each of which has a need that only others of the set could make true; nil
// if there is none.
func knot(waits []Wait) (best []int) {
	others := map[int][]int{}
	for _, w := range waits {
		for _, n := range w.Needs {
			if len(n.Could) == 0 { // it waits for ever, whatever the others do
				others[w.proc] = nil
				break
			}
			if others[w.proc] == nil {
				for _, a := range n.Could {
					others[w.proc] = append(others[w.proc], a.proc)
				}
			}
		}
	}
	for _, w := range waits {
		set, closed := []int{w.proc}, true
		for i := 0; i < len(set) && closed; i++ {
			closed = len(others[set[i]]) > 0
			for _, q := range others[set[i]] {
				if !slices.Contains(set, q) {
					set = append(set, q)
				}
			}
		}
		if closed && (best == nil || len(set) < len(best)) {
			best = set
		}
	}
	slices.Sort(best)
	return best
}
