package flags

import (
	"bytes"
	"context"
	"os"
	"strings"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
	"cdpor/lang/step"
)

// ProgramFlags name a program, and change it.
type ProgramFlags struct {
	Program string `arg:"" predictor:"file" help:"The program: a YAML file, - for standard input, a Go file or the folder of a Go package. Default: the only one in the current folder."`
	ChangeFlags
	GoFlags
	Text []byte `kong:"-"` // of the program, once it is loaded
}

// ChangeFlags change a program before it is explored.
type ChangeFlags struct {
	Param     []string `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of the program. Repeatable."`
	Atomicity string   `enum:",statement,access" default:"" placeholder:"WHAT" help:"What one step is: statement or access. Overrides the program."`
}

// Load reads and checks the program, of either language.
func (f *ProgramFlags) Load(ctx context.Context) (step.Loaded, error) {
	switch {
	case IsGo(f.Program):
		return f.LoadGo(ctx)
	case f.given():
		return nil, fault.Inputf("%s is a YAML program: --func, --bound and --no-races are for Go programs", f.Program)
	}
	src, err := f.load()
	if err != nil {
		return nil, err
	}
	return src, nil
}

// load reads and checks the program, one of YAML.
func (f *ProgramFlags) load() (src *lang.Source, err error) {
	if info, err := os.Stat(f.Program); err == nil && info.IsDir() {
		list, err := files.Programs([]string{f.Program})
		if err != nil {
			return nil, fault.Inputf("%s is a folder with neither Go files nor YAML programs", f.Program)
		}
		return nil, fault.Inputf("%s is a folder without Go files; cdpor test %s runs all programs in it, "+
			"cdpor run %s one", f.Program, terminal.Quote(f.Program), terminal.Quote(list[0]))
	}
	if f.Text, err = files.Read(f.Program); err != nil {
		return nil, err
	}
	return f.LoadText(f.Program, f.Text)
}

func (f *ChangeFlags) LoadFile(path string) (*lang.Source, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return f.LoadText(path, text)
}

func (f *ChangeFlags) LoadText(path string, text []byte) (*lang.Source, error) {
	for _, p := range f.Param {
		if name, _, ok := strings.Cut(p, "="); !ok || name == "" {
			return nil, fault.Inputf("-p %s: write -p NAME=VALUE", p)
		}
		if compare.RangeSyntax().MatchString(p) {
			return nil, fault.Inputf("-p %s: only cdpor compare takes a range", p)
		}
	}
	if bytes.HasPrefix(text, []byte(checkpoint.Magic)) { // no text
		return nil, files.Mistaken(path, text, "a program")
	}
	return lang.Load(path, text, f.Options())
}

// Options are the changes, which have been checked.
func (f *ChangeFlags) Options() lang.Options {
	params := map[string]string{}
	for _, p := range f.Param {
		name, value, _ := strings.Cut(p, "=")
		params[name] = value
	}
	return lang.Options{Params: params, Atomicity: f.Atomicity}
}

// Arguments repeats the flags for a command line in a shell.
func (f *ProgramFlags) Arguments() string {
	args := []string{terminal.Quote(f.Program)}
	for _, p := range f.Param {
		args = append(args, "-p", terminal.Quote(p))
	}
	if f.Atomicity != "" {
		args = append(args, "--atomicity", f.Atomicity)
	}
	if f.Func != "" {
		args = append(args, "--func", terminal.Quote(f.Func))
	}
	if len(f.Bound) > 0 {
		args = append(args, BoundArguments(f.Bound))
	}
	if f.NoRaces {
		args = append(args, "--no-races")
	}
	return strings.Join(args, " ")
}
