package output

import (
	"bytes"
	"encoding/json"
	"io"
)

// Version is the number behind "cdpor" in JSON output: it grows when a field changes its meaning or goes away. Fields
// may be added without that. output.schema.json describes them.
const Version = 3

// Write writes data as indented JSON.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteList writes a list with a name.
func WriteList(w io.Writer, name string, list any) error {
	return Write(w, map[string]any{"cdpor": Version, name: list})
}

// AppendText appends a JSON string as Write writes it.
func AppendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			var escaped bytes.Buffer
			e := json.NewEncoder(&escaped)
			e.SetEscapeHTML(false)
			_ = e.Encode(text) // cannot fail
			return append(b, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
