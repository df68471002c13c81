package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage is the largest message that is read, in bytes. A larger one is skipped.
const maxMessage = 64 << 20

// maxHeader bounds the headers of a message, in bytes.
const maxHeader = 16 << 10

// A message is a request (with an ID and a method), a notification (without an ID) or a response to something that the
// server has asked.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

func (m *message) isRequest() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// Codes of JSON-RPC and of the protocol.
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	serverNotInitialized = -32002
)

// A responseError is the answer to a request that cannot be met.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

// A badMessage could be read past, but not understood.
type badMessage struct{ error }

// A reader reads messages from a stream.
type reader struct{ r *bufio.Reader }

// read returns the next message, a badMessage after which reading can go on, or an error at which it cannot.
func (r *reader) read() (*message, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, r.r, length); err != nil {
			return nil, err
		}
		return nil, badMessage{fmt.Errorf("a message of %d bytes; the limit is %d", length, maxMessage)}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r.r, body); err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, badMessage{err}
	}
	return &m, nil
}

// header reads up to the empty line and returns the length of what follows.
func (r *reader) header() (length int64, err error) {
	length = -1
	for size := 0; ; {
		line, err := r.line()
		if err != nil {
			return 0, err
		}
		if size += len(line); size > maxHeader {
			return 0, errors.New("the headers of a message do not end")
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 {
				return 0, fmt.Errorf("not a length: %s", line)
			}
		}
	}
	if length < 0 {
		return 0, errors.New("a message without Content-Length")
	}
	return length, nil
}

// line reads a line that is not longer than headers may be.
func (r *reader) line() (string, error) {
	var line []byte
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if line = append(line, c); c == '\n' || len(line) > maxHeader {
			return string(line), nil
		}
	}
}

// A writer writes messages to a stream. The first error stays.
type writer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (w *writer) send(v any) {
	body, err := json.Marshal(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && err == nil {
		_, err = fmt.Fprintf(w.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) respond(id json.RawMessage, result any, failure *responseError) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if failure != nil {
		w.send(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *responseError  `json:"error"`
		}{"2.0", id, failure})
		return
	}
	w.send(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

// ask sends a request without parameters. What comes back says no more than that it came.
func (w *writer) ask(id int, method string) {
	w.send(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
	}{"2.0", id, method})
}

func (w *writer) notify(method string, params any) {
	w.send(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}
