package compare

import (
	"strings"
	"time"

	"cdpor/explore"
)

// A Measurement is one algorithm on one program.
type Measurement struct {
	Variant     *Variant
	Result      *explore.Result
	Exploration time.Duration
	Synthesis   time.Duration // finding or proving the constraints it uses
	Memory      int64
	Missed      []string // what was not looked at
}

// time is the whole time of the algorithm.
func (m *Measurement) time() time.Duration { return m.Exploration + m.Synthesis }

func (m *Measurement) complete() bool { return m.Result.Stopped == explore.StoppedComplete }

// A Comparison has the measurements for one choice of parameters, the first algorithm first.
type Comparison struct {
	Params []string // as given
	Runs   []*Measurement
	// Unjudged names what the program checks of executions as a whole, which is not looked at here; empty: nothing.
	Unjudged string
}

// parameter is the value of a swept parameter in a row.
func (row *Comparison) parameter(name string) string {
	for _, p := range row.Params {
		if value, ok := strings.CutPrefix(p, name+"="); ok {
			return value
		}
	}
	return ""
}
