package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"cdpor/explore"
)

// newParser makes the parser of the command line. Its model is what the reference, the man page, the completion of shells and the
// configuration are made of.
func newParser(cli *commandLine, env *environment, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(cli, kong.Name("cdpor"), kong.Description(description), kong.Writers(stdout, stderr), kong.Bind(env),
		kong.Vars{"depth": strconv.Itoa(explore.DefaultMaxDepth), "columns": strings.Join(columnNames(), ", "),
			"treenodes": fmt.Sprintf("%d for HTML, %d for Graphviz, %d for Mermaid", htmlNodes, dotNodes, mermaidNodes)},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100, NoExpandSubcommands: true}), kong.Exit(func(c int) { panic(exitCode(c)) }))
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
