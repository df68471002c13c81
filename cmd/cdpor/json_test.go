package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestJSONSchema holds the JSON output of every command that has some against output.schema.json.
func TestJSONSchema(t *testing.T) {
	text, err := os.ReadFile("output.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s := schema{}
	if err := json.Unmarshal(text, &s.root); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "bug.replay")
	const programs = "../../testdata/programs/"
	for _, args := range []string{
		"run --json --algorithm source " + programs + "producer-consumer.yaml",
		"run --json --algorithm context --no-constraints --compare-with source --profile-constraints " + programs + "dining-philosophers.yaml",
		"run --json " + programs + "producer-consumer.yaml",
		"run --json --algorithm exhaustive --max-executions 1 " + programs + "inc.yaml",
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
		if err := s.check(s.root, v); err != nil {
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
			if spoil(spoilt); s.check(s.root, spoilt) == nil {
				t.Errorf("cdpor %s: a spoilt result is accepted", args)
			}
		}
	}
}

// A schema checks as much of JSON Schema as output.schema.json uses.
type schema struct{ root map[string]any }

func (s *schema) check(rule map[string]any, v any) error {
	if ref, ok := rule["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/definitions/")
		target, ok := s.root["definitions"].(map[string]any)[name].(map[string]any)
		if !ok {
			return fmt.Errorf("the schema has no %s", ref)
		}
		return s.check(target, v)
	}
	if list, ok := rule["oneOf"].([]any); ok {
		var reasons []string
		for _, one := range list {
			err := s.check(one.(map[string]any), v)
			if err == nil {
				return nil
			}
			reasons = append(reasons, err.Error())
		}
		return fmt.Errorf("%s", strings.Join(reasons, "; or "))
	}
	if want, ok := rule["const"]; ok && want != v {
		return fmt.Errorf("%v instead of %v", v, want)
	}
	if list, ok := rule["enum"].([]any); ok && !slices.Contains(list, v) {
		return fmt.Errorf("%v is none of %v", v, list)
	}
	switch typ := rule["type"]; typ {
	case nil:
		return nil
	case "string", "boolean", "number", "integer":
		return scalar(typ.(string), v)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%T instead of an array", v)
		}
		for i, item := range list {
			if err := s.check(rule["items"].(map[string]any), item); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	case "object":
		return s.object(rule, v)
	default:
		return fmt.Errorf("the schema has the type %v", typ)
	}
}

func scalar(typ string, v any) error {
	ok := false
	switch x := v.(type) {
	case string:
		ok = typ == "string"
	case bool:
		ok = typ == "boolean"
	case float64:
		ok = typ == "number" || typ == "integer" && x == float64(int64(x))
	}
	if !ok {
		return fmt.Errorf("%v is no %s", v, typ)
	}
	return nil
}

func (s *schema) object(rule map[string]any, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%T instead of an object", v)
	}
	required, _ := rule["required"].([]any)
	for _, key := range required {
		if _, ok := m[key.(string)]; !ok {
			return fmt.Errorf("%v is missing", key)
		}
	}
	properties, _ := rule["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		of, known := properties[key].(map[string]any)
		if !known {
			if of, known = rule["additionalProperties"].(map[string]any); !known {
				return fmt.Errorf("%s is not in the schema", key)
			}
		}
		if err := s.check(of, m[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}
