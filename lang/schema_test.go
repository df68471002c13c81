package lang

import (
	"encoding/json"
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"cdpor/lang/internal/syntax"
)

// A schemaPlace is a map with fixed keys: where the schema describes it, and a program with an unknown key in it.
type schemaPlace struct{ at, program string }

// schemaPlaces are all of them, by what messages call them. An outcome has the names of what is observed as keys, which
// no schema knows.
var schemaPlaces = map[string]schemaPlace{
	"a program": {"", "threads: {t: skip}\nzzzzzzzzzzzz: 1\n"},
	"bounds":    {"/properties/bounds", "bounds: {zzzzzzzzzzzz: 1}\nthreads: {t: skip}\n"},
	"a class":   {"/definitions/class", "actors: {A: {zzzzzzzzzzzz: 1}}\nmain: skip\n"},
	"spec": {"/properties/spec", "spec: {operations: {f(): skip}, zzzzzzzzzzzz: 1}\n" +
		"threads: {t: \"op f() { skip }\"}\n"},
	"a thread":  {"/definitions/thread/anyOf/1", "threads: {t: {run: skip, zzzzzzzzzzzz: 1}}\n"},
	"crashes":   {"/properties/crashes", "crashes: {zzzzzzzzzzzz: 1}\nthreads: {t: skip}\n"},
	"main":      {"/definitions/main", "main: {run: skip, zzzzzzzzzzzz: 1}\n"},
	"a mailbox": {"/definitions/mailbox/anyOf/1", "threads: {t: {run: skip, mailbox: {of: int, zzzzzzzzzzzz: 1}}}\n"},
	"a condition": {"/definitions/condition/anyOf/1",
		"threads: {t: skip}\ncheck: {final: {that: true, zzzzzzzzzzzz: 1}}\n"},
	"check": {"/definitions/check", "threads: {t: skip}\ncheck: {zzzzzzzzzzzz: 1}\n"},
	"leads_to": {"/definitions/leadsTo",
		"threads: {t: skip}\ncheck: {leads_to: {from: true, to: true, zzzzzzzzzzzz: 1}}\n"},
	"expect":     {"/definitions/expect", "threads: {t: skip}\nexpect: {zzzzzzzzzzzz: 1}\n"},
	"an outcome": {},
}

// TestSchemaKeys: the schema and the loader know the same keys, and both refuse others.
func TestSchemaKeys(t *testing.T) {
	validate := compileSchema(t)
	for _, what := range fixedKeys(t) {
		place, known := schemaPlaces[what]
		if !known {
			t.Errorf("the loader reads the keys of %s, which the schema test does not know", what)
		}
		if place.program == "" {
			continue
		}
		text := "cdpor: 1\n" + place.program
		_, err := Load("f.yaml", []byte(text), Options{})
		list, _ := err.(ErrorList)
		if len(list) != 1 || list[0].Code != "E006" {
			t.Errorf("%s: got %v, want one unknown key", what, err)
			continue
		}
		_, keys, _ := strings.Cut(list[0].Hint, "the keys of "+what+" are ")
		properties := schemaAt(t, place.at+"/properties").(map[string]any)
		if diff := cmp.Diff(strings.Split(keys, ", "), slices.Sorted(maps.Keys(properties))); diff != "" {
			t.Errorf("keys of %s: loader (-), schema (+):\n%s", what, diff)
		}
		if what == "bounds" {
			continue // the key may be the name of a thread
		}
		if validate(t, text) == nil {
			t.Errorf("%s: the schema accepts an unknown key", what)
		}
		if err := validate(t, strings.Replace(strings.Replace(text, ", zzzzzzzzzzzz: 1", "", 1), "zzzzzzzzzzzz: 1",
			"", 1)); err != nil {
			t.Errorf("%s: without the unknown key: %v", what, err)
		}
	}
}

// fixedKeys finds for which maps the loader has a table of keys.
func fixedKeys(t *testing.T) (list []string) {
	for _, path := range sources(t) {
		file, err := goparser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 3 {
				return true
			}
			if fun, ok := call.Fun.(*ast.SelectorExpr); !ok || !strings.EqualFold(fun.Sel.Name, "fields") {
				return true
			}
			what, err := strconv.Unquote(call.Args[1].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, what)
			return true
		})
	}
	if len(list) < len(schemaPlaces) {
		t.Fatalf("only %d maps with fixed keys found", len(list))
	}
	return list
}

