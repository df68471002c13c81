package run

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
	"cdpor/lang"
	"cdpor/lang/step"
)

// publishFlags are those of a search, whose findings may be known.
type publishFlags struct {
	findings.LogFlags
	Baseline       string `predictor:"file" placeholder:"FILE" help:"A file with findings that are known: they are reported and do not fail."`
	UpdateBaseline bool   `help:"Write what is found to the file of --baseline."`

	known *findings.Baseline
}

// check refuses files that cannot be written, and what no findings come of.
func (f *publishFlags) check(c *Command, recorded bool) error {
	if f.UpdateBaseline && f.Baseline == "" {
		return fault.Inputf("--update-baseline goes with --baseline FILE")
	}
	if f.Baseline != "" {
		c.KeepGoing = true // a finding that is known does not end the search for others
	}
	if f.Baseline != "" && !f.UpdateBaseline {
		var err error
		if f.known, err = findings.ReadBaseline(f.Baseline); err != nil {
			return err
		}
	}
	flag := firstGiven([]givenFlag{{f.SARIF != "", "--sarif"}, {f.Summary != "", "--summary"},
		{f.Baseline != "", "--baseline"}})
	if err := findings.Writable(f.SARIF, f.Summary, f.Baseline); err != nil {
		return err
	}
	if other := firstGiven([]givenFlag{{c.Schedule != nil, "--schedule"}, {recorded, "a file of --save"},
		{c.Estimate, "--estimate"}, {c.Watch, "--watch"}}); flag != "" && other != "" {
		return fault.Inputf("%s is about the findings of a search; it does not go with %s", flag, other)
	}
	return nil
}

// publishes reports whether findings are to be written anywhere.
func (f *publishFlags) publishes(e *environment.Environment) bool {
	return e.GitHub || f.SARIF != "" || f.Summary != "" || f.Baseline != ""
}

// mark marks the findings that are known.
func (f *publishFlags) mark(list []*findings.Finding) {
	if f.known != nil {
		f.known.Mark(list)
	}
	for _, one := range list {
		one.Known = one.Known || f.UpdateBaseline
	}
}

// publish writes the findings of a run, which ends with a code that depends on what is known.
func (f *publishFlags) publish(e *environment.Environment, log *findings.Log, rows []findings.Row, code fault.Code,
	explored []*findings.Finding) error {
	if f.UpdateBaseline {
		if err := findings.WriteBaseline(f.Baseline, log.Findings, explored); err != nil {
			return err
		}
	}
	if f.Baseline != "" && len(log.Findings) > 0 {
		others := slices.DeleteFunc(slices.Clone(log.Findings), isKnown)
		fmt.Fprintf(e.Stderr, "cdpor: %d of %s known to %s\n", len(log.Findings)-len(others),
			terminal.Plural(len(log.Findings), "finding"), f.Baseline)
	}
	if log.Code = int(code); e.GitHub && !e.JSON {
		annotate(e, slices.Concat(log.Findings, log.Notes))
	}
	return f.Write(log, rows)
}

func isKnown(f *findings.Finding) bool { return f.Known }

// unexplored reports an error that has ended a run, in the forms of findings too: what an earlier run has written says
// nothing of this one.
func (f *publishFlags) unexplored(e *environment.Environment, command, program string, err error) error {
	var ended fault.Code
	if err == nil || errors.As(err, &ended) || f.SARIF == "" && f.Summary == "" && !e.GitHub {
		return err
	}
	ended = e.End(err)
	log := &findings.Log{Command: command + program, Verdict: "nothing was explored",
		Code: int(ended)}
	for _, d := range output.Diagnostics(err) {
		if d.File != "" {
			log.Notes = append(log.Notes, findings.NoteOf(&d))
			continue
		}
		for line := range strings.Lines(d.Message) {
			log.Notes = append(log.Notes, noteAt(strings.TrimSpace(line), program))
		}
	}
	var list lang.ErrorList
	if e.GitHub && !e.JSON && !errors.As(err, &list) { // these are annotated as messages
		annotate(e, log.Notes)
	}
	return cmp.Or(f.Write(log, nil), error(ended))
}

// placed is an error of Go with its place.
var placed = regexp.MustCompile(`^(.+?\.go):(\d+):(?:(\d+):)? (.*)`)

// noteAt is an error as a note, in a file or folder if it names no place.
func noteAt(line, path string) *findings.Finding {
	n := &findings.Finding{Level: "error", Text: line, Place: findings.Place{File: path}}
	if m := placed.FindStringSubmatch(line); m != nil {
		n.File, n.Text = m[1], m[4]
		n.Line, _ = strconv.Atoi(m[2])
		n.Column, _ = strconv.Atoi(m[3])
	}
	return n
}

