package main

import (
	"slices"

	"cdpor/explore"
)

// pageData is what the script draws.
type pageData struct {
	Run       string         `json:"run"` // the command line of a schedule, without the schedule
	Processes []string       `json:"processes"`
	Actions   []pageAction   `json:"actions"`
	Steps     []stepText     `json:"steps"`
	Places    []place        `json:"places"`
	Variables []pageVariable `json:"variables"`
	Texts     []string       `json:"texts"`
	Nodes     []pageNode     `json:"nodes"` // the exploration tree; empty if there was none
	Schedules []pageSchedule `json:"schedules"`
}

// A pageAction is a process with an alternative, as schedules write it.
type pageAction struct {
	Proc   int    `json:"proc"`
	Choice int    `json:"choice,omitempty"`
	Name   string `json:"name"`
}

// A pageSchedule is how an outcome, a deadlock or a violation comes about.
type pageSchedule struct {
	Kind    string   `json:"kind"` // outcome, deadlock, violation
	Number  int      `json:"number"`
	Text    string   `json:"text"`
	Replay  string   `json:"replay"`
	Moments []moment `json:"moments"` // the first is the initial state
}

// A pageNode is a node of the exploration tree.
type pageNode struct {
	Parent int `json:"p"`
	moment
	Races     []pageRace     `json:"c,omitempty"`
	Inserted  []pageInserted `json:"i,omitempty"`
	Sequences []pageSequence `json:"q,omitempty"`
	Explored  []int          `json:"z,omitempty"`
	SameState []int          `json:"y,omitempty"`
	Barred    []int          `json:"x,omitempty"`
	End       string         `json:"e,omitempty"`
	Known     int            `json:"b,omitempty"` // of an end at a visited state: the node from which the state is explored
	Skipped   string         `json:"k,omitempty"`
	Open      bool           `json:"u,omitempty"`
	Outcome   int            `json:"n,omitempty"` // number of the outcome or deadlock
}

type pageRace struct {
	With   int              `json:"with"` // node that the earlier step leads to
	Kind   explore.RaceKind `json:"kind"`
	Action int              `json:"a"` // other than the node's own: a step that is disabled or asleep there
}

type pageInserted struct {
	At      int            `json:"at"`
	By      int            `json:"by"`
	Actions []int32        `json:"a"`
	Why     explore.Reason `json:"why"`
}

type pageSequence struct {
	At      int     `json:"at"`
	Actions []int32 `json:"a"`
}

// pageNodes writes the exploration tree.
func (r *report) pageNodes(u *unfolder) ([]pageNode, error) {
	ends, err := newEnds(r)
	if err != nil {
		return nil, err
	}
	var list []pageNode
	var way []int // from the root to the present node
	for k, n := range r.tree.nodes {
		out := pageNode{Parent: n.parent, Explored: n.asleep.Explored, SameState: n.asleep.SameState, Barred: n.barred,
			End: string(n.end), Known: n.known, Skipped: string(n.skipped), Open: n.open}
		if k == 0 {
			out.moment = u.begin()
		} else {
			u.back(n.depth - 1)
			out.moment = u.take(n.action)
		}
		way = append(way[:n.depth], k)
		for _, race := range n.races {
			to := pageRace{With: way[race.With+1], Kind: race.Kind, Action: race.Action}
			if !slices.Contains(out.Races, to) {
				out.Races = append(out.Races, to)
			}
		}
		for _, i := range n.inserted {
			out.Inserted = append(out.Inserted, pageInserted{i.at, i.by, i.actions, i.why})
		}
		for _, q := range n.sequences {
			out.Sequences = append(out.Sequences, pageSequence{q.at, q.actions})
		}
		out.Outcome = ends.number(n.end, u.state())
		list = append(list, out)
	}
	return list, nil
}
