package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/run"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/synth"
)

// TestJSONSchema holds the JSON output of every command that has some against output.schema.json.
func TestJSONSchema(t *testing.T) {
	text, err := os.ReadFile("output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t, string(text))
	t.Setenv(cli.NoRun, "")
	saved := filepath.Join(t.TempDir(), "bug.replay")
	checkpoint := filepath.Join(t.TempDir(), "inc.checkpoint")
	const programs = "../../testdata/programs/"
	lines := []string{
		"run --json --algorithm source " + programs + "producer-consumer.yaml",
		"run --json --algorithm context --no-constraints " + programs + "dining-philosophers.yaml",
		"run --json " + programs + "producer-consumer.yaml",
		"run --json --algorithm exhaustive --max-executions 1 " + programs + "inc.yaml",
		"run --json --algorithm source --max-executions 1 --checkpoint " + checkpoint + " " + programs + "inc.yaml",
		"resume --json --max-executions 2 " + checkpoint,
		"run --json --algorithm source --save " + saved + " " + programs + "check-then-act.yaml",
		"run --json --algorithm source -p CONSUMERS=3 " + programs + "check-then-act.yaml",
		"run --json --simulate 20 --pct 2 " + programs + "check-then-act.yaml",
		"run --json --algorithm source --max-executions 1 " + programs + "check-then-act.yaml",
		"run --json " + saved,
		"run --json --schedule 0,1,2 " + programs + "dining-philosophers.yaml",
		"run --json --no-cache --func TestBug ../../testdata/go/lockorder",
		"init --json " + filepath.Join(t.TempDir(), "new.yaml"), "examples show --json inc",
		"examples copy --json inc " + t.TempDir(), "fmt --json " + programs + "inc.yaml",
		"examples list --json", "algorithms --json", "algorithms --json auto", "explain --json", "explain --json W001",
		"run --estimate --json --no-cache " + programs + "indexer.yaml",
		"run --json --no-cache ../../testdata/go/earlyreturn",
		"slice --json --for sum " + programs + "monitored-pipeline.yaml",
		"run --json --no-constraints " + programs + "counted-transfers.yaml",
		"run --json --no-constraints " + programs + "dining-philosophers.yaml",
		"run --json --no-constraints --algorithm source " + programs + "linearizable-array-queue-broken.yaml",
		"compare --format json --no-constraints --algorithm source,optimal -p N=2..3 " + programs + "inc.yaml",
	}
	if !testing.Short() { // it builds the library of Go with gates
		lines = append(lines,
			"run --json --engine run --no-races --func TestTransferBug|TestMean ../../testdata/native/ordinary")
	}
	if synth.Available() == nil {
		for name, commute := range map[string]string{"old": "x == 0", "new": "x < 1"} {
			text := "cdpor-constraints: 1\npairs: [{blocks: [adder.1, adder.2], commute: " + commute +
				", uniform: \"false\"}]\n"
			if err := os.WriteFile(filepath.Join(filepath.Dir(saved), name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		lines = append(lines, fmt.Sprintf("check --json --against %s %sinc.yaml %s",
			filepath.Join(filepath.Dir(saved), "old"), programs, filepath.Join(filepath.Dir(saved), "new")))
	}
	for _, args := range lines {
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(args), nil, &stdout, &stderr); code > fault.ExitIncomplete {
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

// TestSchemaFields: the fields of reports that few programs have are in the schema, too.
func TestSchemaFields(t *testing.T) {
	text, err := os.ReadFile("output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]any{"report": report.JSON{}, "tests_run": run.Results{},
		"estimate": run.Estimate{}} {
		for f := range reflect.TypeOf(of).Fields() {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if schema.Definitions[name].Properties[tag] == nil {
				t.Errorf("the schema of %s does not know the field %s", name, tag)
			}
		}
	}
}

// TestJSONOutcomes holds that outcomes and deadlocks are written as the rest is.
func TestJSONOutcomes(t *testing.T) {
	programs, err := filepath.Glob("../../testdata/programs/*.yaml")
	if err != nil || len(programs) == 0 {
		t.Fatal("no programs", err)
	}
	programs = append(programs, filepath.Join(t.TempDir(), "texts.yaml"))
	err = os.WriteFile(programs[len(programs)-1], []byte(`cdpor: 1
shared: {z: int, é: int}
threads:
  p: {count: 2, run: "z = self; é += self"}
observe: ["z < 1 && é > 0", é, z]
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	ends := 0
	for _, path := range programs {
		var stdout, stderr, again bytes.Buffer
		args := []string{"run", "--json", "--algorithm", "source", "--max-executions", "40", path}
		if code := runMain(args, nil, &stdout, &stderr); code == fault.ExitInput && path != programs[len(programs)-1] {
			continue // a constraint file
		} else if code > fault.ExitIncomplete {
			t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
		}
		var r report.JSON
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, &stdout)
		}
		if err := output.Write(&again, &r); err != nil {
			t.Fatal(err)
		}
		var one, other bytes.Buffer
		if err := cmp.Or(json.Compact(&one, stdout.Bytes()), json.Compact(&other, again.Bytes())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), other.Bytes()) {
			t.Errorf("%s: written as\n%s\nand not as\n%s", path, &stdout, &again)
		}
		ends += len(r.Outcomes) + len(r.Deadlocks)
	}
	if ends < 200 {
		t.Errorf("only %s", terminal.Plural(ends, "outcome"))
	}
}
