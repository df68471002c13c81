package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/google/go-dap"
	"github.com/rogpeppe/go-internal/testscript"
)

// A dapRequest is a request with any arguments.
type dapRequest struct {
	dap.Request
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// debugger is the command debug of scripts: a client of cdpor dap. Each line of SESSION behind > is a request and its
// arguments; what comes back is written to OUT, up to the event that says where it has stopped if the request moves.
func debugger(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("cdpor", "dap")
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "CDPOR_NO_RUN="+ts.Getenv("CDPOR_NO_RUN"))
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer cmd.Process.Kill()
	from := bufio.NewReader(out)
	var said strings.Builder
	seq := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		request, is := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !is {
			continue
		}
		command, arguments, _ := strings.Cut(request, " ")
		seq++
		fmt.Fprintf(&said, "> %s\n", request)
		arguments = strings.ReplaceAll(arguments, "$WORK", ts.Getenv("WORK"))
		ts.Check(dap.WriteProtocolMessage(in, &dapRequest{dap.Request{Command: command,
			ProtocolMessage: dap.ProtocolMessage{Seq: seq, Type: "request"}}, json.RawMessage(arguments)}))
		answered, stopped := false, !strings.Contains(
			" configurationDone restart pause next stepIn stepOut continue stepBack reverseContinue ", " "+command+" ")
		for !answered || !stopped {
			m, err := dap.ReadProtocolMessage(from)
			ts.Check(err)
			var body struct{ Body json.RawMessage }
			text, err := json.Marshal(m)
			ts.Check(err)
			ts.Check(json.Unmarshal(text, &body))
			switch m := m.(type) {
			case dap.ResponseMessage:
				answered = m.GetResponse().RequestSeq == seq
				switch stopped = stopped || !m.GetResponse().Success; {
				case !m.GetResponse().Success:
					fmt.Fprintf(&said, "refused: %s\n", m.GetResponse().Message)
				case len(body.Body) > 0:
					fmt.Fprintf(&said, "%s\n", body.Body)
				}
			case dap.EventMessage:
				name := m.GetEvent().Event
				stopped = stopped || name == "stopped" || name == "terminated"
				fmt.Fprintf(&said, "* %s %s\n", name, body.Body)
			}
		}
	}
	in.Close()
	ts.Check(cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.ReplaceAll(said.String(), ts.Getenv("WORK"), "$WORK")),
		0o666))
}
