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

// A compositeAction is action.yml as far as it is executed here.
type compositeAction struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Uses, Run, Shell string
			Folder                 string `yaml:"working-directory"`
			Env                    map[string]string
		}
	}
}

// TestAction carries out action.yml as GitHub's runner does, with the inputs of the workflow in CI.md: in a repository
// with two tests, of which a change touches one that fails, and which is known then.
func TestAction(t *testing.T) {
	if err := synth.Available(); err != nil || testing.Short() { // the set-up would install it, which builds cdpor
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var action compositeAction
	read := func(path string, to any) {
		text, err := os.ReadFile(path)
		if err == nil {
			err = yaml.Unmarshal(text, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read(filepath.Join(root, "action.yml"), &action)
	work, temp := repositoryWithTests(t), t.TempDir()
	given := workflowInputs(t)
	given["since"] = "HEAD" // there is no origin
	summary, paths := filepath.Join(temp, "summary"), filepath.Join(temp, "path")
	explore := func() (string, error) {
		value := func(text string) string {
			return regexp.MustCompile(`\$\{\{ *(\S+) *}}`).ReplaceAllStringFunc(text, func(of string) string {
				name := strings.Trim(of, "${} ")
				input, is := strings.CutPrefix(name, "inputs.")
				if declared, known := action.Inputs[input]; is && known {
					if own, is := given[input]; is {
						return own
					}
					return declared.Default
				}
				if name != "github.action_path" {
					t.Fatalf("action.yml: %s means nothing", of)
				}
				return root
			})
		}
		said := ""
		for _, step := range action.Runs.Steps {
			if step.Uses != "" {
				continue // Go is installed
			}
			cmd := exec.CommandContext(t.Context(), step.Shell, "-e", "-o", "pipefail", "-c", step.Run)
			added, _ := os.ReadFile(paths)
			cmd.Dir, cmd.Env = filepath.Join(work, value(step.Folder)), append(os.Environ(), "RUNNER_TEMP="+temp,
				"GITHUB_PATH="+paths, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_WORKSPACE="+work,
				"PATH="+strings.ReplaceAll(strings.TrimSpace(string(added)), "\n", ":")+":"+os.Getenv("PATH"))
			for name, text := range step.Env {
				cmd.Env = append(cmd.Env, name+"="+value(text))
			}
			out, err := cmd.CombinedOutput()
			if said += string(out); err != nil {
				return said, err
			}
		}
		return said, nil
	}
	for name := range given {
		if _, known := action.Inputs[name]; !known {
			t.Errorf("CI.md gives the action %s, which it does not have", name)
		}
	}
	known := []byte("cdpor-baseline: 1\nknown: []\n")
	if err := os.WriteFile(filepath.Join(work, "known.yaml"), known, 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := explore()
	if err == nil || !strings.Contains(said, "1 of 2 tests") ||
		!strings.Contains(said, "::error file=b/b_test.go,line=9,") {
		t.Fatalf("%v\n%s", err, said)
	}
	for path, want := range map[string]string{summary: "```mermaid", filepath.Join(work, "cdpor.sarif"): `"deadlock"`} {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s: %v\n%s", path, want, err, text)
		}
	}
	update := exec.Command(filepath.Join(temp, "cdpor", "cdpor"), "run", "./...", "--baseline", "known.yaml",
		"--update-baseline", "--changed")
	update.Dir = work
	if out, err := update.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if said, err := explore(); err != nil || !strings.Contains(said, "::notice file=b/b_test.go,line=9,") {
		t.Errorf("%v\n%s", err, said)
	}
	hooks(t, root, work, filepath.Join(temp, "cdpor"))
}

// repositoryWithTests has two packages, one of them with a test that waits for good and is not committed.
func repositoryWithTests(t *testing.T) string {
	work := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.25\n",
		"a/a_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"b/b_test.go":   "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
		"models/p.yaml": "cdpor: 1\nshared: {x: int}\nthreads:\n  p:\n    count: 2\n    run: |\n      x=x+1\n"} {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "add .", "-c user.name=n -c user.email=e commit -qm c"} {
		git := exec.Command("git", strings.Fields(args)...)
		git.Dir = work
		if out, err := git.CombinedOutput(); err != nil {
			t.Skipf("git %s: %v\n%s", args, err, out)
		}
	}
	text := "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tdone := make(chan bool)\n" +
		"\tother := make(chan bool)\n\tgo func() { <-other; done <- true }()\n\t<-done\n\tother <- true\n}\n"
	if err := os.WriteFile(filepath.Join(work, "b", "b_test.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return work
}

// workflowInputs are what the workflow in CI.md gives the action.
func workflowInputs(t *testing.T) map[string]string {
	text, err := os.ReadFile("CI.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses string
					With map[string]string
				}
			}
		}
		if err := yaml.Unmarshal(block[1], &workflow); err != nil {
			t.Fatal(err)
		}
		for _, step := range workflow.Jobs["tests"].Steps {
			if strings.HasPrefix(step.Uses, "OWNER/cdpor@") {
				return step.With
			}
		}
	}
	t.Fatal("CI.md shows no workflow with the action")
	return nil
}

// hooks runs the hooks for pre-commit as it does, on a file that one of them remarks on and another one lays out.
func hooks(t *testing.T, root, work, bin string) {
	var all []struct {
		ID, Entry, Language string
		PassFilenames       *bool `yaml:"pass_filenames"`
	}
	text, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	says := map[string]string{"cdpor-vet": "W001", "cdpor-fmt": "", "cdpor-changed": "violation"}
	for _, hook := range all {
		want, known := says[hook.ID]
		delete(says, hook.ID)
		args := strings.Fields(hook.Entry)
		if hook.PassFilenames == nil || *hook.PassFilenames {
			args = append(args, "models/p.yaml")
		}
		cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		if !known || hook.Language != "system" || (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", hook.ID, err, out)
		}
	}
	if len(says) > 0 {
		t.Errorf("there are no hooks %v", says)
	}
	laidOut, err := os.ReadFile(filepath.Join(work, "models", "p.yaml"))
	if err != nil || !strings.Contains(string(laidOut), "x = x+1\n") {
		t.Errorf("cdpor fmt -w leaves %s %v", laidOut, err)
	}
}
