package lsp

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/lang/step"
)

// logOf is where a run leaves what it finds: of a program, or of a test in a folder.
func (s *server) logOf(place, name string) string {
	return filepath.Join(s.files.Runs, fmt.Sprintf("%x-%s.sarif", sha256.Sum256([]byte(place)), name))
}

// logs are those of a program, or of the tests in a folder.
func (s *server) logs(place string) []string {
	if s.files.Runs == "" || !filepath.IsAbs(place) {
		return nil
	}
	list, _ := filepath.Glob(s.logOf(place, "*")) // whose pattern is right
	return list
}

// runsOf changes when a run has left something for a place.
func (s *server) runsOf(place string) (state string) {
	for _, path := range s.logs(place) {
		if info, err := os.Stat(path); err == nil {
			state += fmt.Sprintln(path, info.ModTime().UnixNano())
		}
	}
	return state
}

// look is how long it takes until the server sees that a run has left something.
const look = time.Second

// A related is a place that a diagnostic speaks of.
type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// maxRelated is the number of steps that a diagnostic shows, the last ones.
const maxRelated = 50

// found are the diagnostics of the last runs. Findings in another text than the present one are not shown: their lines
// may be others, and they may not hold any more.
func (s *server) found(d *document) (list []diagnostic) {
	hash := fmt.Sprintf("%x", sha256.Sum256(d.text))
	for _, log := range s.logs(d.place()) {
		past, _ := findings.ReadSARIF(log) // one that is half written changes again
		for _, f := range past {
			if f.File != d.path || f.Hashes[d.path] != hash {
				continue
			}
			at := d.position(step.Pos{Line: f.Line, Col: f.Column})
			out := diagnostic{Range: span{at, at}, Severity: severityError, Code: f.Kind, Source: "cdpor run",
				Message: f.Text}
			if at.Line < len(d.lines) {
				out.Range.End = d.position(step.Pos{Line: at.Line + 1, Col: 1 << 30})
			}
			first := max(0, len(f.Steps)-maxRelated)
			for i, spot := range f.Steps[first:] {
				if of := s.load(spot.File); of != nil {
					from := of.position(step.Pos{Line: spot.Line, Col: spot.Column})
					out.Related = append(out.Related, related{location{of.uri, span{from, from}},
						fmt.Sprintf("%d %s", first+i+1, spot.Text)})
				}
			}
			list = append(list, out)
		}
	}
	return list
}

// lookAtRuns marks the documents for which a run has left something, and lets the editor ask for the lenses again.
func (s *server) lookAtRuns() {
	changed := false
	for _, d := range s.open {
		if state := s.runsOf(d.place()); state != d.runs {
			d.runs, s.stale[d.uri], changed = state, true, true
		}
	}
	if changed && s.refreshes {
		s.asked++
		s.out.send(outgoing{ID: strconv.AppendInt(nil, int64(s.asked), 10), Method: "workspace/codeLens/refresh"})
	}
}
