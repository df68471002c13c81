package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
)

// Open makes a recording of the arguments of a launch request.
type Open func(ctx context.Context, arguments json.RawMessage) (*Recording, error)

// Serve talks to an editor until it disconnects, its stream ends or the context is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Open) error {
	s := &session{ctx: ctx, out: out, open: open, breakpoints: map[string]map[int]int{}}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(bufio.NewReader(in)) }() // reading cannot be interrupted
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}

// serve answers requests.
func (s *session) serve(in *bufio.Reader) error {
	for s.err == nil && !s.over {
		m, err := dap.ReadProtocolMessage(in)
		var unknown *dap.DecodeProtocolMessageFieldError
		switch request, is := m.(dap.RequestMessage); {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &unknown):
			s.respond(&dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: unknown.Seq}, Command: unknown.FieldValue},
				nil, fmt.Errorf("cdpor does not have %s", unknown.FieldValue))
		case malformed(err):
			s.respond(&dap.Request{}, nil, fmt.Errorf("this is no message: %w", err))
		case err != nil:
			return err
		case is:
			s.handle(request)
		}
	}
	return s.err
}

// malformed reports whether a message has come whose body cannot be read; behind it the next one begins.
func malformed(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// A session is the connection to an editor.
type session struct {
	ctx  context.Context
	out  io.Writer
	err  error // of writing
	seq  int
	open Open
	over bool

	*Recording
	taken       int                    // steps
	now         *Moment                // behind them; nil: not asked for yet
	values      [][]replay.Value       // by reference - 1, of this moment
	breakpoints map[string]map[int]int // by path and line: their identifiers
	made        int                    // breakpoints
}

func (s *session) write(m dap.Message) {
	if s.err == nil {
		s.err = dap.WriteProtocolMessage(s.out, m)
	}
}

// next numbers a message.
func (s *session) next(kind string) dap.ProtocolMessage {
	s.seq++
	return dap.ProtocolMessage{Seq: s.seq, Type: kind}
}

func (s *session) event(name string) dap.Event {
	return dap.Event{ProtocolMessage: s.next("event"), Event: name}
}

// respond answers a request: by the body that the protocol has for it, nil: nothing; or by what is wrong.
func (s *session) respond(r *dap.Request, body any, wrong error) {
	out := dap.Response{ProtocolMessage: s.next("response"), RequestSeq: r.Seq, Command: r.Command,
		Success: wrong == nil}
	if wrong != nil {
		out.Message = wrong.Error()
		body = dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: out.Message, ShowUser: true}}
	}
	s.write(&answer{out, body})
}

// An answer is a response with some body.
type answer struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// handle answers a request. It is a border that no panic crosses.
func (s *session) handle(m dap.RequestMessage) {
	r := m.GetRequest()
	defer func() {
		if p := recover(); p != nil {
			s.respond(r, nil, fmt.Errorf("internal error of cdpor: %v", p))
		}
	}()
	switch m := m.(type) {
	case *dap.InitializeRequest:
		s.respond(r, &dap.Capabilities{SupportsConfigurationDoneRequest: true, SupportsStepBack: true,
			SupportsRestartRequest: true, SupportsTerminateRequest: true, SupportsExceptionInfoRequest: true,
			SupportsEvaluateForHovers: true}, nil)
		return
	case *dap.LaunchRequest:
		opened, err := s.open(s.ctx, m.Arguments)
		if s.respond(r, nil, err); err == nil {
			s.Recording = opened
			s.write(&dap.InitializedEvent{Event: s.event("initialized")})
		}
		return
	case *dap.DisconnectRequest, *dap.TerminateRequest:
		s.respond(r, nil, nil)
		if s.over = r.Command == "disconnect"; !s.over {
			s.write(&dap.TerminatedEvent{Event: s.event("terminated")})
		}
		return
	}
	if s.Recording == nil {
		s.respond(r, nil, errors.New("launch comes first"))
	} else if !s.move(m) {
		body, err := s.ask(m)
		s.respond(r, body, err)
	}
}

