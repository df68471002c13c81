package main

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/comparison"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/examples"
	"cdpor/cmd/cdpor/internal/expect"
	"cdpor/cmd/cdpor/internal/explain"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/layout"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/run"
	"cdpor/cmd/cdpor/internal/slicing"
	"cdpor/cmd/cdpor/internal/vet"
	"cdpor/explore"

	"github.com/alecthomas/kong"
)

// A command is a command of the command line, with its group in the help.
type command struct {
	name    string
	grammar any // a pointer to its flags and arguments
	group   string
	help    string
}

// The commands that are not for everybody, in groups.
const (
	constraining = "constraints"
	studying     = "programs, algorithms"
	clustered    = "several machines"
	serving      = "editors, agents, shells"
)

func commands() []command {
	return []command{
		{"init", &examples.Init{}, "", "Write a commented program to start from."},
		{"examples", &examples.Command{}, "", "List the shipped programs, print or copy one."},
		{"run", &run.Command{}, "", "Explore a program and report its outcomes and what is wrong with it."},
		{"resume", &run.Resume{}, "", "Go on with a search that was interrupted, from a checkpoint."},
		{"test", &expect.Command{}, "", "Compare programs with the numbers of their expect sections."},
		{"vet", &vet.Command{}, "", "Remark on what is suspicious in programs."},
		{"explain", &explain.Command{}, "",
			"Explain the code of an error or a remark, with an example, or an algorithm."},
		{"synth", &prove.Synth{}, constraining,
			"Find the constraints under which steps commute, and write them to a file."},
		{"check", &prove.Check{}, constraining,
			"Prove the entries of a constraint file, or refute them with a state; compare two."},
		{"slice", &slicing.Command{}, studying,
			"Print the part of a program that can influence something, as a program."},
		{"compare", &comparison.Command{}, studying,
			"Tabulate what algorithms cost on a program, for ranges of parameters."},
		{"serve", &remote.Serve{}, clustered, "Start a server through which several machines work on one search."},
		{"work", &remote.Work{}, clustered, "Work on the searches of a server."},
		{"jobs", &remote.Jobs{}, clustered, "List the searches of a server, cancel or remove some."},
		{"fmt", &layout.Command{}, serving, "Lay out programs and constraint files in the one canonical way."},
		{"lsp", &lspCommand{}, serving, "Serve an editor: errors, quick fixes, completion, renaming, formatting."},
		{"dap", &run.Debugger{}, serving, "Serve a debugger: steps forwards and backwards through a schedule."},
		{"mcp", &mcpCommand{}, serving, "Serve an agent: explores, replays and explains what is in some folders."},
		{"generate", &generateCommand{}, serving,
			"Print what shells complete command lines with, a man page, or a JSON Schema."},
	}
}

// called are the commands that a command line can mean: the one that it begins with, else all. What is told of a
// command needs no others, and to describe them all to the parser takes longer than many a search.
func called(args []string) []command {
	all := commands()
	for i := range all {
		if len(args) > 0 && args[0] == all[i].name {
			return all[i : i+1]
		}
	}
	return all
}

// wholeModel has all commands with their flags. The reference and the settings are made of it.
func wholeModel() (*cli.Model, error) {
	parser, err := newParser(&commandLine{}, commands(), nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return &cli.Model{Application: parser.Model, Lists: wordLists()}, nil
}

// newParser makes the parser of a command line with some commands.
func newParser(cli *commandLine, commands []command, env *environment.Environment, stdout, stderr io.Writer) (
	*kong.Kong, error) {
	options := []kong.Option{kong.Help(printHelp), kong.AutoGroup(groupOf), kong.Name("cdpor"),
		kong.Description(description), kong.Writers(stdout, stderr),
		kong.Bind(env), kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(readTime)),
		kong.Vars{"server": remote.DefaultServer, "depth": strconv.Itoa(explore.DefaultMaxDepth),
			"tried": strconv.Itoa(run.TriedNodes), "columns": strings.Join(compare.ColumnNames(), ", "),
			"treenodes": fmt.Sprint(run.HTMLNodes)},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100, NoExpandSubcommands: true}),
		kong.Exit(func(c int) { panic(fault.Code(c)) })}
	for _, c := range commands {
		options = append(options, kong.DynamicCommand(c.name, c.help, c.group, c.grammar))
	}
	k, err := kong.New(cli, options...)
	if err == nil {
		k.Model.HelpFlag.Help = "Show this help."
	}
	return k, err
}

// readTime reads a time as Go writes it.
func readTime(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return fmt.Errorf("%q has no unit: write %gs or %[2]gm", text, n)
		}
		return fmt.Errorf("%q is no time: write 5s, 10m or 1h30m", text)
	}
	target.SetInt(int64(d))
	return nil
}
