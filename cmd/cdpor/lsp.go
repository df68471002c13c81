package main

import (
	"errors"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/layout"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/cmd/cdpor/internal/version"
	"cdpor/cmd/cdpor/lsp"
)

type lspCommand struct{}

func (c *lspCommand) Help() string {
	return `It speaks the Language Server Protocol on stdin and stdout, and is started by an editor. For programs and constraint
files it shows what is wrong while they are written, with quick fixes where the hint names a single cure; what a name
means, for a label also when its steps commute (if a constraint file lies beside the program); where a name is declared
and used. It renames, completes, lists the declarations, and formats. The code lenses run (explore above a Go test) and
replay have the commands cdpor.run and cdpor.replay, whose arguments are those of cdpor, and debug has cdpor.debug, for
cdpor dap; the editor carries them out. What the last run has found is shown at the lines, until the text changes. Exit
codes: 0 after shutdown, 1 if the editor leaves without.`
}

func (c *lspCommand) Run(e *environment.Environment) error {
	err := lsp.Serve(e.Context, e.Stdin, terminal.Protocol(e.Stdout), version.Text,
		lsp.Files{IsProgram: files.IsProgram, IsConstraintFile: files.IsConstraintFile,
			ConstraintsOf: source.FileBeside, ProgramOf: layout.ProgramOf, Read: files.Read,
			ReplayOf:     func(program string) string { return source.WithoutYAML(program) + ".replay.yaml" },
			ReplayOfTest: func(folder, test string) string { return filepath.Join(folder, test+".replay.yaml") },
			Runs:         lastRuns(), Format: c.format})
	if errors.Is(err, lsp.ErrNoShutdown) {
		return fault.ExitViolation
	}
	if err != nil {
		return fault.Input{Err: err}
	}
	return nil
}

// format lays a program or a constraint file out, like cdpor fmt.
func (c *lspCommand) format(path string, text []byte) ([]byte, error) {
	if files.IsConstraintFile(text) {
		return (&layout.Command{}).FormatConstraints(path, text)
	}
	if !files.IsProgram(text) {
		return nil, fault.Inputf("this is no program of cdpor")
	}
	return layout.Program(path, text)
}

// lastRuns is the folder for the logs that runs from an editor leave, in the cache of the user; empty if there is none.
func lastRuns() string {
	cache, err := os.UserCacheDir()
	dir := filepath.Join(cache, "cdpor", "runs")
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}
