package findings

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
)

// A Log is the result of a command for SARIF and for the summary of a job.
type Log struct {
	Version  string // of cdpor
	Command  string // such as cdpor run
	Verdict  string
	Code     int // the exit code
	Findings []*Finding
	// Notes are about what was not explored, or not to its end: where there are some, no finding does not mean that
	// nothing is wrong. They have a place, a text and a level.
	Notes []*Finding
}

// described are the kinds of findings of Go tests, and the expectations of cdpor test.
var described = map[string]string{
	"data race":   "two goroutines access a variable, one of them writes it, and nothing orders the two",
	"deadlock":    "goroutines wait for each other, and nothing can go on",
	"failed test": "the test fails in some order of its steps",
	"leak":        "a goroutine waits for good when the test is over",
	"panic":       "the test panics in some order of its steps",
	"expectation": "the numbers of an expect section are not those of the program",
}

// unset matches numbers that are not known, which the library writes as -1.
var unset = regexp.MustCompile(`\n *"(index|parentIndex)": -1,|,\n *"(index|parentIndex)": -1`)

// WriteSARIF writes a log to a file in the form of SARIF 2.1.0.
func (l *Log) WriteSARIF(path string) error {
	text, err := json.MarshalIndent(l.sarif(), "", "  ")
	if err != nil {
		return err
	}
	return files.Write(path, append(unset.ReplaceAll(text, nil), '\n'))
}

// sarif is the log in the structures of SARIF.
func (l *Log) sarif() *sarif.Report {
	out := sarif.NewReport()
	run := sarif.NewRun().WithColumnKind("unicodeCodePoints").
		WithTool(sarif.NewTool().WithDriver(sarif.NewToolComponent().WithName("cdpor").WithVersion(l.Version)))
	line := "cdpor"
	for _, a := range os.Args[1:] {
		line += " " + terminal.Quote(terminal.Redact(a))
	}
	call := sarif.NewInvocation().WithCommandLine(line).WithExitCode(l.Code).WithExecutionSuccessful(l.Code <= 1 &&
		len(l.Notes) == 0)
	for _, n := range l.Notes {
		note := sarif.NewNotification().WithLevel(n.Level).WithMessage(message(n.Text))
		if n.File != "" {
			note.AddLocation(location(n.Place))
		}
		call.AddToolExecutionNotification(note)
	}
	run.AddInvocation(call)
	root := strings.TrimSuffix(filepath.ToSlash(terminal.Root()), "/") + "/"
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{
		sourceRoot: *sarif.NewSimpleArtifactLocation((&url.URL{Scheme: "file", Path: root}).String())})
	hashed := map[string]bool{}
	hash := func(path string) {
		if hashed[path] {
			return
		}
		if text, err := os.ReadFile(path); err == nil {
			run.AddArtifact(sarif.NewArtifact().WithLocation(artifact(path)).WithLength(len(text)).
				WithHashes(map[string]string{"sha-256": fmt.Sprintf("%x", sha256.Sum256(text))}))
		}
		hashed[path] = true
	}
	for _, f := range l.Findings {
		if rule := run.AddRule(f.Rule()); rule.Help == nil {
			f.describe(rule)
		}
		text := f.Says()
		if f.Replay != "" {
			text += "\nreplay: " + f.Replay
		}
		r := run.CreateResultForRule(f.Rule()).WithLevel(f.Level).WithMessage(message(text)).
			AddLocation(location(f.Place)).WithPartialFingerprints(map[string]string{"cdpor/v1": f.Fingerprint(root)})
		if f.Known {
			r.AddSuppression(sarif.NewSuppression().WithKind("external"))
		}
		if len(f.Steps) > 0 {
			r.AddCodeFlow(f.flow("the schedule", false)).AddCodeFlow(f.flow("the schedule by threads", true))
		}
		hash(f.File)
		for _, s := range f.Steps {
			hash(s.File)
		}
	}
	out.AddRun(run)
	return out
}

// describe says what a rule is about, as services demand it.
func (f *Finding) describe(rule *sarif.ReportingDescriptor) {
	title, help := cmp.Or(described[f.Kind], f.About, f.Kind), "The message says more."
	switch {
	case f.About != "":
		help = "cdpor explain " + f.Kind + " says more."
	case len(f.Steps) > 0:
		help = "The code flow is a schedule that leads to it. The command in the message shows it step by step."
	}
	text := func(text string) *sarif.MultiformatMessageString {
		return sarif.NewMultiformatMessageString().WithText(text)
	}
	rule.WithShortDescription(text(title)).WithFullDescription(text(title)).WithHelp(text(help))
}

