package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

// commandLine has the flags of all commands; the commands are in commands.go.
type commandLine struct {
	Version versionFlag `help:"Print the versions of cdpor and its solver."`
	Config  string      `predictor:"file" placeholder:"FILE" help:"File with values for flags. Default: cdpor.yaml in the current folder, if there is one."`
	Color   string      `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always or never. Default: auto, which is on a terminal unless NO_COLOR is set."`
}

const description = `Explores concurrent programs, Go tests as well as models in YAML, and finds every outcome, deadlock, data race and
failure that some interleaving leads to:

  cdpor run ./pkg --func TestX
  cdpor run program.yaml

It runs no more interleavings than that takes: Z3 works out in which states steps commute.

Exit codes: 0 complete and nothing wrong, 1 violation, 2 usage or input error, 3 incomplete (bound, timeout, interrupt,
solver unknown) or vacuous (no property was checked), 4 internal error.

Flags can be set in a file cdpor.yaml and in the environment, too: run: {timeout: 5m}, or CDPOR_RUN_TIMEOUT=5m.`

func main() {
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe fails, and what is under way can be ended in order
	os.Exit(int(runMain(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}

// runMain runs one command line. It is the border that no panic crosses.
func runMain(args []string, stdin io.Reader, to, messages io.Writer) (code fault.Code) {
	stdout, stderr := &terminal.Sink{Writer: to, Name: "standard output"},
		&terminal.Sink{Writer: messages, Name: "standard error"}
	defer stderr.End()
	defer func() {
		stdout.End()
		switch err := stdout.Failed(); {
		case errors.Is(err, syscall.EPIPE): // head has seen enough
			code = fault.ExitPipe
		case err != nil:
			fmt.Fprintf(stderr, "cdpor: %v\n", err)
			code = fault.ExitInput
		}
	}()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault.Code: // help was printed
			code = p
		default:
			fmt.Fprintf(stderr, "cdpor: internal error: %v\n%s", p, debug.Stack())
			code = fault.ExitInternal
		}
	}()
	if os.Getenv("COMP_LINE") != "" {
		return environment.New(stdin, stdout, stderr).Fail(completeLine(stdout))
	}
	args = usual(args)
	var line commandLine
	env := environment.New(stdin, stdout, stderr)
	defer env.Stop()
	parser, err := newParser(&line, called(args), env, stdout, stderr)
	if err != nil {
		return env.Fail(err)
	}
	env.JSON = asksForJSON(args)
	parsed, err := parser.Parse(args)
	if lacks := lacking(err); lacks == "<program>" || lacks == "<path> ..." && args[0] != "fmt" {
		path, none := ".", error(nil)
		if lacks == "<program>" {
			path, none = files.TheProgram()
		}
		if none != nil {
			return env.End(none)
		}
		parsed, err = parser.Parse(append(args, path))
	}
	var list lang.ErrorList
	var input fault.Input
	var output *fault.Output
	if errors.As(err, &list) || errors.As(err, &input) || errors.As(err, &output) { // in the settings, or of the help
		return env.End(err)
	}
	if err != nil {
		code := env.End(misused(err, args))
		fmt.Fprintln(stderr, whichHelp(err))
		return code
	}
	env.Color, env.JSON = line.Color, wantsJSON(parsed)
	if err := parsed.Run(env); err != nil {
		return env.End(err)
	}
	return fault.ExitOK
}

// usual is a command line with what other commands know as well: help, help COMMAND, version, -v, and a negative number
// behind a flag.
func usual(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && (args[0] == "-v" || args[0] == "version"):
		return []string{"--version"}
	}
	var out []string
	for i, a := range args {
		if n := len(out) - 1; i > 0 && negative.MatchString(a) && strings.HasPrefix(args[i-1], "--") &&
			!strings.Contains(args[i-1], "=") {
			out[n] += "=" + a
		} else {
			out = append(out, a)
		}
	}
	return out
}

var negative = regexp.MustCompile(`^-\d+$`)

// lacking is the argument that a command line has all but.
func lacking(err error) string {
	if err == nil {
		return ""
	}
	text, _ := strings.CutPrefix(err.Error(), `expected "`)
	return strings.TrimSuffix(text, `"`)
}

