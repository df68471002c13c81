package examples

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang"
	"cdpor/testdata"
)

type Command struct {
	List examplesListCommand `cmd:"" default:"1" help:"List the programs, one line each. This is what cdpor examples does."`
	Show examplesShowCommand `cmd:"" help:"Print the text of a program."`
	Copy examplesCopyCommand `cmd:"" help:"Write a program to a folder."`
}

func (Command) Help() string {
	return `The programs are part of cdpor and need no other file. Each says what it is about, and has an expect section for cdpor test.`
}

type examplesListCommand struct {
	JSON bool `name:"json" help:"Print the list as one JSON object."`
}

func (c *examplesListCommand) Run(e *environment.Environment) error {
	all, err := All()
	if err != nil {
		return err
	}
	if c.JSON {
		return output.WriteList(e.Stdout, "examples", all)
	}
	return terminal.Folded(e.Stdout, func(w io.Writer) error { return listExamples(w, all) })
}

func listExamples(w io.Writer, all []*example) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	subject := ""
	for _, x := range all {
		if x.Subject != subject {
			if subject != "" {
				fmt.Fprintln(table)
			}
			subject = x.Subject
			fmt.Fprintln(table, subject)
		}
		fmt.Fprintf(table, "  %s\t%s\n", x.Name, x.Shows)
	}
	fmt.Fprintln(table, "\ncdpor examples show NAME prints one, cdpor examples copy NAME writes it here.")
	return table.Flush()
}

type examplesShowCommand struct {
	Name string `arg:"" predictor:"examples" help:"The program; cdpor examples lists the names."`
	JSON bool   `name:"json" help:"Print the program as one JSON object."`
}

func (c *examplesShowCommand) Run(e *environment.Environment) error {
	x, text, err := findExample(c.Name)
	if err == nil && c.JSON {
		return output.Write(e.Stdout, struct {
			Cdpor int `json:"cdpor"`
			*example
			Text string `json:"text"`
		}{output.Version, x, string(text)})
	}
	if err == nil {
		_, err = e.Stdout.Write(text)
	}
	return err
}

type examplesCopyCommand struct {
	Name  string `arg:"" predictor:"examples" help:"The program; cdpor examples lists the names."`
	Dir   string `arg:"" predictor:"dir" optional:"" default:"." help:"The folder. Default: the current one."`
	Force bool   `help:"Write also where there is a file already."`
	JSON  bool   `name:"json" help:"Print the result as one JSON object."`
}

func (c *examplesCopyCommand) Run(e *environment.Environment) error {
	x, text, err := findExample(c.Name)
	if err != nil {
		return err
	}
	path := filepath.Join(c.Dir, filepath.Base(filepath.FromSlash(x.Path)))
	run := terminal.Quote(path)
	if name, is := strings.CutSuffix(filepath.Base(path), inGo); is {
		folder := filepath.Join(c.Dir, name)
		if err := c.makePackage(folder); err != nil {
			return err
		}
		path, run = filepath.Join(folder, filepath.Base(path)), "./"+terminal.Quote(filepath.ToSlash(folder))
	}
	if err := writeNewFile(path, text, c.Force); err != nil {
		return err
	}
	if beside, err := fs.ReadFile(testdata.Files, source.FileBeside(x.Path)); err == nil {
		if err := writeNewFile(source.FileBeside(path), withoutModeline(beside), c.Force); err != nil {
			return err
		}
	}
	return wrote(e, c.JSON, path, "cdpor run "+run)
}

// makePackage makes a folder for a Go package, a module of its own if it is in none.
func (c *examplesCopyCommand) makePackage(folder string) error {
	if !files.Exists(c.Dir) {
		return fault.Inputf("%s: there is no such folder", c.Dir)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fault.Input{Err: err}
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	for ; !files.Exists(filepath.Join(at, "go.mod")); at = filepath.Dir(at) {
		if at == filepath.Dir(at) {
			return writeNewFile(filepath.Join(folder, "go.mod"), []byte("module example\n\ngo 1.25\n"), c.Force)
		}
	}
	return nil
}

// An example is a program that is part of cdpor.
type example struct {
	Name    string `json:"name"` // as short as it can be without meaning another one
	Path    string `json:"path"` // among the shipped files
	Subject string `json:"subject"`
	Shows   string `json:"shows"`
}

// All reads the list of programs: headings, and lines of a name and what the program shows below each.
func All() (list []*example, err error) {
	page, err := fs.ReadFile(testdata.Files, "examples.txt")
	if err != nil {
		return nil, err
	}
	subject, same := "", map[string]int{}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		if name, shows, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  "); ok {
			x := &example{Path: name + ".yaml", Subject: subject, Shows: shows}
			if !strings.Contains(x.Path, "/") {
				x.Path = "programs/" + x.Path
			}
			list = append(list, x)
			same[x.short()]++
			test := &example{Path: name + inGo, Subject: subject, Shows: "the same as a Go test, and its repair"}
			if _, err := fs.Stat(testdata.Files, test.Path); err == nil {
				list = append(list, test)
			}
		} else if line != "" {
			subject = line
		}
	}
	for _, x := range list {
		if x.Name = x.short(); same[x.Name] > 1 {
			x.Name = strings.TrimSuffix(x.Path, ".yaml")
		}
	}
	return list, nil
}

// inGo ends the names of examples in Go.
const inGo = "_test.go"

// short is the name of the file alone.
func (x *example) short() string {
	if name, is := strings.CutSuffix(x.Path[strings.LastIndexByte(x.Path, '/')+1:], inGo); is {
		return name + ".go"
	}
	return strings.TrimSuffix(x.Path[strings.LastIndexByte(x.Path, '/')+1:], ".yaml")
}

// initials are the first letters of the words of a name.
func initials(name string) (letters string) {
	for word := range strings.SplitSeq(name, "-") {
		letters += word[:min(1, len(word))]
	}
	return letters
}

// findExample finds a program by its name, with or without its folder and .yaml.
func findExample(name string) (*example, []byte, error) {
	all, err := All()
	if err != nil {
		return nil, nil, err
	}
	wanted := strings.TrimSuffix(name, ".yaml")
	var found, names []string
	for _, x := range all {
		if wanted == x.Name || wanted == strings.TrimSuffix(x.Path, ".yaml") {
			text, err := fs.ReadFile(testdata.Files, x.Path)
			return x, withoutModeline(text), err
		}
		if wanted == x.short() {
			found = append(found, x.Name)
		}
		names = append(names, x.Name)
	}
	if len(found) > 0 {
		slices.Sort(found)
		return nil, nil, fault.Inputf("there are several examples %s: write %s", name, strings.Join(found, " or "))
	}
	// 2pc is as good as tpc.
	short := strings.ReplaceAll(strings.ToLower(wanted), "2", "t")
	if i := slices.IndexFunc(names, func(n string) bool { return initials(n) == short }); i >= 0 {
		return nil, nil, fault.Inputf("there is no example %s; did you mean %s?", name, names[i])
	}
	if hint := lang.DidYouMean(wanted, names); hint != "" {
		return nil, nil, fault.Inputf("there is no example %s; %s", name, hint)
	}
	return nil, nil, fault.Inputf("there is no example %s; cdpor examples lists them", name)
}

// withoutModeline is a program without the line that says to editors where its schema is: elsewhere there is none.
func withoutModeline(text []byte) []byte {
	if line, rest, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasPrefix(line, []byte("# yaml-language-server:")) {
		return rest
	}
	return text
}
