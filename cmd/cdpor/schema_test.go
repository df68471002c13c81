package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang"
	"cdpor/synth"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// compileSchema makes a JSON Schema of draft 7 ready for use.
func compileSchema(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaAlgorithms: editors propose all algorithms, because the schema of programs names them.
func TestSchemaAlgorithms(t *testing.T) {
	var schema struct {
		Definitions struct {
			Algorithm struct{ AnyOf [2]struct{ Enum []string } }
		}
	}
	if err := json.Unmarshal([]byte(lang.Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, a := range explore.Algorithms() {
		known = append(known, a.Name)
	}
	if diff := cmp.Diff(known, schema.Definitions.Algorithm.AnyOf[1].Enum); diff != "" {
		t.Errorf("algorithms there (-), named by lang/program.schema.json (+):\n%s", diff)
	}
}

// TestSchemaSynthesised holds constraint files that are written against their schema.
func TestSchemaSynthesised(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	schema := compileSchema(t, constraints.Schema())
	for _, name := range []string{"producer-consumer", "dining-philosophers", "check-then-act", "two-phase-commit"} {
		var stdout, stderr bytes.Buffer
		if code := runMain([]string{"synth", "-o", "-", "../../testdata/programs/" + name + ".yaml"}, nil, &stdout,
			&stderr); code != fault.ExitOK {
			t.Fatalf("%s: exit code %d\n%s", name, code, &stderr)
		}
		var v any
		if err := yaml.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v in\n%s", name, err, &stdout)
		}
	}
}

// TestModelines: every program that is shipped names its schema in its first line, for editors, and is YAML by itself:
// what the language allows beyond that, such as {a: array[2] int} without quotes, no editor knows. With -update the
// line is put there.
func TestModelines(t *testing.T) {
	paths, err := files.Programs([]string{"../../testdata", "../../lang/testdata/examples", "../../explore/testdata"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		schema, err := filepath.Rel(filepath.Dir(path), "../../lang/program.schema.json")
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("# yaml-language-server: $schema=%s\n", filepath.ToSlash(schema))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var plain yaml.Node
		if err := yaml.Unmarshal(text, &plain); err != nil {
			t.Errorf("%s: put types with brackets in {...} into quotes: %v", path, err)
		}
		switch {
		case strings.HasPrefix(string(text), line):
		case *update:
			if err := os.WriteFile(path, append([]byte(line), text...), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s does not begin with the line (go test ./cmd/cdpor -run Modelines -update puts it there)\n%s",
				path, line)
		}
	}
}
