package lsp

import "bytes"

// formatting lays a text out as cdpor fmt does. A text with errors is left alone.
func (s *server) formatting(d *document) ([]textEdit, error) {
	text, err := s.files.Format(d.path, d.text)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(text, d.text) {
		return []textEdit{}, nil
	}
	return []textEdit{{span{End: position{Line: len(d.lines)}}, string(text)}}, nil
}
