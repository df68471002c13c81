package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/schedules"

	"gopkg.in/yaml.v3"
)

// RecordVersion is the version of the format of replay files.
const RecordVersion = 1

// A Record is a schedule with everything that is needed to run it again: a replay file, in YAML.
type Record struct {
	Version   int             `yaml:"cdpor-replay"`
	Program   string          `yaml:"program"`              // the path that its text came from
	Param     []string        `yaml:"parameters,omitempty"` // NAME=VALUE, where it is not what the program says
	Atomicity string          `yaml:"atomicity,omitempty"`  // likewise
	Verdict   explore.Verdict `yaml:"verdict"`              // of this execution
	Wrong     []string        `yaml:"violations,omitempty"` // what is wrong with it
	Schedule  string          `yaml:"schedule"`             // as schedules.FormatLasso writes it
	Found     string          `yaml:"found,omitempty"`      // the schedule before it was simplified
	Steps     []string        `yaml:"steps"`                // process.label of each
	Text      string          `yaml:"text,omitempty"`       // of the program
	Go        *GoRecord       `yaml:"go,omitempty"`         // of a Go program, which is read where it is, instead
}

// A GoRecord says which Go program a record is about, beside the path of its package.
type GoRecord struct {
	Func    string         `yaml:"func"` // where it begins
	Bounds  map[string]int `yaml:"bounds,omitempty"`
	NoRaces bool           `yaml:"no-races,omitempty"`
	Engine  string         `yaml:"engine,omitempty"` // run: the schedule is one of package native
	Digest  string         `yaml:"digest,omitempty"` // of its step form, where it has one
}

// Record runs a schedule and records it. found is the schedule before it was simplified. What the record says of the
// program, its path, its text and what was changed about it, is left to the caller.
func (p *Player) Record(
	ctx context.Context, l *liveness.Lasso, found []int32, opt explore.LivenessOptions,
) (*Record, error) {
	x, err := p.Run(ctx, l, opt)
	if err != nil {
		return nil, err
	}
	r := &Record{Version: RecordVersion, Verdict: x.Verdict, Wrong: x.Wrong, Schedule: schedules.FormatLasso(p.m, l)}
	if s := schedules.Format(p.m, found); s != schedules.Format(p.m, l.Stem) {
		r.Found = s
	}
	for _, s := range x.Steps {
		r.Steps = append(r.Steps, s.Step)
	}
	return r, nil
}

// Encode writes a replay file.
func (r *Record) Encode(w io.Writer) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	return enc.Encode(r)
}

// Decode reads a replay file. The error begins with "no replay file", or speaks of the version.
func Decode(text []byte) (*Record, error) {
	var r Record
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n"), "\n")
		first, _, _ = strings.Cut(first, " in type ") // of Go
		return nil, errors.New("no replay file: " + strings.TrimSpace(first))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("no replay file: a second YAML document follows the first")
	}
	switch {
	case r.Version == 0:
		return nil, fmt.Errorf("no replay file: it does not begin with cdpor-replay: %d", RecordVersion)
	case r.Version != RecordVersion:
		return nil, fmt.Errorf("a replay file of version %d of the format; this cdpor reads version %d",
			r.Version, RecordVersion)
	}
	return &r, nil
}
