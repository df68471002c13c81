package examples

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	_ "embed"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
)

// starter is the program that cdpor init writes. It calls itself program.yaml.
//
//go:embed starter.yaml
var starter string

type Init struct {
	File  string `arg:"" predictor:"file" optional:"" default:"program.yaml" help:"The file to write. Default: program.yaml."`
	Force bool   `help:"Write also where there is a file already."`
	JSON  bool   `name:"json" help:"Print the result as one JSON object."`
}

func (c *Init) Run(e *environment.Environment) error {
	name := terminal.Quote(c.File)
	text := strings.ReplaceAll(starter, "program.yaml", name)
	if err := writeNewFile(c.File, []byte(text), c.Force); err != nil {
		return err
	}
	return wrote(e, c.JSON, c.File, "cdpor run "+name, "cdpor run "+name+" -p LOCKED=false", "cdpor test "+name)
}

// wrote says which file was written, and what to try with it.
func wrote(e *environment.Environment, asJSON bool, path string, try ...string) error {
	if asJSON {
		return output.Write(e.Stdout, map[string]any{"cdpor": output.Version, "written": path, "try": try})
	}
	_, err := fmt.Fprintf(e.Stdout, "written to %s; try\n  %s\n", path, strings.Join(try, "\n  "))
	return err
}

// writeNewFile writes a file that may be there already only if that is forced.
func writeNewFile(path string, text []byte, force bool) error {
	if _, err := os.Lstat(path); !force && !errors.Is(err, fs.ErrNotExist) {
		return fault.Inputf("%s: there is such a file already; --force replaces it", path)
	}
	return files.Write(path, text)
}
