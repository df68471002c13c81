package slots

import (
	"slices"
	"time"
)

// A Pace says how often a leader does what.
type Pace struct {
	Barrier  time.Duration // from one barrier to the next
	Newcomer time.Duration // the same if a worker waits for slots
	Silence  time.Duration // after which a worker is taken for dead
	Gather   time.Duration // for how long the first stage waits for workers that are about to come, at most
	Follow   time.Duration // for how long after the last one that has come, if no newcomer is known
	Ask      time.Duration // from one question to the next while nothing else is to be done
}

// A Leader decides when a stage begins and when it ends. It knows nothing that does not follow from the last stage in
// the log and from what the workers say, so another one may take its place, and two do no harm: stages are a chain of
// the log, and what a member stores fits together whoever asked for it.
type Leader struct {
	Pace  Pace
	Early func() bool // reports whether a barrier is wanted at once; nil: never

	stage   *Stage
	mode    Mode
	round   int64
	since   time.Time // when the leader has come to the stage
	begun   time.Time // when all owners had; zero: not yet
	asked   time.Time
	stirred time.Time     // when an owner has moved last
	gather  time.Time     // when the first worker was heard
	joined  time.Time     // when another one was heard for the first time, or as one that has come
	drained time.Time     // when the barrier was decided on; zero: not yet
	cost    time.Duration // of the last barrier
	workers map[string]*heard
	before  [2]int64 // batches sent and received, a round ago
	settled bool     // all were quiet then, and the numbers the same
}

type heard struct {
	Status
	last time.Time
}

// A Proposal asks for a new stage to be appended to the log. If another leader was quicker, its stage is the one to
// Adopt.
type Proposal struct {
	Workers []string
	// Parts are the names of what the owners have stored. None: the stage has come to nothing, or there was none.
	Parts []string
}

// NewLeader makes one for a search whose last stage in the log is given, nil if there is none.
func NewLeader(p Pace, s *Stage, now time.Time) *Leader {
	l := &Leader{Pace: p, workers: map[string]*heard{}}
	l.Adopt(s, now)
	return l
}

// Adopt goes to a stage that is in the log.
func (l *Leader) Adopt(s *Stage, now time.Time) {
	if !l.drained.IsZero() && s != nil && s.After != "" {
		l.cost = now.Sub(l.drained)
	}
	l.drained = time.Time{}
	l.stage, l.mode, l.since, l.begun, l.stirred, l.settled = s, Working, now, time.Time{}, now, false
	l.round, l.asked = l.round+1, time.Time{}
}

// Stage is the stage that the leader is in.
func (l *Leader) Stage() *Stage { return l.stage }

// Hear takes in what a worker says.
func (l *Leader) Hear(s Status, now time.Time) {
	old := l.workers[s.Worker]
	if s.Gone {
		if old != nil {
			delete(l.workers, s.Worker)
		}
		if l.stage != nil && l.stage.Owns(s.Worker) {
			l.workers[s.Worker] = &heard{s, time.Time{}} // it was heard too long ago
		}
		return
	}
	if l.gather.IsZero() {
		l.gather = now
	}
	if old == nil || old.Coming && !s.Coming {
		l.joined = now
	}
	if l.stage != nil && (old == nil || old.Moved != s.Moved) && l.stage.Owns(s.Worker) {
		l.stirred = now
	}
	l.workers[s.Worker] = &heard{s, now}
	if s.Quiet && old != nil && !old.Quiet && l.stage != nil && l.allQuiet() {
		l.asked = time.Time{} // this may be the end
	}
}

// allQuiet reports whether all owners were quiet when they were heard last.
func (l *Leader) allQuiet() bool {
	for _, w := range l.stage.workers() {
		if h := l.workers[w]; h == nil || h.Stage != l.stage.ID || !h.Quiet {
			return false
		}
	}
	return true
}

// Workers are those that are there, and States and Events what they have found since the last barrier.
func (l *Leader) Workers(now time.Time) (there int, states, events int64) {
	for _, h := range l.workers {
		if now.Sub(h.last) < l.Pace.Silence {
			if there++; l.stage != nil && h.Stage == l.stage.ID {
				states, events = states+h.States, events+h.Events
			}
		}
	}
	return there, states, events
}

