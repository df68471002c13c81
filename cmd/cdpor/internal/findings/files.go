package findings

import (
	"cmp"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/version"
)

// LogFlags are the forms in which findings are also written, for services and editors.
type LogFlags struct {
	SARIF   string `name:"sarif" predictor:"file" placeholder:"FILE" help:"Also write what is wrong to a file in the form SARIF 2.1.0, with the schedules as code flows."`
	Summary string `predictor:"file" placeholder:"FILE" help:"Also append a summary in Markdown to a file, with a diagram of each schedule (Mermaid): $GITHUB_STEP_SUMMARY in GitHub Actions."`
}

// Writable refuses files in folders that are not there: better now than after a search. Empty names are passed over.
func Writable(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(filepath.Dir(path)); path != "" && err != nil {
			return fault.FileError(err)
		}
	}
	return nil
}

// Write writes the log to the files that are wanted.
func (f *LogFlags) Write(log *Log, rows []Row) (err error) {
	log.Version = version.Text
	if f.SARIF != "" {
		err = log.WriteSARIF(f.SARIF)
	}
	if f.Summary != "" {
		err = cmp.Or(err, log.AppendSummary(f.Summary, rows))
	}
	return err
}

// NoteOf makes a note of a diagnostic of a file.
func NoteOf(d *output.Diagnostic) *Finding {
	return &Finding{Level: d.Severity, Text: d.Message, Place: Place{File: d.File, Line: d.Line,
		Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn}}
}
