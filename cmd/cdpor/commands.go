package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"cdpor/explore"
	"cdpor/lang"
)

// newParser makes the parser of the command line. Its model is what the reference, the man page, the completion of shells and the
// configuration are made of.
func newParser(cli *commandLine, env *environment, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(cli, kong.Name("cdpor"), kong.Description(description), kong.Writers(stdout, stderr), kong.Bind(env),
		kong.Vars{"depth": strconv.Itoa(explore.DefaultMaxDepth), "columns": strings.Join(columnNames(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Exit(func(c int) { panic(exitCode(c)) }))
}

// leafCommands are the commands that do something, not those that only have others below them.
func leafCommands(n *kong.Node) (list []*kong.Node) {
	for _, c := range n.Children {
		if c.Leaf() {
			list = append(list, c)
		} else {
			list = append(list, leafCommands(c)...)
		}
	}
	return list
}

// commandName is the words of a command, without cdpor.
func commandName(n *kong.Node) string {
	if n.Parent == nil || n.Parent.Type == kong.ApplicationNode {
		return n.Name
	}
	return commandName(n.Parent) + " " + n.Name
}

// commandFlags are the flags of a command's own.
func commandFlags(n *kong.Node) (flags []*kong.Flag) {
	for _, f := range n.Flags {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	return flags
}

// flagValue is how the value of a flag is written in a reference; empty for switches.
func flagValue(f *kong.Flag) string {
	switch {
	case f.IsBool():
		return ""
	case f.IsSlice() && f.Tag.Sep != -1:
		return f.FormatPlaceHolder()
	}
	return strings.TrimSuffix(f.FormatPlaceHolder(), ",...")
}

// positionals is how the arguments of a command are written in a usage line.
func positionals(n *kong.Node) string {
	var words []string
	for _, p := range n.Positional {
		words = append(words, p.Summary())
	}
	return strings.Join(words, " ")
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
