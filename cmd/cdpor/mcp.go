package main

import (
	"os"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/cmd/cdpor/internal/version"
	"cdpor/cmd/cdpor/mcp"
)

type mcpCommand struct {
	Folder  []string      `arg:"" optional:"" default:"." predictor:"dir" help:"The folders that an agent may read. Default: the current one."`
	Timeout time.Duration `default:"60s" placeholder:"TIME" help:"How long a call may take. Default: 60s."`
	Memory  string        `default:"2GB" placeholder:"SIZE" help:"How much memory a search may take. Default: 2GB."`
}

func (mcpCommand) Help() string {
	return `It speaks the Model Context Protocol on stdin and stdout, and is started by an agent. The tools run, replay, synth, check,
diff, explain and examples give what the commands print with --json; lists are cut, and constraints and replay files are
given back as texts. A call works on copies of files of the folders: it reads nothing else of yours, writes nothing into
them and executes nothing of what is there. Go tests are read, not run; modules must be in the cache of Go.`
}

func (c *mcpCommand) Run(e *environment.Environment) error {
	if c.Timeout <= 0 {
		return fault.Inputf("--timeout must be positive")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := mcp.Serve(e.Context, e.Stdin, terminal.Protocol(e.Stdout), mcp.Options{Folders: c.Folder,
		Version: version.Text, Timeout: c.Timeout, Memory: c.Memory, Program: program, Name: os.Args[0]}); err != nil {
		return fault.Input{Err: err}
	}
	return nil
}
