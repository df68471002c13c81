package main

import (
	"io"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
)

type manCommand struct{}

func (manCommand) Help() string {
	return `Read it with: cdpor man | man -l -

Install it with: cdpor man > /usr/local/share/man/man1/cdpor.1`
}

func (manCommand) Run(e *environment.Environment) error {
	model, err := wholeModel()
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.Stdout, cli.ManPage(model))
	return err
}