// flow is the schedule in order, or by threads. Services refuse results with more than 10,000 places, so that only the
// last steps are there.
func (f *Finding) flow(title string, byThread bool) *sarif.CodeFlow {
	const most = 4000
	out := sarif.NewCodeFlow().WithMessage(message(title))
	lanes := map[string]*sarif.ThreadFlow{}
	for i := max(0, len(f.Steps)-most); i < len(f.Steps); i++ {
		s := &f.Steps[i]
		name, before := "schedule", s.Thread+": "
		if byThread {
			name, before = s.Thread, ""
		}
		if lanes[name] == nil {
			lanes[name] = sarif.NewThreadFlow().WithID(name)
		}
		lanes[name].AddLocation(s.location(i, before))
	}
	for _, name := range slices.Sorted(maps.Keys(lanes)) {
		out.AddThreadFlow(lanes[name])
	}
	return out
}

func (s *Step) location(i int, before string) *sarif.ThreadFlowLocation {
	at := sarif.NewThreadFlowLocation().WithExecutionOrder(i + 1).
		WithLocation(location(s.Place).WithMessage(message(before + s.Says())))
	state := map[string]sarif.MultiformatMessageString{}
	for _, v := range s.Values {
		state[v.Name] = *sarif.NewMultiformatMessageString().WithText(terminal.Visible(v.Text))
	}
	if len(state) > 0 {
		at.WithState(state)
	}
	if s.Bad {
		at.WithImportance("essential")
	}
	return at
}

func message(text string) *sarif.Message { return sarif.NewTextMessage(terminal.Visible(text)) }

// location is a place; what is about a file as a whole is at its beginning.
func location(p Place) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(max(1, p.Line)).WithStartColumn(max(1, p.Column))
	if p.EndLine > p.Line || p.EndLine == p.Line && p.EndColumn > p.Column {
		region.WithEndLine(p.EndLine).WithEndColumn(p.EndColumn)
	}
	return sarif.NewLocationWithPhysicalLocation(
		sarif.NewPhysicalLocation().WithArtifactLocation(artifact(p.File)).WithRegion(region))
}

// sourceRoot names the folder that files are relative to.
const sourceRoot = "%SRCROOT%"

// artifact is a file: relative to the folder that services see, or by its URI.
func artifact(path string) *sarif.ArtifactLocation {
	path = terminal.FromRoot(path)
	slashed := filepath.ToSlash(filepath.Clean(path))
	if filepath.IsAbs(path) {
		return sarif.NewSimpleArtifactLocation((&url.URL{Scheme: "file", Path: slashed}).String())
	}
	return sarif.NewSimpleArtifactLocation((&url.URL{Path: slashed}).String()).WithURIBaseID(sourceRoot)
}

// A Past finding is one of a log that was written before, with the hashes (sha-256) of the files that the log names.
type Past struct {
	Finding
	Hashes map[string]string
}

// ReadSARIF reads the findings of a log; their files are absolute.
func ReadSARIF(path string) (list []Past, err error) {
	log, err := sarif.Open(path)
	if err != nil {
		return nil, err
	}
	for _, run := range log.Runs {
		root, hashes := run.OriginalUriBaseIds[sourceRoot], map[string]string{}
		for _, a := range run.Artifacts {
			hashes[pathOf(a.Location, root.URI)] = a.Hashes["sha-256"]
		}
		for _, r := range run.Results {
			if len(r.Locations) == 0 || r.RuleID == nil || r.Message == nil || r.Message.Text == nil {
				continue
			}
			f := Past{Hashes: hashes, Finding: Finding{Kind: *r.RuleID, Text: *r.Message.Text,
				Place: placeOf(r.Locations[0], root.URI)}}
			if len(r.CodeFlows) > 0 && len(r.CodeFlows[0].ThreadFlows) > 0 {
				for _, l := range r.CodeFlows[0].ThreadFlows[0].Locations {
					s := Step{Place: placeOf(l.Location, root.URI)}
					if m := l.Location.Message; m != nil && m.Text != nil {
						s.Text = *m.Text
					}
					f.Steps = append(f.Steps, s)
				}
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// placeOf is a place of a log.
func placeOf(l *sarif.Location, root *string) (p Place) {
	if l.PhysicalLocation == nil {
		return p
	}
	p.File = pathOf(l.PhysicalLocation.ArtifactLocation, root)
	if r := l.PhysicalLocation.Region; r != nil && r.StartLine != nil && r.StartColumn != nil {
		p.Line, p.Column = *r.StartLine, *r.StartColumn
	}
	return p
}

// pathOf is the path of a file, empty if it is none.
func pathOf(l *sarif.ArtifactLocation, root *string) string {
	if l == nil || l.URI == nil || root == nil {
		return ""
	}
	base, err := url.Parse(*root)
	if err != nil {
		return ""
	}
	at, err := base.Parse(*l.URI)
	if err != nil || at.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(at.Path)
}
