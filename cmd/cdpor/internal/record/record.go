// Package record writes schedules to files for cdpor replay, and reads them.
package record

import (
	"bytes"
	"fmt"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"

	"gopkg.in/yaml.v3"
)

// Write writes a record to a file.
func Write(r *replay.Record, path string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Run this with: cdpor replay %s (--step walks through it)\n", terminal.Quote(path))
	if err := r.Encode(&out); err != nil {
		return err
	}
	return files.Write(path, out.Bytes())
}

// Read reads a record. The error says what the file is instead, if it is another one of cdpor.
func Read(path string) (*replay.Record, error) {
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
		return nil, fault.Inputf("%s is a program, not a replay file; cdpor run --save FILE writes a schedule of it, "+
			"and cdpor replay FILE follows that", path)
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
