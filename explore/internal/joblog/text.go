package joblog

import (
	"bytes"
	"encoding/json"
)

// Marshal is a record as text. What has been found follows the text after a zero byte, as it is.
func (r *Record) Marshal() ([]byte, error) {
	text, err := json.Marshal(r) // Found is not in it
	if err != nil || len(r.Found) == 0 {
		return text, err
	}
	return append(append(text, 0), r.Found...), nil
}

// Unmarshal reads a record.
func (r *Record) Unmarshal(text []byte) error {
	text, found, _ := bytes.Cut(text, []byte{0})
	if len(found) > 0 {
		r.Found = bytes.Clone(found)
	}
	return json.Unmarshal(text, r)
}
