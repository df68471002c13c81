//go:build nocluster

package remote

import (
	"context"
	"errors"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/lang/step"
)

// ErrNoCluster refuses a flag or command of the cluster.
var ErrNoCluster = fault.Input{Err: errors.New("this cdpor has no cluster, so there is no --connect, serve, work nor " +
	"jobs: build it without -tags nocluster")}

// absentCommand is one of the commands that are missing, with whatever follows it.
type absentCommand struct {
	Arguments []string `arg:"" optional:"" passthrough:"" help:"Whatever it takes elsewhere."`
}

func (absentCommand) Run() error { return ErrNoCluster }

type (
	Serve struct{ absentCommand }
	Work  struct{ absentCommand }
	Jobs  struct{ absentCommand }
)

func (f *ConnectFlags) Check() error {
	if *f != (ConnectFlags{}) {
		return ErrNoCluster
	}
	return nil
}

func (f *ConnectFlags) Reach(context.Context, *progress.Progress) error { return nil }

// A Search is never used: Check has refused what would.
type Search struct {
	*ConnectFlags
	Progress  *progress.Progress
	Title     string
	Back      func() ([]byte, error)
	Used      func() *source.Source
	Whole     bool
	Submitted bool
}

func (c *Search) Run(context.Context, *step.Machine, *explore.Algorithm, explore.Options) (*explore.Result, error) {
	return nil, ErrNoCluster
}

func (c *Search) Forget() {}

func (c *Search) Say(string) {}

func (c *Search) Leave(*environment.Environment, error) {}
