package dap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore/replay"
)

// ask answers a request about the present moment.
func (s *session) ask(m dap.RequestMessage) (any, error) {
	switch m := m.(type) {
	case *dap.SetBreakpointsRequest:
		return s.setBreakpoints(m), nil
	case *dap.SetExceptionBreakpointsRequest:
		return nil, nil
	case *dap.SourceRequest:
		if s.Changed == "" || cmp.Or(m.Arguments.SourceReference, 1) != 1 {
			return nil, errors.New("there is no such source")
		}
		return &dap.SourceResponseBody{Content: s.Text}, nil
	case *dap.ExceptionInfoRequest:
		if s.taken < len(s.Steps) || len(s.Wrong) == 0 {
			return nil, errors.New("nothing is wrong here")
		}
		kind, _, _ := strings.Cut(s.Wrong[0], ": ")
		return &dap.ExceptionInfoResponseBody{ExceptionId: kind, Description: strings.Join(s.Wrong, "\n"),
			BreakMode: "always"}, nil
	case *dap.ThreadsRequest:
		out := &dap.ThreadsResponseBody{Threads: []dap.Thread{}}
		for i, name := range s.Threads {
			if t := &s.present().Threads[i]; t.Status != "" {
				name += " (" + t.Status + ")"
			}
			out.Threads = append(out.Threads, dap.Thread{Id: i + 1, Name: name})
		}
		return out, nil
	case *dap.StackTraceRequest:
		return s.stack(m.Arguments.ThreadId)
	case *dap.ScopesRequest:
		return s.scopes(m.Arguments.FrameId)
	case *dap.VariablesRequest:
		return s.variables(m.Arguments.VariablesReference)
	case *dap.EvaluateRequest:
		return s.evaluate(&m.Arguments)
	}
	return nil, fmt.Errorf("cdpor does not have %s", m.GetRequest().Command)
}

// present is the present moment.
func (s *session) present() *Moment {
	if s.now == nil {
		s.now = s.At(s.taken)
	}
	return s.now
}

// source is a file for the editor, nil: none. One that has changed since is asked of the adapter.
func (s *session) source(path string) *dap.Source {
	if path == "" {
		return nil
	}
	out := &dap.Source{Name: filepath.Base(path), Path: path}
	if path == s.Changed {
		out.SourceReference, out.Origin = 1, "as it was when the schedule was saved"
	}
	return out
}

// stack is where a thread stands: one frame, or none if it is not there. Where something is wrong at the end, the last
// step is a frame also of a thread that has ended.
func (s *session) stack(id int) (any, error) {
	t, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	out := &dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}}
	at, name := t.Place, t.Step
	last := t.Gone && s.taken == len(s.Steps) && s.taken > 0 && len(s.Wrong) > 0 && s.moving() == id-1
	if last {
		at, name = s.Steps[s.taken-1].Place, terminal.Visible(s.Steps[s.taken-1].Text)
	}
	if last || !t.Gone {
		out.StackFrames = append(out.StackFrames, dap.StackFrame{Id: id, Name: name, Source: s.source(at.File),
			Line: at.Line, Column: at.Column})
	}
	out.TotalFrames = len(out.StackFrames)
	return out, nil
}

func (s *session) thread(id int) (*Thread, error) {
	if id < 1 || id > len(s.Threads) {
		return nil, fmt.Errorf("there is no thread %d", id)
	}
	return &s.present().Threads[id-1], nil
}

// scopes are the values that there are for a thread: its own, the shared ones, and the races of this moment.
func (s *session) scopes(frame int) (any, error) {
	t, err := s.thread(frame)
	if err != nil {
		return nil, err
	}
	out := &dap.ScopesResponseBody{Scopes: []dap.Scope{}}
	for _, of := range []struct {
		name, hint string
		list       []replay.Value
	}{{"Locals", "locals", t.Locals}, {"Shared", "", s.present().Shared}, {"Races", "", s.present().Races}} {
		if of.name != "Races" || of.list != nil {
			out.Scopes = append(out.Scopes, dap.Scope{Name: of.name, PresentationHint: of.hint,
				VariablesReference: s.refer(of.list), NamedVariables: len(of.list)})
		}
	}
	return out, nil
}

// refer gives a list of values a number by which an editor asks for it.
func (s *session) refer(list []replay.Value) int {
	s.values = append(s.values, list)
	return len(s.values)
}

func (s *session) variables(ref int) (any, error) {
	if ref < 1 || ref > len(s.values) {
		return nil, errors.New("these values are of another moment")
	}
	out := &dap.VariablesResponseBody{Variables: []dap.Variable{}}
	for _, v := range s.values[ref-1] {
		out.Variables = append(out.Variables, dap.Variable{Name: v.Name, Value: terminal.Visible(v.Text),
			EvaluateName: v.Name, VariablesReference: s.parts(v)})
	}
	return out, nil
}

// parts refers to the elements or fields of a value, 0: it has none.
func (s *session) parts(v replay.Value) int {
	var list []replay.Value
	dec := json.NewDecoder(strings.NewReader(string(v.JSON)))
	begin, _ := dec.Token()
	for (begin == json.Delim('[') || begin == json.Delim('{')) && dec.More() {
		name := any(fmt.Sprintf("[%d]", len(list)))
		if begin == json.Delim('{') {
			name, _ = dec.Token()
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break
		}
		text := string(raw)
		if raw[0] == '"' {
			_ = json.Unmarshal(raw, &text) // it is one
		}
		list = append(list, replay.Value{Name: fmt.Sprint(name), Text: text, JSON: replay.Raw(raw)})
	}
	if len(list) == 0 {
		return 0
	}
	return s.refer(list)
}

// evaluate finds a value by its name, of the thread of a frame or shared.
func (s *session) evaluate(a *dap.EvaluateArguments) (any, error) {
	list := s.present().Shared
	if t, err := s.thread(a.FrameId); err == nil {
		list = slices.Concat(t.Locals, list)
	}
	for _, v := range list {
		if v.Name == strings.TrimSpace(a.Expression) {
			return &dap.EvaluateResponseBody{Result: terminal.Visible(v.Text), VariablesReference: s.parts(v)}, nil
		}
	}
	return nil, fmt.Errorf("%s is no variable that matters here; expressions are not evaluated", a.Expression)
}
