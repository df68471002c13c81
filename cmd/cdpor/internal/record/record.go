// Package record writes schedules to files that cdpor run follows, and reads them.
package record

import (
	"bytes"
	"fmt"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
)

// Write writes a record to a file.
func Write(r *replay.Record, path string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Run this with: cdpor run %s\n", terminal.Quote(path))
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
	if other := files.Mistaken(path, text, "a replay file"); other != nil {
		return nil, other
	}
	return nil, fault.Inputf("%s is %w", path, err)
}
