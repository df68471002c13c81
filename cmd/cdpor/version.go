package main

import (
	"fmt"
	"runtime"

	"github.com/alecthomas/kong"

	"cdpor/cmd/cdpor/internal/version"
	"cdpor/synth"
)

// versionFlag is the flag that prints the versions of cdpor and its solver.
type versionFlag bool

// BeforeReset is called by kong, as it is for --help.
func (versionFlag) BeforeReset(ctx *kong.Context) error {
	solver := synth.Version()
	if err := synth.Available(); err != nil {
		solver = fmt.Sprintf("none (%v)", err)
	}
	fmt.Fprintf(ctx.Stdout, "cdpor %s\nsolver: %s\nbuilt with %s for %s/%s\n", version.Text, solver, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
	ctx.Exit(0)
	return nil
}
