package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/rogpeppe/go-internal/testscript"
)

// sarifLog is the command sarif of scripts: it holds a log against the schema of SARIF 2.1.0, and writes what a viewer
// shows: results with their places, the steps of code flows, and notes on what was not explored.
func sarifLog(ts *testscript.TestScript, _ bool, args []string) {
	var log sarif.Report
	text := []byte(ts.ReadFile(args[0]))
	ts.Check(json.Unmarshal(text, &log))
	ts.Check(log.Validate())
	if list := log.Runs[0].Results; len(list) > 0 { // the check can fail
		level := list[0].Level
		if list[0].Level = "fatal"; log.Validate() == nil {
			ts.Fatalf("a log that is wrong is accepted")
		}
		list[0].Level = level
	}
	var out strings.Builder
	at := func(l *sarif.Location) string {
		p := l.PhysicalLocation
		return fmt.Sprintf("%s:%d:%d", *p.ArtifactLocation.URI, *p.Region.StartLine, *p.Region.StartColumn)
	}
	for _, run := range log.Runs {
		for _, rule := range run.Tool.Driver.Rules {
			if rule.Help == nil || rule.FullDescription == nil { // which GitHub demands
				ts.Fatalf("rule %s is not described", *rule.ID)
			}
		}
		call := run.Invocations[0]
		fmt.Fprintf(&out, "%s: exit code %d, successful: %t\n", *call.CommandLine, *call.ExitCode,
			*call.ExecutionSuccessful)
		for _, n := range call.ToolExecutionNotifications {
			where := ""
			if p := n.Locations[0]; *p.PhysicalLocation.Region.StartLine > 1 {
				where = " " + at(p)
			}
			fmt.Fprintf(&out, "%s%s: %s\n", n.Level, where, *n.Message.Text)
		}
		for _, r := range run.Results {
			fmt.Fprintf(&out, "%s %s %s: %s\n", r.Level, *r.RuleID, at(r.Locations[0]), *r.Message.Text)
			if len(r.Suppressions) > 0 {
				fmt.Fprintln(&out, "  known")
			}
			for _, flow := range r.CodeFlows {
				for _, thread := range flow.ThreadFlows {
					fmt.Fprintf(&out, "  %s\n", *thread.ID)
					for _, l := range thread.Locations {
						fmt.Fprintf(&out, "    %d %s %s\n", l.ExecutionOrder, at(l.Location), *l.Location.Message.Text)
					}
				}
			}
		}
		for _, a := range run.Artifacts {
			fmt.Fprintf(&out, "file %s, sha-256 of %d characters\n", *a.Location.URI, len(a.Hashes["sha-256"]))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}
