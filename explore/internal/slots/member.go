package slots

import (
	"errors"
	"time"
)

// A Work explores the slots of a worker.
type Work interface {
	// Begin goes to the beginning of a stage, of which it owns some slots. keep tells that it has stored the stage
	// before, and that this counts.
	Begin(s *Stage, owned []bool, keep bool) error
	// Expand expands some states, and passes successors that are in slots of others on. It begins with none that waits
	// if it is to come to an end: then it goes on only with what it has begun with, as long as Begun says so.
	Expand(states int, end bool, send func(slot int, e *Entry)) (expanded int, err error)
	// Begun reports whether the expansion of some states has begun.
	Begun() bool
	// Accept takes what Expand of another worker has passed on: states before, and actions.
	Accept(b Batch) error
	// Open reports whether states wait to be expanded, or their expansion has begun.
	Open() bool
	// Store stores the slots, and what was found in the stage.
	Store() (*Part, error)
	// Found returns the findings of the stage.
	Found() (states, events int64, violated bool)
}

const (
	// fullBatch is from how many bytes on a batch is sent.
	fullBatch = 48 << 10
	// window is how many batches may be under way from one worker to another.
	window = 8
	// mostWaiting is how many batches may wait to be sent to a worker until this one does not expand states any more.
	mostWaiting = 16
	// sendAgain is after which time without an acknowledgement a batch is taken for lost.
	sendAgain = time.Second
	// mostHeld is how many bytes of batches a worker has received and not yet looked at, at most.
	mostHeld = 16 << 20
)

// A Member is a worker's part in the stages. Batches to another worker have numbers, are
// acknowledged, and sent again until they are; those that come twice or out of turn are ignored. So it does not matter
// whether messages are late, doubled or lost.
//
// What it has received waits until it has nothing else to go on from. By then it has come to most of these states by
// itself, from states that it knew, which is cheaper.
//
// What it has acknowledged it must not forget as long as the stage lasts. So a Member enters no stage twice: a worker
// that has lost what it had is another Member, with another name.
type Member struct {
	Name    string
	Leaving bool // it is about to go
	// Unknown tells that it has heard of a stage that it is not in. The log says which is under way.
	Unknown bool
	Hold    int // so many bytes of batches wait at most

	work  Work
	store Store
	stage *Stage
	place uint64 // in the log
	owns  bool
	mode  Mode
	part  string // it has stored the stage
	round int64
	links map[string]*link
	out   []Message
	held  [][]byte // batches that wait
	bytes int      // of these

	sent, received, moved int64
}

// A link is a connection between two Members.
type link struct {
	pending  []byte   // the next batch
	coder    coder    // of it
	batches  [][]byte // without an acknowledgement
	first    int64    // the number of the first of them
	sent     int      // so many of them have been sent
	last     time.Time
	expected int64 // the number of the batch that is to come next
}

// NewMember makes one that is in no stage.
func NewMember(name string, work Work, store Store) *Member {
	return &Member{Name: name, Hold: mostHeld, work: work, store: store, links: map[string]*link{}}
}

// ErrBack says that a log has an earlier stage at its end than it had before.
var ErrBack = errors.New("the log has lost a stage, or an old one was read")

// Enter begins the last stage of the log, which is at some place in it, unless the member is in it. After an error the
// member is of no use.
func (m *Member) Enter(s *Stage, place uint64) error {
	m.Unknown = false
	if m.stage != nil && m.stage.ID == s.ID {
		return nil
	}
	if m.stage != nil && place <= m.place {
		return ErrBack
	}
	keep := m.stage != nil && m.owns && m.part != "" && s.After == m.stage.ID
	owned := make([]bool, len(s.Slots))
	m.owns = false
	for slot, w := range s.Owners {
		owned[slot] = w == m.Name
		m.owns = m.owns || owned[slot]
	}
	m.stage, m.place, m.mode, m.part = s, place, Working, ""
	m.links, m.out, m.sent, m.received = map[string]*link{}, nil, 0, 0
	m.held, m.bytes = nil, 0
	m.moved++
	return m.work.Begin(s, owned, keep)
}

// In is the stage that the member is in, nil if it is in none.
func (m *Member) In() *Stage { return m.stage }

// Owns reports whether the member owns slots.
func (m *Member) Owns() bool { return m.owns }

// Hear takes in what a leader asks.
func (m *Member) Hear(a Ask) {
	if m.stage == nil || a.Stage != m.stage.ID {
		m.Unknown = m.Unknown || a.Stage != ""
		m.round = a.Round
		return
	}
	m.mode, m.round = a.Mode, a.Round
}

func (m *Member) link(to string) *link {
	l := m.links[to]
	if l == nil {
		l = &link{}
		m.links[to] = l
	}
	return l
}

