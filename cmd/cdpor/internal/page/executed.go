package page

import (
	"strings"

	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// An Executed execution is one of a Go test that was run: its states are not known.
type Executed struct {
	Program *step.Program // its goroutines
	Text    string        // what is wrong
	Replay  string
	Steps   []replay.Step
}

// ExecutedData is the data of executions that each show a violation. Goroutines have the same numbers in all.
func ExecutedData(list []Executed) *Data {
	d := &Data{Who: "goroutine", Nodes: []Node{}, Schedules: []Schedule{}}
	u := &Expander{variables: []Variable{}}
	u.texts.of("")
	for k, e := range list {
		u.prog, d.Between = e.Program, Between(e.Program)
		for i := len(d.Processes); i < len(e.Program.Procs); i++ {
			d.Processes = append(d.Processes, Near(e.Program, e.Program.Procs[i].Called()))
			d.Actions = append(d.Actions, Action{Proc: i})
		}
		s := Schedule{Kind: "violation", Number: k + 1, Text: e.Text, Replay: e.Replay,
			Moments: []Moment{{Action: -1, Step: -1}}}
		last := map[int]int{}
		for i := range e.Steps {
			m := u.moment(&e.Steps[i])
			m.Action = e.Steps[i].Proc
			s.Moments = append(s.Moments, m)
			last[m.Action] = i
		}
		for proc := range e.Program.Procs {
			i, moved := last[proc]
			if !moved {
				continue
			}
			place := Place{Kind: "ended"}
			switch done := &e.Steps[i]; {
			case done.Fails != "":
				place = Place{"failed", done.Fails}
			case done.Then != "":
				place = Place{"waits", strings.TrimPrefix(Near(e.Program, done.Then), "waits ")}
			}
			end := &s.Moments[len(s.Moments)-1]
			end.Places = append(end.Places, [2]int{proc, u.places.of(place)})
		}
		d.Schedules = append(d.Schedules, s)
	}
	u.Fill(d)
	return d
}
