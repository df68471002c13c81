package native

import (
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// Bubbles of testing/synctest in a test: time passes in them exactly when Go lets it, and what Go ends with a panic or
// never is a finding.
func TestBubbles(t *testing.T) {
	for _, race := range []bool{false, true} {
		if race && !native.DetectsRaces(t.Context(), ".") {
			continue
		}
		test := builtWith(t, "ordinary", race)
		for name, want := range map[string]Kind{
			"TestBubbleTimeout": "", "TestBubbleClock": "", "TestBubbleOrderBug": Failed, "TestBubbleWaitBug": Failed,
			"TestBubbleWait": "", "TestBubblePlain": "", "TestBubbleLeakBug": Deadlock, "TestBubbleMutexBug": Deadlock,
			"TestBubbleMutex": "", "TestBubbleAtRest": "", "TestBubbleOutsideBug": Deadlock,
			"TestBubbleEscapeBug": Crash, "TestBubbleWaitsBug": Crash, "TestBubblesBeside": "", "TestIterator": "",
			"TestBubbleLine": "", "TestBubbleLineBug": Failed,
		} {
			all := int64(-1)
			for _, a := range []*dpor.Algorithm{dpor.SleepAlgorithm, dpor.SourceAlgorithm, dpor.OptimalAlgorithm} {
				r := explored(t, test, name, Options{Algorithm: a, Executions: 5000})
				switch {
				case r.Unlike != "" || r.Early != nil || r.Beside != (name == "TestBubblesBeside"):
					t.Errorf("%s: %+v", name, r)
				case want == "" && (len(r.Findings) > 0 || r.Stopped != ""):
					t.Errorf("%s: %+v", name, r)
				case want != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != want):
					t.Errorf("%s: not found: %+v", name, r)
				}
				if all < 0 || len(r.Findings) > 0 {
					all = r.Executions
				}
				if r.Executions != all {
					t.Errorf("%s by %s: %d executions, by sleep sets alone %d", name, a.Name, r.Executions, all)
				}
				for _, f := range r.Findings {
					replayed(t, test, name, r, f)
				}
			}
		}
	}
}
