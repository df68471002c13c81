// Package version says which cdpor this is.
package version

import (
	"runtime/debug"
	"strings"
)

// Text is that of the module, which tells the revision, too, unless a tag names it.
var Text = versionOf(debug.ReadBuildInfo())

// versionOf is the version in the build information, and the next one where it says none: of a test, or of a build
// that was told to leave it out.
func versionOf(info *debug.BuildInfo, ok bool) string {
	if ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "0.1.0-devel"
}
