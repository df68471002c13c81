package native

import (
	"testing"

	"cdpor/explore/dpor"
)

// With -race each execution is checked: what the gates do brings no order of its own, so the race is seen, and none in
// a test without one.
func TestDataRaces(t *testing.T) {
	test := builtWith(t, "ordinary", true)
	for name, want := range map[string]Kind{"TestFlagRaceBug": Race, "TestMean": "", "TestTokens": "", "TestQueue": "",
		"TestTable": "", "TestPipe": "", "TestTimeoutInTime": ""} {
		r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm})
		if want == "" && (len(r.Findings) > 0 || r.Stopped != "") ||
			want != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
