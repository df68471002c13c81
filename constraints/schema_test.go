package constraints

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// TestSchemaKeys: the schema and the loader know the same keys, and both refuse others.
func TestSchemaKeys(t *testing.T) {
	schema, prog := compileSchema(t), program(t)
	top := schema.Properties
	pair := top["pairs"].Items.(*jsonschema.Schema)
	for what, c := range map[string]struct {
		properties map[string]*jsonschema.Schema
		text       string
	}{
		"a constraint file": {top, "surprise: 1\n"},
		"a pair": {pair.Properties,
			"pairs:\n  - {blocks: [writer.put, reader.get], commute: x == 5, surprise: 1}\n"},
	} {
		text := "cdpor-constraints: 1\n" + c.text
		_, err := Load(prog, "c.yaml", []byte(text))
		if err == nil {
			t.Fatalf("%s: an unknown key is accepted", what)
		}
		m := regexp.MustCompile(`unknown key "surprise"; ` + what +
			` has the keys (.*)`).FindStringSubmatch(err.Error())
		if m == nil {
			t.Fatalf("%s: got %v", what, err)
		}
		keys := strings.Split(m[1], ", ")
		slices.Sort(keys)
		if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(c.properties))); diff != "" {
			t.Errorf("keys of %s: loader (-), schema (+):\n%s", what, diff)
		}
		if schema.Validate(fileValue(t, text)) == nil {
			t.Errorf("%s: the schema accepts an unknown key", what)
		}
		for key, of := range c.properties {
			if of.Description == "" {
				t.Errorf("%s has no description", key)
			}
		}
	}
	var statuses []string
	for _, s := range Statuses {
		if statuses = append(statuses, string(s)); s == Unknown {
			statuses = append(statuses, unknownOpen)
		}
	}
	var words []string
	for _, w := range pair.Properties["status"].Enum.Values {
		words = append(words, w.(string))
	}
	if diff := cmp.Diff(statuses, words); diff != "" {
		t.Errorf("status: loader (-), schema (+):\n%s", diff)
	}
}

// TestSchemaFiles holds the schema against files that the loader takes, and one of each kind that it does not.
func TestSchemaFiles(t *testing.T) {
	schema, prog := compileSchema(t), program(t)
	for text, want := range map[string]bool{
		"cdpor-constraints: 1\n": true,
		"cdpor-constraints: 1\nprogram: demo.yaml\n" +
			"pairs:\nindependent:\n": true,
		"cdpor-constraints: 1\npairs:\n" +
			"  - {blocks: [writer.put, reader.get], commute: false}\n": true,
		"cdpor-constraints: 1\nassuming: [always: x >= 0, reader.get: x < 9]\nindependent: [[writer.put, reader.2]]\n" +
			"ordered: [[writer.put, reader.get]]\n": true,
		"cdpor-constraints: 1\npairs: [{blocks: [writer.put, reader.get], commute: false, status: " +
			"'unknown: budget'}]\n": true,
		"program: demo.yaml\n":   false,
		"cdpor-constraints: 2\n": false,
		"cdpor-constraints: 1\npairs: [{blocks: [writer.put, reader.get]}]\n":                              false,
		"cdpor-constraints: 1\npairs: [{blocks: [writer.put], commute: true}]\n":                           false,
		"cdpor-constraints: 1\npairs: [{blocks: [writer.put, reader.get], commute: true, status: sure}]\n": false,
		"cdpor-constraints: 1\nassuming: [x >= 0]\n":                                                       false,
		"cdpor-constraints: 1\nassuming: [{always: x >= 0, t.1: x < 3}]\n":                                 false,
		"cdpor-constraints: 1\nordered: [[writer.put]]\n":                                                  false,
		"cdpor-constraints: 1\nindependent: [[writer.put]]\n":                                              false,
		"- 1\n": false,
	} {
		set, err := Load(prog, "c.yaml", []byte(text))
		if (err == nil) != want {
			t.Fatalf("the loader says %v to\n%s", err, text)
		}
		if err := schema.Validate(fileValue(t, text)); (err == nil) != want {
			t.Errorf("the schema says %v to\n%s", err, text)
		}
		if want {
			if err := schema.Validate(fileValue(t, string(set.Format()))); err != nil {
				t.Errorf("the schema says %v to what is written:\n%s", err, set.Format())
			}
		}
	}
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	if err := compiler.AddResource("constraints.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("constraints.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fileValue is what tools take the text of a constraint file for.
func fileValue(t *testing.T, text string) (v any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
