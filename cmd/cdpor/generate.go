package main

import (
	"io"

	_ "embed"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/constraints"
	"cdpor/lang"
)

// outputSchema describes what commands print with --json: a definition for each, and failure for all.
//
//go:embed output.schema.json
var outputSchema string

type generateCommand struct {
	What string `arg:"" enum:"bash,zsh,fish,man,program-schema,constraints-schema,output-schema" help:"bash, zsh or fish: the script with which the shell completes command lines; man: the manual as a man page; program-schema, constraints-schema, output-schema: a JSON Schema, that of the output for what commands print with --json."`
}

func (generateCommand) Help() string {
	return `bash: source <(cdpor generate bash), in ~/.bashrc.

zsh: source <(cdpor generate zsh), in ~/.zshrc after compinit.

fish: cdpor generate fish > ~/.config/fish/completions/cdpor.fish

man: cdpor generate man | man -l - shows it.

An editor that knows YAML checks the keys of a file with a schema, and completes them, if the first line says which:

    # yaml-language-server: $schema=program.schema.json

What is code inside of a file only cdpor lsp understands. output-schema has a definition for each command that has
--json, and one, failure, for what all of them print when the command line or a file cannot be used.`
}

func (c *generateCommand) Run(ctx *kong.Context, e *environment.Environment) error {
	text := outputSchema
	switch c.What {
	case "man":
		model, err := wholeModel()
		if err != nil {
			return err
		}
		text = cli.ManPage(model)
	case "program-schema":
		text = lang.Schema()
	case "constraints-schema":
		text = constraints.Schema()
	case "output-schema":
	default:
		return (&kongcompletion.Completion{Shell: c.What, Code: true}).Run(ctx)
	}
	_, err := io.WriteString(e.Stdout, text)
	return err
}
