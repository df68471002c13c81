//go:build cgo && !noz3

package synth

import (
	"os"
	"regexp"
	"testing"
)

const measurements = "../testdata/tables/synthesis.md"

// measured is the section of testdata/tables/synthesis.md that begins with the heading of a text; -update puts the
// text in its place.
func measured(t *testing.T, text string) string {
	t.Helper()
	page, err := os.ReadFile(measurements)
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`^## .*\n`).FindString(text)
	at := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(heading)).FindIndex(page)
	if heading == "" || at == nil {
		t.Fatalf("%s has no section %q", measurements, heading)
	}
	end := len(page)
	if next := regexp.MustCompile(`\n\n## `).FindIndex(page[at[1]:]); next != nil {
		end = at[1] + next[0] + 1
	}
	section := string(page[at[0]:end])
	if *flagUpdate && section != text {
		if err := os.WriteFile(measurements, []byte(string(page[:at[0]])+text+string(page[end:])), 0o644); err != nil {
			t.Fatal(err)
		}
		return text
	}
	return section
}