// Receive takes in what another member has sent.
func (m *Member) Receive(msg Message, now time.Time) error {
	switch {
	case m.stage == nil || msg.Stage != m.stage.ID:
		m.Unknown = true
		return nil
	case !m.owns:
		return nil
	case msg.Ack:
		l := m.link(msg.From)
		for ; l.first < msg.Number && len(l.batches) > 0; l.first++ {
			l.batches, l.sent, l.last = l.batches[1:], max(0, l.sent-1), now
			m.moved++
		}
		m.flush(now)
		return nil
	case m.part != "":
		return nil // what is stored does not have it: the sender must not believe so
	}
	l := m.link(msg.From)
	if msg.Number == l.expected {
		m.held = append(m.held, msg.Batch)
		m.bytes += len(msg.Batch)
		l.expected++
		m.received++
		m.moved++
	}
	m.out = append(m.out, Message{Stage: m.stage.ID, From: m.Name, To: msg.From, Number: l.expected, Ack: true})
	for m.bytes > m.Hold {
		if err := m.accept(); err != nil {
			return err
		}
	}
	return nil
}

// accept takes in the batch that has waited longest.
func (m *Member) accept() error {
	b := m.held[0]
	m.held, m.bytes = m.held[1:], m.bytes-len(b)
	m.moved++
	return m.work.Accept(Batch{rest: b})
}

// Do expands some states or takes in what was received, if it is time for that, and stores the slots, if it is time
// for that. It reports whether there was something to do.
func (m *Member) Do(states int, now time.Time) (busy bool, err error) {
	if !m.owns || m.part != "" {
		return false, nil
	}
	end := m.mode != Working
	if (m.work.Begun() || !end && m.work.Open()) && !m.choked() {
		n, err := m.work.Expand(states, end, m.send)
		m.moved += int64(n)
		if err != nil {
			return true, err
		}
		busy = true
	} else if len(m.held) > 0 {
		if err := m.accept(); err != nil {
			return true, err
		}
		busy = true
	}
	m.flush(now)
	if m.mode == Storing && m.quiet() {
		return true, m.freeze()
	}
	return busy, nil
}

// choked reports whether a receiver is so slow that nothing should be sent.
func (m *Member) choked() bool {
	for _, l := range m.links {
		if len(l.batches) >= mostWaiting {
			return true
		}
	}
	return false
}

// send puts an entry into the next batch to the owner of a slot.
func (m *Member) send(slot int, e *Entry) {
	l := m.link(m.stage.Owners[slot])
	if l.pending = l.coder.append(l.pending, e); len(l.pending) >= fullBatch {
		m.close(l)
	}
}

// close ends a batch.
func (m *Member) close(l *link) {
	l.batches, l.pending = append(l.batches, l.pending), nil
	l.coder.reset()
	m.sent++
	m.moved++
}

// flush sends what may be sent, and sends again what seems to be lost. A batch that is not full is sent when none is
// under way to the same worker.
func (m *Member) flush(now time.Time) {
	for to, l := range m.links {
		if len(l.pending) > 0 && len(l.batches) == 0 {
			m.close(l)
		}
		if l.sent > 0 && now.Sub(l.last) >= sendAgain {
			l.sent = 0
		}
		for ; l.sent < min(window, len(l.batches)); l.sent++ {
			l.last = now
			m.out = append(m.out, Message{Stage: m.stage.ID, From: m.Name, To: to,
				Number: l.first + int64(l.sent), Batch: l.batches[l.sent]})
		}
	}
}

// quiet reports whether all that the member has sent has been dealt with, and it does not go on by itself.
func (m *Member) quiet() bool {
	if len(m.held) > 0 || m.work.Begun() || m.mode == Working && m.work.Open() {
		return false
	}
	for _, l := range m.links {
		if len(l.pending) > 0 || len(l.batches) > 0 {
			return false
		}
	}
	return true
}

// freeze stores the slots. From now on the member does nothing in this stage. All that it has sent has been dealt with,
// by others that had not stored their slots, and it sends nothing any more, so what the owners store fits together,
// whenever each of them does so: nothing is under way between them.
func (m *Member) freeze() error {
	p, err := m.work.Store()
	if err != nil {
		return err
	}
	m.part, err = PutPart(m.store, p)
	m.moved++
	return err
}

// Sending are the messages to be sent. They are forgotten.
func (m *Member) Sending() []Message {
	out := m.out
	m.out = nil
	return out
}

// Status returns the status of the member.
func (m *Member) Status() Status {
	s := Status{Worker: m.Name, Round: m.round, Moved: m.moved, Leaving: m.Leaving}
	if m.stage == nil {
		return s
	}
	s.Stage, s.Quiet, s.Sent, s.Received, s.Part = m.stage.ID, m.quiet(), m.sent, m.received, m.part
	if m.owns {
		s.States, s.Events, s.Violated = m.work.Found()
	}
	return s
}
