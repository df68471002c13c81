package findings

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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
	Notes    []Note
}

// A Note is about what was not explored, or not to its end: where there are some, no finding does not mean that nothing
// is wrong.
type Note struct {
	Place
	Text  string
	Level string // error or warning
}

// described are the kinds of findings of Go tests.
var described = map[string]string{
	"data race":   "two goroutines access a variable, one of them writes it, and nothing orders the two",
	"deadlock":    "goroutines wait for each other, and nothing can go on",
	"failed test": "the test fails in some order of its steps",
	"leak":        "a goroutine waits for good when the test is over",
	"panic":       "the test panics in some order of its steps",
}

// WriteSARIF writes a log to a file in the form of SARIF 2.1.0.
func (l *Log) WriteSARIF(path string) error {
	out, err := l.sarif()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	return files.Write(path, text.Bytes())
}

// sarif is the log in the structures of SARIF.
func (l *Log) sarif() (*sarif.Report, error) {
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
		text, err := os.ReadFile(path)
		if err == nil && !hashed[path] {
			run.AddArtifact(sarif.NewArtifact().WithLocation(artifact(path)).WithLength(len(text)).
				WithHashes(map[string]string{"sha-256": fmt.Sprintf("%x", sha256.Sum256(text))}))
		}
		hashed[path] = true
	}
	for _, f := range l.Findings {
		rule := run.AddRule(f.Rule())
		if rule.ShortDescription == nil {
			rule.WithName(f.Kind).WithShortDescription(sarif.NewMultiformatMessageString().
				WithText(cmp.Or(described[f.Kind], f.Kind)))
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
			r.AddCodeFlow(f.inOrder()).AddCodeFlow(f.byThread())
		}
		hash(f.File)
		for _, s := range f.Steps {
			hash(s.File)
		}
	}
	out.AddRun(run)
	return out, nil
}

// inOrder is the schedule as one thread flow, as viewers step through it.
func (f *Finding) inOrder() *sarif.CodeFlow {
	flow := sarif.NewThreadFlow().WithID("schedule")
	for i := range f.Steps {
		flow.AddLocation(f.Steps[i].location(i, f.Steps[i].Thread+": "))
	}
	return sarif.NewCodeFlow().WithMessage(message("the schedule")).AddThreadFlow(flow)
}

// byThread is the schedule as a thread flow for each thread; the steps are numbered.
func (f *Finding) byThread() *sarif.CodeFlow {
	var names []string
	flows := map[string]*sarif.ThreadFlow{}
	for i := range f.Steps {
		s := &f.Steps[i]
		if flows[s.Thread] == nil {
			names = append(names, s.Thread)
			flows[s.Thread] = sarif.NewThreadFlow().WithID(s.Thread)
		}
		flows[s.Thread].AddLocation(s.location(i, ""))
	}
	slices.Sort(names)
	out := sarif.NewCodeFlow().WithMessage(message("the schedule by threads"))
	for _, name := range names {
		out.AddThreadFlow(flows[name])
	}
	return out
}

func (s *Step) location(i int, before string) *sarif.ThreadFlowLocation {
	text := before + s.Text
	if len(s.Effects) > 0 {
		text += " (" + strings.Join(s.Effects, "; ") + ")"
	}
	at := sarif.NewThreadFlowLocation().WithExecutionOrder(i + 1).
		WithLocation(location(s.Place).WithMessage(message(text)))
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

// sourceRoot is what the folder is called that files are relative to.
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
	if l == nil || l.URI == nil {
		return ""
	}
	at, err := url.Parse(*l.URI)
	if err != nil {
		return ""
	}
	if base, err := url.Parse(deref(root)); err == nil && !at.IsAbs() {
		at = base.ResolveReference(at)
	}
	if at.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(at.Path)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
