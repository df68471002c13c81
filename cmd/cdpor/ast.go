package main

import (
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/lang"
)

type astCommand struct {
	programFlags
	JSON bool `name:"json" help:"Print the syntax tree of the file as JSON instead."`
	formatFlags
}

func (c *astCommand) Help() string {
	return `What is printed is the form that everything else works on: variables, and for each thread its nodes. A node that begins
a step is marked with * and has the name of the step behind it; it goes on with the next node unless -> says otherwise.`
}

func (c *astCommand) Run(e *environment.Environment) error {
	var out []byte
	if c.JSON {
		text, err := files.Read(c.Program)
		if err != nil {
			return err
		}
		if out, err = lang.AST(c.Program, text); err != nil {
			return err
		}
	} else {
		src, err := c.load()
		if err != nil {
			return err
		}
		out = lang.NormalForm(src.Program)
	}
	_, err := e.Stdout.Write(out)
	return err
}
