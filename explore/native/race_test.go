package native

import (
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// With -race each execution is checked: what the gates do brings no order of its own, so the race is seen, and none in
// a test without one.
func TestDataRaces(t *testing.T) {
	test := builtWith(t, "ordinary", true)
	for name, want := range map[string]Kind{"TestFlagRaceBug": Race, "TestMean": "", "TestTokens": "", "TestQueue": "",
		"TestTable": "", "TestPipe": "", "TestTimeoutInTime": "", "TestReflects": ""} {
		r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm})
		if want == "" && (len(r.Findings) > 0 || r.Stopped != "") ||
			want != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A schedule that shows a data race is made simpler, though by itself the detector reports each race once.
func TestShorterRace(t *testing.T) {
	const name, events = "TestNoisyRaceBug", 1000
	test := builtWith(t, "ordinary", true)
	p := native.Start(test, name)
	defer p.Close()
	var r *native.Record
	for seed := int32(0); r == nil || Judge(r) != Race; seed++ {
		var err error
		r, err = p.Execute(t.Context(), &native.Command{Events: events, Policy: native.Random, Seed: seed})
		if err != nil || seed > 50 {
			t.Fatalf("%v: %+v", err, r)
		}
	}
	short := Shorten(t.Context(), p, r.Names, Finding{Race, Actions(r), 1, r}, events)
	if was, now := switches(Actions(r), 1), switches(short, 1); now > was/2 {
		t.Errorf("%d switches, %d before", now, was)
	}
	replayed(t, test, name, &Result{Names: r.Names}, Finding{Race, short, 1, r})
}