// willing are the workers that are there and stay.
func (l *Leader) willing(now time.Time) (list []string) {
	for name, h := range l.workers {
		if now.Sub(h.last) < l.Pace.Silence && !h.Leaving && !h.Coming {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Decide says what to ask now, if it is time for that, and what is to become of the stage, if it is over.
func (l *Leader) Decide(now time.Time) (ask *Ask, p *Proposal) {
	willing := l.willing(now)
	switch {
	case l.stage == nil:
		if len(willing) > 0 && l.gathered(now) {
			return nil, &Proposal{Workers: willing}
		}
	case l.stage.Over():
		return nil, nil
	case l.lost(now):
		if len(willing) > 0 {
			return nil, &Proposal{Workers: willing}
		}
	default:
		if parts := l.proceed(now, willing); parts != nil {
			return nil, &Proposal{Workers: willing, Parts: parts}
		}
	}
	pace := l.Pace.Ask
	if l.mode != Working || l.stage == nil && !l.gather.IsZero() {
		pace /= 10
	}
	if now.Sub(l.asked) < pace {
		return nil, nil
	}
	l.asked = now
	ask = &Ask{Round: l.round, Mode: l.mode}
	if l.stage != nil {
		ask.Stage = l.stage.ID
	}
	return ask, nil
}

// gathered reports whether the first stage need not wait for more workers.
func (l *Leader) gathered(now time.Time) bool {
	if now.Sub(l.gather) >= l.Pace.Gather {
		return true
	}
	for _, h := range l.workers {
		if h.Coming {
			return false
		}
	}
	return now.Sub(l.joined) >= l.Pace.Follow
}

// lost reports whether the stage cannot come to its barrier: there are no owners, one is dead, or all stand still.
func (l *Leader) lost(now time.Time) bool {
	owners := l.stage.workers()
	for _, w := range owners {
		last := l.since
		if h := l.workers[w]; h != nil && (h.Gone || h.last.After(last)) {
			last = h.last
		}
		if now.Sub(last) >= l.Pace.Silence {
			return true
		}
	}
	return len(owners) == 0 || now.Sub(l.stirred) >= standstill*l.Pace.Silence
}

// standstill is how many times as long as a worker may be silent all of them may stand still. It does not come to that
// unless two leaders want different things.
const standstill = 3

// proceed looks at a round of answers when all owners have answered. If all have stored the stage, it returns the names
// of what they have stored.
func (l *Leader) proceed(now time.Time, willing []string) (parts []string) {
	quiet, frozen, owners := true, false, l.stage.workers()
	leaving, violated := false, false
	var sum [2]int64
	for _, w := range owners {
		h := l.workers[w]
		if h == nil || h.Stage != l.stage.ID || h.Round < l.round {
			return nil
		}
		quiet, frozen = quiet && h.Quiet, frozen || h.Part != ""
		leaving, violated = leaving || h.Leaving, violated || h.Violated
		sum[0], sum[1] = sum[0]+h.Sent, sum[1]+h.Received
		if h.Part != "" {
			parts = append(parts, h.Part)
		}
	}
	if len(parts) == len(owners) {
		return parts
	}
	if l.begun.IsZero() {
		l.begun = now
	}
	// Who says how many batches he has sent may do so before the answer of another one, and receive some after it. The
	// numbers of two rounds that are the same were those at the time in between, too: nothing is under way.
	agreed := quiet && sum[0] == sum[1] && l.settled && sum == l.before
	l.settled, l.before = quiet && sum[0] == sum[1], sum
	switch {
	case frozen || agreed:
		l.mode = Storing
	case l.mode == Working && (l.due(now, willing, len(owners)) || leaving || l.Early != nil && violated && l.Early()):
		l.mode = Draining
	}
	if l.mode != Working && l.drained.IsZero() {
		l.drained = now
	}
	l.round++
	if l.mode != Working || l.settled {
		l.asked = time.Time{}
	}
	return nil
}

// due reports whether it is time for a barrier. Barriers take a fifth of the time at most.
func (l *Leader) due(now time.Time, willing []string, owners int) bool {
	every := l.Pace.Barrier
	if min(Many, len(willing)) > owners {
		every = l.Pace.Newcomer
	}
	return now.Sub(l.begun) >= max(every, 4*l.cost)
}