// move carries out a request that goes forwards or backwards, and reports whether it is one.
func (s *session) move(m dap.RequestMessage) bool {
	var until func(moved int) bool // it stops there; nil: it does not move
	var body any
	reason, back := "step", false
	broken := func(int) bool {
		if s.broken() {
			reason = "breakpoint"
		}
		return s.broken()
	}
	switch m := m.(type) {
	case *dap.ConfigurationDoneRequest, *dap.RestartRequest:
		s.taken = 0
	case *dap.PauseRequest:
		reason = "pause"
	case *dap.NextRequest: // of whichever thread is next
		until = func(int) bool { return true }
	case *dap.StepInRequest: // up to the next one of this thread
		if _, err := s.thread(m.Arguments.ThreadId); err != nil {
			s.respond(&m.Request, nil, err)
			return true
		}
		until = func(moved int) bool { return moved == m.Arguments.ThreadId-1 }
	case *dap.StepOutRequest: // up to the next switch
		until = func(moved int) bool { return s.moving() != moved }
	case *dap.ContinueRequest:
		body, until = &dap.ContinueResponseBody{AllThreadsContinued: true}, broken
	case *dap.StepBackRequest:
		back, until = true, func(int) bool { return true }
	case *dap.ReverseContinueRequest:
		back, until = true, broken
	default:
		return false
	}
	s.respond(m.GetRequest(), body, nil)
	switch {
	case until == nil:
	case back:
		for s.taken > 0 {
			if s.taken--; until(s.moving()) {
				break
			}
		}
	case s.taken == len(s.Steps):
		s.write(&dap.TerminatedEvent{Event: s.event("terminated")})
		return true
	default:
		for s.taken < len(s.Steps) && !until(s.forwards()) {
		}
		if s.taken == len(s.Steps) && len(s.Wrong) > 0 {
			reason = "exception"
		}
	}
	if s.taken == 0 && reason == "step" {
		reason = "entry"
	}
	s.stop(reason)
	return true
}

// forwards takes the next step, tells of it in the console, and returns its thread.
func (s *session) forwards() int {
	step := &s.Steps[s.taken]
	s.taken++
	s.write(&dap.OutputEvent{Event: s.event("output"), Body: dap.OutputEventBody{Category: "console",
		Output: fmt.Sprintf("%d %s: %s\n", s.taken, s.Threads[step.Of], terminal.Visible(step.Says())),
		Source: s.source(step.File), Line: step.Line, Column: step.Column}})
	return step.Of
}

// broken reports whether the next step is at a breakpoint.
func (s *session) broken() bool { return s.taken < len(s.Steps) && s.breakpoint() > 0 }

// breakpoint is the one that the next step is at.
func (s *session) breakpoint() int {
	next := &s.Steps[s.taken]
	return s.breakpoints[next.File][next.Line]
}

// stop tells the editor where the session is now: at the thread that takes the next step, or took the last.
func (s *session) stop(reason string) {
	s.now, s.values = nil, nil
	body := dap.StoppedEventBody{Reason: reason, ThreadId: s.moving() + 1, AllThreadsStopped: true}
	switch {
	case reason == "exception":
		body.Description, body.Text = strings.Join(s.Wrong, "; "), strings.Join(s.Wrong, "\n")
	case s.taken == len(s.Steps):
		body.Description = "at the end of the schedule"
	default:
		body.Description = fmt.Sprintf("before step %d of %d", s.taken+1, len(s.Steps))
	}
	if reason == "breakpoint" {
		body.HitBreakpointIds = []int{s.breakpoint()}
	}
	s.write(&dap.StoppedEvent{Event: s.event("stopped"), Body: body})
}

// moving is the thread of the next step, or at the end that of the last.
func (s *session) moving() int {
	if len(s.Steps) == 0 {
		return 0
	}
	return s.Steps[min(s.taken, len(s.Steps)-1)].Of
}

// setBreakpoints replaces the breakpoints of a file. Where no step of the schedule is there is none.
func (s *session) setBreakpoints(m *dap.SetBreakpointsRequest) *dap.SetBreakpointsResponseBody {
	path := m.Arguments.Source.Path
	out := &dap.SetBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}
	s.breakpoints[path] = map[int]int{}
	for _, b := range m.Arguments.Breakpoints {
		s.made++
		there := slices.ContainsFunc(s.Steps, func(t Step) bool { return t.File == path && t.Line == b.Line })
		point := dap.Breakpoint{Id: s.made, Verified: there, Line: b.Line}
		if there {
			s.breakpoints[path][b.Line] = s.made
		} else {
			point.Message = "no step of the schedule is in this line"
		}
		out.Breakpoints = append(out.Breakpoints, point)
	}
	return out
}
