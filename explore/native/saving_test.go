package native

import (
	"encoding/json"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// TestResume: a search that is ended early again and again, saved, and gone on with by other processes, counts what one
// that is not does.
func TestResume(t *testing.T) {
	test := built(t, "counts")
	for _, name := range []string{"TestLastZero5", "TestTwoLocks", "TestWorkers", "TestSignal", "TestPolled"} {
		for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.SleepAlgorithm} {
			whole := explored(t, test, name, Options{Algorithm: a, All: true})
			opt := Options{Algorithm: a, All: true, Events: 1000}
			parts, step := 1, (whole.Executions+whole.Blocked)/4+1
			var r *Result
			for {
				var saved []byte
				opt.Executions += step
				opt.Checkpoint = func(stopped string, save func() *Saved) {
					if stopped == "" {
						return
					}
					var err error
					if saved, err = json.Marshal(save()); err != nil {
						t.Fatal(err)
					}
				}
				p := native.Start(test, name)
				var err error
				r, err = Search(t.Context(), p, opt)
				p.Close()
				if err != nil {
					t.Fatal(err)
				}
				if r.Stopped == "" {
					break
				}
				if saved == nil || parts > 20 {
					t.Fatalf("%s by %s: %+v", name, a.Name, r)
				}
				opt.From = &Saved{}
				if err := json.Unmarshal(saved, opt.From); err != nil {
					t.Fatal(err)
				}
				parts++
			}
			if parts < 2 && whole.Executions > 2 || r.Executions != whole.Executions || r.Stuck != whole.Stuck ||
				r.Blocked != whole.Blocked || r.Races != whole.Races || r.Events != whole.Events ||
				len(r.Findings) != len(whole.Findings) || r.Runs > 2*whole.Runs+int64(10*parts) {
				t.Errorf("%s by %s in %d parts: %+v, at once %+v", name, a.Name, parts, r, whole)
			}
		}
	}
}

// TestResumeDamaged: what is no search of the test is refused.
func TestResumeDamaged(t *testing.T) {
	test := built(t, "counts")
	for _, s := range []*Saved{
		{Procs: 8, Objects: 16, Actions: 1},
		{Procs: 8, Objects: 16, Actions: 1, Stack: []SavedNode{{Sleep: []int32{700}}}},
	} {
		p := native.Start(test, "TestTwoLocks")
		r, err := Search(t.Context(), p, Options{Algorithm: dpor.SourceAlgorithm, Events: 1000, From: s})
		p.Close()
		if err == nil {
			t.Errorf("%+v", r)
		}
	}
}
