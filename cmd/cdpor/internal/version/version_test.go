package version

import (
	"runtime/debug"
	"testing"
)

// TestVersionOf: a tag, a revision, and builds of which nothing is known.
func TestVersionOf(t *testing.T) {
	for of, want := range map[string]string{"v1.2.3": "1.2.3", "(devel)": "0.1.0-devel", "": "0.1.0-devel",
		"v0.0.0-20261126133500-24c762e1a2b3+dirty": "0.0.0-20261126133500-24c762e1a2b3+dirty"} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: of}}, true); got != want {
			t.Errorf("%q: %q", of, got)
		}
	}
	if got := versionOf(nil, false); got != "0.1.0-devel" {
		t.Errorf("without build information: %q", got)
	}
}
