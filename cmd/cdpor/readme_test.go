package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/synth"

	"github.com/google/go-cmp/cmp"
)

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n\\$ cdpor ([^\n]*)\n(.*?)```")
	solver       = regexp.MustCompile(`\bz3 \d+(\.\d+)*|sha256:[0-9a-f]+`)
	duration     = regexp.MustCompile(`\b\d+(\.\d+)?(µs|ms|s)\b`)
)

// maxReadme is how many bytes README.md may have: what cdpor is, how to install it, two commands, a program, and links.
const maxReadme = 6144

// TestReadme runs the commands whose output README.md shows, the ones on its own program too, which it writes to a
// file.
func TestReadme(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if n := followed(t, filepath.Join(root, "README.md"), t.TempDir()); n > maxReadme {
		t.Errorf("README.md has %d bytes, more than %d", n, maxReadme)
	}
}

// TestReadmeManual runs the commands whose output the manual shows.
func TestReadmeManual(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	document(t, "cmd/cdpor/MANUAL.md", nil, nil)
}

// document runs the commands whose output a document shows; times, digests and the version of the solver may differ.
// before and after, if not nil, refresh other parts of the text before and after the commands are run.
func document(t *testing.T, name string, before, after func(string) string) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir("../..")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fresh := string(text)
	if before != nil {
		fresh = before(fresh)
	}
	blocks := 0
	fresh = consoleBlock.ReplaceAllStringFunc(fresh, func(block string) string {
		blocks++
		return rerun(t, name, block)
	})
	if blocks == 0 {
		t.Errorf("%s shows no output", name)
	}
	if after != nil {
		fresh = after(fresh)
	}
	if *update {
		if err := os.WriteFile(name, []byte(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// rerun runs the command of a block of a document in the current folder and compares what it prints. The result is the
// block as it should be.
func rerun(t *testing.T, name, block string) string {
	t.Helper()
	parts := consoleBlock.FindStringSubmatch(block)
	var stdout, stderr bytes.Buffer
	code := runMain(strings.Fields(parts[1]), nil, &stdout, &stderr)
	if code != fault.ExitOK && code != fault.ExitViolation {
		t.Errorf("cdpor %s: exit code %d\n%s", parts[1], code, &stderr)
	}
	mask := func(s string) string { return duration.ReplaceAllString(solver.ReplaceAllString(s, "..."), "TIME") }
	if diff := cmp.Diff(mask(parts[2]), mask(stdout.String())); diff != "" && !*update {
		t.Errorf("cdpor %s (%s is -, run is +; refresh with go test ./cmd/cdpor -run %s -update):\n%s", parts[1],
			name, t.Name(), diff)
	}
	return "```console\n$ cdpor " + parts[1] + "\n" + stdout.String() + "```"
}

// TestReadmeCommands checks that the set-up and the files of the two commands exist.
func TestReadmeCommands(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		".ci/setup && go install ./cmd/cdpor",
		".ci/test",
	} {
		if !strings.Contains(string(text), command) {
			t.Errorf("README.md does not have the command %s", command)
		}
		for _, word := range strings.Fields(command) {
			if strings.HasPrefix(word, ".ci/") || strings.HasPrefix(word, "testdata/") {
				if _, err := os.Stat(word); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

var walkthroughBlock = regexp.MustCompile("(?s)```(yaml|go|mod|console|sh)([^\n]*)\n(.*?)```")

// TestGuide goes through lang/GUIDE.md: it writes the files, runs the commands and compares what they print, in an
// empty folder.
func TestGuide(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	path, err := filepath.Abs("../../lang/GUIDE.md")
	if err != nil {
		t.Fatal(err)
	}
	followed(t, path, t.TempDir())
}

// TestGoWalkthrough goes through the page about Go programs.
func TestGoWalkthrough(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	path, err := filepath.Abs("../../lang/golang/FIVEMINUTES.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(cli.NoRun, "")
	followed(t, path, t.TempDir())
}

// followed goes through a document in a folder: it writes the files, runs the commands and compares what they print.
// The result is the length of the document.
func followed(t *testing.T, path, dir string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	fresh := walkthroughBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := walkthroughBlock.FindStringSubmatch(block)
		switch file := strings.TrimSpace(parts[2]); {
		case parts[1] != "console" && file != "":
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(parts[3]), 0o666); err != nil {
				t.Fatal(err)
			}
		case parts[1] == "console":
			return rerun(t, filepath.Base(path), block)
		}
		return block
	})
	if *update {
		if err := os.WriteFile(path, []byte(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return len(fresh)
}

// TestReadmeSettings: the settings that the manual shows are some.
func TestReadmeSettings(t *testing.T) {
	text, err := os.ReadFile("MANUAL.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(color: .*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("MANUAL.md shows no settings")
	}
	s := &cli.Settings{}
	if err := s.ReadFile(model(t), "MANUAL.md", block[1]); err != nil {
		t.Error(err)
	}
	if err := s.ReadEnvironment(regexp.MustCompile(`CDPOR_[A-Z_]+=[a-z,]+`).FindAllString(string(text), -1),
		wholeModel); err != nil || len(s.Environment) == 0 {
		t.Errorf("the variables of MANUAL.md: %v, %v", s.Environment, err)
	}
}