// TestSchemaWords: where the schema lists words, they are those that the loader takes.
func TestSchemaWords(t *testing.T) {
	lists := regexp.MustCompile(`(?:is|are) (.*), not "zzzzzzzzzzzz"`)
	for at, format := range map[string]string{
		"/properties/atomicity":                         "atomicity: %s\nthreads: {t: skip}\n",
		"/definitions/check/properties/deadlock":        "threads: {t: skip}\ncheck: {deadlock: %s}\n",
		"/definitions/mailbox/anyOf/1/properties/order": "threads: {t: {run: skip, mailbox: {of: int, order: %s}}}\n",
		"/definitions/expect/properties/verdict":        "threads: {t: skip}\nexpect: {verdict: %s}\n",
	} {
		var words []string
		for _, w := range schemaAt(t, at+"/enum").([]any) {
			words = append(words, w.(string))
			load(t, "cdpor: 1\n"+fmt.Sprintf(format, w))
		}
		_, err := Load("f.yaml", []byte("cdpor: 1\n"+fmt.Sprintf(format, "zzzzzzzzzzzz")), Options{})
		m := lists.FindStringSubmatch(fmt.Sprint(err))
		if m == nil {
			t.Errorf("%s: got %v, want the list of words", at, err)
			continue
		}
		if diff := cmp.Diff(regexp.MustCompile(", | or ").Split(m[1], -1), words); diff != "" {
			t.Errorf("%s: loader (-), schema (+):\n%s", at, diff)
		}
	}
	var reserved []string
	for _, w := range schemaAt(t, "/definitions/name/not/enum").([]any) {
		reserved = append(reserved, w.(string))
	}
	if diff := cmp.Diff(syntax.Keywords, reserved); diff != "" {
		t.Errorf("words that are no names: parser (-), schema (+):\n%s", diff)
	}
}

// TestSchemaPrograms holds the schema against every program there is: those that load must be accepted, those with an
// unknown key must not.
func TestSchemaPrograms(t *testing.T) {
	validate := compileSchema(t)
	programs := map[string]string{}
	for _, root := range []string{"testdata", "../testdata", "../explore/testdata"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".yaml" {
				programs[path] = string(read(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"REFERENCE.md", "GUIDE.md"} {
		for i, m := range example.FindAllStringSubmatch(string(read(t, file)), -1) {
			programs[fmt.Sprintf("%s, example %d", file, i+1)] = m[2]
		}
	}
	for _, d := range Diagnostics() {
		programs[d.Code+", wrong"], programs[d.Code+", right"] = d.Wrong, d.Right
	}
	accepted, refused := 0, 0
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		_, err := Load(name, []byte(programs[name]), Options{})
		list, _ := err.(ErrorList)
		unknown := slices.ContainsFunc(list, func(e *Error) bool {
			return e.Code == "E006" && !strings.HasSuffix(e.Msg, "in bounds") &&
				!strings.HasSuffix(e.Msg, "in an outcome")
		})
		switch {
		case err == nil:
			accepted++
			if err := validate(t, programs[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case unknown:
			refused++
			if validate(t, programs[name]) == nil {
				t.Errorf("%s: the schema accepts an unknown key", name)
			}
		}
	}
	if accepted < 200 || refused < 5 {
		t.Errorf("%d programs that load, %d with unknown keys", accepted, refused)
	}
}

// TestSchemaDescriptions: an editor has something to show for every key.
func TestSchemaDescriptions(t *testing.T) {
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s/%d", at, i), e)
			}
		case map[string]any:
			for key, e := range v {
				walk(at+"/"+key, e)
			}
			for _, kind := range []string{"properties", "patternProperties"} {
				keys, _ := v[kind].(map[string]any)
				for key, e := range keys {
					of := e.(map[string]any)
					if ref, ok := of["$ref"].(string); ok && of["description"] == nil {
						of = schemaAt(t, strings.TrimPrefix(ref, "#")).(map[string]any)
					}
					head := "^[A-Za-z_\u0080-\uffff][0-9A-Za-z_\u0080-\uffff]*\\s*(\\(.*\\)\\s*)?$"
					if of["description"] == nil && key != head {
						t.Errorf("%s/%s has no description", at, key)
					}
				}
			}
		}
	}
	walk("", schemaAt(t, ""))
}

// schemaAt is a part of the schema by its JSON pointer.
func schemaAt(t *testing.T, pointer string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(Schema()), &v); err != nil {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch w := v.(type) {
		case map[string]any:
			if key != "" {
				v = w[key]
			}
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil {
				t.Fatal(err)
			}
			v = w[i]
		}
		if v == nil {
			t.Fatalf("the schema has no %s", pointer)
		}
	}
	return v
}

// compileSchema returns a function that validates the text of a program.
func compileSchema(t *testing.T) func(t *testing.T, text string) error {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("program.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("program.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, text string) error {
		r := syntax.NewReporter(NewFile("f.yaml", []byte(text)))
		root := syntax.ParseYAML(r, []byte(text))
		if root == nil {
			t.Fatalf("%v in\n%s", r.Err(), text)
		}
		return schema.Validate(jsonValue(t, root))
	}
}

// jsonValue is what tools take a YAML tree for.
func jsonValue(t *testing.T, n *yaml.Node) (v any) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = jsonValue(t, n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, jsonValue(t, c))
		}
		return list
	}
	if err := n.Decode(&v); err != nil {
		return n.Value
	}
	return v
}

// TestSchemaPatterns: the patterns of the schemas are regular expressions for all validators. Some know no \p{L}, which
// JavaScript reads with a flag only.
func TestSchemaPatterns(t *testing.T) {
	for _, path := range []string{"program.schema.json", "../constraints/constraints.schema.json",
		"../cmd/cdpor/output.schema.json"} {
		if text := string(read(t, path)); strings.Contains(text, `\\p`) || strings.Contains(text, `(?`) {
			t.Errorf("%s has a pattern with \\p or (?", path)
		}
	}
}
