package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJSONSchema holds the JSON output of every command that has some against output.schema.json.
func TestJSONSchema(t *testing.T) {
	text, err := os.ReadFile("output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t, string(text))
	saved := filepath.Join(t.TempDir(), "bug.replay")
	checkpoint := filepath.Join(t.TempDir(), "inc.checkpoint")
	const programs = "../../testdata/programs/"
	for _, args := range []string{
		"run --json --algorithm source " + programs + "producer-consumer.yaml",
		"run --json --algorithm context --no-constraints --compare-with source --profile-constraints " + programs + "dining-philosophers.yaml",
		"run --json " + programs + "producer-consumer.yaml",
		"run --json --algorithm exhaustive --max-executions 1 " + programs + "inc.yaml",
		"run --json --algorithm source --max-executions 1 --checkpoint " + checkpoint + " " + programs + "inc.yaml",
		"resume --json --max-executions 2 " + checkpoint,
		"run --json --algorithm source --save " + saved + " " + programs + "check-then-act.yaml",
		"replay --json " + saved,
		"run --json --schedule 0,1,2 " + programs + "dining-philosophers.yaml",
		"slice --json --for sum " + programs + "monitored-pipeline.yaml",
		"compare --format json --no-constraints --algorithm source,optimal -p N=2..3 " + programs + "inc.yaml",
		"bench --format json --runs 1 --algorithm source readers",
	} {
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(args), nil, &stdout, &stderr); code > exitIncomplete {
			t.Fatalf("cdpor %s: exit code %d\n%s", args, code, &stderr)
		}
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Fatalf("cdpor %s: %v\n%s", args, err, &stdout)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("cdpor %s: %v", args, err)
		}
		// The check can fail: a version or a field that is not there, or one that is unknown.
		m := v.(map[string]any)
		for _, spoil := range []func(map[string]any){
			func(m map[string]any) { m["cdpor"] = 1.0 },
			func(m map[string]any) { m["surprise"] = true },
			func(m map[string]any) { delete(m, "cdpor") },
		} {
			spoilt := maps.Clone(m)
			if spoil(spoilt); schema.Validate(spoilt) == nil {
				t.Errorf("cdpor %s: a spoilt result is accepted", args)
			}
		}
	}
}
