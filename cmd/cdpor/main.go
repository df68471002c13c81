package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
)

// commandLine has the flags of all commands; the commands are in commands.go.
type commandLine struct {
	Config string `placeholder:"FILE" help:"File with values for flags. Default: cdpor.yaml in the current folder, if there is one."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always or never. Default: auto, which is on a terminal unless NO_COLOR is set."`
}

const description = `Explores concurrent programs: synthesises with Z3 when steps commute, and runs no more interleavings than it takes to
find every outcome, deadlock and failure.

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
	var cli commandLine
	env := environment.New(stdin, stdout, stderr)
	defer env.Stop()
	parser, err := newParser(&cli, called(args), env, stdout, stderr)
	if err != nil {
		return env.Fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	env.JSON = asksForJSON(args)
	parsed, err := parser.Parse(args)
	var list lang.ErrorList
	var input fault.Input
	if errors.As(err, &list) || errors.As(err, &input) { // in the settings
		return env.End(err)
	}
	if err != nil {
		code := env.End(fault.Inputf("%s", terminal.Redact(err.Error())))
		fmt.Fprintln(stderr, "Run cdpor --help for the commands and flags.")
		return code
	}
	env.Color, env.JSON = cli.Color, wantsJSON(parsed)
	if err := parsed.Run(env); err != nil {
		return env.End(err)
	}
	return fault.ExitOK
}
