package report

import (
	"fmt"
	"io"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/step"
)

// An Atomicity is a search at an ok program with each access a step of its own, because statements of it read and write
// shared data in one step although it does not say so.
type Atomicity struct {
	Statements []step.Pos
	Command    string  // that looks closer
	Report     *Report // what was found; nil if that would be too much to do on the side
}

// maxStatements is the number of statements that are listed.
const maxStatements = 4

// statements says how many there are, and where.
func (c *Atomicity) statements(prog *step.Program) string {
	var places []string
	for _, at := range c.Statements {
		places = append(places, prog.Place(at))
	}
	verb := map[bool]string{true: "reads and writes", false: "read and write"}[len(c.Statements) == 1]
	return fmt.Sprintf("%s %s shared data in one step (%s)", terminal.Plural(len(c.Statements), "statement"), verb,
		terminal.Listed(places, maxStatements))
}

// shown is the first violation that was found, nil if there is none.
func (c *Atomicity) shown() *explore.Violation {
	if c == nil || c.Report == nil || len(c.Report.Result.Violations) == 0 {
		return nil
	}
	return c.Report.Groups()[0].Shown
}

// texts returns the finding for people, and the command that replays it.
func (c *Atomicity) texts(prog *step.Program) (text, replay string) {
	switch v := c.shown(); {
	case c.Report == nil:
		return c.statements(prog) + "; with each access a step of its own: " + c.Command, ""
	case v == nil:
		return c.statements(prog) + "; with each access a step of its own nothing is wrong either", ""
	default:
		replay = c.Command
		if v.Schedule != nil {
			replay = c.Report.replayOf(v)
		}
		return c.statements(prog) + "; with each access a step of its own: " + c.Report.ViolationText(v), replay
	}
}

// print writes it.
func (c *Atomicity) print(w io.Writer, prog *step.Program, colour terminal.Colour) {
	if c == nil {
		return
	}
	text, replay := c.texts(prog)
	key := fmt.Sprintf("%-12s", "advice")
	if replay != "" {
		key = colour.Doubt("advice") + "      "
	}
	fmt.Fprintf(w, "%s %s\n", key, text)
	if replay != "" {
		fmt.Fprintf(w, "%-12s replay: %s\n", "", replay)
	}
}

// annotate repeats a finding for GitHub Actions.
func (c *Atomicity) annotate(w io.Writer, prog *step.Program) {
	if c.shown() == nil {
		return
	}
	text, replay := c.texts(prog)
	terminal.Annotate(w, "warning", prog.Path, c.Statements[0], step.Pos{}, "one step", text+"\n"+replay)
}

type jsonAtomicity struct {
	Statements []string        `json:"statements"`
	Command    string          `json:"command"`
	Verdict    explore.Verdict `json:"verdict,omitempty"`
	Text       string          `json:"text"`
	Replay     string          `json:"replay,omitempty"`
}

func (c *Atomicity) json(prog *step.Program) *jsonAtomicity {
	if c == nil {
		return nil
	}
	j := &jsonAtomicity{Command: c.Command}
	for _, at := range c.Statements {
		j.Statements = append(j.Statements, prog.At(at))
	}
	if c.Report != nil {
		j.Verdict = c.Report.Result.Verdict
	}
	j.Text, j.Replay = c.texts(prog)
	return j
}
