package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A stream is the messages of an agent, a line each, and the answers. What is no message, at which the library would
// end the session, is answered here.
type stream struct {
	in   *bufio.Reader
	left []byte // of a line that is being read
	mu   sync.Mutex
	out  io.Writer
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.left) == 0 {
		line, err := s.in.ReadBytes('\n')
		if _, wrong := jsonrpc.DecodeMessage(line); wrong == nil {
			s.left = line
			break
		}
		code := jsonrpc.CodeParseError
		if json.Valid(line) {
			code = jsonrpc.CodeInvalidRequest
		}
		if len(bytes.TrimSpace(line)) > 0 {
			fmt.Fprintf(s, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"this is no message"}}`+"\n", code)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

// Close leaves the standard input and output open.
func (*stream) Close() error { return nil }
