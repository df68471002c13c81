package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	script := "#!/bin/sh\ncase \" $* \" in *' z3.h '* | *' -lz3 '*) exit 1 ;; esac\nexec " + gcc + " \"$@\"\n"
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

// TestReleaser: what .goreleaser.yaml builds are packages that there are. CONTRIBUTING tells how goreleaser is run.
func TestReleaser(t *testing.T) {
	var config struct {
		Builds []struct {
			Main            string
			Env, Tags, Goos []string
		}
	}
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range config.Builds {
		for _, system := range b.Goos {
			list := exec.Command("go", "list", "-tags", strings.Join(b.Tags, ","), "-f", "{{.Name}} {{.Incomplete}}",
				b.Main)
			list.Dir, list.Env = "../..", append(append(os.Environ(), b.Env...), "GOOS="+system)
			if out, err := list.CombinedOutput(); err != nil || string(out) != "main false\n" {
				t.Errorf("%s for %s: %v\n%s", b.Main, system, err, out)
			}
		}
	}
}

// TestDockerfile: images are of the version of Go that go.mod names.
func TestDockerfile(t *testing.T) {
	var names []string
	for path, pattern := range map[string]string{"Dockerfile": `(?m)^FROM golang:(\S+?)-`,
		"go.mod": `(?m)^go (\d+\.\d+)`} {
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	if len(names) != 3 || len(slices.Compact(names)) != 1 {
		t.Errorf("the versions are %s", names)
	}
}