// misused words an error of the command line with its cure.
func misused(err error, args []string) error {
	text := noValue.ReplaceAllString(terminal.Redact(err.Error()), "a value is missing")
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) {
		return fault.Inputf("%s", text)
	}
	node := wrong.Context.Selected()
	unknown, isFlag := strings.CutPrefix(text, "unknown flag ")
	argument, isArgument := strings.CutPrefix(text, "unexpected argument ")
	switch {
	case replaced[first(unknown)] != "" && node != nil:
		text = replaced[first(unknown)]
	case replaced[argument] != "" && node == nil:
		text = replaced[argument]
	case isFlag && node != nil && foreign[first(unknown)] != "" && cli.CommandName(node) == "run":
		text = fmt.Sprintf("unknown flag %s: write %s", first(unknown), foreign[first(unknown)])
	case isArgument && node == nil && foreign[first(argument)] != "":
		text = fmt.Sprintf("unexpected argument %s: write cdpor %s", first(argument), foreign[first(argument)])
	case isFlag && node == nil && slices.ContainsFunc(commands(), func(c command) bool {
		return unknown == "--"+c.name
	}):
		text += ": write cdpor " + unknown[2:]
	case isFlag && node == nil && slices.ContainsFunc(commands(), func(c command) bool {
		return slices.Contains(args, c.name)
	}):
		text += ": flags of a command stand behind its name"
	case isFlag && node != nil && !strings.HasPrefix(unknown, "--"):
		for _, f := range cli.CommandFlags(node) {
			if slices.Contains(args, "-"+f.Name) {
				text = fmt.Sprintf("unknown flag -%s: write --%[1]s", f.Name)
			}
		}
		for _, a := range args {
			if a, _, _ = strings.Cut(a, "="); strings.HasPrefix(a, "-"+unknown[1:2]) && foreign[a] != "" {
				text = fmt.Sprintf("unknown flag %s: write %s", a, foreign[a])
			}
		}
	case lacking(err) == "<path> ...":
		text = "name programs, or . for all below the current folder"
	case isArgument && node == nil && !strings.Contains(text, "did you mean") && files.Exists(argument):
		text = fmt.Sprintf("what to do with %s? cdpor run %[1]s explores it", terminal.Quote(argument))
	case isArgument && node != nil && node.Name == "examples":
		text += ": cdpor examples show " + terminal.Quote(argument) + " prints one, copy writes it"
	case isArgument && node != nil && strings.Contains(argument, "="):
		text += ": a parameter is set with -p " + terminal.Quote(argument)
	case isArgument && node != nil && !strings.Contains(text, "did you mean"):
		takes := "no argument"
		if list := node.Positional; len(list) > 0 {
			takes = "no more than"
			if len(list) == 1 {
				takes = "one"
			}
			for _, p := range list {
				takes += " " + strings.Trim(p.Summary(), "[]")
			}
		} else if len(node.Children) > 0 {
			var names []string
			for _, c := range node.Children {
				names = append(names, c.Name)
			}
			takes = "one of " + strings.Join(names, ", ")
		}
		text += fmt.Sprintf(": cdpor %s takes %s", cli.CommandName(node), takes)
	}
	return fault.Inputf("%s", cli.Reworded(text))
}

// first is a word without what kong guesses behind it.
func first(text string) string {
	word, _, _ := strings.Cut(text, ",")
	return word
}

// replaced are commands and flags of earlier versions, with what to use instead.
var replaced = map[string]string{
	"replay":     "cdpor replay is gone: cdpor run FILE follows a schedule that --save has written",
	"ast":        "cdpor ast is gone: cdpor fmt --steps shows the steps of a program",
	"man":        "cdpor man is gone: cdpor generate man prints the manual",
	"schema":     "cdpor schema is gone: cdpor generate program-schema prints that of programs",
	"completion": "cdpor completion is gone: cdpor generate bash prints the script of a shell",
	"algorithms": "cdpor algorithms is gone: cdpor explain algorithms lists them, cdpor explain NAME one",
	"diff": "cdpor diff is gone: cdpor check PROGRAM NEW --against OLD compares constraint files; " +
		"OLD may be an older version of the program",
	"bench":          "cdpor bench is gone: cdpor compare measures algorithms on any program",
	"--compare-with": "--compare-with is gone: cdpor compare --algorithm A,B shows what two algorithms explore",
	"--attach":       "--attach is gone: the search is as sound without it, and needs less memory",
	"--chop":         "--chop is gone: cdpor slice --for B --why line:N says how line N influences B",
	"--forward":      "--forward is gone: cdpor slice --for B --why line:N says how line N influences B",
	"--dot": "--dot is gone: the page of cdpor run --html shows the tree, cdpor slice --json what lines of a slice " +
		"depend on",
	"--slice":               "--slice is gone: cdpor slice --for final:1 prints what a property depends on, to be run",
	"--step":                "--step is gone: cdpor dap steps through a schedule, also backwards, in a debugger",
	"--metrics":             "--metrics is gone: cdpor jobs --json has the numbers of jobs and workers",
	"--plot":                "--plot is gone: cdpor compare --format csv writes what other tools draw",
	"--mermaid":             "--mermaid is gone: the page of cdpor run --html shows the tree",
	"--tree":                "--tree is gone: the page of cdpor run --html shows the tree, which can be searched",
	"--no-anticipate":       "--no-anticipate is gone: cdpor compare --algorithm context1,context3 shows what it saves",
	"--no-guide":            "--no-guide is gone: cdpor compare --algorithm context2,context3 shows what it saves",
	"--profile-constraints": "--profile-constraints is gone: -v shows what each constraint was good for",
}

// foreign are commands and flags of other tools, with what they are called here.
var foreign = map[string]string{
	"verify": "run", "explore": "run", "simulate": "run --simulate N", "lint": "vet", "validate": "vet", "new": "init",
	"list": "examples", "format": "fmt", "gen": "init",
	"--jobs": "--workers N", "--threads": "-p N=VALUE for a parameter, or --workers N", "--parallel": "--workers N",
	"-j": "--workers N", "--max-steps": "--max-depth N", "--depth": "--max-depth N",
	"--output": "--json or --html FILE", "-o": "--json or --html FILE", "--debug": "-v", "--stats": "-v",
	"--run": "--func NAME", "-n": "--max-executions N",
	"--trace": "--show N, or --schedule LIST", "-run": "--func NAME", "-test.run": "--func NAME",
	"--deadlock":  "check: {deadlock: allowed} in the program, or forbidden, or required",
	"--invariant": "invariant: CONDITION in the program", "--fairness": "check: {fairness: strong} in the program",
	"-race": "nothing: data races are looked for", "-count": "nothing: each order is explored once",
}

// noValue is how kong says that a flag has no value.
var noValue = regexp.MustCompile(`(expected [\w ]* value but got "EOL" \(<EOL>\)|missing value, expecting "<arg>")`)

// whichHelp says where the help is for who has written a command line that cannot be parsed.
func whichHelp(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		return "Run cdpor " + cli.CommandName(wrong.Context.Selected()) + " --help for its arguments and flags."
	}
	return "Run cdpor --help for the commands and flags."
}
