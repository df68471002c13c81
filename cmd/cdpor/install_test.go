package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestInstall: .ci/install builds where Z3 is missing, says so, and what was built says so, too.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	cc := filepath.Join(dir, "cc") // that has no headers of Z3
	script := "#!/bin/sh\ncase \" $* \" in *z3*) exit 1 ;; esac\nexec " + gcc + " \"$@\"\n"
	if err := os.WriteFile(cc, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../../.ci/install", filepath.Join(dir, "bin"))
	cmd.Env = append(os.Environ(), "CC="+cc)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Z3 are missing", "is built without Z3: synth, check", "installed in ",
		"add it to the path"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	built := filepath.Join(dir, "bin", "cdpor")
	if out, err := exec.Command(built, "--version").Output(); err != nil ||
		!strings.Contains(string(out), "solver: none") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command(built, "run", "../../testdata/programs/inc.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReleaser: what .goreleaser.yaml builds are packages that there are, with tags that there are, and what goes into
// archives is there. goreleaser itself checks the file where it is installed.
func TestReleaser(t *testing.T) {
	var config struct {
		Builds []struct {
			ID, Main     string
			Env, Tags    []string
			Goos, Goarch []string
		}
		Archives []struct{ IDs, Files []string }
	}
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for _, b := range config.Builds {
		built[b.ID] = true
		for _, system := range b.Goos {
			list := exec.Command("go", "list", "-tags", strings.Join(b.Tags, ","), "-f", "{{.Name}} {{.Incomplete}}",
				b.Main)
			list.Dir, list.Env = "../..", append(append(os.Environ(), b.Env...), "GOOS="+system, "GOARCH="+b.Goarch[0])
			if out, err := list.CombinedOutput(); err != nil || string(out) != "main false\n" {
				t.Errorf("%s for %s: %v\n%s", b.ID, system, err, out)
			}
		}
	}
	for _, a := range config.Archives {
		for _, id := range a.IDs {
			if !built[id] {
				t.Errorf("nothing builds %s", id)
			}
		}
		for _, name := range a.Files {
			if !fileExists(filepath.Join("../..", name)) {
				t.Errorf("there is no file %s", name)
			}
		}
	}
	if goreleaser, err := exec.LookPath("goreleaser"); err == nil {
		check := exec.Command(goreleaser, "check")
		check.Dir = "../.."
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestDockerfile: an image is of the version of Go that go.mod names, and copies what there is.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	stages := regexp.MustCompile(`(?m)^FROM golang:(\S+?)-`).FindAllSubmatch(text, -1)
	if len(stages) != 2 || string(stages[0][1]) != string(version) || string(stages[1][1]) != string(version) {
		t.Errorf("the stages are %s, Go is %s", stages, version)
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY (.*) \./$`).FindAllSubmatch(text, -1) {
		for _, name := range strings.Fields(string(m[1])) {
			if !fileExists(filepath.Join("../..", name)) {
				t.Errorf("there is no %s to copy", name)
			}
		}
	}
}
