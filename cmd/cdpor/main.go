package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"cdpor/lang"
)

// Exit codes. A violation beats incompleteness.
const (
	exitOK         exitCode = 0 // complete, and nothing is wrong
	exitViolation  exitCode = 1 // something is wrong with the program, a constraint or an expectation
	exitInput      exitCode = 2 // the command line or a file cannot be used
	exitIncomplete exitCode = 3 // a bound, a timeout, an interrupt, or the solver does not know
	exitInternal   exitCode = 4 // a bug of cdpor
)

// An exitCode ends a command whose output is complete.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// An inputError is something that the user can put right.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func inputErrorf(format string, args ...any) error { return inputError{fmt.Errorf(format, args...)} }

// The command line.
type commandLine struct {
	Config string `placeholder:"FILE" help:"File with values for flags. Default: cdpor.yaml in the current folder, if there is one."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always or never. Default: auto, which is on a terminal unless NO_COLOR is set."`

	Init       initCommand       `cmd:"" help:"Write a commented program to start from."`
	Examples   examplesCommand   `cmd:"" help:"List the shipped programs, print or copy one."`
	Run        runCommand        `cmd:"" help:"Explore a program and report its outcomes and what is wrong with it."`
	Resume     resumeCommand     `cmd:"" help:"Go on with a search that was interrupted, from a checkpoint."`
	Replay     replayCommand     `cmd:"" help:"Run the schedule of a file that cdpor run --save has written, or walk through it."`
	Slice      sliceCommand      `cmd:"" help:"Print the part of a program that can influence something, as a program."`
	Synth      synthCommand      `cmd:"" help:"Find the constraints under which steps commute, and write them to a file."`
	Check      checkCommand      `cmd:"" help:"Prove the entries of a constraint file, or refute them with a state."`
	Diff       diffCommand       `cmd:"" help:"Compare two constraint files of a program by what they mean."`
	Vet        vetCommand        `cmd:"" help:"Remark on what is suspicious in programs."`
	Fmt        fmtCommand        `cmd:"" help:"Lay out programs and constraint files in the one canonical way."`
	Ast        astCommand        `cmd:"" help:"Show the steps that a program is translated to, or its syntax tree."`
	Test       testCommand       `cmd:"" help:"Compare programs with the numbers of their expect sections."`
	Compare    compareCommand    `cmd:"" help:"Run several algorithms on a program, for a range of parameters, and tabulate what they cost."`
	Bench      benchCommand      `cmd:"" help:"Measure cdpor on a fixed table of programs, beside what other tools took."`
	Explain    explainCommand    `cmd:"" help:"Explain the code of an error or a remark, with an example."`
	Schema     schemaCommand     `cmd:"" help:"Print the JSON Schema of programs or of constraint files, for editors."`
	Lsp        lspCommand        `cmd:"" help:"Serve an editor: what is wrong, what names mean, where they are declared."`
	Algorithms algorithmsCommand `cmd:"" help:"List the algorithms, or explain one."`
	Man        manCommand        `cmd:"" help:"Print the manual as a man page."`
	Completion completionCommand `cmd:"" help:"Print the script with which a shell completes commands, flags and values."`
	Version    versionCommand    `cmd:"" help:"Print the versions of cdpor and its solver."`
}

const description = `Explores concurrent programs: synthesises with Z3 when steps commute, and runs no more interleavings than it takes to
find every outcome, deadlock and failure.

Exit codes: 0 complete and nothing wrong, 1 violation, 2 usage or input error, 3 incomplete (bound, timeout, interrupt,
solver unknown), 4 internal error.

Flags can be set in a file cdpor.yaml and in the environment, too: run: {timeout: 5m}, or CDPOR_RUN_TIMEOUT=5m.`

func main() { os.Exit(int(runMain(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))) }

// runMain runs one command line. It is the border that no panic crosses.
func runMain(args []string, stdin io.Reader, stdout, stderr io.Writer) (code exitCode) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exitCode: // help was printed
			code = p
		default:
			fmt.Fprintf(stderr, "cdpor: internal error: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	var cli commandLine
	env := newEnvironment(stdin, stdout, stderr)
	defer env.stop()
	parser, err := newParser(&cli, env, stdout, stderr)
	if err != nil {
		return env.fail(err)
	}
	env.model = parser.Model
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	var list lang.ErrorList
	var input inputError
	if errors.As(err, &list) || errors.As(err, &input) { // in the settings
		return env.fail(err)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cdpor: %v\nRun cdpor --help for the commands and flags.\n", err)
		return exitInput
	}
	env.color = cli.Color
	if err := parsed.Run(env); err != nil {
		return env.fail(err)
	}
	return exitOK
}

// fail reports an error that ended a command.
func (e *environment) fail(err error) exitCode {
	var code exitCode
	var list lang.ErrorList
	var input inputError
	switch {
	case errors.As(err, &code):
		return code
	case errors.As(err, &list):
		for _, m := range list {
			e.message(e.stderr, m)
		}
		return exitInput
	case errors.As(err, &input):
		fmt.Fprintf(e.stderr, "cdpor: %v\n", err)
		return exitInput
	}
	fmt.Fprintf(e.stderr, "cdpor: internal error: %v\n", err)
	return exitInternal
}
