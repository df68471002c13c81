package lsp

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"cdpor/lang/step"
)

// Runs has what the last runs of programs and tests have found, which the lenses let cdpor leave for the server.
type Runs interface {
	// File is where a run leaves what it finds: of a program, or of a test in a folder.
	File(place, name string) string
	// State changes when a run has left something for a place.
	State(place string) string
	// Found is what has been left for a place.
	Found(place string) []Found
}

// A Found is something wrong that a run has found.
type Found struct {
	Kind, Text string
	At         Spot
	Steps      []Spot            // that lead to it
	Hashes     map[string]string // of files as they were, by path: sha-256
}

// A Spot is a place in a file and what is there.
type Spot struct {
	Path         string
	Line, Column int
	Text         string
}

// look is how long it takes until the server sees that a run has left something.
const look = time.Second

// A related is a place that a diagnostic speaks of.
type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// maxRelated is how many steps a diagnostic shows, the last ones.
const maxRelated = 50

// place is what the runs of a document are kept under: a program, or the folder of a Go file.
func (d *document) place() string {
	if d.isGo() {
		return filepath.Dir(d.path)
	}
	return d.path
}

func (d *document) isGo() bool { return filepath.Ext(d.path) == ".go" }

// found are the diagnostics of the last runs. What was found in another text than the present one is not shown: the
// lines may be others, and nobody knows whether it still holds.
func (s *server) found(d *document) (list []diagnostic) {
	if s.files.Runs == nil || !filepath.IsAbs(d.path) {
		return nil
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(d.text))
	for _, f := range s.files.Runs.Found(d.place()) {
		if f.At.Path != d.path || f.Hashes[d.path] != hash {
			continue
		}
		at := d.position(step.Pos{Line: f.At.Line, Col: f.At.Column})
		end := at
		if at.Line < len(d.lines) {
			end = d.position(step.Pos{Line: at.Line + 1, Col: 1 << 30})
		}
		out := diagnostic{Range: span{at, end}, Severity: severityError, Code: f.Kind, Source: "cdpor run",
			Message: f.Text}
		for i, spot := range f.Steps[max(0, len(f.Steps)-maxRelated):] {
			of := s.load(spot.Path)
			if of == nil {
				continue
			}
			from := of.position(step.Pos{Line: spot.Line, Col: spot.Column})
			out.Related = append(out.Related, related{location{of.uri, span{from, from}},
				fmt.Sprintf("%d %s", max(0, len(f.Steps)-maxRelated)+i+1, spot.Text)})
		}
		list = append(list, out)
	}
	return list
}

// lookAtRuns marks the documents for which a run has left something, and lets the editor ask for the lenses again.
func (s *server) lookAtRuns() {
	changed := false
	for _, d := range s.open {
		if s.files.Runs == nil || !filepath.IsAbs(d.path) {
			continue
		}
		if state := s.files.Runs.State(d.place()); state != d.runs {
			d.runs, s.stale[d.uri], changed = state, true, true
		}
	}
	if changed && s.refreshes {
		s.asked++
		s.out.ask(s.asked, "workspace/codeLens/refresh")
	}
}
