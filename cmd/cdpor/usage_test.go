package main

import (
	"bytes"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
)

// TestUsage: a command line that cannot be used is told with what is wrong and what to write.
func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"fmt", "name programs, or . for all below the current folder"},
		{"run a.yaml --seed x", `--seed: "x" is no whole number`},
		{"run . --bound x", `--bound: "x" is no NAME=N: write one such as goroutines=2`},
		{"usage_test.go", "what to do with usage_test.go? cdpor run usage_test.go explores it"},
		{"run a.yaml b.yaml", "unexpected argument b.yaml: cdpor run takes one <program>"},
		{"bench readers", "cdpor bench is gone: cdpor compare measures algorithms on any program"},
		{"run a.yaml --attach", "--attach is gone: the search is as sound without it, and needs less memory"},
		{"lsp 1", "unexpected argument 1: cdpor lsp takes no argument"},
		{"replay f", "cdpor replay is gone: cdpor run FILE follows a schedule that --save has written"},
		{"run a.yaml N=3", "unexpected argument N=3: a parameter is set with -p N=3"},
		{"run a.yaml -algorithm source", "unknown flag -algorithm: write --algorithm"},
		{"--timeout 5s run a.yaml", "unknown flag --timeout: flags of a command stand behind its name"},
		{"run --timeout 5 a.yaml", `--timeout: "5" has no unit: write 5s or 5m`},
		{"run --timeout 0.5 a.yaml", `--timeout: "0.5" has no unit: write 0.5s or 0.5m`},
		{"run --timeout soon a.yaml", `--timeout: "soon" is no time: write 5s, 10m or 1h30m`},
		{"verify a.yaml", "unexpected argument verify: write cdpor run"},
		{"lint a.yaml", "unexpected argument lint: write cdpor vet"},
		{"run a.yaml --jobs 4", "unknown flag --jobs: write --workers N"},
		{"run a.yaml -n 5", "unknown flag -n: write --max-executions N"},
		{"run a.yaml --depth 5", "unknown flag --depth: write --max-depth N"},
		{"run a.yaml --timeout", "--timeout: a value is missing"},
		{"run a.yaml --seed", "--seed: a value is missing"},
		{"run a.yaml -p", "--param: a value is missing"},
		{"run a.yaml --workers -1", "--workers must be between 0 and 1024"},
		{"run a.yaml --max-memory 512", `--max-memory: "512" has no unit: write 512MB or 512GB`},
		{"run . -run TestX", "unknown flag -run: write --func NAME"},
		{"run a.yaml --deadlock",
			"unknown flag --deadlock: write check: {deadlock: allowed} in the program, or forbidden, or required"},
		{"run . -race", "unknown flag -race: write nothing: data races are looked for"},
		{"run . -v -count=1", "unknown flag -count: write nothing: each order is explored once"},
		{"run . --engine fast", `--engine "fast" is none of "read", "run"`},
		{"run . --bound goroutines=x", `--bound: "x" is no whole number`},
		{"run a.yaml --atomicity instruction", `--atomicity "instruction" is none of "statement", "access"`},
		{"--run a.yaml", "unknown flag --run: write cdpor run"},
		{"generate csh", `<what> "csh" is none of "bash", "zsh", "fish", "man", "program-schema", "constraints-schema", ` +
			`"output-schema"`},
		{"run a.yaml --max-memory lots", `--max-memory: "lots" is no size; write 512MB or 2GB`},
	} {
		var out bytes.Buffer
		code := runMain(strings.Fields(test.args), nil, &out, &out)
		first, rest, _ := strings.Cut(out.String(), "\n")
		help := "Run cdpor " + strings.Fields(test.args)[0] + " --help for its arguments and flags.\n"
		if strings.HasPrefix(test.args, "--") ||
			strings.HasPrefix(test.want, "what to") || strings.HasPrefix(test.want, "cdpor ") ||
			strings.Contains(test.want, "write cdpor") {
			help = "Run cdpor --help for the commands and flags.\n"
		}
		if code != fault.ExitInput || first != "cdpor: "+test.want || rest != help && rest != "" {
			t.Errorf("%s: exit code %d\n%s", test.args, code, &out)
		}
	}
}
