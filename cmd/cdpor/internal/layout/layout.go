// Package layout has the command that lays out programs and constraint files in the one canonical way.
package layout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/lang"

	"github.com/rogpeppe/go-internal/diff"
)

type Command struct {
	Path    []string `arg:"" predictor:"file" help:"Programs and constraint files, and folders that are searched for programs."`
	Write   bool     `short:"w" help:"Write the result back to the file."`
	Diff    bool     `short:"d" help:"Show what changes. The exit code is 1 if something does."`
	Steps   bool     `help:"Show the steps that programs are translated to instead: variables, and for each thread its nodes. A node that begins a step is marked with *; it goes on with the next one unless -> says otherwise."`
	JSON    bool     `name:"json" help:"Print the result as one JSON object."`
	Program string   `placeholder:"PROGRAM" help:"The program of a constraint file. Default: NAME.yaml beside NAME.constraints.yaml."`
	flags.ChangeFlags
	flags.FormatFlags
}

func (c *Command) Help() string {
	return `Without -w and -d the result is printed. Formatting changes neither the meaning of a file nor its comments.`
}

func (c *Command) Run(e *environment.Environment) error {
	paths, err := files.Programs(c.Path)
	if err != nil {
		return err
	}
	changed, unusable := false, false
	out := jsonFormatted{Cdpor: output.Version, Files: []formatted{}}
	for _, path := range paths {
		differs, text, err := c.file(e, path)
		if err != nil {
			if e.Fail(err) != fault.ExitInput {
				return fault.ExitInternal
			}
			unusable = true
			out.Errors = append(out.Errors, output.Diagnostics(err)...)
			continue
		}
		changed = changed || differs
		out.Files = append(out.Files, formatted{path, differs, text})
	}
	if c.JSON {
		if err := output.Write(e.Stdout, out); err != nil {
			return err
		}
	}
	switch {
	case unusable:
		return fault.ExitInput
	case changed && c.Diff:
		return fault.ExitViolation
	}
	return nil
}

// jsonFormatted is the JSON of cdpor fmt.
type jsonFormatted struct {
	Cdpor  int                 `json:"cdpor"`
	Files  []formatted         `json:"files"`
	Errors []output.Diagnostic `json:"errors,omitempty"`
}

// A formatted file has its text unless that was written back.
type formatted struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Text    string `json:"text,omitempty"`
}

// file formats one file as the flags say, and reports whether that changes it. shown is the text to print.
func (c *Command) file(e *environment.Environment, path string) (changed bool, shown string, err error) {
	old, err := files.Read(path)
	if err != nil {
		return false, "", err
	}
	out := terminal.Verbatim(e.Stdout)
	if c.JSON {
		out = io.Discard
	}
	format := Program
	if c.Steps {
		src, err := c.LoadText(path, old)
		if err != nil {
			return false, "", err
		}
		steps := lang.NormalForm(src.Program)
		_, err = out.Write(steps)
		return false, string(steps), err
	}
	if files.IsConstraintFile(old) {
		format = c.FormatConstraints
	} else if err := files.Mistaken(path, old, "a program"); err != nil {
		return false, "", err
	}
	text, err := format(path, old)
	if err != nil {
		return false, "", err
	}
	changed, shown = !bytes.Equal(old, text), string(text)
	if c.Diff {
		_, err = out.Write(diff.Diff(path, old, path+" formatted", text))
	} else if !c.Write {
		_, err = out.Write(text)
	}
	if c.Write {
		shown = ""
	}
	if c.Write && changed && err == nil {
		err = files.Write(path, text)
	}
	return changed, shown, err
}

// Program lays out a program. A program that is right must mean the same afterwards.
func Program(path string, old []byte) ([]byte, error) {
	text, err := lang.Format(path, old)
	if err != nil {
		return nil, err
	}
	before, err := lang.Load(path, old, lang.Options{})
	if err != nil {
		return text, nil // there is no meaning that could change
	}
	after, err := lang.Load(path, text, lang.Options{})
	if err != nil || !bytes.Equal(lang.NormalForm(before.Program), lang.NormalForm(after.Program)) {
		return nil, fmt.Errorf("%s: formatting would change the meaning: please report this program", path)
	}
	return text, nil
}

func (c *Command) FormatConstraints(path string, old []byte) ([]byte, error) {
	program := c.Program
	if program == "" {
		var err error
		if program, err = ProgramOf(path); err != nil {
			return nil, err
		}
	}
	src, err := c.LoadFile(program)
	if err != nil {
		return nil, err
	}
	set, err := constraints.Load(src.Program, path, old)
	if err != nil {
		return nil, err
	}
	return set.Rewrite(set, nil, nil), nil
}

// ProgramOf is the program that a constraint file stands beside.
func ProgramOf(path string) (string, error) {
	for _, ext := range []string{".yaml", ".yml"} {
		name, ok := strings.CutSuffix(path, ".constraints.yaml")
		if _, err := os.Stat(name + ext); ok && !errors.Is(err, fs.ErrNotExist) {
			return name + ext, nil
		}
	}
	return "", fault.Inputf("%s: its program is not beside it; name it with --program", path)
}
