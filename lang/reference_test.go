package lang

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var (
	example   = regexp.MustCompile("(?ms)^```yaml([a-z ]*)\n(.*?)^```$")
	mustError = regexp.MustCompile(`(?m)^# error: (.*)$`)
)

// TestReference loads every example of the language reference and of the guide.
func TestReference(t *testing.T) {
	for file, least := range map[string]int{"REFERENCE.md": 30, "GUIDE.md": 7} {
		examples(t, file, least)
	}
}

func examples(t *testing.T, file string, least int) {
	text := string(read(t, file))
	found := example.FindAllStringSubmatchIndex(text, -1)
	if len(found) < least {
		t.Fatalf("only %d examples found in %s", len(found), file)
	}
	for _, m := range found {
		name := fmt.Sprintf("%s:%d", file, strings.Count(text[:m[0]], "\n")+1)
		program := text[m[4]:m[5]]
		_, err := Load(name, []byte(program), Options{})
		if strings.TrimSpace(text[m[2]:m[3]]) != "error" {
			if err != nil {
				t.Errorf("%s", snippets(err))
			}
			continue
		}
		want := mustError.FindStringSubmatch(program)
		if want == nil {
			t.Errorf("%s: the example does not say its error", name)
		} else if err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: got %v, want %s", name, err, want[1])
		}
	}
}
