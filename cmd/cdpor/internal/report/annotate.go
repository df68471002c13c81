package report

import (
	"cmp"
	"io"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// annotate repeats what is wrong for GitHub Actions, at its place in the program if it has one.
func (r *Report) annotate(w io.Writer) {
	for _, g := range r.Groups() {
		v, text := g.Shown, g.Text()
		at := place(r.Machine, v)
		if _, rest, ok := strings.Cut(text, r.Machine.Program.At(at)+": "); ok {
			text = rest
		}
		if same := g.same(); same != "" {
			text += "\n" + same
		}
		if v.Schedule != nil {
			text += "\n" + r.replayOf(v)
		}
		terminal.Annotate(w, "error", cmp.Or(at.File, r.Machine.Program.Path), at, step.Pos{}, string(v.Kind), text)
	}
	annotateUnchecked(w, r)
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
