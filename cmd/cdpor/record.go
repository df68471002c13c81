package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/lang/step"

	"gopkg.in/yaml.v3"
)

// newRecord records a schedule of the program that was loaded. found is the schedule before it was simplified.
func (f *programFlags) newRecord(p *replay.Player, l *liveness.Lasso, found []int32, opt explore.LivenessOptions) (*replay.Record, error) {
	r, err := p.Record(context.Background(), l, found, opt)
	if err != nil {
		return nil, execution.ReplayError(err)
	}
	r.Program, r.Param, r.Atomicity, r.Text = f.Program, f.Param, f.Atomicity, string(f.text)
	return r, nil
}

// writeRecord writes a record to a file.
func writeRecord(r *replay.Record, path string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Run this with: cdpor replay %s (--step walks through it)\n", terminal.Quote(path))
	if err := r.Encode(&out); err != nil {
		return err
	}
	return files.Write(path, out.Bytes())
}

func readRecord(path string) (*replay.Record, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	r, err := replay.Decode(text)
	if err == nil {
		return r, nil
	}
	switch kind := fileKind(text); kind {
	case "cdpor":
		return nil, fault.Inputf("%s is a program, not a replay file; cdpor run --save FILE writes a schedule of it, and cdpor replay FILE follows that", path)
	case "cdpor-constraints":
		return nil, fault.Inputf("%s is a constraint file, not a replay file; cdpor run --save FILE writes one", path)
	}
	return nil, fault.Inputf("%s is %w", path, err)
}

// fileKind is the key by which a file of cdpor can be told: cdpor, cdpor-constraints or cdpor-replay; empty if there is
// none.
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

// recordedMachine makes the program of a record, or with its parameters another one.
func recordedMachine(r *replay.Record, program string) (*step.Machine, error) {
	if program == "" {
		return r.Machine()
	}
	change := changeFlags{Param: r.Param, Atomicity: r.Atomicity}
	src, err := change.loadFile(program)
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
