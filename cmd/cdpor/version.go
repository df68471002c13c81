package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/synth"
)

// version is that of the module, which tells the revision, too, unless a tag names it.
var version = versionOf(debug.ReadBuildInfo())

// versionOf is the version in the build information, and the next one where it says none: of a test, or of a build
// that was told to leave it out.
func versionOf(info *debug.BuildInfo, ok bool) string {
	if ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "0.1.0-devel"
}

type versionCommand struct {
	JSON bool `name:"json" help:"Print it as one JSON object."`
}

func (c *versionCommand) Run(e *environment.Environment) error {
	solver := synth.Version()
	if err := synth.Available(); err != nil {
		solver = fmt.Sprintf("none (%v)", err)
	}
	if c.JSON {
		return output.Write(e.Stdout, struct {
			Cdpor   int    `json:"cdpor"`
			Version string `json:"version"`
			Solver  string `json:"solver"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{output.Version, version, solver, runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
	fmt.Fprintf(e.Stdout, "cdpor %s\nsolver: %s\n", version, solver)
	fmt.Fprintf(e.Stdout, "built with %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
