package main

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"cdpor/explore"
	"cdpor/lang"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (completionCommand) Help() string {
	return `The script has all it needs inside: commands, flags, names of algorithms, columns, codes and examples; files it leaves to the shell.

bash: source <(cdpor completion bash), in ~/.bashrc.

zsh: source <(cdpor completion zsh), in ~/.zshrc after compinit; or as a file _cdpor in a folder of $fpath.

fish: cdpor completion fish > ~/.config/fish/completions/cdpor.fish`
}

func (c *completionCommand) Run(e *environment) error {
	script := map[string]func(*kong.Application) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	app, err := wholeModel()
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, script(app))
	return err
}

// allFlags are the flags that can stand behind a command: its own and those of all.
func allFlags(app *kong.Application, n *kong.Node) []*kong.Flag {
	flags := commandFlags(app.Node)
	if n != app.Node {
		flags = append(flags, commandFlags(n)...)
	}
	return flags
}

// flagNames are the ways to write a flag.
func flagNames(f *kong.Flag) []string {
	if f.Short != 0 {
		return []string{"-" + string(f.Short), "--" + f.Name}
	}
	return []string{"--" + f.Name}
}

// summary is the first sentence of a help text, without what shells take for quotes.
func summary(help string) string {
	if i := strings.Index(help, ". "); i >= 0 {
		help = help[:i]
	}
	return strings.NewReplacer("'", "’", "`", "", `\`, "").Replace(strings.TrimSuffix(help, "."))
}

// A completion is what may stand as a value.
type completion struct {
	words        []string
	files, dirs  bool
	commaBetween bool // several words, with commas in between
}

// completionLists are the values of the tag complete: lists of words that the command line knows.
func completionLists() map[string]func() []string {
	return map[string]func() []string{
		"algorithms": func() (names []string) {
			for _, a := range explore.Algorithms() {
				names = append(names, a.Name)
			}
			return names
		},
		"variants": func() (names []string) {
			for _, v := range variants() {
				names = append(names, v.Name)
			}
			return names
		},
		"columns": columnNames,
		"rows":    benchPrograms,
		"codes": func() (names []string) {
			for _, d := range lang.Diagnostics() {
				names = append(names, d.Code)
			}
			return names
		},
		"examples": func() (names []string) {
			list, err := examples()
			if err != nil {
				return nil
			}
			for _, x := range list {
				names = append(names, x.name)
			}
			return names
		},
	}
}

// completionOf is what may stand as the value of a flag or as an argument. An enum tells by itself, a tag complete names a list, and the name
// in the usage line tells files and folders.
func completionOf(v *kong.Value) (c completion) {
	if list := completionLists()[v.Tag.Get("complete")]; list != nil {
		c.words = list()
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			c.words = append(c.words, word)
		}
	}
	name := v.Name
	if v.Flag != nil {
		name = v.Flag.PlaceHolder
		c.commaBetween = v.IsSlice() && v.Tag.Sep != -1
	}
	switch name, _, _ = strings.Cut(strings.ToLower(name), "."); name {
	case "file", "program", "path", "old", "new":
		c.files = true
	case "dir":
		c.dirs = true
	}
	return c
}
