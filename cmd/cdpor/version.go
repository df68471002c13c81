package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

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

// versionFlag is the flag that prints the versions of cdpor and its solver.
type versionFlag bool

// BeforeReset is called by kong, as it is for --help.
func (versionFlag) BeforeReset(ctx *kong.Context) error {
	solver := synth.Version()
	if err := synth.Available(); err != nil {
		solver = fmt.Sprintf("none (%v)", err)
	}
	fmt.Fprintf(ctx.Stdout, "cdpor %s\nsolver: %s\nbuilt with %s for %s/%s\n", version, solver, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
	ctx.Exit(0)
	return nil
}
