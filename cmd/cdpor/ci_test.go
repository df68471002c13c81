package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"cdpor/synth"
)

// A ciStep is a step of a workflow or of action.yml.
type ciStep struct {
	Name, Uses, Run, If string
	Folder              string `yaml:"working-directory"`
	With, Env           map[string]string
	ContinueOnError     bool `yaml:"continue-on-error"`
}

// A ciRunner carries out steps as GitHub's runner does, one shell for each. What the actions of others do is done by
// hand: the repository is there, Go is installed.
type ciRunner struct {
	*testing.T
	root, work, temp string
	action           struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []ciStep }
	}
}

// run carries out steps, and returns the names of those that fail and what they say.
func (r *ciRunner) run(steps []ciStep, inputs map[string]string) (failed []string, said string) {
	value := func(text string) string {
		return regexp.MustCompile(`\$\{\{ *(\S+) *}}`).ReplaceAllStringFunc(text, func(of string) string {
			name := strings.Trim(of, "${} ")
			input, is := strings.CutPrefix(name, "inputs.")
			if value, known := inputs[input]; is && known {
				return value
			}
			if name != "github.action_path" {
				r.Fatalf("%s means nothing", of)
			}
			return r.root
		})
	}
	for _, s := range steps {
		if len(failed) > 0 && s.If != "always()" {
			continue
		}
		if strings.HasPrefix(s.Uses, "OWNER/cdpor@") {
			given := map[string]string{}
			for name, input := range r.action.Inputs {
				given[name] = input.Default
			}
			for name, text := range s.With {
				if _, known := given[name]; !known {
					r.Errorf("the action has no %s", name)
				}
				given[name] = text
			}
			given["since"] = "HEAD" // there is no origin
			wrong, text := r.run(r.action.Runs.Steps, given)
			if said += text; len(wrong) > 0 {
				failed = append(failed, s.Name)
			}
		}
		if s.Run == "" {
			continue
		}
		cmd := exec.CommandContext(r.Context(), "bash", "-e", "-o", "pipefail", "-c", s.Run)
		paths := filepath.Join(r.temp, "path")
		added, _ := os.ReadFile(paths)
		cmd.Dir, cmd.Env = filepath.Join(r.work, value(s.Folder)), append(os.Environ(), "RUNNER_TEMP="+r.temp,
			"GITHUB_PATH="+paths, "GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary"), "GITHUB_WORKSPACE="+r.work,
			"PATH="+strings.ReplaceAll(strings.TrimSpace(string(added)), "\n", ":")+":"+os.Getenv("PATH"))
		for name, text := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+value(text))
		}
		out, err := cmd.CombinedOutput()
		if said += string(out); err != nil && !s.ContinueOnError {
			failed = append(failed, s.Name)
		}
	}
	return failed, said
}

// ciRepository has two packages and a model. A change makes a test wait for good.
const ciRepository = `
-- go.mod --
module m

go 1.25
-- known.yaml --
cdpor-baseline: 1
known: []
-- a/a_test.go --
package a

import "testing"

func TestA(t *testing.T) {}
-- b/b_test.go --
package b

import "testing"

func TestB(t *testing.T) {}
-- models/m.yaml --
cdpor: 1
shared: {x: int}
threads:
  p:
    count: 2
    run: |
      x=x+1
expect: {outcomes: 1}
`

const (
	ciStuck = `
-- b/stuck_test.go --
package b

import "testing"

func TestStuck(t *testing.T) {
	done := make(chan bool)
	<-done
}
`
	ciWrong = `
-- models/wrong.yaml --
cdpor: 1
shared: {x: int}
threads: {p: x = 1}
check: {final: x == 1}
expect: {outcomes: 2}
`
)

// extract writes the files of an archive.
func extract(t *testing.T, archive, folder string) {
	if err := txtar.Write(txtar.Parse([]byte(archive)), folder); err != nil {
		t.Fatal(err)
	}
}

// inFolder runs a command, which must succeed.
func inFolder(t *testing.T, folder, name string, args ...string) {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args, err, out)
	}
}

// TestWorkflow carries out the workflow in CI.md, with the action: a change makes a test fail, which is known then, and
// a model.
func TestWorkflow(t *testing.T) {
	if err := synth.Available(); err != nil || testing.Short() { // the set-up would install it, which builds cdpor
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &ciRunner{T: t, root: root, work: t.TempDir(), temp: t.TempDir()}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []ciStep }
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(read("CI.md"))
	for text, to := range map[string]any{block[1]: &workflow, read(filepath.Join(root, "action.yml")): &r.action} {
		if err := yaml.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	extract(t, ciRepository, r.work)
	inFolder(t, r.work, "git", "init", "-q")
	inFolder(t, r.work, "git", "add", ".")
	inFolder(t, r.work, "git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "c")
	for _, test := range []struct {
		name, change string
		update       bool // the baseline
		fails        string
		says, of     []string // in files
	}{
		{"a test fails", ciStuck, false, "Go tests", []string{"2 of 3 tests", "::error file=b/stuck_test.go,line=7,",
			"::warning file=models/m.yaml,line=7,"}, []string{"cdpor.sarif", `"deadlock"`, "cdpor.xml", `failures="0"`}},
		{"it is known", "", true, "", []string{"::notice file=b/stuck_test.go,line=7,"},
			[]string{"cdpor.sarif", `"suppressions"`}},
		{"a model fails", ciWrong, false, "Models", []string{"::error file=models/wrong.yaml,line=5,"},
			[]string{"cdpor.xml", `failures="1"`}},
	} {
		extract(t, test.change, r.work)
		if test.update {
			inFolder(t, r.work, filepath.Join(r.temp, "cdpor", "cdpor"), "run", "./...", "--changed", "--baseline",
				"known.yaml", "--update-baseline")
		}
		failed, said := r.run(workflow.Jobs["cdpor"].Steps, nil)
		if strings.Join(failed, ", ") != test.fails {
			t.Errorf("%s: %q fails", test.name, failed)
		}
		for _, want := range test.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: nothing says %s:\n%s", test.name, want, said)
			}
		}
		for i := 0; i < len(test.of); i += 2 {
			if text := read(filepath.Join(r.work, test.of[i])); !strings.Contains(text, test.of[i+1]) {
				t.Errorf("%s: %s has no %s:\n%s", test.name, test.of[i], test.of[i+1], text)
			}
		}
	}
	if text := read(filepath.Join(r.temp, "summary")); !strings.Contains(text, "```mermaid") {
		t.Errorf("the summary has no diagram:\n%s", text)
	}
}
