package main

import (
	"slices"

	"cdpor/cmd/cdpor/internal/pictures"
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
	ends, err := pictures.NewOutcomeIndex(r.m, r.result)
	if err != nil {
		return nil, err
	}
	var list []pageNode
	var way []int // from the root to the present node
	for k, n := range r.tree.Nodes {
		out := pageNode{Parent: n.Parent, Explored: n.Asleep.Explored, SameState: n.Asleep.SameState, Barred: n.Barred,
			End: string(n.End), Known: n.Known, Skipped: string(n.Skipped), Open: n.Open}
		if k == 0 {
			out.moment = u.begin()
		} else {
			u.back(n.Depth - 1)
			out.moment = u.take(n.Action)
		}
		way = append(way[:n.Depth], k)
		for _, race := range n.Races {
			to := pageRace{With: way[race.With+1], Kind: race.Kind, Action: race.Action}
			if !slices.Contains(out.Races, to) {
				out.Races = append(out.Races, to)
			}
		}
		for _, i := range n.Inserted {
			out.Inserted = append(out.Inserted, pageInserted{i.At, i.By, i.Actions, i.Why})
		}
		for _, q := range n.Sequences {
			out.Sequences = append(out.Sequences, pageSequence{q.At, q.Actions})
		}
		out.Outcome = ends.Number(n.End, u.state())
		list = append(list, out)
	}
	return list, nil
}
