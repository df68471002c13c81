package report

import (
	"fmt"

	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/explore"
	"cdpor/explore/schedules"
)

// Schedules are those of what a simulation has found to be wrong, in text: other machines have other numbers for
// processes that were started.
func (r *Report) Schedules() (list []string) {
	if r == nil {
		return nil
	}
	for _, v := range r.Result.Violations {
		list = append(list, schedules.Format(r.Machine, v.Schedule))
	}
	return list
}

// AddSimulated adds what schedules of a simulation show to be wrong and the search has not come to: it ended early, or
// does not look at all states for invariants. What it has come to stays as it is.
func (r *Report) AddSimulated(schedules []string) error {
	if len(schedules) == 0 {
		return nil
	}
	known := map[string]bool{}
	// A search that reduces need not find all processes that break an always or a transition first (explore/THEORY.md,
	// "What may be relied on"), so of these it counts which is broken.
	same := func(v *explore.Violation) string {
		if v.Kind == explore.AlwaysBroken || v.Kind == explore.StepBroken {
			return fmt.Sprintf("%s/%p", v.Kind, v.Property)
		}
		return r.SameAs(v)
	}
	for _, v := range r.Result.Violations {
		known[same(v)] = true
	}
	for _, text := range schedules {
		var schedule []int32
		if text != "" { // it is wrong from the start
			l, err := execution.ParseSchedule(r.Machine, text)
			if err != nil {
				return err
			}
			schedule = l.Stem
		}
		found, err := explore.Judge(r.Machine, schedule)
		if err != nil {
			return err
		}
		for _, v := range found {
			if key := same(v); !known[key] {
				known[key] = true
				v.Count = 0
				r.Result.AddViolation(v)
				r.onlySimulated = append(r.onlySimulated, v)
			}
		}
	}
	return nil
}

// A jsonSimulation says which random schedules were run.
type jsonSimulation struct {
	Schedules   int     `json:"schedules"`
	Seed        int64   `json:"seed"`
	Depth       int     `json:"depth"` // of PCT, 0: random walks
	Threads     int     `json:"threads"`
	Length      int     `json:"length"`
	Bounded     int     `json:"bounded"`
	Probability float64 `json:"probability"`
}

func (r *Report) simulationJSON() *jsonSimulation {
	if s := r.Simulation; s != nil {
		return &jsonSimulation{s.Schedules, s.Seed, s.Depth, s.Threads, s.Length, s.Bounded, s.Bound()}
	}
	return nil
}
