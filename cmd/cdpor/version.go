package main

import (
	"fmt"
	"runtime"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/synth"
)

// version is the version of cdpor.
const version = "0.1.0"

// versionDate is the date of that version, which the man page bears.
const versionDate = "2026-11-20"

type versionCommand struct{}

func (versionCommand) Run(e *environment.Environment) error {
	fmt.Fprintf(e.Stdout, "cdpor %s\n", version)
	if err := synth.Available(); err != nil {
		fmt.Fprintf(e.Stdout, "solver: none (%v)\n", err)
	} else {
		fmt.Fprintf(e.Stdout, "solver: %s\n", synth.Version())
	}
	fmt.Fprintf(e.Stdout, "built with %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
