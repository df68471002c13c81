package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/synth"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden output in scripts and README.md")

func TestMain(m *testing.M) { testscript.Main(ownCache{m}, map[string]func(){"cdpor": main}) }

// ownCache runs the tests with a cache folder of their own, empty at the beginning. The go command keeps its own one.
type ownCache struct{ *testing.M }

func (m ownCache) Run() int {
	dir, err := os.MkdirTemp("", "cdpor-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if shared, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(shared, "go-build"))
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	os.Setenv("CDPOR_NO_RUN", "1") // programs are executed only where that is what is tested
	return m.M.Run()
}

// TestScript runs testdata/script. Beyond the usual commands there are
//
//	code N COMMAND...   the command must end with this exit code
//	replayline FILE     write the first replay line of the last output to a file, as a shell script
//	fill FILE BYTES     append spaces up to a size
//	agree DIR           the z3 program must answer the SMT-LIB files of a folder as they say
//	appears FILE REGEXP wait until a file that is being written has a line that matches
//	server cdpor serve  run it with further flags until the script ends; $URL is where it listens
//	agent SESSION OUT cdpor mcp ARGS  call the tools of a file, each behind >, and write what they give
//	debug SESSION OUT   ask cdpor dap the requests of a file, each behind >, and write what it answers
//	sarif FILE OUT      validate a SARIF log against the schema, and write what viewers show of it
//	credentials DIR     write certificates, accounts, and a configuration of a server that wants them
//
// and the condition [solver]. In each folder are the shell script when, and untimed, with which sed takes the time out
// of a report.
func TestScript(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", programs)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("GOCACHE", os.Getenv("GOCACHE"))
			env.Setenv("CDPOR_NO_RUN", "1")
			return errors.Join(os.WriteFile(filepath.Join(env.WorkDir, "when"), []byte(when), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "untimed"), []byte(untimed), 0o666))
		},
		Condition: func(name string) (bool, error) {
			if name == "solver" {
				return synth.Available() == nil, nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":        code,
			"replayline":  replayLine,
			"fill":        fill,
			"agree":       agree,
			"appears":     appears,
			"server":      server,
			"credentials": credentials,
			"sarif":       sarifLog,
			"debug":       debugger,
			"agent":       agent,
		},
	})
}

const untimed = `s/^\(search .*\), [0-9.m]*s$/\1/`

// when runs a command, sends it a signal when its standard error has a line that matches, and ends as it does: sh when
// SIGNAL REGEXP COMMAND.
const when = `signal=$1 pattern=$2
shift 2
: >said
"$@" 2>said &
until grep -Eq "$pattern" said; do sleep 0.05; done
kill -$signal $!
wait $!
code=$?
cat said >&2
exit $code
`

func code(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func replayLine(ts *testscript.TestScript, neg bool, args []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if _, command, ok := strings.Cut(line, "replay: "); ok {
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(command), 0o666))
			return
		}
	}
	ts.Fatalf("no replay line")
}

func appears(ts *testscript.TestScript, neg bool, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	var text []byte
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text, _ = os.ReadFile(ts.MkAbs(args[0])); pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("%s does not appear in %s:\n%s", args[1], args[0], text)
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	defer f.Close()
	_, err = f.WriteString(strings.Repeat(" ", size-1) + "\n")
	ts.Check(err)
}

func agree(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.smt2"))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no questions in %s", args[0])
	}
	var questions strings.Builder
	var want []string
	for _, path := range files {
		text := ts.ReadFile(path)
		_, status, _ := strings.Cut(text, "(set-info :status ")
		status, _, _ = strings.Cut(status, ")")
		want = append(want, status)
		questions.WriteString(text + "(reset)\n")
	}
	z3 := exec.Command("z3", "-in")
	z3.Stdin = strings.NewReader(questions.String())
	out, err := z3.CombinedOutput()
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(got) != len(want) {
		ts.Fatalf("%s for z3 (%v), which says\n%s", terminal.Plural(len(want), "question"), err, out)
	}
	for i, path := range files {
		if want[i] != "unknown" && got[i] != want[i] {
			ts.Fatalf("%s: z3 says %s, cdpor was told %s", path, got[i], want[i])
		}
	}
}
