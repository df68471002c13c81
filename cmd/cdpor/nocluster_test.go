//go:build nocluster

package main

import (
	"bytes"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
)

// TestNoCluster: what needs the cluster is refused in one line, and all else works.
func TestNoCluster(t *testing.T) {
	const program = "../../testdata/programs/inc.yaml"
	for _, line := range []string{"serve --store x", "work", "jobs --json x", "run --connect u " + program,
		"run --tls-ca f " + program, "compare --connect u " + program, "resume --connect u job"} {
		var stdout, stderr bytes.Buffer
		if code := runMain(strings.Fields(line), nil, &stdout, &stderr); code != fault.ExitInput ||
			strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "-tags nocluster") {
			t.Errorf("%s: exit code %d\n%s%s", line, code, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := runMain([]string{"run", "--no-constraints", program}, nil, &stdout, &stderr); code != fault.ExitOK {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}
