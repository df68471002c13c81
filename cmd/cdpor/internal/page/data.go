package page

import (
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/pictures"
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
	Nodes     []Node     `json:"nodes"` // the exploration tree; empty if there was none
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

// A Node is a node of the exploration tree.
type Node struct {
	Parent int `json:"p"`
	Moment
	Races     []Race               `json:"c,omitempty"`
	Inserted  []pictures.Insertion `json:"i,omitempty"`
	Sequences []pictures.Sequence  `json:"q,omitempty"`
	Explored  []int                `json:"z,omitempty"`
	SameState []int                `json:"y,omitempty"`
	Barred    []int                `json:"x,omitempty"`
	End       string               `json:"e,omitempty"`
	Known     int                  `json:"b,omitempty"` // of an end at a visited state: the node from which the state is explored
	Skipped   string               `json:"k,omitempty"`
	Open      bool                 `json:"u,omitempty"`
	Outcome   int                  `json:"n,omitempty"` // number of the outcome or deadlock
}

// A Race is an explore.Race with the node that it is with.
type Race struct {
	With   int              `json:"with"` // node that the earlier step leads to
	Kind   explore.RaceKind `json:"kind"`
	Action int              `json:"a"` // other than the node's own: a step that is disabled or asleep there
}

// Nodes writes the exploration tree of a search that was recorded.
func (u *Expander) Nodes(tree *pictures.Tree, res *explore.Result) ([]Node, error) {
	ends, err := pictures.NewOutcomeIndex(u.t.Machine(), res)
	if err != nil {
		return nil, err
	}
	var list []Node
	var way []int // from the root to the present node
	for k, n := range tree.Nodes {
		out := Node{Parent: n.Parent, Explored: n.Asleep.Explored, SameState: n.Asleep.SameState, Barred: n.Barred,
			End: string(n.End), Known: n.Known, Skipped: string(n.Skipped), Open: n.Open, Inserted: n.Inserted,
			Sequences: n.Sequences}
		if k == 0 {
			out.Moment = u.Begin()
		} else {
			u.Back(n.Depth - 1)
			out.Moment = u.Take(n.Action)
		}
		if u.Look != nil {
			u.Look(k, u.State())
		}
		way = append(way[:n.Depth], k)
		for _, race := range n.Races {
			to := Race{With: way[race.With+1], Kind: race.Kind, Action: race.Action}
			if !slices.Contains(out.Races, to) {
				out.Races = append(out.Races, to)
			}
		}
		out.Outcome = ends.Number(n.End, u.State())
		list = append(list, out)
	}
	return list, nil
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
