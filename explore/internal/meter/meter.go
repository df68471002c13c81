// Package meter counts work, so that a search can be given up in the middle of an execution.
//
//	meter.go  units of work, and when to ask whether to go on
package meter

// Period is how many units of work there are from one time that Ask is called to the next.
const Period = 1 << 12

// A Meter counts units of work, about as much as comparing two events or executing one.
type Meter struct {
	worked int   // since Ask was called
	before int64 // until then
	// Ask decides whether to go on, and does not return if not. bytes is memory that is about to be taken at once, 0 if
	// it is called because of work.
	Ask func(bytes int64)
}

// State counts the work of making a state of so many words, which costs more than a step if they are many.
func (m *Meter) State(words int) { m.Work(words / 64) }

// Work counts units of work.
func (m *Meter) Work(units int) {
	if m.worked += units; m.worked >= Period {
		m.Ask(0)
	}
}

// Reset begins to count anew until Ask is called.
func (m *Meter) Reset() { m.before, m.worked = m.before+int64(m.worked), 0 }

// Restore goes on from a total.
func (m *Meter) Restore(total int64) { m.before, m.worked = total, 0 }

// Total is all the work so far.
func (m *Meter) Total() int64 { return m.before + int64(m.worked) }
