// Package mcp lets agents use cdpor over the Model Context Protocol. It reads the folders that it is given, and nothing
// else: a call works on copies, and neither writes into a folder nor executes what it finds there.
//
//	server.go   a session: the tools, their results, and messages on the wire
//	tools.go    what each tool makes of its arguments
//	folders.go  files of the folders, and copies of them
//	call.go     runs cdpor for a call, within limits
package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say what a server may do.
type Options struct {
	Folders []string
	Version string
	Timeout time.Duration // of a call, at most
	Memory  string        // that a search takes at most, such as 2GB
	Program string        // cdpor itself
	Name    string        // as which it is called
}

type server struct {
	Options
	folders []*folder
	cache   string     // of what calls find out
	turn    sync.Mutex // one call at a time works
}

// Serve talks to an agent until its stream ends or the context is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	s := &server{Options: opt}
	for _, path := range opt.Folders {
		f, err := openFolder(path)
		if err != nil {
			return err
		}
		defer f.root.Close()
		s.folders = append(s.folders, f)
	}
	c, err := newCopied()
	if err != nil {
		return err
	}
	defer c.remove()
	s.cache = c.dir
	serving := sdk.NewServer(&sdk.Implementation{Name: "cdpor", Title: "cdpor", Version: opt.Version},
		&sdk.ServerOptions{Instructions: instructions})
	s.tools(serving)
	both := &stream{in: bufio.NewReader(in), out: out}
	err = serving.Run(ctx, &sdk.IOTransport{Reader: both, Writer: both})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

const instructions = `cdpor explores concurrent programs in every order of their steps that makes a difference: models in YAML, and Go tests.
examples shows programs to start from; run finds what is wrong with one and gives a schedule that replay follows step by
step; explain tells about codes of errors. Nothing is executed or written: Go tests are read.`

// A result is the answer of a tool.
type result struct {
	ExitCode int            `json:"exit_code" jsonschema:"0 nothing wrong, 1 violation, 2 input that cannot be used, 3 not finished"`
	Meaning  string         `json:"meaning"`
	Result   map[string]any `json:"result,omitempty" jsonschema:"what cdpor prints with --json"`
	Text     string         `json:"text,omitempty" jsonschema:"a file that was asked for, such as a program or constraints"`
	Messages string         `json:"messages,omitempty" jsonschema:"what people would be told beside the result"`
	Cut      []string       `json:"cut,omitempty" jsonschema:"lists of which only the beginning is here"`
}

// meanings are those of exit codes.
var meanings = map[int]string{0: "complete, and nothing is wrong", 1: "a violation, a refuted entry or a difference",
	2: "the input cannot be used", 3: "not finished, or nothing was checked", 4: "an error of cdpor itself"}

// add adds a tool: prepare copies the files of a call and says how cdpor is called.
func add[In any](s *server, to *sdk.Server, name, about string, prepare func(*copied, *In) (*call, error)) {
	no := false
	sdk.AddTool(to, &sdk.Tool{Name: name, Description: about, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true,
		IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}},
		func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, *result, error) {
			s.turn.Lock()
			defer s.turn.Unlock()
			c, err := newCopied()
			if err != nil {
				return nil, nil, err
			}
			defer c.remove()
			made, err := prepare(c, &in)
			if err != nil {
				return nil, nil, err
			}
			out, err := s.run(ctx, c, made)
			return nil, out, err
		})
}

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
