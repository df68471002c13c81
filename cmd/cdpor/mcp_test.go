package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// agent is the command agent of scripts: agent SESSION OUT cdpor mcp ... is a client of cdpor mcp. Each line of SESSION
// behind > is a tool and its arguments; what comes back is written to OUT.
func agent(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "CDPOR_RUN_ENGINE="+ts.Getenv("CDPOR_RUN_ENGINE"), "TMPDIR="+ts.Getenv("TMPDIR"))
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	ctx := context.Background()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	ts.Check(err)
	var out strings.Builder
	tools, err := session.ListTools(ctx, nil)
	ts.Check(err)
	var names []string
	for _, t := range tools.Tools {
		names = append(names, t.Name)
		if !t.Annotations.ReadOnlyHint || t.OutputSchema == nil {
			ts.Fatalf("%s is not said to read only, or says not what it gives", t.Name)
		}
	}
	slices.Sort(names)
	fmt.Fprintln(&out, "tools:", strings.Join(names, " "))
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		request, is := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !is {
			continue
		}
		name, text, _ := strings.Cut(request, " ")
		fmt.Fprintf(&out, "> %s\n", request)
		arguments := map[string]any{}
		ts.Check(json.Unmarshal([]byte(strings.ReplaceAll(text, "$WORK", ts.Getenv("WORK"))), &arguments))
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		switch {
		case err != nil:
			fmt.Fprintf(&out, "error: %v\n", err)
		case r.IsError:
			fmt.Fprintf(&out, "refused: %s\n", r.Content[0].(*mcp.TextContent).Text)
		default:
			text, err := json.Marshal(r.StructuredContent)
			ts.Check(err)
			fmt.Fprintf(&out, "%s\n", text)
		}
	}
	ts.Check(session.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.ReplaceAll(out.String(), ts.Getenv("WORK"), "$WORK")),
		0o666))
}
