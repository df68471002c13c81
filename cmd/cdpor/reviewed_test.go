package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/synth"
)

// reviewedSizes are other values of parameters for the programs of testdata/reviewed: what people have written holds
// for them, too.
var reviewedSizes = map[string][]string{
	"money/bank":        {"N=2", "N=6", "ROUNDS=2", "N=4 ROUNDS=2 AMOUNT=20"},
	"money/stock":       {"CUSTOMERS=5", "ROOM=7 LOT=3"},
	"money/tickets":     {"COUNTERS=5", "SEATS=4"},
	"money/tokens":      {"START=9", "START=2", "START=1"},
	"data/crdt":         {"ROUNDS=3"},
	"data/setting":      {"N=3"},
	"data/shards":       {"WRITERS=4", "WRITERS=5 ROOM=7", "SHARDS=3", "ROOM=6"},
	"data/statistics":   {"WORKERS=2", "WORKERS=1"},
	"data/store":        {"KEYS=3 TRANSACTIONS=4", "KEYS=1"},
	"machines/elevator": {"FLOORS=2", "FLOORS=1"},
}

// TestReviewed: each constraint file of testdata/reviewed is proved, is what run uses, and loses no outcome. The
// programs do what they expect.
func TestReviewed(t *testing.T) {
	if synth.Available() != nil {
		t.Skip("no solver")
	}
	files, err := filepath.Glob("../../testdata/reviewed/*/*.constraints.yaml")
	if err != nil || len(files) != len(reviewedSizes) {
		t.Fatalf("%d files, and sizes for %d: %v", len(files), len(reviewedSizes), err)
	}
	cdpor := func(args ...string) (code fault.Code, out string) {
		var stdout, stderr bytes.Buffer
		code = runMain(args, nil, &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	type found struct {
		Verdict     string
		Outcomes    []struct{ Values any }
		Constraints struct{ Origin string }
	}
	for name, sizes := range reviewedSizes {
		program := "../../testdata/reviewed/" + name + ".yaml"
		if code, out := cdpor("test", program); code != 0 {
			t.Errorf("test %s: exit code %d\n%s", name, code, out)
		}
		for _, size := range append(sizes, "") {
			var params []string
			for p := range strings.FieldsSeq(size) {
				params = append(params, "-p", p)
			}
			if code, out := cdpor(append([]string{"check", program}, params...)...); code != 0 {
				t.Errorf("check %s %s: exit code %d\n%s", name, size, code, out)
			}
			var of [2]found
			for i, args := range [][]string{{"--no-constraints", "--algorithm", "source"},
				{"--algorithm", "constrained"}} {
				code, out := cdpor(append(append([]string{"run", "--json", program}, params...), args...)...)
				if code != 0 {
					t.Fatalf("run %s %s: exit code %d\n%s", name, size, code, out)
				}
				if err := json.Unmarshal([]byte(out), &of[i]); err != nil {
					t.Fatalf("run %s %s: %v\n%s", name, size, err, out)
				}
			}
			if !strings.Contains(of[1].Constraints.Origin, name+".constraints.yaml, proved") {
				t.Errorf("run %s %s: constraints: %s", name, size, of[1].Constraints.Origin)
			}
			of[1].Constraints = of[0].Constraints
			if diff := cmp.Diff(of[0], of[1]); diff != "" || len(of[0].Outcomes) == 0 {
				t.Errorf("run %s %s: the outcomes with constraints differ: %s", name, size, diff)
			}
		}
	}
}
