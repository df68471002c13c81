package lsp

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// maxMessage is the largest message that is read, in bytes. A larger one is skipped.
const maxMessage = 64 << 20

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

// read returns the next message, a badMessage after which reading can go on, or an error at which it cannot.
func read(r *bufio.Reader) (*message, error) {
	length, err := header(r)
	if err != nil {
		return nil, err
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, r, length); err != nil {
			return nil, err
		}
		return nil, badMessage{fmt.Errorf("a message of %d bytes; the limit is %d", length, maxMessage)}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, badMessage{err}
	}
	return &m, nil
}

// header reads up to the empty line and returns the length of what follows.
func header(r *bufio.Reader) (int64, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if errors.Is(err, io.EOF) && len(header) > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, fmt.Errorf("headers of a message: %w", err)
	}
	length, err := strconv.ParseUint(header.Get("Content-Length"), 10, 62)
	if err != nil {
		return 0, fmt.Errorf("a message without Content-Length: %w", err)
	}
	return int64(length), nil
}

// A writer writes messages to a stream. The first error stays.
type writer struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// An outgoing message is a response, a notification or a question.
type outgoing struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

func (w *writer) send(m outgoing) {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && err == nil {
		_, err = fmt.Fprintf(w.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	w.err = cmp.Or(w.err, err)
}

func (w *writer) respond(id json.RawMessage, result any, failure *responseError) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	m := outgoing{ID: id, Error: failure}
	if failure == nil {
		m.Result, _ = json.Marshal(result) // of the structures of this package
	}
	w.send(m)
}

func (w *writer) notify(method string, params any) { w.send(outgoing{Method: method, Params: params}) }
