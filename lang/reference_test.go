package lang

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	example   = regexp.MustCompile("(?ms)^```yaml([a-z ]*)\n(.*?)^```$")
	mustError = regexp.MustCompile(`(?m)^# error: (.*)$`)
)

// TestReference loads every example of the language reference and of the guide, and programs that break its rules.
func TestReference(t *testing.T) {
	for file, least := range map[string]int{"REFERENCE.md": 30, "GUIDE.md": 7} {
		text := string(read(t, file))
		found := example.FindAllStringSubmatchIndex(text, -1)
		if len(found) < least {
			t.Fatalf("only %d examples found in %s", len(found), file)
		}
		for _, m := range found {
			name := fmt.Sprintf("%s:%d", file, strings.Count(text[:m[0]], "\n")+1)
			isExample(t, name, text[m[4]:m[5]], strings.TrimSpace(text[m[2]:m[3]]) == "error")
		}
	}
	for _, file := range txtar.Parse(read(t, "testdata/refused.txtar")).Files {
		isExample(t, file.Name, string(file.Data), true)
	}
}

// isExample loads a program, which if it is refused says what the message must have.
func isExample(t *testing.T, name, program string, refused bool) {
	_, err := Load(name, []byte(program), Options{})
	if !refused {
		if err != nil {
			t.Errorf("%s", snippets(err))
		}
		return
	}
	want := mustError.FindStringSubmatch(program)
	if want == nil {
		t.Errorf("%s: the example does not say its error", name)
	} else if err == nil || !strings.Contains(err.Error(), want[1]) {
		t.Errorf("%s: got %v, want %s", name, err, want[1])
	}
}
