package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports are, for each package, those of the module that it may import.
var allowedImports = map[string][]string{
	"lang/step":             {},
	"lang/step/build":       {"lang/step"},
	"lang/primitive":        {"lang/step", "lang/step/build"},
	"lang/langtest":         {"lang", "lang/step"},
	"lang/random":           {},
	"lang/slice":            {"lang/step"},
	"lang/excerpt":          {"lang/step", "lang/step/build", "lang/slice", "lang/internal/syntax", "lang"},
	"lang/internal/syntax":  {"lang/step"},
	"lang/internal/types":   {"lang/step"},
	"lang/internal/printer": {"lang/step", "lang/internal/syntax", "lang/internal/types"},
	"lang/internal/instrument": {"lang/step", "lang/step/build", "lang/primitive", "lang/internal/syntax",
		"lang/internal/printer"},
	"lang/internal/vet": {"lang/step", "lang/slice", "lang/internal/syntax", "lang/internal/types"},
	"lang/internal/check": {"lang/step", "lang/step/build", "lang/primitive", "lang/internal/syntax",
		"lang/internal/types",
		"lang/internal/printer"},
	"lang/internal/lower": {"lang/step", "lang/step/build", "lang/primitive", "lang/internal/syntax",
		"lang/internal/types",
		"lang/internal/printer", "lang/internal/check", "lang/internal/instrument", "lang/internal/vet"},
	"lang": {"lang/step", "lang/internal/syntax", "lang/internal/types", "lang/internal/printer", "lang/internal/check",
		"lang/internal/vet", "lang/internal/lower"},
	"lang/golang": {"lang/step", "lang/golang/internal/lower", "lang/golang/internal/pointsto",
		"lang/golang/internal/share",
		"lang/golang/internal/source"},
	"lang/golang/internal/lower": {"lang/step", "lang/step/build", "lang/primitive", "lang/golang/internal/pointsto",
		"lang/golang/internal/model",
		"lang/golang/internal/share", "lang/golang/internal/source"},
	"lang/golang/internal/model":    {},
	"lang/golang/internal/pointsto": {},
	"lang/golang/native":            {},
	"lang/golang/internal/share":    {"lang/golang/internal/pointsto"},
	"lang/golang/internal/source":   {"lang/golang/internal/model", "lang/internal/syntax"},
	"constraints":                   {"lang/step", "lang"},
	"synth": {"constraints", "lang", "lang/step", "synth/internal/cachekey", "synth/internal/commute",
		"synth/internal/decide", "synth/internal/expr", "synth/internal/facts", "synth/internal/question",
		"synth/internal/reachable", "synth/internal/span", "synth/internal/symbolic", "synth/internal/term",
		"synth/internal/uniform", "synth/internal/wording"},
	"synth/internal/cachekey": {"lang", "lang/step", "synth/internal/commute", "synth/internal/expr",
		"synth/internal/facts", "synth/internal/question", "synth/internal/reachable", "synth/internal/symbolic"},
	"synth/internal/commute": {"constraints", "lang", "lang/step", "synth/internal/decide", "synth/internal/expr",
		"synth/internal/partition", "synth/internal/question", "synth/internal/symbolic", "synth/internal/term",
		"synth/internal/unsupported", "synth/internal/wording"},
	"synth/internal/decide": {"lang/step", "synth/internal/term", "synth/internal/unsupported"},
	"synth/internal/expr":   {"lang", "lang/step", "synth/internal/span"},
	"synth/internal/facts": {"constraints", "lang", "lang/slice", "lang/step", "synth/internal/expr",
		"synth/internal/reachable", "synth/internal/span", "synth/internal/term"},
	"synth/internal/partition": {"lang/step", "synth/internal/decide", "synth/internal/term"},
	"synth/internal/question": {"constraints", "lang/slice", "lang/step", "synth/internal/decide",
		"synth/internal/expr", "synth/internal/facts", "synth/internal/symbolic", "synth/internal/term"},
	"synth/internal/reachable": {"lang/step", "synth/internal/expr", "synth/internal/span"},
	"synth/internal/span":      {},
	"synth/internal/symbolic": {"lang/step", "synth/internal/decide", "synth/internal/span", "synth/internal/term",
		"synth/internal/unsupported"},
	"synth/internal/term": {"lang/step", "synth/internal/expr", "synth/internal/reachable", "synth/internal/span",
		"synth/internal/unsupported"},
	"synth/internal/uniform": {"constraints", "lang", "lang/step", "synth/internal/commute", "synth/internal/expr",
		"synth/internal/facts", "synth/internal/partition", "synth/internal/question", "synth/internal/symbolic",
		"synth/internal/term", "synth/internal/unsupported"},
	"synth/internal/unsupported": {},
	"synth/internal/wording": {"constraints", "lang", "lang/step", "synth/internal/decide", "synth/internal/expr",
		"synth/internal/partition", "synth/internal/span", "synth/internal/symbolic", "synth/internal/term",
		"synth/internal/unsupported"},
	"explore": {"constraints", "explore/dpor", "explore/internal/auto", "explore/internal/engine",
		"explore/internal/executions", "explore/internal/happens", "explore/internal/parallel",
		"explore/internal/results", "explore/internal/saved", "explore/internal/stategraph",
		"explore/internal/states", "explore/liveness", "lang/step"},
	"explore/cluster": {"constraints", "explore", "explore/cluster/build", "explore/cluster/internal/pacing",
		"explore/distributed", "explore/internal/executions", "explore/internal/joblog", "explore/internal/slots",
		"explore/internal/states", "lang/step"},
	"explore/cluster/build":           {},
	"explore/cluster/internal/pacing": {},
	"explore/native": {"constraints", "lang", "explore/dpor", "explore/internal/actionset", "explore/internal/future",
		"explore/internal/happens", "explore/internal/meter", "explore/internal/reversal", "explore/replay",
		"lang/golang/native", "lang/step"},
	"explore/dpor": {"explore/internal/actionset", "explore/internal/future", "explore/internal/happens",
		"explore/internal/reversal", "explore/internal/wakeup"},
	"explore/deadlock": {"lang/step", "lang", "explore/history", "explore/internal/future",
		"explore/internal/symmetry"},
	"explore/internal/actionset": {},
	"explore/internal/checkpoint": {"lang/step", "explore/internal/estimate", "explore/internal/happens",
		"explore/internal/outcomes", "explore/internal/stateset"},
	"explore/internal/estimate": {},
	"explore/internal/future":   {"lang/step", "lang/slice"},
	"explore/internal/happens":  {"lang/step", "constraints", "explore/internal/memory", "explore/internal/meter"},
	"explore/internal/joblog": {"lang/step", "explore/internal/actionset", "explore/internal/checkpoint",
		"explore/internal/wakeup"},
	"explore/internal/memory":   {},
	"explore/internal/meter":    {},
	"explore/internal/outcomes": {"explore/internal/stateset"},
	"explore/internal/results": {"lang/step", "explore/dpor", "explore/history", "explore/internal/checkpoint",
		"explore/internal/happens", "explore/internal/outcomes", "explore/internal/stateset",
		"explore/internal/symmetry", "explore/liveness"},
	"explore/internal/reversal": {"lang/step", "explore/internal/happens", "explore/internal/memory"},
	"explore/internal/stategraph": {"lang/step", "explore/internal/actionset", "explore/internal/stateset",
		"explore/liveness"},
	"explore/internal/slots":    {},
	"explore/internal/stateset": {"lang/step"},
	"explore/internal/symmetry": {"lang/step"},
	"explore/internal/visited":  {"lang/step", "explore/internal/actionset", "explore/internal/stateset"},
	"explore/internal/wakeup":   {},
	"explore/internal/auto": {"explore/dpor", "explore/internal/engine", "explore/internal/executions",
		"explore/internal/happens", "explore/internal/parallel", "explore/internal/results",
		"explore/internal/saved", "explore/internal/states", "explore/internal/visited", "lang/step"},
	"explore/internal/engine": {"constraints", "explore/dpor", "explore/internal/actionset",
		"explore/internal/checkpoint", "explore/internal/happens", "explore/internal/meter",
		"explore/internal/results", "explore/internal/saved", "explore/internal/visited", "lang/step"},
	"explore/internal/executions": {"constraints", "explore/dpor", "explore/internal/actionset",
		"explore/internal/checkpoint", "explore/internal/engine", "explore/internal/estimate",
		"explore/internal/future", "explore/internal/happens", "explore/internal/joblog", "explore/internal/memory",
		"explore/internal/program", "explore/internal/results", "explore/internal/reversal",
		"explore/internal/saved", "explore/internal/stateset", "explore/internal/visited", "explore/internal/wakeup",
		"explore/liveness", "lang/step"},
	"explore/internal/parallel": {"constraints", "explore/dpor", "explore/internal/checkpoint",
		"explore/internal/engine", "explore/internal/happens", "explore/internal/results", "explore/internal/saved",
		"lang/step"},
	"explore/internal/partition": {"explore/internal/actionset", "explore/internal/program",
		"explore/internal/slots", "explore/internal/stateset", "lang/step"},
	"explore/internal/program": {"explore/internal/actionset", "explore/internal/future", "explore/internal/happens",
		"explore/internal/memory", "explore/internal/meter", "explore/internal/reversal", "lang/step"},
	"explore/internal/saved": {"explore/internal/checkpoint", "explore/internal/results", "explore/internal/visited",
		"lang/step"},
	"explore/internal/states": {"explore/dpor", "explore/internal/actionset", "explore/internal/checkpoint",
		"explore/internal/engine", "explore/internal/memory", "explore/internal/partition",
		"explore/internal/program", "explore/internal/results", "explore/internal/saved", "explore/internal/slots",
		"explore/internal/stateset", "explore/internal/symmetry", "explore/internal/visited", "explore/liveness",
		"lang/step"},
	"explore/distributed": {"explore/dpor", "explore/internal/engine", "explore/internal/executions",
		"explore/internal/joblog", "explore/internal/outcomes", "explore/internal/results", "explore/internal/slots",
		"explore/internal/states", "lang/step"},
	"explore/history":  {"lang/step"},
	"explore/liveness": {"lang/step"},
	"explore/oracle":   {"lang/step"},
	"explore/replay": {"lang/step", "lang", "explore", "explore/deadlock", "explore/history", "explore/liveness",
		"explore/schedules"},
	"explore/sample": {"lang/step", "explore", "explore/internal/actionset", "explore/internal/happens",
		"explore/internal/meter", "explore/internal/program"},
	"explore/schedules":         {"lang/step", "explore/internal/happens", "explore/liveness"},
	"explore/simulate":          {"lang/step", "explore"},
	"testdata":                  {},
	"testdata/native/cache":     {},
	"cmd/cdpor/lsp":             {"cmd/cdpor/internal/findings", "lang", "lang/step", "constraints"},
	"cmd/cdpor/dap":             {"cmd/cdpor/internal/findings", "cmd/cdpor/internal/terminal", "explore/replay"},
	"cmd/cdpor/mcp":             {"explore/replay"},
	"cmd/cdpor/internal/fault":  {},
	"cmd/cdpor/internal/files":  {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/terminal", "lang"},
	"cmd/cdpor/internal/claims": {"cmd/cdpor/internal/terminal", "explore", "lang/step"},
	"cmd/cdpor/internal/cli":    {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/terminal", "lang", "lang/step"},
	"cmd/cdpor/internal/output": {"cmd/cdpor/internal/terminal", "constraints", "explore", "lang",
		"lang/step", "synth"},
	"cmd/cdpor/internal/compare": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "explore"},
	"cmd/cdpor/internal/page": {"cmd/cdpor/internal/files", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "explore", "explore/replay", "lang", "lang/step"},
	"cmd/cdpor/internal/signals": {},
	"cmd/cdpor/internal/limits":  {"cmd/cdpor/internal/memory", "explore"},
	"cmd/cdpor/internal/source": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/files", "cmd/cdpor/internal/terminal",
		"constraints", "explore", "explore/cluster/build", "lang", "lang/step", "synth"},
	"cmd/cdpor/internal/memory": {"synth"},
	"cmd/cdpor/internal/checkpoint": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/files",
		"cmd/cdpor/internal/progress",
		"cmd/cdpor/internal/source", "constraints", "explore", "explore/native", "lang/step"},
	"cmd/cdpor/internal/expect": {"cmd/cdpor/internal/compare", "cmd/cdpor/internal/environment",
		"cmd/cdpor/internal/fault", "cmd/cdpor/internal/files", "cmd/cdpor/internal/findings",
		"cmd/cdpor/internal/flags", "cmd/cdpor/internal/invariants", "cmd/cdpor/internal/junit",
		"cmd/cdpor/internal/limits", "cmd/cdpor/internal/output", "cmd/cdpor/internal/progress",
		"cmd/cdpor/internal/prove", "cmd/cdpor/internal/report", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "explore", "explore/liveness", "explore/oracle", "explore/replay", "lang",
		"lang/step"},
	"cmd/cdpor/internal/junit": {"cmd/cdpor/internal/files", "cmd/cdpor/internal/terminal"},
	"cmd/cdpor/internal/record": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/files", "cmd/cdpor/internal/terminal",
		"explore/replay"},
	"cmd/cdpor/internal/steps": {"cmd/cdpor/internal/fault", "constraints", "lang", "lang/step"},
	"cmd/cdpor/internal/execution": {"cmd/cdpor/internal/claims", "cmd/cdpor/internal/environment",
		"cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "explore", "explore/deadlock", "explore/liveness", "explore/replay",
		"explore/schedules", "lang", "lang/step"},
	"cmd/cdpor/internal/invariants": {"cmd/cdpor/internal/limits", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "explore", "lang/step", "synth"},
	"cmd/cdpor/internal/findings": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/files", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "cmd/cdpor/internal/version", "explore/replay"},
	"cmd/cdpor/internal/report": {"cmd/cdpor/internal/claims", "cmd/cdpor/internal/execution",
		"cmd/cdpor/internal/findings",
		"cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/files", "cmd/cdpor/internal/invariants", "cmd/cdpor/internal/limits",
		"cmd/cdpor/internal/output", "cmd/cdpor/internal/page",
		"cmd/cdpor/internal/source", "cmd/cdpor/internal/terminal", "constraints", "explore",
		"explore/deadlock", "explore/liveness", "explore/replay", "explore/schedules", "explore/simulate",
		"lang", "lang/golang", "lang/slice", "lang/step"},
	"cmd/cdpor/internal/environment": {"cmd/cdpor/internal/fault", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/signals", "cmd/cdpor/internal/terminal", "lang"},
	"cmd/cdpor/internal/progress": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/memory",
		"cmd/cdpor/internal/terminal", "explore", "synth"},
	"cmd/cdpor/internal/terminal": {"cmd/cdpor/internal/fault", "explore", "lang", "lang/step"},
	"cmd/cdpor/internal/version":  {},
	"cmd/cdpor/internal/flags": {"cmd/cdpor/internal/checkpoint", "cmd/cdpor/internal/compare",
		"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault", "cmd/cdpor/internal/files",
		"cmd/cdpor/internal/limits", "cmd/cdpor/internal/memory", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "constraints", "explore", "explore/replay", "lang", "lang/golang",
		"lang/step"},
	"cmd/cdpor/internal/prove": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/files", "cmd/cdpor/internal/flags", "cmd/cdpor/internal/memory",
		"cmd/cdpor/internal/output", "cmd/cdpor/internal/progress", "cmd/cdpor/internal/report",
		"cmd/cdpor/internal/source", "cmd/cdpor/internal/steps", "cmd/cdpor/internal/terminal", "constraints",
		"explore", "lang", "lang/step", "synth"},
	"cmd/cdpor/internal/remote": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/flags", "cmd/cdpor/internal/memory", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/progress", "cmd/cdpor/internal/source", "cmd/cdpor/internal/terminal", "explore",
		"explore/cluster", "explore/distributed", "explore/schedules", "lang/step"},
	"cmd/cdpor/internal/layout": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/files", "cmd/cdpor/internal/flags", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "constraints", "lang"},
	"cmd/cdpor/internal/examples": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/files", "cmd/cdpor/internal/output", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "lang", "testdata"},
	"cmd/cdpor/internal/explain": {"cmd/cdpor/internal/compare", "cmd/cdpor/internal/environment",
		"cmd/cdpor/internal/fault", "cmd/cdpor/internal/flags", "cmd/cdpor/internal/output",
		"cmd/cdpor/internal/terminal", "explore", "lang"},
	"cmd/cdpor/internal/slicing": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/flags", "cmd/cdpor/internal/output", "cmd/cdpor/internal/terminal", "lang",
		"lang/excerpt", "lang/slice", "lang/step"},
	"cmd/cdpor/internal/comparison": {"cmd/cdpor/internal/compare", "cmd/cdpor/internal/environment",
		"cmd/cdpor/internal/fault", "cmd/cdpor/internal/flags", "cmd/cdpor/internal/limits",
		"cmd/cdpor/internal/memory", "cmd/cdpor/internal/progress", "cmd/cdpor/internal/prove",
		"cmd/cdpor/internal/remote", "cmd/cdpor/internal/report", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "explore", "lang/step"},
	"cmd/cdpor/internal/vet": {"cmd/cdpor/internal/environment", "cmd/cdpor/internal/fault",
		"cmd/cdpor/internal/files", "cmd/cdpor/internal/findings", "cmd/cdpor/internal/flags",
		"cmd/cdpor/internal/output", "cmd/cdpor/internal/terminal", "cmd/cdpor/internal/version", "lang",
		"lang/golang"},
	"cmd/cdpor/internal/run": {"cmd/cdpor/dap", "cmd/cdpor/internal/checkpoint", "cmd/cdpor/internal/claims",
		"cmd/cdpor/internal/cli", "cmd/cdpor/internal/compare", "cmd/cdpor/internal/environment",
		"cmd/cdpor/internal/execution", "cmd/cdpor/internal/fault", "cmd/cdpor/internal/files",
		"cmd/cdpor/internal/findings", "cmd/cdpor/internal/flags", "cmd/cdpor/internal/invariants",
		"cmd/cdpor/internal/junit", "cmd/cdpor/internal/limits", "cmd/cdpor/internal/memory",
		"cmd/cdpor/internal/output", "cmd/cdpor/internal/page",
		"cmd/cdpor/internal/progress", "cmd/cdpor/internal/prove", "cmd/cdpor/internal/record",
		"cmd/cdpor/internal/remote", "cmd/cdpor/internal/report", "cmd/cdpor/internal/source",
		"cmd/cdpor/internal/terminal", "cmd/cdpor/internal/version", "constraints", "explore", "explore/dpor",
		"explore/liveness", "explore/native", "explore/replay", "explore/sample", "explore/simulate", "lang",
		"lang/golang", "lang/golang/native", "lang/step"},
}

// TestImports keeps the arrows between packages pointing one way: lang/step, lang/step/build, lang/primitive,
// lang/slice, the packages in lang/internal, lang, lang/excerpt, constraints, synth and explore, cmd.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, err := filepath.Rel("../..", filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if strings.Contains(dir, "/_") { // Go source that is data: no package of the module
			return nil
		}
		if dir == "cmd/cdpor" { // the top: it may import everything
			return nil
		}
		seen[dir] = true
		may, known := allowedImports[dir]
		if !known {
			t.Errorf("%s: a package that this test does not know", dir)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, inside := strings.CutPrefix(name, "cdpor/")
			switch {
			case inside && !slices.Contains(may, own):
				t.Errorf("%s imports %s", path, own)
			case strings.Contains(name, "go-z3") && dir != "synth/internal/decide":
				t.Errorf("%s imports the solver; only decide may", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range allowedImports {
		if !seen[dir] {
			t.Errorf("%s: no such package", dir)
		}
	}
}
