package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"cdpor/synth"
)

// TestWorkflow runs the commands of the workflow in CI.md as GitHub's runner does, one shell for each, in a repository
// with a folder models. What the actions of others do is done by hand: the check-outs are there, Go is installed.
func TestWorkflow(t *testing.T) {
	if err := synth.Available(); err != nil || testing.Short() { // the set-up would install it, which builds cdpor
		t.Skip(err)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("CI.md")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		On   []string
		Jobs map[string]struct {
			Steps []struct {
				Name, Uses, Run, If string
				With                map[string]string
				ContinueOnError     bool `yaml:"continue-on-error"`
			}
		}
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("CI.md shows no workflow")
	}
	if err := yaml.Unmarshal(block[1], &workflow); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const (
		good = "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1, q: x = 2}\nexpect: {traces: 2}\n"
		bad  = "cdpor: 1\nshared: {x: int}\nthreads: {p: x = 1, q: x = 2}\nexpect: {traces: 3}\n"
	)
	temp := t.TempDir() // one for all, so that cdpor is built once
	for _, test := range []struct {
		name, model string
		fails       string // the step that fails
		report      string // what the artifact has
	}{
		{"good", good, "", `failures="0" errors="0"`},
		{"bad", bad, "Expectations", `failures="1" errors="0"`},
	} {
		work := t.TempDir()
		if err := os.Symlink(root, filepath.Join(work, ".cdpor")); err != nil {
			t.Skip(err)
		}
		if err := os.Mkdir(filepath.Join(work, "models"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, "models", "m.yaml"), []byte(test.model), 0o666); err != nil {
			t.Fatal(err)
		}
		paths := filepath.Join(work, "path")
		failed, artifact := "", ""
		for _, step := range workflow.Jobs["models"].Steps {
			if strings.HasPrefix(step.Uses, "actions/upload-artifact@") {
				artifact = step.With["path"]
			}
			if path := step.With["go-version-file"]; path != "" {
				if _, err := os.Stat(filepath.Join(work, path)); err != nil {
					t.Error(err)
				}
			}
			if step.Run == "" || failed != "" && step.If != "always()" {
				continue
			}
			script := exec.Command("bash", "-e", "-P", "-c", step.Run) // -P: Go's build cache goes by the real folder
			script.Dir = work
			added, _ := os.ReadFile(paths)
			script.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_PATH="+paths,
				"PATH="+strings.TrimSpace(string(added))+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := script.CombinedOutput()
			if err != nil && !step.ContinueOnError {
				failed = step.Name
			}
			if failed != test.fails && err != nil {
				t.Fatalf("%s: step %s: %v\n%s", test.name, step.Name, err, out)
			}
			if _, matcher, ok := strings.Cut(string(out), "::add-matcher::"); ok {
				if _, err := os.Stat(filepath.Join(work, strings.TrimSpace(matcher))); err != nil {
					t.Error(err)
				}
			}
			if step.Name == test.fails && !strings.Contains(string(out), "::error file=models/m.yaml,line=4,") {
				t.Errorf("%s: no annotation in\n%s", step.Name, out)
			}
		}
		if failed != test.fails {
			t.Errorf("%s: step %q failed, not %q", test.name, failed, test.fails)
		}
		if report, err := os.ReadFile(filepath.Join(work, artifact)); err != nil ||
			!strings.Contains(string(report), test.report) {
			t.Errorf("%s: the artifact %s (%v):\n%s", test.name, artifact, err, report)
		}
	}
}
