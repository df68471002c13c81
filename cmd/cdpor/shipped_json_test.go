package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/lang/step"
	"cdpor/synth"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemaShipped holds what every command prints with --json for every shipped program against the schema, under
// small limits; and the definition that it matches is that of the command.
func TestSchemaShipped(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	paths, err := files.Programs([]string{"../../testdata"})
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t, outputSchema)
	definitions := definitionSchemas(t)
	dir := t.TempDir()
	hold := func(definition string, args ...string) (ends struct{ Outcomes, Deadlocks []struct{ Schedule string } }) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := runMain(args, nil, &stdout, &stderr); code > fault.ExitIncomplete {
			t.Errorf("cdpor %s: exit code %d\n%s", strings.Join(args, " "), code, &stderr)
			return ends
		}
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Errorf("cdpor %s: %v\n%.500s\n%s", strings.Join(args, " "), err, &stdout, &stderr)
			return ends
		}
		for _, err := range []error{schema.Validate(v), definitions[definition].Validate(v)} {
			if err != nil {
				t.Errorf("cdpor %s: %v", strings.Join(args, " "), err)
			}
		}
		_ = json.Unmarshal(stdout.Bytes(), &ends) // what other commands print has none
		return ends
	}
	solver := synth.Available() == nil
	for i, path := range paths {
		if testing.Short() && i%64 != 0 {
			continue
		}
		args := []string{"run", "--json", "--algorithm", "source", "--max-executions", "20", "--graph-states", "200",
			"--no-constraints", "--simulate", "5", path}
		if i%16 == 0 { // looks at all states
			args = append(args, "--coverage")
		}
		ends := hold("report", args...)
		hold("vet", "vet", "--json", path)
		if i%8 == 0 { // each takes what several searches take
			hold("comparison", "compare", "--json", "--no-constraints", "--algorithm", "source,optimal",
				"--max-executions", "20", path)
			if ends := append(ends.Outcomes, ends.Deadlocks...); len(ends) > 0 {
				hold("replay", "run", "--json", "--schedule", ends[0].Schedule, path)
			}
		}
		if i%16 == 0 && solver {
			file := filepath.Join(dir, filepath.Base(path))
			hold("synthesis", "synth", "--json", "--max-queries", "40", "-o", file, path)
			hold("check", "check", "--json", path, file)
		}
	}
	slices := 0
	for _, path := range paths {
		if text, err := os.ReadFile(path); err != nil || slices == 10 || bytes.Contains(text, []byte("\noperations:")) {
			continue
		}
		slices++
		hold("slice", "slice", "--json", "--for", "deadlock", path)
	}
	hold("test", "test", "--json", "--no-constraints", "../../testdata/traps")
}

// TestSchemaFailures: a command that cannot use its command line or a file prints one object all the same, and its
// messages.
func TestSchemaFailures(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken,
		[]byte("cdpor: 1\nshared: {x: int}\nthreads: {p: x = y}\ncheck: {always: [x = 0]}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	failure := definitionSchemas(t)["failure"]
	const fine = "../../testdata/programs/inc.yaml"
	for _, c := range []struct {
		args    string
		place   string // of the first message
		message string
	}{
		{"run --json " + broken, "3:18", "unknown name y"},
		{"synth --json " + broken, "3:18", "unknown name y"},
		{"check --json " + broken, "3:18", "unknown name y"},
		{"slice --json --for x " + broken, "3:18", "unknown name y"},
		{"compare --json " + broken, "3:18", "unknown name y"},
		{"compare --format json " + broken, "3:18", "unknown name y"},
		{"run --json -p N=abc " + fine, "1:1", "the parameter is int, and this is abc"},
		{"run --json " + dir + "/nowhere.yaml", "", "there is no such file"},
		{"run --json --no-such-flag " + fine, "", "unknown flag --no-such-flag"},
		{"run --json --schedule 7 " + fine, "", "schedule"},
		{"run --json --schedule 0,0,0,0,0,0 " + fine, "", "does not follow"},
		{"run --json --schedule " + fine + " " + fine, "", "not a replay file"},
		{"vet --json " + dir + "/nowhere.yaml", "", "there is no such file"},
		{"test --json " + dir + "/nowhere.yaml", "", "there is no such file"},
	} {
		if strings.HasPrefix(c.message, "unknown name") && synth.Available() != nil &&
			(strings.HasPrefix(c.args, "synth") || strings.HasPrefix(c.args, "check")) {
			continue // they ask for the solver first
		}
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(c.args), nil, &stdout, &stderr); code != fault.ExitInput {
			t.Errorf("cdpor %s: exit code %d", c.args, code)
		}
		var v any
		var f output.Failure
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Errorf("cdpor %s: %v\n%s", c.args, err, &stdout)
			continue
		}
		if err := failure.Validate(v); err != nil {
			t.Errorf("cdpor %s: %v", c.args, err)
		}
		if err := json.Unmarshal(stdout.Bytes(), &f); err != nil || len(f.Errors) == 0 {
			t.Errorf("cdpor %s: %v\n%s", c.args, err, &stdout)
			continue
		}
		first := f.Errors[0]
		if !strings.Contains(first.Message, c.message) || c.place != "" && placeOf(first) != c.place {
			t.Errorf("cdpor %s: %s at %s", c.args, first.Message, placeOf(first))
		}
		if stderr.Len() == 0 {
			t.Errorf("cdpor %s: nothing for people", c.args)
		}
	}
	for _, command := range []string{"vet", "test"} { // these go on with the next file
		var stdout, stderr bytes.Buffer
		if code := runMain([]string{command, "--json", broken, fine}, nil, &stdout, &stderr); code != fault.ExitInput {
			t.Errorf("cdpor %s: exit code %d", command, code)
		}
		var v struct{ Errors []output.Diagnostic }
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil || len(v.Errors) == 0 || v.Errors[0].File != broken {
			t.Errorf("cdpor %s: %v\n%s", command, err, &stdout)
		}
	}
}

func placeOf(d output.Diagnostic) string { return step.Pos{Line: d.Line, Col: d.Column}.String() }

// definitionSchemas are the definitions of the schema of the output, by name.
func definitionSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal([]byte(outputSchema), &whole); err != nil {
		t.Fatal(err)
	}
	list := map[string]*jsonschema.Schema{}
	for name := range whole["definitions"].(map[string]any) {
		delete(whole, "oneOf")
		whole["allOf"] = []any{map[string]any{"$ref": "#/definitions/" + name}}
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = compileSchema(t, string(text))
	}
	return list
}
