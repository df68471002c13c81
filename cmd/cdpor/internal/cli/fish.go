package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Fish is one line for each command and flag.
func Fish(m *Model) string {
	var b strings.Builder
	b.WriteString("# Completion of cdpor for fish, made by: cdpor completion fish\ncomplete -c cdpor -f\n")
	line := func(condition, text string) {
		if condition != "" {
			text = "-n '" + condition + "' " + text
		}
		fmt.Fprintf(&b, "complete -c cdpor %s\n", text)
	}
	flag := func(condition string, f *kong.Flag) {
		text := "-l " + f.Name
		if f.Short != 0 {
			text = fmt.Sprintf("-s %c %s", f.Short, text)
		}
		if !f.IsBool() {
			text += " " + fishValues(m.completionOf(f.Value), true)
		}
		line(condition, text+" -d '"+summary(f.Help)+"'")
	}
	for _, f := range CommandFlags(m.Node) {
		flag("", f)
	}
	var commands func(n *kong.Node, condition string)
	commands = func(n *kong.Node, condition string) {
		var names []string
		for _, c := range n.Children {
			names = append(names, c.Name)
		}
		for _, c := range n.Children {
			none := "not __fish_seen_subcommand_from " + strings.Join(names, " ")
			line(join2(condition, none), "-a "+c.Name+" -d '"+summary(c.Help)+"'")
		}
		for _, c := range n.Children {
			here := join2(condition, "__fish_seen_subcommand_from "+c.Name)
			for _, f := range CommandFlags(c) {
				flag(here, f)
			}
			for _, p := range c.Positional {
				if values := fishValues(m.completionOf(p), false); values != "" {
					line(here, values)
				}
			}
			commands(c, here)
		}
	}
	commands(m.Node, "")
	return b.String()
}

// join2 joins two conditions of fish.
func join2(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; and " + b
}

func fishValues(c completion, ofFlag bool) string {
	var parts []string
	if ofFlag {
		parts = append(parts, "-r")
	}
	switch words := strings.Join(c.words, " "); {
	case c.commaBetween && words != "":
		parts = append(parts, "-a '(__fish_append , "+words+")'")
	case words != "":
		parts = append(parts, "-a '"+words+"'")
	}
	switch {
	case c.files:
		parts = append(parts, "-F")
	case c.dirs:
		parts = append(parts, "-f -a '(__fish_complete_directories)'")
	case ofFlag:
		parts = append(parts, "-f")
	}
	return strings.Join(parts, " ")
}
