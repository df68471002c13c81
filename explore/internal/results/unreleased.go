package results

import (
	"cmp"
	"slices"

	"cdpor/lang/step"
)

// An Unreleased is a mutex that a process held when it ended. No process can release it then: that is not wrong by
// itself, and hardly meant.
type Unreleased struct {
	Proc  int
	Word  int   // of the shared words: the mutex
	Count int64 // complete executions
}

// mutexes lists the words of a value that are mutexes; at is where it begins.
func mutexes(t *step.Type, at int, list []int) []int {
	switch t.Kind {
	case step.Mutex:
		list = append(list, at)
	case step.Array:
		for i := range t.Len {
			list = mutexes(t.Elem, at+i*t.Elem.Words(), list)
		}
	case step.Record:
		for _, f := range t.Fields {
			list = mutexes(f.Type, at, list)
			at += f.Type.Words()
		}
	}
	return list
}

// countUnreleased looks for mutexes at the end of an execution that are held by processes that have ended.
func (r *Collector) countUnreleased(s step.State) {
	for _, w := range r.mutexes {
		if p := int(s[w]) - 1; p >= 0 && r.M.Finished(s, p) {
			r.unreleased[[2]int{p, w}]++
		}
	}
}

// listUnreleased lists them in the order of processes.
func (r *Collector) listUnreleased() (list []Unreleased) {
	for at, n := range r.unreleased {
		list = append(list, Unreleased{at[0], at[1], n})
	}
	slices.SortFunc(list, func(a, b Unreleased) int {
		return cmp.Or(cmp.Compare(a.Proc, b.Proc), cmp.Compare(a.Word, b.Word))
	})
	return list
}
