//go:build nocluster

package main

import (
	"context"
	"errors"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/lang/step"
)

// errNoCluster refuses a flag or command of the cluster.
var errNoCluster = fault.Input{Err: errors.New("this cdpor has no cluster, so there is no --connect, serve, work nor " +
	"jobs: build it without -tags nocluster")}

// absentCommand is one of the commands that are missing, with whatever follows it.
type absentCommand struct {
	Arguments []string `arg:"" optional:"" passthrough:"" help:"Whatever it takes elsewhere."`
}

func (absentCommand) Run() error { return errNoCluster }

type (
	serveCommand struct{ absentCommand }
	workCommand  struct{ absentCommand }
	jobsCommand  struct{ absentCommand }
)

func (f *connectFlags) check() error {
	if *f != (connectFlags{}) {
		return errNoCluster
	}
	return nil
}

func (f *connectFlags) reach(context.Context, *progress.Progress) error { return nil }

func (c *runCommand) checkConnect(int) error { return c.connectFlags.check() }

func (c *resumeCommand) comeBack(*environment.Environment) error { return errNoCluster }

// A remote is never used: check has refused what would.
type remote struct {
	*connectFlags
	progress  *progress.Progress
	title     string
	back      func() ([]byte, error)
	used      func() *source.Source
	whole     bool
	submitted bool
}

func (c *remote) run(context.Context, *step.Machine, *explore.Algorithm, explore.Options) (*explore.Result, error) {
	return nil, errNoCluster
}

func (c *remote) forget() {}

func (c *remote) say(string) {}

func (c *remote) leave(*environment.Environment, error) {}

func (c *searching) remote(*report.Report, func() *source.Source) *remote { return nil }
