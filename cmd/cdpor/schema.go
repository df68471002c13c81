package main

import (
	"fmt"

	_ "embed"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/constraints"
	"cdpor/lang"
)

// outputSchema describes what commands print with --json: a definition for each, and failure for all.
//
//go:embed output.schema.json
var outputSchema string

type schemaCommand struct {
	Of string `arg:"" enum:"program,constraints,output" help:"What the schema describes: program, constraints, or output, which is what commands print with --json."`
}

func (c *schemaCommand) Help() string {
	return `An editor that knows YAML completes and checks the keys of a file with it. Say which in the first line of the file:

    # yaml-language-server: $schema=program.schema.json

output has a definition for each command that has --json, and one, failure, for what all of them print when the command line or a
file cannot be used.

What is code inside of a file only cdpor lsp understands.`
}

func (c *schemaCommand) Run(e *environment.Environment) error {
	text := lang.Schema()
	switch c.Of {
	case "constraints":
		text = constraints.Schema()
	case "output":
		text = outputSchema
	}
	_, err := fmt.Fprint(e.Stdout, text)
	return err
}
