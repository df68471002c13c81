package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// recordVersion is the version of the format of replay files.
const recordVersion = 1

// A record is a schedule in a file, with everything that is needed to run it again.
type record struct {
	Version   int             `yaml:"cdpor-replay"`
	Program   string          `yaml:"program"`              // where it came from
	Param     []string        `yaml:"parameters,omitempty"` // NAME=VALUE, as given on the command line
	Atomicity string          `yaml:"atomicity,omitempty"`  // if given on the command line
	Verdict   explore.Verdict `yaml:"verdict"`              // of this execution
	Wrong     []string        `yaml:"violations,omitempty"` // what is wrong with it
	Schedule  string          `yaml:"schedule"`             // as for cdpor run --schedule
	Found     string          `yaml:"found,omitempty"`      // the schedule before it was simplified
	Steps     []string        `yaml:"steps"`                // process.label of each
	Text      string          `yaml:"text"`                 // of the program
}

// newRecord records a schedule of the program that was loaded. found is the schedule before it was simplified.
func (f *programFlags) newRecord(t *tracer, l lasso, found []int32) (*record, error) {
	r, err := t.replayLasso(context.Background(), l)
	if err != nil {
		return nil, err
	}
	rec := &record{Version: recordVersion, Program: f.Program, Param: f.Param, Atomicity: f.Atomicity, Verdict: r.Verdict, Wrong: r.Wrong,
		Schedule: formatLasso(t.m, l), Text: string(f.text)}
	if s := formatSchedule(t.m, found); s != formatSchedule(t.m, l.stem) {
		rec.Found = s
	}
	for _, s := range r.Steps {
		rec.Steps = append(rec.Steps, s.Step)
	}
	return rec, nil
}

// write writes the record to a file.
func (r *record) write(path string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Run this with: cdpor replay %s (--step walks through it)\n", terminal.Quote(path))
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(r); err != nil {
		return err
	}
	return files.Write(path, out.Bytes())
}

func readRecord(path string) (*record, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	var r record
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		switch kind := fileKind(text); kind {
		case "cdpor":
			return nil, fault.Inputf("%s is a program, not a replay file; cdpor run --save FILE writes a schedule of it, and cdpor replay FILE follows that", path)
		case "cdpor-constraints":
			return nil, fault.Inputf("%s is a constraint file, not a replay file; cdpor run --save FILE writes one", path)
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n"), "\n")
		return nil, fault.Inputf("%s is no replay file: %s", path, strings.TrimSpace(first))
	}
	switch {
	case r.Version == 0:
		return nil, fault.Inputf("%s is no replay file: it does not begin with cdpor-replay: %d", path, recordVersion)
	case r.Version != recordVersion:
		return nil, fault.Inputf("%s has version %d of the format; this cdpor reads version %d", path, r.Version, recordVersion)
	}
	return &r, nil
}

// fileKind is the key by which a file of cdpor can be told: cdpor, cdpor-constraints or cdpor-replay; empty if there is none.
func fileKind(text []byte) string {
	var keys map[string]any
	if yaml.Unmarshal(text, &keys) != nil {
		return ""
	}
	for _, kind := range []string{"cdpor-replay", "cdpor-constraints", "cdpor"} {
		if _, is := keys[kind]; is {
			return kind
		}
	}
	return ""
}

// machine makes the program of a record, or with its parameters another one.
func (r *record) machine(program string) (*step.Machine, error) {
	change := changeFlags{Param: r.Param, Atomicity: r.Atomicity}
	var src *lang.Source
	var err error
	if program != "" {
		src, err = change.loadFile(program)
	} else {
		src, err = change.loadText(r.Program, []byte(r.Text))
	}
	if err != nil {
		return nil, err
	}
	return step.NewMachine(src.Program)
}

// changed reports whether a program is still there and has another text now.
func changed(path, text string) bool {
	now, err := os.ReadFile(path)
	return err == nil && string(now) != text
}
