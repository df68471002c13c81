package report

import (
	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/explore"
	"cdpor/explore/schedules"
)

// The JSON form of cdpor run --slice --json: the parts that were explored, what is wrong in them, and what was found
// out about executions of the whole program.

// SlicedJSON is the form of the report for programs.
type SlicedJSON struct {
	Cdpor      int                    `json:"cdpor"`
	Program    output.Program         `json:"program"`
	Verdict    explore.Verdict        `json:"verdict"`
	Slices     []jsonSlicedPart       `json:"slices"`
	Violations []jsonSlicedViolation  `json:"violations"`
	Liveness   *jsonLiveness          `json:"liveness,omitempty"`
	Holds      []claims.JSONClaim     `json:"holds,omitempty"`
	Unchecked  []claims.JSONUnchecked `json:"unchecked,omitempty"`
	LeftOut    []string               `json:"left_out,omitempty"` // the steps that are in no slice
	Seconds    float64                `json:"seconds"`
}

// A jsonSlicedPart is the slice for some properties, with the result of its search.
type jsonSlicedPart struct {
	For        []string               `json:"for"`
	LeftOut    jsonLeftOut            `json:"left_out"`
	Verdict    explore.Verdict        `json:"verdict"`
	Search     output.Search          `json:"search"`
	Invariants *invariants.Check      `json:"invariants,omitempty"`
	Unchecked  []claims.JSONUnchecked `json:"unchecked,omitempty"`
}

// A jsonLeftOut counts the steps of the program that are not in a slice, and names the threads without any step in it.
type jsonLeftOut struct {
	Steps   int      `json:"steps"`
	Of      int      `json:"of"`
	Threads []string `json:"threads"`
}

// A jsonSlicedViolation has a schedule of the whole program, or else one of the slice that the whole program does not
// follow.
type jsonSlicedViolation struct {
	jsonViolation
	Slice         *int   `json:"slice,omitempty"` // the number of the slice, from 0; nil: found on the whole program
	SliceSchedule string `json:"slice_schedule,omitempty"`
}

// JSON is the report for programs.
func (x *Sliced) JSON() *SlicedJSON {
	whole := x.Machine.Program
	out := &SlicedJSON{Cdpor: output.Version, Program: output.ProgramOf(whole), Verdict: x.Verdict,
		Slices:     []jsonSlicedPart{},
		Violations: []jsonSlicedViolation{}, Liveness: livenessJSON(x.Report), Holds: claims.HeldJSON(whole, x.held),
		Unchecked: claims.UncheckedJSON(whole, x.unchecked, x.dropped(), x.scope()), Seconds: x.Time.Seconds()}
	for _, s := range x.outside {
		out.LeftOut = append(out.LeftOut, s.Name())
	}
	for i, s := range x.Parts {
		part := jsonSlicedPart{For: s.names, Verdict: s.Result.Verdict, Search: output.SearchOf(s.Result, nil),
			Invariants: s.Everywhere, Unchecked: claims.UncheckedJSON(s.Machine.Program, s.Result.Unchecked,
				s.Result.Dropped, claims.ScopeOf(s.Result))}
		part.LeftOut.Steps, part.LeftOut.Of, part.LeftOut.Threads = s.left(whole)
		out.Slices = append(out.Slices, part)
		for _, v := range s.found {
			j := jsonSlicedViolation{Slice: &i}
			if v.shown {
				j.jsonViolation = x.violationJSON(v.Violation)
			} else {
				j.jsonViolation = jsonViolation{Kind: v.Kind, Text: x.ViolationText(v.Violation), Count: v.Count}
				j.SliceSchedule = schedules.Format(s.Machine, v.of)
			}
			out.Violations = append(out.Violations, j)
		}
	}
	for _, v := range x.Result.Violations {
		out.Violations = append(out.Violations, jsonSlicedViolation{jsonViolation: x.violationJSON(v)})
	}
	return out
}
