package cluster

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"cdpor/explore"
	"cdpor/explore/internal/slots"
)

// Messages that are not stored. One that is lost costs time and nothing else.

// lookAround is the interval at which a process looks for jobs, and says that it is there.
const lookAround = 2 * time.Second

// A want asks workers for more tasks.
type want struct {
	Tasks, Workers int
}

// A Presence tells, every few seconds, that a process has workers.
type Presence struct {
	ID    string // of the process, never used again
	Host  string
	Cores int   // how many workers it has
	Busy  int   // of those, how many have a task of this job
	Nodes int64 // explored for this job so far, by all of them
	Hung  int   `json:",omitempty"` // of the busy ones, how many have given no sign of life for long
}

// A Progress tells, every second, how far a coordinator is.
type Progress struct {
	Submitter bool // it has submitted the job, or come back to it
	Workers   int
	Tasks     int // under way
	Records   int64
	Counts    explore.Result
	Outcomes  int
	Wrong     int // distinct violations
	Share     float64
	Bytes     uint64 // of the log
}

// tell sends a message about a job. That it was lost is not an error.
func (j *Job) tell(kind string, what any) {
	if text, err := json.Marshal(what); err == nil && len(text) < largeMessage {
		_ = j.nc.Publish(j.subject(kind), text)
	}
}

// heed calls a function with each message of a kind about a job, until the result is called.
func heed[T any](j *Job, kind string, f func(*T), tokens ...string) (end func(), err error) {
	s, err := j.nc.Subscribe(j.subject(kind, tokens...), func(m *nats.Msg) {
		v := new(T)
		if json.Unmarshal(m.Data, v) == nil && sane(v) {
			_ = guarded(func() error { f(v); return nil })
		}
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = s.Unsubscribe() }, nil
}

// sane reports whether the numbers of a message are such as a worker or a coordinator says.
func sane(message any) bool {
	between := func(most int, numbers ...int) bool {
		return !slices.ContainsFunc(numbers, func(n int) bool { return n < 0 || n > most })
	}
	switch m := message.(type) {
	case *want:
		return between(2*mostPending, m.Tasks, m.Workers)
	case *Presence:
		return m.ID != "" && between(mostPending, m.Cores) && between(m.Cores, m.Busy, m.Hung) &&
			m.Nodes >= 0 && m.Nodes <= mostNodes
	case *Progress:
		return between(math.MaxInt, m.Workers, m.Tasks, m.Outcomes, m.Wrong) && m.Records >= 0 && m.Share >= 0 &&
			m.Share <= 1
	case *slots.Ask:
		return m.Round >= 0 && m.Mode >= slots.Working && m.Mode <= slots.Storing
	case *slots.Status:
		return m.Worker != "" && min(m.Round, m.Sent, m.Received, m.Moved, m.States, m.Events) >= 0
	}
	return true
}

// mostNodes is more than a process explores in a thousand years. The sum of a hundred is still a number.
const mostNodes = math.MaxInt64 / 128