// annotate repeats findings, and notes that are errors, for GitHub Actions, at their places.
func annotate(e *environment.Environment, list []*findings.Finding) {
	for _, f := range list {
		if f.Kind == "" && f.Level != "error" {
			continue
		}
		level, text := f.Level, f.Says()
		if f.Known {
			level = "notice"
		}
		if f.Replay != "" {
			text += "\n" + f.Replay
		}
		terminal.Annotate(e.Stdout, level, f.File, step.Pos{Line: f.Line, Col: f.Column}, step.Pos{}, f.Kind, text)
	}
}

// withoutKnown is the code of a search that has found nothing but what is known.
func withoutKnown(complete bool) fault.Code {
	if complete {
		return fault.ExitOK
	}
	return fault.ExitIncomplete
}

// know marks what is known of a test.
func (t *testResult) know(f *publishFlags) {
	f.mark(t.found)
	for i, one := range t.found {
		t.Violations[i].Known = one.Known
	}
	if t.allKnown = allKnown(t.found); t.allKnown {
		t.text += " (known)"
	}
	t.code = unlessKnown(t.found, t.code, t.without)
}

// allKnown reports whether something was found, and nothing that is new.
func allKnown(list []*findings.Finding) bool {
	return len(list) > 0 && len(slices.DeleteFunc(slices.Clone(list), isKnown)) == 0
}

// unlessKnown is the code of a search: without what is known, if that is all that was found.
func unlessKnown(list []*findings.Finding, code, without fault.Code) fault.Code {
	if code == fault.ExitViolation && allKnown(list) {
		return without
	}
	return code
}

// finding is a finding of a test that was executed, for other tools.
func (t *toldFinding) finding(program, function string) *findings.Finding {
	file, at := t.at()
	if file == "" {
		file = "."
	}
	return &findings.Finding{Kind: string(t.Kind), Text: cmp.Or(t.Text, string(t.Kind)), Level: "error",
		Place:   findings.Place{File: inFolder(program, file), Line: at.Line, Column: at.Col},
		Program: program, Func: function, Replay: t.Replay,
		Steps: findings.StepsOf(t.Steps, func(s *replay.Step) string { return inFolder(program, s.File) })}
}

// publishOne publishes the findings of one search. without is its code if all that it has found is known.
func publishOne(e *environment.Environment, c *Command, list []*findings.Finding, verdict, function string,
	code error, without fault.Code) error {
	got, ends := code.(fault.Code)
	if !c.publishFlags.publishes(e) || code != nil && !ends {
		return code
	}
	log := &findings.Log{Command: "cdpor run " + c.Program, Verdict: verdict, Findings: list}
	if got != fault.ExitOK && got != fault.ExitViolation {
		log.Notes = append(log.Notes, &findings.Finding{Level: "warning", Text: verdict,
			Place: findings.Place{File: c.Program}})
	}
	got = unlessKnown(list, got, without)
	err := c.publish(e, log, nil, got, []*findings.Finding{{Program: c.Program, Func: function}})
	if err == nil && got != fault.ExitOK {
		err = got
	}
	return err
}

// publishAll publishes the findings of several tests.
func publishAll(e *environment.Environment, c *Command, all *Results, code fault.Code) error {
	if !c.publishFlags.publishes(e) {
		return nil
	}
	log := &findings.Log{Command: "cdpor run " + c.Program, Verdict: fmt.Sprintf("%s: %s",
		terminal.Plural(len(all.Tests), "test"), all.Summary)}
	var rows []findings.Row
	var explored []*findings.Finding
	for _, t := range all.Tests {
		log.Findings = append(log.Findings, t.found...)
		explored = append(explored, &findings.Finding{Program: t.Path, Func: t.Func})
		rows = append(rows, findings.Row{Name: filepath.Join(t.Path, t.Func), Verdict: string(t.kind()), Text: t.text})
		level := "warning"
		if t.Error != "" {
			level = "error"
		}
		if t.code != fault.ExitOK && t.code != fault.ExitViolation {
			log.Notes = append(log.Notes, &findings.Finding{Level: level, Place: findings.Place{File: t.Path},
				Text: fmt.Sprintf("%s %s: %s", t.Func, t.kind(), t.text)})
		}
	}
	for _, r := range all.Refused {
		for _, line := range r.Errors {
			n := noteAt(line, r.Path)
			n.Text = r.Path + " does not load: " + n.Text
			log.Notes = append(log.Notes, n)
		}
	}
	return c.publish(e, log, rows, code, explored)
}
