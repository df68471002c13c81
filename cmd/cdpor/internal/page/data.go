package page

import (
	"strings"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// Data is the data of the script.
type Data struct {
	Run       string     `json:"run"` // the command line of a schedule, without the schedule
	Processes []string   `json:"processes"`
	Who       string     `json:"who"`     // the word for one of them: thread, goroutine
	Between   string     `json:"between"` // a process and its step
	Actions   []Action   `json:"actions"`
	Steps     []Step     `json:"steps"`
	Places    []Place    `json:"places"`
	Variables []Variable `json:"variables"`
	Texts     []string   `json:"texts"`
	Nodes     []*Node    `json:"nodes"` // the exploration tree; empty if there was none
	Schedules []Schedule `json:"schedules"`
}

// A Action is a process with an alternative, as schedules write it.
type Action struct {
	Proc   int    `json:"proc"`
	Choice int    `json:"choice,omitempty"`
	Name   string `json:"name"`
}

// A Schedule leads to an outcome, a deadlock or a violation.
type Schedule struct {
	Kind    string   `json:"kind"` // outcome, deadlock, violation
	Number  int      `json:"number"`
	Text    string   `json:"text"`
	Replay  string   `json:"replay"`
	Moments []Moment `json:"moments"`         // the first is the initial state
	Cycle   int      `json:"cycle,omitempty"` // so many steps at the end go round for ever
	Ring    []int    `json:"ring,omitempty"`  // processes that wait at the end, each for the next, and the last for the first
}

// Nodes completes the nodes of the exploration tree of a search that was recorded.
func (u *Expander) Nodes(tree *Tree, res *explore.Result) ([]*Node, error) {
	ends, err := newOutcomeIndex(u.t.Machine(), res)
	if err != nil {
		return nil, err
	}
	for k, n := range tree.Nodes {
		if k == 0 {
			n.Moment = u.Begin()
		} else {
			u.Back(n.depth - 1)
			n.Moment = u.Take(n.Action)
		}
		if u.Look != nil {
			u.Look(k, u.State())
		}
		n.Outcome = ends.number(n.End, u.State())
	}
	return tree.Nodes, nil
}

// An Executed execution is one of a Go test that was run: its states are not known.
type Executed struct {
	Program *step.Program // its goroutines
	Text    string        // what is wrong
	Replay  string
	Steps   []replay.Step
}

// ExecutedData is the data of executions that each show a violation. Goroutines have the same numbers in all.
func ExecutedData(list []Executed) *Data {
	d := &Data{Who: "goroutine", Nodes: []*Node{}, Schedules: []Schedule{}}
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
