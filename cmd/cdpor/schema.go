package main

import (
	"fmt"

	"cdpor/constraints"
	"cdpor/lang"
)

type schemaCommand struct {
	Of string `arg:"" enum:"program,constraints" help:"What the schema describes: program or constraints."`
}

func (c *schemaCommand) Help() string {
	return `An editor that knows YAML completes and checks the keys of a file with it. Say which in the first line of the file:

    # yaml-language-server: $schema=program.schema.json

What is code inside of a file only cdpor lsp understands.`
}

func (c *schemaCommand) Run(e *environment) error {
	text := lang.Schema()
	if c.Of == "constraints" {
		text = constraints.Schema()
	}
	_, err := fmt.Fprint(e.stdout, text)
	return err
}
