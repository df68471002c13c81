package report

import (
	"cmp"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// Findings are the violations that the report shows, each with the steps that lead to it.
func (r *Report) Findings() (list []*findings.Finding, err error) {
	prog := r.Machine.Program
	for _, g := range r.Groups() {
		v, text := g.Shown, g.Text()
		at := place(r.Machine, v)
		if _, rest, ok := strings.Cut(text, prog.At(at)+": "); ok {
			text = rest
		}
		f := &findings.Finding{Kind: string(v.Kind), Level: "error", Program: r.Options.Program, Func: prog.From,
			Place: findings.Place{File: r.Place(v).File, Line: at.Line, Column: at.Col}}
		if v.Kind == explore.DeadlockFound {
			f.Kind = replay.DeadlockName(r.Machine, v.Words)
		}
		switch said := strings.Contains; {
		case !prog.Native():
		case said(text, ": data race: "):
			f.Kind = "data race"
		case said(text, ": panic: "):
			f.Kind = "panic"
		case said(text, ": the test fails"):
			f.Kind = "failed test"
		}
		text = strings.TrimPrefix(text, f.Kind+": ")
		if f.Text, f.Alike = text, g.same(); v.Schedule != nil {
			f.Replay = r.replayOf(v)
			l, steps := r.LassoOf(v), []replay.Step(nil)
			if _, err := r.Player.FollowLast(l.Actions(), maxSteps,
				func(_ step.State, done replay.Step) { steps = append(steps, done) }); err != nil {
				return nil, err
			}
			rows, _ := execution.Rows(prog, steps, len(l.Stem)-max(0, len(l.Actions())-maxSteps))
			f.Steps = findings.StepsOf(rows, func(s *replay.Step) string { return cmp.Or(s.File, prog.Path) })
		}
		list = append(list, f)
	}
	return list, nil
}

// Know takes over which of the findings are known.
func (r *Report) Know(list []*findings.Finding) {
	r.known = map[*explore.Violation]bool{}
	for i, f := range list {
		for _, v := range r.Groups()[i].members {
			r.known[v] = f.Known
		}
	}
}

// annotateUnchecked repeats for GitHub Actions what was not looked at: as a warning what takes the verdict ok away.
func annotateUnchecked(w io.Writer, r *Report) {
	prog, res := r.Machine.Program, r.Result
	for _, u := range res.Unreleased {
		terminal.Annotate(w, "notice", prog.Path, prog.Procs[u.Proc].Template.Pos, step.Pos{}, "lock held",
			r.unreleasedText(u))
	}
	for _, u := range res.Unchecked {
		level := "notice"
		switch {
		case u.Vacuous && res.Verdict == explore.Vacuous:
			level = "warning"
		case u.Section == "":
			continue
		}
		at := claims.Pos(prog, u.Claim)
		text := strings.TrimPrefix(claims.Text(prog, u, res.Dropped, claims.ScopeOf(res)), prog.At(at)+": ")
		terminal.Annotate(w, level, prog.Path, at, step.Pos{}, string(u.Kind), text)
	}
}
