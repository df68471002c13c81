package replay_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLibrary: the example of LIBRARY.md is the one whose output is tested here.
func TestLibrary(t *testing.T) {
	page, err := os.ReadFile("../LIBRARY.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(string(page))
		if m == nil {
			t.Fatalf("no block of %s", language)
		}
		return m[1]
	}
	if block("yaml") != philosophers {
		t.Error("the program is another one")
	}
	body, output, _ := strings.Cut(string(source), "\t// Output:\n")
	_, body, _ = strings.Cut(body, "func ExamplePlayer_Run() {\n")
	plain := regexp.MustCompile(`(?m)^\t(// )?`).ReplaceAllString
	if want := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, ""); block("go") != want {
		t.Errorf("the code is\n%s", want)
	}
	if want := plain(strings.TrimSuffix(output, "}\n"), ""); block("text") != want {
		t.Errorf("the output is\n%s", want)
	}
}
