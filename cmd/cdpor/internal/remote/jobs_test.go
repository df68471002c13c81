//go:build !nocluster

package remote

import (
	"bytes"
	"strings"
	"testing"

	"cdpor/explore/cluster"
)

// TestPrintJobs: a job is one row, whatever those who made it have called it.
func TestPrintJobs(t *testing.T) {
	var out bytes.Buffer
	list := []*cluster.Status{{Job: "one", Spec: &cluster.Spec{Title: "a\nb\tc", Algorithm: "source\n"}},
		{Job: "two", Spec: &cluster.Spec{Title: "d", Algorithm: "source"}}}
	if err := printJobs(&out, list); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], `a\u000ab\u0009c`) ||
		strings.Index(lines[1], "waits") != strings.Index(lines[2], "waits") {
		t.Errorf("the table is\n%s", out.String())
	}
}
