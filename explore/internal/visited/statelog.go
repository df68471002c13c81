package visited

import "cdpor/lang/step"

// A StateLog lists states, until they take mostLogged words.
type StateLog struct {
	words []int64
	size  int // words of a state
}

const mostLogged = 1 << 20

// Add lists a state, if there is a list and it has room.
func (l *StateLog) Add(s step.State) {
	if l != nil && len(l.words) < mostLogged {
		l.words, l.size = append(l.words, s...), len(s)
	}
}

// Each calls f for every state, and forgets them.
func (l *StateLog) Each(f func(step.State)) {
	if l == nil {
		return
	}
	for at := 0; at < len(l.words); at += l.size {
		f(l.words[at : at+l.size])
	}
	l.words = l.words[:0]
}
