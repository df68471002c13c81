package run

import (
	"testing"

	"cdpor/explore/replay"
)

// TestFindingPlace: services show a finding at a file that the user has, and none of a dependency below the folder.
func TestFindingPlace(t *testing.T) {
	own, other := replay.Step{File: "x.go", Line: 3}, replay.Step{File: "/mod/y@v1.2.3/y.go", Line: 7}
	for want, steps := range map[string][]replay.Step{
		"pkg/x.go": {other, own, other}, "/mod/y@v1.2.3/y.go": {other}, "pkg": nil,
	} {
		told := &toldFinding{Steps: steps}
		if f := told.finding("pkg", "TestX"); f.Place.File != want {
			t.Errorf("%v: %+v, want %s", steps, f.Place, want)
		}
	}
}
